"""The judge of an evaluation: free ones need no store, what is paid is counted in the month's."""

from collections.abc import Iterator
from contextlib import contextmanager

from monitor.config.settings import Settings
from monitor.domain.money import micros_of
from monitor.pipeline.bench import open_bench
from monitor.pipeline.judge_choice import choice_without_run, chosen_judge, priced_choice
from monitor.pipeline.judge_ledger import judge_caps
from monitor.pipeline.judges import opened_judge
from monitor.pipeline.judges_at_hand import PAID, free_judge
from monitor.pipeline.run_judge import RunJudge
from monitor.store.judge_spend import IN_SETTINGS
from monitor.store.runs import Caps


def evaluation_caps(settings: Settings, calls: int | None, usd: float | None) -> Caps:
    """Caps of one evaluation: those given by hand, else the judge's own in the settings."""
    own = judge_caps(settings)
    return Caps(
        own.calls if calls is None else calls, own.micros if usd is None else micros_of(usd)
    )


@contextmanager
def opened_judge_for(
    settings: Settings, name: str, caps: Caps, *, raised: str = IN_SETTINGS, again: bool = False
) -> Iterator[RunJudge]:
    """The judge of that name while it is asked; JudgeError where it cannot be.

    `raised` says how those caps are raised. With `again`, questions whose stored replies nobody
    could use are asked anew.
    """
    chosen = chosen_judge(settings, name, caps, splits=False)
    if chosen not in PAID:
        free = free_judge(chosen, settings)
        yield RunJudge(free.version, free)
        return
    with open_bench(settings) as bench:
        choice = choice_without_run(bench, chosen, caps)
        with opened_judge(
            bench, choice, run_id=None, caps=caps, raised=raised, again=again
        ) as judge:
            yield judge


def priced_judge_for(settings: Settings, name: str, caps: Caps) -> RunJudge:
    """The judge with what its questions would cost; nobody is asked."""
    priced = priced_choice(settings, name, caps)
    if priced is None:
        free = free_judge(chosen_judge(settings, name, caps), settings)
        return RunJudge(free.version, None, estimate=lambda _: 0, likely=lambda _: 0)
    return priced
