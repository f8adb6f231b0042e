"""Finite batches: starvation, replay's weights and variance, hitting times, own-sample SFT (claim M8)."""

from typing import Any

import numpy as np

from forgetting.mixture import replay
from forgetting.mixture.densities import Array, expit, logit
from forgetting.mixture.simulations import chains, means, weights
from forgetting.mixture.simulations.descent import sgd
from forgetting.results import (
    Estimate,
    Result,
    Rows,
    check,
    curve,
    exact,
    over_seeds,
    result,
)
from forgetting.seeds import numpy_generator as stream

BETAS, SIZES, SHARES = (0.01, 0.05, 0.1), (4, 8, 16, 32, 64, 128, 256), (0.0, 0.1, 0.3)
ALPHA, DELTA = 0.3, 4.0


def run(seed: int, batches: int = 4000, draws: int = 400_000, chains_: int = 2000, steps: int = 160) -> Result:
    """`batches` a starvation frequency, `draws` one-sample gradients, `chains_` runs of `steps` at N = 4."""
    curves, checks = _starvation(seed, batches)
    for more_curves, more_checks in (
        _variance(seed, draws),
        _hitting(seed, chains_, steps),
        _own_samples(seed, chains_),
    ):
        curves, checks = curves + more_curves, checks + more_checks
    return result("batches", curves, checks)


def _starvation(seed: int, batches: int) -> Rows:
    rng, curves, checks = stream("mixture", seed, "batches", "starvation"), [], []
    for beta in BETAS:
        for share in SHARES:
            where: dict[str, Any] = {"beta": beta, "lambda_": share}
            p = np.array([replay.starvation(beta, n, share) for n in SIZES])
            seen = np.array([chains.starved_share(rng, batches, n, beta, share) for n in SIZES])
            error = np.sqrt(p * (1 - p) / batches)
            curves.append(curve("starved batches", "predicted", list(SIZES), p, **where))
            curves.append(curve("starved batches", "simulated", list(SIZES), seen, error, **where))
            for n, expected, found, se in zip(SIZES, p, seen, error, strict=True):
                if expected * batches > 20:  # below that the count is Poisson, not normal
                    row = check(
                        "M8",
                        "share of starved batches",
                        expected,
                        Estimate(found, se, batches),
                        "3 SE",
                        N=n,
                        **where,
                    )
                    checks.append(row)
    return curves, checks


def _variance(seed: int, draws: int) -> Rows:
    """Replay leaves the mean gradient alone, bounds the weights and cuts the variance."""
    rng, beta, checks, curves = stream("mixture", seed, "batches", "variance"), 0.05, [], []
    goal = np.array([logit(ALPHA), 0.0, DELTA])
    theta = np.array([logit(beta), 0.0, DELTA + 0.5])
    plain, _ = means.single_sample_gradients(rng, draws, theta, goal, 0.0)
    for share in (0.1, 0.2, 0.3):
        replayed, weight = means.single_sample_gradients(rng, draws, theta, goal, share)
        largest = exact(float(weight.max()) * (1 - share), draws)
        checks.append(
            check("M8", "largest importance weight times (1-lambda)", 1 + 1e-9, largest, "below", lambda_=share)
        )
        predicted = replay.variance_ratio(beta, share, ALPHA, DELTA + 0.5, DELTA)
        for i, name in enumerate(("phi", "old mean")):
            gap = replayed[i].mean() - plain[i].mean()
            se = np.sqrt((replayed[i].var() + plain[i].var()) / draws)
            checks.append(
                check(
                    "M8",
                    f"mean gradient with replay less on-policy, {name}",
                    0.0,
                    Estimate(gap, se, draws),
                    "3 SE",
                    lambda_=share,
                )
            )
            ratio = float(replayed[i].var() / plain[i].var())
            checks.append(
                check(
                    "M8",
                    f"variance with replay over on-policy, {name}",
                    predicted[i],
                    exact(ratio, draws),
                    "inside",
                    tolerance=0.05 * predicted[i],
                    role="beside",
                    lambda_=share,
                )
            )
            curves.append(curve("variance ratio", "simulated", [share], [ratio], of=name))
            curves.append(curve("variance ratio", "predicted", [share], [predicted[i]], of=name))
    return curves, checks


def _passages(seed: int, runs: int, steps: int, share: float) -> Array:
    """Steps to 0.9α of `runs` learners at N = 4 and learning rate 1; NaN for one that never arrives."""
    rng = stream("mixture", seed, "batches", "hitting", str(share))
    estimate = weights.own(rng, 4, DELTA, np.array([ALPHA]), share, leave_one_out=False)
    path = expit(sgd(estimate, np.full((1, runs), logit(0.02)), 1.0, range(steps + 1)))[:, 0]
    return chains.first_passage(path, 0.9 * ALPHA)


def _hitting(seed: int, runs: int, steps: int) -> Rows:
    """Arrival at 0.9α from β = 0.02: starvation spreads the times, β does not collapse."""
    curves, checks, slowest = [], [], {}
    reach = 1.96 * np.sqrt(0.9 * 0.1 / runs)  # of the rank of a 90 % quantile
    for share in (0.0, 0.3):
        first, at = _passages(seed, runs, steps, share), np.arange(steps + 1.0)
        arrived = (first[:, None] <= at).mean(0)
        curves.append(curve("arrived at 0.9 alpha", "simulated", at, arrived, lambda_=share))
        late = np.where(np.isnan(first), steps + 1, first)
        slowest[share] = np.quantile(late, [0.9, 0.9 - reach, min(0.9 + reach, 1)])
        everyone = exact(arrived[-1], runs)
        checks.append(
            check(
                "M8",
                "runs that reach 0.9 alpha",
                1.0,
                everyone,
                "inside",
                tolerance=0.02,
                role="beside",
                lambda_=share,
            )
        )
    (value, low, high), (plain, plain_low, _) = slowest[0.3], slowest[0.0]
    faster, interval = exact(value, runs), (float(low), float(high))
    name = "90 % hitting time with lambda = 0.3, against the low end of that without"
    checks.append(check("M8", name, plain_low, faster, "below", role="headline", interval=interval, without=plain))
    return curves, checks


def _own_samples(seed: int, runs: int) -> Rows:
    """SFT on own samples loses one mode for good: Wright–Fisher heterozygosity and extinction."""
    b0, n, generations = 0.3, 16, 120
    path = chains.own_sample_fits(stream("mixture", seed, "batches", "own"), runs, n, b0, 8.0, generations)
    kept = path * (1 - path)
    at = np.arange(generations + 1)
    expected = replay.own_sample_heterozygosity(at, b0, n)
    error = kept.std(axis=1, ddof=1) / np.sqrt(runs)
    curves = [
        curve("beta(1-beta), own samples", "simulated", at, kept.mean(axis=1), error, N=n),
        curve("beta(1-beta), own samples", "predicted", at, expected, N=n),
    ]
    checks = [
        check(
            "M8",
            "E beta(1-beta) of SFT on own samples",
            expected[t],
            over_seeds(kept[t]),
            "3 SE",
            role="beside",
            N=n,
            t=t,
        )
        for t in (10, 30, 60)
    ]
    lost = over_seeds((path[-1] < 0.5 / n).astype(float))
    remaining = expected[-1] / n  # chains still polymorphic, at most
    checks.append(
        check(
            "M8",
            "extinction of the old mode by SFT on own samples",
            1 - b0,
            lost,
            "inside",
            tolerance=0.05 + remaining,
            role="beside",
            N=n,
            t=generations,
        )
    )
    return curves, checks
