"""The numbers that the line has to meet, each to the digits given."""

import numpy as np
import pytest

from forgetting.mixture import (
    chen,
    components,
    divergences,
    forward,
    leakage,
    oapl,
    replay,
    reverse,
    sdft,
    ttt,
)
from forgetting.mixture.densities import expit, logit
from forgetting.mixture.quadrature import line, slope

TIMES = np.array([10.0, 100.0, 1000.0])


def digits(value, expected):
    """Equal to the last digit that `expected`, a string, gives."""
    mantissa, _, exponent = expected.partition("e")
    last = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    assert float(value) == pytest.approx(float(expected), abs=0.51 * last)


@pytest.mark.parametrize(
    ("delta", "expected"),
    [
        (6.0, (".10230", ".010386", ".001034")),
        (4.0, (".11015", ".012236", ".001436")),
        (3.0, (".12813", ".016539", ".002419")),
        (2.0, (".17726", ".029636", ".005822")),
    ],
)
def test_forward_flow(delta, expected):
    for value, text in zip(forward.weight(TIMES, 0.5, delta), expected, strict=True):
        digits(value, text)


def test_forward_without_leakage():
    for value, text in zip(forward.weight_without_leakage(TIMES, 0.5), (".10181", ".010264", ".001005"), strict=True):
        digits(value, text)


def test_leakage_slopes():
    deltas = np.arange(4.0, 10.1)
    eps = leakage.leakage(0.5, deltas)
    digits(slope(deltas**2, np.log(eps)), "-.1336")
    assert slope(deltas**2, np.log(eps * deltas)) == pytest.approx(-0.1233, abs=1e-4)


@pytest.mark.parametrize(("delta", "text"), [(2, ".0784"), (4, ".1468"), (6, ".1592")])
def test_replay_rate(delta, text):
    digits(replay.data_rate(0.2, delta), text)


@pytest.mark.parametrize(("b0", "text"), [(0.1, "14.5"), (0.01, "48"), (0.003, "101")])
def test_return_times(b0, text):
    digits(reverse.hitting_time(b0, 0.27, 0.3), text)


def test_drift_along_the_flow():
    deltas = np.array([3, 4, 5, 5.5, 6, 6.5, 7, 7.5, 8])
    times = np.linspace(0, 60, 3001)
    paths = [reverse.flow(times, np.array([logit(0.8), 0.0, d]), 0.5, d)[1] for d in deltas]
    largest = np.array([np.abs(p).max() for p in paths])
    expected = (".1808", ".0628", ".0184", ".00450", "8.87e-4", "1.37e-4")
    for value, text in zip(largest[[0, 1, 2, 4, 6, 8]], expected, strict=True):
        digits(value, text)
    digits(slope(deltas[3:] ** 2, np.log(largest[3:])), "-.1249")
    assert all(abs(p[-1]) < 0.01 * m for p, m in zip(paths[1:], largest[1:], strict=True))


def test_old_mean_gradient_slopes():
    for low, high, text in ((3, 6, "-.1187"), (6, 9, "-.1239")):
        deltas = np.arange(low, high + 0.1, 0.5)
        norms = [abs(reverse.old_mean_gradient(0.7, d, 0.5, d)) for d in deltas]
        digits(slope(deltas**2, np.log(norms)), text)


def test_local_rate():
    digits(-2 * reverse.smallest_eigenvalue(0.5, 4), "-.43348")
    digits(-2 * reverse.smallest_eigenvalue(0.5, 6), "-.49776")


@pytest.mark.parametrize(("delta", "text"), [(4.0, "-.43349"), (6.0, "-.49777")])
def test_local_rate_along_the_flow(delta, text):
    times = np.linspace(20, 40, 11)
    path = reverse.flow(times, np.array([0.02, 0.005, delta - 0.005]), 0.5, delta)
    goal, grid = reverse.target(0.5, delta), line(delta)
    losses = [
        reverse.gradient(theta, goal, grid)
        @ np.linalg.solve(reverse.fisher(0.5, delta), reverse.gradient(theta, goal, grid))
        / 2
        for theta in path.T
    ]
    assert slope(times, np.log(losses)) == pytest.approx(float(text), abs=1e-4)


@pytest.mark.parametrize(
    ("n", "plain", "replayed"), [(8, ".6634", ".286"), (32, ".1937", ".00665"), (128, ".00141", "2e-9")]
)
def test_starvation(n, plain, replayed):
    digits(replay.starvation(0.05, n), plain)
    digits(replay.starvation(0.05, n, 0.1), replayed)


