"""Views of runs: built once however many ask, and kept up to so many views and captures."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from monitor.web.kept_views import KeptViews
from tests.unit.report.synthetic_report import report

SMALL = replace(report(prompt_count=1, engines=("openai",), repeats=1, compared=False), tallies={})


def view(answers):
    """A view of so many captures."""
    return replace(SMALL, tallies=dict.fromkeys(range(answers)))


def built(kept, run, key="a", answers=1):
    """Whether a view had to be built."""
    built = []
    kept.get(run, key, lambda: built.append(run) or view(answers))
    return bool(built)


def test_a_view_is_built_again_only_where_its_key_is_another():
    kept = KeptViews()
    assert [built(kept, 1), built(kept, 1), built(kept, 1, "b"), built(kept, 1, "b")] == [
        True, False, True, False,
    ]  # fmt: skip


def test_who_asks_while_a_view_is_built_waits_for_it():
    kept, begun, go, calls = KeptViews(), threading.Event(), threading.Event(), []

    def build():
        calls.append(1)
        begun.set()
        assert go.wait(30)
        return SMALL

    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(kept.get, 1, "a", build)
        assert begun.wait(30)
        others = [pool.submit(kept.get, 1, "a", build) for _ in range(3)]
        assert built(kept, 2)
        assert not any(one.done() for one in (first, *others))
        go.set()
        assert {id(one.result(30)) for one in (first, *others)} == {id(SMALL)}
    assert calls == [1]


def test_a_view_that_cannot_be_built_is_tried_again_by_the_next():
    kept = KeptViews()
    with pytest.raises(RuntimeError, match="gone"):
        kept.get(1, "a", lambda: (_ for _ in ()).throw(RuntimeError("gone")))
    assert built(kept, 1)


def test_those_asked_for_longest_ago_go_first():
    kept = KeptViews(views=2)
    assert [built(kept, run) for run in (1, 2, 1, 3)] == [True, True, False, True]
    assert [built(kept, run) for run in (1, 3, 2)] == [False, False, True]


def test_captures_are_bounded_over_all_views_and_the_newest_stays():
    kept = KeptViews(answers=10)
    assert [built(kept, run, answers=5) for run in (1, 2, 1, 2)] == [True, True, False, False]
    assert [built(kept, 3, answers=50), built(kept, 3)] == [True, False]
    assert built(kept, 1)
