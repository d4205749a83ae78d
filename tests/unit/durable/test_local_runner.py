"""The local runner: every id is handled, a bad one hurts itself only."""

import asyncio

import pytest

from monitor.domain.job import Job
from monitor.durable import LocalRunner
from monitor.errors import BudgetError, RunCancelledError, StoreError


def jobs(**queues):
    """Jobs of one run, by queue."""
    return [Job(1, queue, one) for queue, ids in queues.items() for one in ids]


class Work:
    """A handler that fails where it is told to."""

    def __init__(self, failures=None):
        self.failures = failures or {}
        self.done = []
        self.most = 0
        self._now = 0

    async def __call__(self, job):
        one = job.subject_id
        self._now += 1
        self.most = max(self.most, self._now)
        await asyncio.sleep(0)
        self._now -= 1
        if one in self.failures:
            raise self.failures[one]
        self.done.append(one)


async def test_every_id_of_every_queue_is_handled_once():
    work = Work()
    failures = await LocalRunner({"a": 2, "b": 3}).drain(jobs(a=[1, 2, 2, 3], b=[4, 5]), work)
    assert (sorted(work.done), failures) == ([1, 2, 3, 4, 5], ())


@pytest.mark.parametrize(
    "failure",
    [StoreError("x"), OSError("x"), KeyError("x"), RuntimeError("x"), AssertionError("x"),
     RecursionError("x"), AttributeError("x")],
)  # fmt: skip
async def test_a_failing_id_is_named_and_the_others_go_on(failure):
    work = Work({2: failure})
    failures = await LocalRunner({"a": 1}).drain(jobs(a=[1, 2, 3]), work)
    assert work.done == [1, 3]
    assert [(p.job, p.error) for p in failures] == [(Job(1, "a", 2), failure)]


async def test_a_queue_has_no_more_workers_than_its_cap():
    work = Work()
    await LocalRunner({"a": 3}).drain(jobs(a=range(20)), work)
    assert work.most == 3


async def test_a_queue_without_a_cap_is_worked_off_one_by_one():
    work = Work()
    await LocalRunner({"a": 0}).drain(jobs(a=[1, 2], unknown=[]), work)
    assert (work.done, work.most) == ([1, 2], 1)


async def test_a_spent_budget_ends_its_queue_and_leaves_the_rest():
    work = Work({2: BudgetError("spent")})
    failures = await LocalRunner({"a": 1, "b": 1}).drain(jobs(a=[1, 2, 3, 4], b=[9]), work)
    assert sorted(work.done) == [1, 9]
    assert [(p.job.subject_id, str(p.error)) for p in failures] == [(2, "spent")]


async def test_an_id_put_back_for_want_of_budget_is_done_when_others_settle_for_less():
    open_estimates, done = set(), []

    async def handler(job):
        one = job.subject_id
        # Room for one estimate at a time: whoever comes second must come again.
        if open_estimates:
            raise BudgetError("estimates fill the cap")
        open_estimates.add(one)
        await asyncio.sleep(0)
        open_estimates.discard(one)
        done.append(one)

    failures = await LocalRunner({"a": 4}).drain(jobs(a=range(10)), handler)
    assert (sorted(done), failures) == (list(range(10)), ())


async def test_a_cancelled_run_ends_every_queue_and_is_told_once():
    cancelled = RunCancelledError("cancelled")
    work = Work({1: cancelled, 3: cancelled})
    failures = await LocalRunner({"a": 1, "b": 1}).drain(jobs(a=[1, 2], b=[3, 4]), work)
    assert work.done == []
    assert [p.error for p in failures] == [cancelled]


async def test_progress_is_told_for_failures_too():
    told = []
    runner = LocalRunner({"a": 1}, told.append)
    await runner.drain(jobs(a=[1, 2]), Work({1: ValueError("x")}))
    assert told == jobs(a=[1, 2])
