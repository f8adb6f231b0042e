"""What methods keep at equal parity, and the law held against points that it was not fitted on."""

import numpy as np
import pandas as pd
import pytest

from forgetting.fits import quadratic
from forgetting.retention import FAMILIES, families, kept_cells, kept_table, out_of_sample, retention_checks
from forgetting.verdicts import verdicts
from tests.unit.simulated_points import make_points

KEEPS = {"grpo": ("sequential", 0.0), "oracle": ("lwf", 0.3), "sft_1": ("rehearsal", 0.1)}


def points(law: bool = True) -> pd.DataFrame:
    frame = make_points(seeds=3, noise=0.01)
    if law:
        return frame
    frame["fashion_accuracy"] += frame["method"].map({old: kept for old, (_, kept) in KEEPS.items()})
    frame["forgetting"] = 0.776 - frame["fashion_accuracy"]
    frame["method"] = frame["method"].map({old: new for old, (new, _) in KEEPS.items()})
    return frame.assign(strength=1.0)


def test_the_law_foresees_the_points_it_was_fitted_on_as_in_sample():
    law = points()
    table = out_of_sample(law, law).set_index("method")
    x, y = law["forward_kl_new"].to_numpy(), law["forgetting"].to_numpy()
    assert table.loc["(all)", "r2"] == pytest.approx(1 - (y - quadratic(x, y)(x)).var() / y.var())
    assert table.loc["(all)", "low"] < table.loc["(all)", "r2"] < table.loc["(all)", "high"] < 1
    assert table.loc["(all)", "residual"] == pytest.approx(0, abs=1e-9)
    assert table.loc["(all)", "beyond"] == 0
    assert (table.loc["(in range)"] == table.loc["(all)"]).all()


def test_smaller_doses_of_a_fitted_method_are_no_test_of_the_law():
    new = points(law=False)
    dose = new[new["method"] == "lwf"].assign(method="short")
    table, with_dose = (out_of_sample(points(), each).set_index("method") for each in (new, pd.concat([new, dose])))
    pd.testing.assert_frame_equal(with_dose.drop("short"), table)


def test_points_beyond_the_law_are_told_from_those_in_its_range():
    far = points(law=False)
    far["forward_kl_new"] *= 1.5
    table = out_of_sample(points(), far).set_index("method")
    assert 0 < table.loc["(all)", "beyond"] < 1 and table.loc["(in range)", "beyond"] == 0
    assert table.loc["(in range)", "n"] == round(table.loc["(all)", "n"] * (1 - table.loc["(all)", "beyond"]))


def test_a_method_of_a_users_own_has_a_panel_and_nothing_is_said_of_its_needs():
    panels = families(["sequential", "mine", "ewc"])
    assert panels.pop("added") == ["mine"] and set(panels) == set(FAMILIES) and panels["binding"] == ["ewc"]
    table = kept_table(points(law=False).replace({"method": {"lwf": "mine"}}))
    assert set(table.loc[table["method"] == "mine", "needs"]) == {"--"}


def test_methods_that_keep_more_fall_below_the_law():
    table = out_of_sample(points(), points(law=False)).set_index("method")
    assert "sequential" not in table.index  # it is SFT-1, which the law was fitted on
    assert table.loc["lwf", "residual"] == pytest.approx(-0.3, abs=0.05)
    assert table.loc["lwf", "residual_high"] < -0.2 and table.loc["lwf", "r2"] < 0


def test_what_is_kept_and_what_it_needs():
    table = kept_table(points(law=False)).set_index(["method", "parity_accuracy"])
    lwf, sequential = table.loc[("lwf", 0.96)], table.loc[("sequential", 0.96)]
    assert lwf["fashion_accuracy"] - sequential["fashion_accuracy"] == pytest.approx(0.3, abs=0.05)
    assert lwf["needs"] == "old model" and sequential["needs"] == "nothing"
    x = points(law=False).query("method == 'lwf'")["forward_kl_new"]
    assert x.min() <= lwf["forward_kl_new"] <= x.max()
    cells = kept_cells(table.reset_index(), out_of_sample(points(), points(law=False))).set_index("")
    assert list(cells.index) == ["sequential SFT-1", "LwF", "rehearsal"]
    assert cells.loc["sequential SFT-1", "left by the law"] == "--"


def test_a_method_that_one_seed_does_not_bring_there_has_no_kl_there_either():
    frame = points(law=False)
    frame.loc[(frame["method"] == "lwf") & (frame["base_seed"] == 1), "parity_accuracy"] -= 0.2
    table = kept_table(frame).set_index(["method", "parity_accuracy"])
    assert table.loc[("lwf", 0.96), "status"] == "reached by some"
    assert table.loc[("lwf", 0.96), ["fashion_accuracy", "forward_kl_new"]].isna().all()


def test_an_order_that_turns_changes_the_verdict():
    right = verdicts(retention_checks(points(law=False)), ["A11", "A12"]).set_index("id")
    assert right["verdict"].tolist() == ["reproduced", "reproduced"]
    frame = points(law=False)
    frame["fashion_accuracy"] -= np.where(frame["method"] == "lwf", 0.6, 0)
    assert verdicts(retention_checks(frame), ["A11"]).loc[0, "verdict"] == "not reproduced"
