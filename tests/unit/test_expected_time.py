"""List scheduling: closed forms, and bounds that every schedule keeps."""

import importlib.util

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import ROOT

SPEC = importlib.util.spec_from_file_location("expected_time", ROOT / "tools/expected_time.py")
assert SPEC and SPEC.loader
tool = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(tool)


def test_independent_jobs_divide_and_a_chain_does_not():
    assert tool.makespan([[]] * 8, [3.0] * 8, [1] * 8, 2) == 12
    assert tool.makespan([[1], [2], []], [1.0, 2.0, 3.0], [1] * 3, 16) == 6
    assert tool.makespan([[]] * 2, [3.0] * 2, [2] * 2, 2) == 6  # a job of two threads takes both cores


@given(st.lists(st.tuples(st.floats(0.1, 10), st.sets(st.integers(0, 11))), min_size=1, max_size=12), st.integers(1, 4))
def test_between_its_bounds(jobs: list[tuple[float, set[int]]], cores: int):
    times = [time for time, _ in jobs]
    after = [sorted(j for j in later if i < j < len(jobs)) for i, (_, later) in enumerate(jobs)]
    threads = [1] * len(jobs)
    alone = tool.makespan(after, times, threads, len(jobs))  # as many cores as jobs: the longest chain
    found = tool.makespan(after, times, threads, cores)
    assert max(alone, sum(times) / cores) <= found + 1e-9 <= sum(times) / cores + alone + 2e-9  # Graham's bound
    assert tool.makespan(after, times, threads, 1) == pytest.approx(sum(times))
