"""Planted changes from the vendor's bytes to the message: a small, seeded part of a benchmark."""

import pytest

from benchmarks.end_to_end import LOST, MODEL, STORM, Case, see
from benchmarks.simulated import ENGINES

SMALL = (60, 2)


def test_a_moved_share_is_told_after_the_model_that_changed_with_it():
    seen = see(Case(MODEL, ENGINES[0], 1, SMALL))
    assert seen.planted
    assert "synthetic-1" in seen.first
    assert "synthetic-2" in seen.first
    assert seen.kept == len(seen.kinds)


@pytest.mark.parametrize("scenario", [STORM, LOST])
def test_a_run_that_cannot_be_compared_is_told_as_that_and_as_nothing_else(scenario):
    seen = see(Case(scenario, ENGINES[0], 1, SMALL))
    assert seen.kinds == ("run_quality",)
    assert seen.kept == 1
