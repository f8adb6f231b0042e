"""Every family at small sizes: tidy frames, reproducible bytes, independent of what ran before."""

import numpy as np
import pandas as pd
import pytest
import yaml

from forgetting.mixture.experiments import FAMILIES, run
from forgetting.verdicts import verdicts
from tests.conftest import ROOT

SMALL: dict[str, dict[str, int | float]] = yaml.safe_load((ROOT / "config/smoke.yaml").read_text())["mixture"]["sizes"]
CURVES = ["experiment", "quantity", "source", "parameters", "x", "value", "low", "high"]


@pytest.fixture(scope="module")
def results():
    return {family: run(family, 0, SMALL[family]) for family in FAMILIES}


@pytest.mark.parametrize("family", FAMILIES)
def test_frames_are_tidy_and_finite(results, family):
    curves, checks = results[family]
    assert list(curves.columns) == CURVES
    assert (curves["experiment"] == family).all()
    assert np.isfinite(curves[["x", "value", "low", "high"]]).all(axis=None)
    assert not curves.duplicated(["quantity", "source", "parameters", "x"]).any()
    assert not checks.duplicated(["claim", "quantity", "parameters"]).any()
    assert np.isfinite(checks[["predicted", "measured", "low", "high"]]).all(axis=None)


@pytest.mark.parametrize("family", FAMILIES)
def test_predictions_and_measurements_stand_side_by_side(results, family):
    sources = set(results[family].curves["source"])
    assert "simulated" in sources
    assert family == "chen" or sources & {"predicted", "flow"}


@pytest.mark.parametrize("family", ["batches", "oapl"])
def test_same_seed_same_bytes_whatever_ran_before(results, family):
    again = run(family, 0, SMALL[family])
    pd.testing.assert_frame_equal(again.curves, results[family].curves, check_exact=True)
    pd.testing.assert_frame_equal(again.checks, results[family].checks, check_exact=True)
    other = run(family, 1, SMALL[family])
    assert not np.allclose(other.checks["measured"], again.checks["measured"], rtol=1e-6)


def test_all_thirteen_verdicts_are_computed_and_every_slope_is_near_an_eighth(results):
    checks = pd.concat([r.checks for r in results.values()], ignore_index=True)
    table = verdicts(checks, [f"M{i}" for i in range(1, 14)]).set_index("id")
    assert set(table["verdict"]) <= {"reproduced", "partly"}
    slopes = checks[checks["quantity"].str.startswith("slope of ln") & (checks["role"] != "beside")]
    assert len(slopes) >= 12
    assert np.abs(slopes["measured"] + 0.125).max() < 0.005


def test_the_finding_without_the_slow_factor_is_printed(results):
    rows = results["chen"].checks.set_index(["quantity", "parameters"])
    for name in ("forward", "reverse"):
        assert rows.loc[(f"drop at gain 0.9, {name}: old mode lost", "factor=1"), "measured"] > 0.75


def test_an_unknown_family_is_refused():
    with pytest.raises(ValueError, match="no mixture family 'sft'"):
        run("sft", 0)