def test_variance_ratios():
    for m_n, phi, mean in ((4.5, ".154", ".223"), (4.0, ".161", ".218")):
        ratio = replay.variance_ratio(0.05, 0.2, 0.3, m_n, 4.0)
        digits(ratio[0], phi)
        digits(ratio[1], mean)
    assert replay.largest_weight(0.2) == 1.25


@pytest.mark.parametrize(("shown", "text"), [(0.2, ".1256"), (0.05, ".0387"), (0.01, ".0080")])
def test_sdft_rate(shown, text):
    digits(sdft.rate(0.3, 0.05, shown), text)
    assert sdft.rate(0.3, 0.05, 0.0) == pytest.approx(0.0, abs=1e-15)


def test_sdft_fixed_points_under_tilted_demonstrations():
    digits(sdft.tilted_weight(0.3, 0.1, 0.1, 0.5), ".1362")
    digits(sdft.tilted_weight_by_probability(0.3, 0.1, 0.1, 0.5), ".1496")


def test_sdft_lasting_drift():
    deltas = np.arange(3.0, 8.1, 0.5)
    paths = [sdft.flow(np.array([150.0]), 0.3, 0.5, 0.5, d, 0.05, 0.0)[1, 0] for d in deltas]
    digits(slope(deltas**2, np.log(np.abs(paths))), "-.132")


@pytest.mark.parametrize(("anchor", "text"), [(2, ".323"), (1, ".2178"), (0.5, ".0982"), (0.3, ".0311")])
def test_ttt_resting_weight(anchor, text):
    digits(ttt.resting_weight(0.5, 0.0, anchor), text)


def test_ttt_threshold():
    digits(ttt.critical_anchor(0.25, 0.5, 0.0), "1.2137")
    assert ttt.resting_weight(0.5, 0.0, ttt.critical_anchor(0.25, 0.5, 0.0)) == pytest.approx(0.25)
    assert ttt.sharpest_tilt(0.5) == pytest.approx(np.log(2))


def test_oapl_syncs():
    for value, text in zip(
        oapl.resynced_weights(0.5, 0.5, 5), (".3775", ".2689", ".1824", ".1192", ".0759"), strict=True
    ):
        digits(value, text)
    assert oapl.fitted_weight(0.0, 0.5) == 0.0


@pytest.mark.parametrize(
    ("name", "curvature"),
    [("reverse KL", 1), ("forward KL", 1), ("chi squared", 2), ("Hellinger", 0.5), ("Jensen-Shannon", 0.25)],
)
def test_f_divergence_curvature_and_gate(name, curvature):
    assert divergences.DIVERGENCES[name].curvature == curvature
    deltas = np.arange(5.5, 8.1, 0.5)
    norms = [
        abs(divergences.gradient(name, np.array([logit(0.7), 0, d]), reverse.target(0.3, d), line(d))[1])
        for d in deltas
    ]
    assert -0.1240 < slope(deltas**2, np.log(norms)) < -0.1224


@pytest.mark.parametrize(("delta", "mean", "weight"), [(2.0, "1.98", ".271"), (4.0, "3.17", ".0053")])
def test_trap(delta, mean, weight):
    phi, m_o, _ = forward.flow(np.array([1e4]), 0.5, delta)[:, -1]
    digits(m_o, mean)
    digits(expit(phi), weight)


def test_overlaps_in_closed_form():
    for distance in (1.0, 3.0, 6.0):
        exact = components.logistic_overlap(distance)
        assert components.bhattacharyya("logistic", distance) == pytest.approx(exact, rel=1e-9)
        exact = components.laplace_overlap(distance)
        assert components.bhattacharyya("Laplace", distance) == pytest.approx(exact, rel=1e-5)  # a kink in V


def test_toy_overlap_against_a_fine_grid():
    x = np.linspace(-15, 15, 400_001)
    for w, m, s in ((0.75, -3.5, 1.0), (0.5, -2.0, 0.6), (0.2, -3.0, 1.7), (0.75, -3.0, 1.0)):
        area = np.minimum(0.75 * chen._density(x, -3.0, 1.0), w * chen._density(x, m, s)).sum() * (x[1] - x[0]) / 0.75
        found = chen.overlap(0.75, -3.0, 1.0, np.array([w]), np.array([m]), np.array([s]))[0]
        assert found == pytest.approx(area, abs=1e-6)
