"""Which runs a comparison holds against each other: named, the ones before, or a pinned one."""

from enum import StrEnum
from functools import partial

from monitor.errors import StoreError
from monitor.pipeline.bench import Bench
from monitor.pipeline.comparing import earlier_runs, previous_run
from monitor.pipeline.line import load_pair, load_run
from monitor.store import references, runs


class Against(StrEnum):
    """Words that stand for runs before."""

    PREVIOUS = "previous"
    POOLED = "pooled"
    REFERENCE = "reference"


Sides = tuple[tuple[runs.Run, ...], runs.Run]
"""The runs before, oldest first, and the run after."""


def choose_sides(bench: Bench, before: str, after: str | None) -> Sides:
    """Runs that two names stand for: public ids, slots, or for the side before a word of `Against`.

    Without a name, the run after is the newest: of all, or of the panel of the run before.
    StoreError says what is missing.
    """
    if before in set(Against):
        now = load_run(bench, after) if after is not None else _newest(bench)
        return _against(bench, Against(before), now), now
    if after is not None:
        first, second = load_pair(bench, before, after)
        if first.id == second.id:
            raise StoreError(
                f"{first.public_id} was named twice: name two runs, or compare two engines of it "
                "with `--engines A,B`"
            )
        return (first,), second
    first = load_run(bench, before)
    second = _newest(bench, first)
    if first.id == second.id:
        raise StoreError(
            f"{first.public_id} is the newest run of its panel: name the run before it first, or "
            "compare two engines of it with `--engines A,B`"
        )
    return (first,), second


def side_notes(bench: Bench, word: str, sides: Sides) -> tuple[str, ...]:
    """What to know of the runs that `word` chose: fewer than wanted, or told backwards."""
    before, after = sides
    wanted = bench.settings.alerts.drift_runs
    found = []
    if word == Against.POOLED and len(before) < wanted:
        found.append(
            f"pooled {len(before)} of {wanted} runs (alerts.drift_runs): "
            f"no more runs before {after.public_id} have ended"
        )
    late = [one.public_id for one in before if one.id > after.id]
    if late:
        found.append(
            f"{', '.join(late)} is later than {after.public_id}: what is called before was asked "
            "after it, so every change reads backwards"
        )
    return tuple(found)


def _newest(bench: Bench, beside: runs.Run | None = None) -> runs.Run:
    """The newest run, or that of a run's panel; one that was handed in only beside another one."""
    panel = beside.panel if beside else None
    imports = beside is not None and beside.imported
    found = bench.read(lambda c: runs.list_runs(c, panel, limit=1, imports=imports))
    return found[0] if found else load_run(bench, None, panel=panel)


def _against(bench: Bench, word: Against, now: runs.Run) -> tuple[runs.Run, ...]:
    """The runs before that a word stands for."""
    if now.imported:
        raise StoreError(
            f"{now.public_id} was handed in: no run comes before it by itself; name both runs to "
            "compare, two imports of one panel"
        )
    if word is Against.REFERENCE:
        return (_reference(bench, now),)
    if word is Against.PREVIOUS:
        before = previous_run(bench, now)
        found = [before] if before else []
    else:
        found = [*earlier_runs(bench, now, _pooled(bench))]
    if not found:
        raise StoreError(
            f"{now.public_id} is the first run of its panel, there is none before it: name both "
            "runs to compare"
        )
    return tuple(found)


def _pooled(bench: Bench) -> int:
    """How many runs are pooled."""
    count = bench.settings.alerts.drift_runs
    if count < 2:
        raise StoreError(
            "alerts.drift_runs is 1, so there is nothing to pool: raise it in the settings, or "
            "compare with `previous`"
        )
    return count


def _reference(bench: Bench, now: runs.Run) -> runs.Run:
    """The pinned run of a run's panel."""
    found = bench.read(partial(references.list_references, panel=now.panel))
    if not found:
        raise StoreError(
            f"panel {now.panel} has no reference: pin one of its runs with `monitor reference RUN`"
        )
    pinned = found[0]
    if pinned.run_id == now.id:
        raise StoreError(
            f"{now.public_id} is the reference of its panel itself: name a later run to compare "
            "with it, or pin another one"
        )
    return bench.read(partial(runs.load_run_by_id, run_id=pinned.run_id))


def pin_reference(bench: Bench, run: runs.Run) -> None:
    """Make an ended run the reference of its panel; StoreError for one without a say."""
    if run.state not in runs.TELLING:
        raise StoreError(
            f"{run.public_id} is {run.state.value}: only a run that is done or incomplete can be "
            "compared with for long; pin another one"
        )
    if run.imported:
        raise StoreError(
            f"{run.public_id} was handed in and is no baseline of runs that ask engines; pin one "
            "of those, or compare two imports by name"
        )
    at = bench.clock.now()
    bench.write(lambda c: references.pin(c, run.panel, run.id, at=at))


def clear_reference(bench: Bench, panel: str) -> None:
    """Leave a panel without a reference; StoreError where it had none."""
    if not bench.write(lambda c: references.unpin(c, panel)):
        known = ", ".join(one.panel for one in bench.read(references.list_references)) or "none"
        raise StoreError(f"panel {panel[:100]!r} has no reference; panels with one: {known}")
