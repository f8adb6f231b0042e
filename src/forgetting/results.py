"""The two frames that an exact line of evidence returns: curves to draw, and checks to judge."""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

Array = NDArray[np.floating]
Rule = Literal["3 SE", "inside", "meets", "below", "above"]
Role = Literal["headline", "measure", "beside"]
Source = Literal["predicted", "simulated", "computed", "bound", "flow"]
Check = dict[str, Any]
Rows = tuple[list[pd.DataFrame], list[Check]]
WIDEST = 0.05  # half-width above which an interval that meets a published value settles nothing
ROUNDING = 1e-9  # what two double-precision routes to one number may differ by


class Result(NamedTuple):
    """`curves`: one row a drawn point. `checks`: one row a prediction set against a measurement."""

    curves: pd.DataFrame
    checks: pd.DataFrame


class Estimate(NamedTuple):
    """A measured value, its standard error (0 when nothing was drawn), the independent values behind it."""

    value: float
    standard_error: float
    n: int

    def interval(self) -> tuple[float, float]:
        """95 % interval by Student's t over the n values."""
        reach = self.standard_error * float(stdtrit(self.n - 1, 0.975)) if self.n > 1 else 0.0
        return self.value - reach, self.value + reach


def exact(value: float, n: int = 1) -> Estimate:
    """A measurement without sampling error, read off n computed points."""
    return Estimate(float(value), 0.0, n)


def over_seeds(values: Array) -> Estimate:
    """Mean over independent seeds; NaN when there are none."""
    if values.size < 2:
        return Estimate(float(values.mean()) if values.size else np.nan, np.nan, int(values.size))
    return Estimate(float(values.mean()), float(values.std(ddof=1) / np.sqrt(values.size)), int(values.size))


def slope_over_seeds(x: Array, log_mean: Array, relative_error: Array, n: int) -> Estimate:
    """Least-squares slope of `log_mean` on x with the error carried over from independent relative errors."""
    centred = x - x.mean()
    weights = centred / (centred @ centred)
    return Estimate(float(weights @ log_mean), float(np.sqrt(weights**2 @ relative_error**2)), n)


def far_separations(points: int) -> Array:
    """Separations from 5.5 to 8, where slopes in δ² have reached their limit."""
    return np.linspace(5.5, 8.0, points)


def label(parameters: dict[str, object]) -> str:
    """Parameters as text, for example "delta=4 lambda=0.2"; a trailing underscore in a name is dropped."""
    return " ".join(
        f"{k.rstrip('_')}={v:g}" if isinstance(v, int | float | np.number) else f"{k.rstrip('_')}={v}"
        for k, v in parameters.items()
    )


def curve(
    quantity: str,
    source: Source,
    x: ArrayLike,
    value: ArrayLike,
    error: Array | None = None,
    **parameters: object,
) -> pd.DataFrame:
    """Rows of one curve; `error` is a standard error, drawn as a band of 1.96 either way."""
    value = np.asarray(value, float)
    reach = 0.0 if error is None else 1.96 * np.asarray(error, float)
    return pd.DataFrame(
        {
            "quantity": quantity,
            "source": source,
            "parameters": label(parameters),
            "x": np.asarray(x, float),
            "value": value,
            "low": value - reach,
            "high": value + reach,
        }
    )


def seed_curve(quantity: str, x: ArrayLike, values: Array, **parameters: object) -> pd.DataFrame:
    """Simulated curve from `values` of shape (x, seeds): mean over seeds and its standard error."""
    error = values.std(axis=1, ddof=1) / np.sqrt(values.shape[1])
    return curve(quantity, "simulated", x, values.mean(axis=1), error, **parameters)


def _state(rule: Rule, predicted: float, tolerance: float, e: Estimate, low: float, high: float) -> str:
    """holds, crosses, inconclusive, fails or not reached; `verdicts` says what each means for a claim."""
    if not np.isfinite(e.value):
        return "not reached"
    if rule == "3 SE":
        return "holds" if abs(e.value - predicted) <= 3 * e.standard_error + ROUNDING else "fails"
    if rule == "below":
        return "holds" if high <= predicted else "crosses" if e.value <= predicted else "fails"
    if rule == "above":
        return "holds" if low >= predicted else "crosses" if e.value >= predicted else "fails"
    bottom, top = predicted - tolerance, predicted + tolerance
    if high < bottom or low > top:
        return "fails"
    if rule == "meets":
        return "holds" if (high - low) / 2 <= WIDEST else "inconclusive"
    return "holds" if low >= bottom and high <= top else "crosses"


def check(
    claim: str,
    quantity: str,
    predicted: float,
    measured: Estimate | float,
    rule: Rule,
    *,
    tolerance: float = 0.0,
    role: Role = "measure",
    interval: tuple[float, float] | None = None,
    **parameters: object,
) -> Check:
    """One row of the table "predicted against measured".

    Rules: "3 SE" |deviation| ≤ 3 standard errors; "inside" the whole interval within `tolerance` of the
    prediction; "meets" the interval meets that band and is no wider than ±0.05; "below", "above" a bound or
    an order.
    """
    e = measured if isinstance(measured, Estimate) else exact(measured)
    low, high = interval or e.interval()
    comparable = rule not in ("below", "above") and e.standard_error > ROUNDING * abs(e.value)
    deviation = (e.value - predicted) / e.standard_error if comparable else np.nan
    state = _state(rule, predicted, tolerance, e, low, high)
    return {
        "claim": claim,
        "quantity": quantity,
        "parameters": label(parameters),
        "role": role,
        "predicted": float(predicted),
        "measured": e.value,
        "standard_error": e.standard_error,
        "deviation": deviation,
        "low": low,
        "high": high,
        "n": e.n,
        "rule": rule,
        "tolerance": tolerance,
        "state": state,
        "agrees": state == "holds",
    }


def result(experiment: str, curves: Iterable[pd.DataFrame], checks: Iterable[Check]) -> Result:
    """Both frames with the experiment's name in front."""
    drawn, judged = pd.concat(list(curves), ignore_index=True), pd.DataFrame(list(checks))
    drawn.insert(0, "experiment", experiment)
    judged.insert(0, "experiment", experiment)
    return Result(drawn, judged)
