"""Canaries of a run -> what its captures carry of their locale."""

from monitor.domain.engine import Outcome
from monitor.domain.locale import LocaleState
from monitor.panels.canaries import locale_states
from monitor.pipeline.bench import Bench
from monitor.store import captures, citations, runs


def settle_locales(bench: Bench, run: runs.Run) -> None:
    """Note on every capture what the canaries of its engine and locale came to, if any was asked.

    A canary that was not answered leaves its locale as requested.
    """
    asked = bench.read(lambda c: captures.load_canaries(c, run.id))
    if not asked:
        return
    readings = bench.read(lambda c: citations.load_canary_readings(c, run.id))
    states = {(one.engine, one.prompt.locale): LocaleState.REQUESTED for one in asked}
    states |= locale_states(
        (one.engine, one.prompt, readings[one.id].reading.text)
        for one in asked
        if one.id in readings and readings[one.id].reading.outcome is Outcome.ANSWERED
    )
    bench.write(lambda c: captures.set_locale_states(c, run.id, states))
