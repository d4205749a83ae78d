"""Long work behind a page: done once, waited for a while, bounded, and failures are told."""

import threading

import pytest
from fastapi import HTTPException

from monitor.web.counting import Counting, StillCountingError


class Gate:
    """Work that waits until the test lets it go, and says how often it was begun."""

    def __init__(self, made="made"):
        self.open, self.begun, self.calls, self.made = threading.Event(), threading.Event(), 0, made

    def __call__(self):
        self.calls += 1
        self.begun.set()
        assert self.open.wait(30)
        return self.made


def test_what_was_made_is_kept_and_made_once():
    counting, calls = Counting(), []
    for _ in range(3):
        assert counting.get("key", lambda: calls.append(1) or "made", patience=30) == "made"
    assert len(calls) == 1
    assert counting.get("other", lambda: "else", patience=30) == "else"


def test_what_takes_longer_goes_on_meanwhile_and_is_there_later():
    counting, gate = Counting(), Gate()
    for _ in range(2):
        with pytest.raises(StillCountingError):
            counting.get("key", gate, patience=0)
    gate.open.set()
    assert counting.get("key", gate, patience=30) == "made"
    assert gate.calls == 1


def test_a_nothing_that_was_made_is_no_failure():
    assert Counting().get("key", lambda: None, patience=30) is None


def test_a_failure_is_told_and_tried_again():
    counting, tries = Counting(), []

    def work():
        tries.append(1)
        if len(tries) == 1:
            raise ValueError("the first time")
        return "made"

    with pytest.raises(ValueError, match="the first time"):
        counting.get("key", work, patience=30)
    assert counting.get("key", work, patience=30) == "made"


def test_a_failure_by_time_out_is_the_work_s_own():
    def work():
        raise TimeoutError("of a site")

    with pytest.raises(TimeoutError, match="of a site"):
        Counting().get("key", work, patience=30)


def test_one_work_at_a_time_and_no_more_wait_than_there_is_room_for():
    counting, first = Counting(waiting=1), Gate()
    with pytest.raises(StillCountingError):
        counting.get(1, first, patience=0)
    assert first.begun.wait(30)
    second = Gate()
    with pytest.raises(StillCountingError):
        counting.get(2, second, patience=0)
    assert not second.begun.is_set()
    with pytest.raises(HTTPException) as refused:
        counting.get(3, Gate(), patience=0)
    assert refused.value.status_code == 503
    first.open.set()
    second.open.set()
    assert counting.get(2, second, patience=30) == "made"


def test_only_the_outcomes_asked_for_last_are_kept():
    counting, calls = Counting(kept=2), []

    def made(key):
        return counting.get(key, lambda: calls.append(key) or key, patience=30)

    for key in ("a", "b", "a", "c", "d"):
        made(key)
    # Before `d` came in, `a` and `c` were asked for last.
    made("a")
    assert calls == ["a", "b", "c", "d"]
    made("b")
    assert calls == ["a", "b", "c", "d", "b"]


def test_requests_that_wait_are_bounded():
    counting, gate = Counting(watchers=1), Gate()
    waiting = threading.Thread(target=counting.get, args=("key", gate), kwargs={"patience": 30})
    waiting.start()
    assert gate.begun.wait(30)
    with pytest.raises(StillCountingError):
        counting.get("key", gate, patience=30)
    gate.open.set()
    waiting.join(30)
    assert not waiting.is_alive()
