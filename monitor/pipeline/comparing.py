"""Runs of one panel -> what changed, all sides scored under the recipe of now.

`compare_engine` makes every comparison, whatever door asks for it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from monitor.changes import compare
from monitor.domain.change import (
    Change,
    ChangeRules,
    ChangeVerdict,
    Comparison,
    Side,
    Subject,
)
from monitor.domain.claim import Judge
from monitor.domain.sample import Sample, pooled_sample
from monitor.domain.score import Rate, Tally
from monitor.errors import StoreError
from monitor.panels.differences import frame_changes
from monitor.pipeline.bench import Bench
from monitor.pipeline.events import events_between
from monitor.pipeline.samples import (
    EngineSample,
    RunReader,
    RunSamples,
    read_again,
    run_samples,
    samples_of,
)
from monitor.pipeline.tallying import Scored, score_run
from monitor.scoring.judged import JUDGED
from monitor.scoring.signature import blocking_difference, recipe_hash
from monitor.scoring.tally import MEASURES
from monitor.store import runs, scores
from monitor.store.codec import encode

EVIDENCE = "evidence"
"""What a refusal is called where retention removed what scoring anew needs."""
JUDGE = "judge"
"""What a refusal is called where verdicts are missing that only money would give."""

_NOTHING = Side(None, Rate(0, 0), 0)
_ORDER = {name: place for place, name in enumerate(MEASURES)}


@dataclass(frozen=True, slots=True)
class Weighed:
    """Both sides without their tallies, and the comparison of every engine they share."""

    before: tuple[RunSamples, ...]
    """Oldest first; more than one where runs are pooled."""
    after: RunSamples
    comparisons: Mapping[str, Comparison]
    only_before: tuple[str, ...] = ()
    """Engines that only the earlier side asked: nothing to compare."""
    only_after: tuple[str, ...] = ()
    """Engines that only the later run asked."""
    notes: tuple[str, ...] = ()
    """What to know of the choice of the runs."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Both runs scored alike as a whole, and the comparison of every engine they share."""

    before: Scored
    after: Scored
    comparisons: Mapping[str, Comparison]
    only_before: tuple[str, ...] = ()
    """Engines that only the earlier run asked: nothing to compare."""
    only_after: tuple[str, ...] = ()
    """Engines that only the later run asked."""


def previous_run(bench: Bench, run: runs.Run) -> runs.Run | None:
    """The run of the same panel planned last before this one, or None."""
    begun = [state for state in runs.RunState if state is not runs.RunState.PLANNED]
    found = bench.read(lambda c: runs.runs_before(c, run, states=begun, limit=1))
    return found[0] if found else None


def none_before(run: runs.Run) -> str:
    """Why `previous_run` has nothing to compare a run with."""
    return "its answers were handed in" if run.imported else "no earlier run of this panel"


def earlier_runs(bench: Bench, run: runs.Run, count: int) -> tuple[runs.Run, ...]:
    """The last ended runs of the same panel before this one, at most so many, oldest first."""
    return bench.read(lambda c: runs.runs_before(c, run, limit=count))[::-1]


def compare_engine(
    before: Sequence[RunSamples],
    after: RunSamples,
    engine: str,
    *,
    other: str | None = None,
    rules: ChangeRules | None = None,
) -> Comparison:
    """One engine now against itself before, or against another engine's answers.

    Several runs before are pooled into one baseline. It speaks for the prompts that the newest of
    them asked, as that one worded them. `other` names the engine of the side before, for two
    engines asked the same prompts. `rules` are those of the product unless others are given.
    StoreError where a run did not ask the engine, or where the panels are not one.
    """
    _same_panel([one.run for one in before], after.run)
    before = sorted(before, key=lambda one: one.run.id)
    then = [_of(one, other or engine) for one in before]
    now = _of(after, engine)
    frame = "; ".join(frame_changes(before[-1].panel, after.panel))
    sides = pooled_sample([_as_asked(one, then[-1]) for one in then]), now.sample
    unread = [one.unread for one in (*before, after) if one.unread]
    blind = any(one.missing or one.pending for one in (*then, now))
    tallies, key, run = _compared(sides, blind=blind)
    made = compare(
        *tallies,
        engine=f"{other}~{engine}" if other else engine,
        panel_version=f"{after.run.panel}@{after.run.panel_version}",
        before_id=sides[0].name,
        after_id=sides[1].name,
        coverage=(sides[0].coverage, sides[1].coverage),
        rules=rules,
        events=events_between(then, now, frame=frame),
        blocked=(*_refused(then, now), *([EVIDENCE] if unread else [])),
        key=key,
        run=run,
        prompts=(then[-1].prompts, now.prompts),
    )
    return _finished(made, (*then, now), unread)


def weigh(bench: Bench, before: Sequence[runs.Run], after: runs.Run, judge: Judge) -> Weighed:
    """Compare a run with one before it, or with several pooled, from tallies the store vouches for.

    One engine's tallies are in memory at a time. The comparison with one run is stored, unless the
    bench only looks. StoreError where the runs are not of one panel.
    """
    _same_panel(before, after)
    then = [RunReader(bench, one, judge) for one in before]
    now = RunReader(bench, after, judge)
    parts = [
        _weighed(tuple(one.samples({engine}) for one in then), now.samples({engine}))
        for engine in dict.fromkeys((*now.engines, *(e for one in then for e in one.engines)))
    ]
    weighed = _joined(parts)
    if len(before) == 1 and bench.keeps:
        _save(bench, before[0], after, weighed)
    return weighed


def _joined(parts: Sequence[Weighed]) -> Weighed:
    """Comparisons of several engines of the same runs as one."""
    sides = zip(*((*one.before, one.after) for one in parts), strict=True)
    whole = [
        replace(same[0], engines={name: e for one in same for name, e in one.engines.items()})
        for same in sides
    ]
    return Weighed(
        tuple(whole[:-1]),
        whole[-1],
        {name: one for part in parts for name, one in part.comparisons.items()},
        tuple(name for part in parts for name in part.only_before),
        tuple(name for part in parts for name in part.only_after),
    )


def weigh_engines(bench: Bench, run: runs.Run, judge: Judge, pair: tuple[str, str]) -> Weighed:
    """Compare two engines of one run on the prompts both answered; the first is the side before.

    StoreError, before anything is scored, where the run did not ask one of them, or reached them in
    different ways, as an API and a page.
    """
    asked = {part.engine: part for part in bench.read(partial(runs.load_plan, run_id=run.id))}
    for engine in pair:
        if engine not in asked:
            raise _not_asked(run, engine, asked)
    first, second = (asked[engine].access for engine in pair)
    if first is not second:
        raise StoreError(
            f"{pair[0]} was reached by {first.value} and {pair[1]} by {second.value}: answers "
            "that were obtained in different ways are not compared; name two engines of one way"
        )
    made = run_samples(bench, run, judge, engines=pair)
    one = compare_engine([made], made, pair[1], other=pair[0])
    light = made.without_tallies()
    return Weighed((light,), light, {one.engine: one})


def compare_runs(bench: Bench, before: runs.Run, after: runs.Run, judge: Judge) -> Compared:
    """Score both runs under the settings of now and compare the engines they share.

    For who needs the assessed answers of both; `weigh` says the same without them.
    """
    _same_panel([before], after)
    unread = [read_again(bench, one) for one in (before, after)]
    first = [bench.read(partial(scores.first_signatures, run_id=one.id)) for one in (before, after)]
    scored = score_run(bench, before, judge), score_run(bench, after, judge)
    sides = [
        replace(samples_of(bench, run, judge, one, first=was), unread=why)
        for run, one, was, why in zip((before, after), scored, first, unread, strict=True)
    ]
    weighed = _weighed((sides[0],), sides[1])
    _save(bench, before, after, weighed)
    return Compared(*scored, weighed.comparisons, weighed.only_before, weighed.only_after)


def _same_panel(before: Sequence[runs.Run], after: runs.Run) -> None:
    """StoreError before any work is done for runs that cannot be compared."""
    for one in before:
        if one.panel != after.panel:
            raise StoreError(
                f"{one.public_id} and {after.public_id} are runs of different panels; "
                "compare two runs of one panel"
            )


def _weighed(before: tuple[RunSamples, ...], after: RunSamples) -> Weighed:
    """Every engine that the run after and all runs before asked, compared."""
    newest = max(before, key=lambda one: one.run.id)
    found = {}
    for engine in after.engines:
        asked = [one for one in before if engine in one.engines]
        if engine in newest.engines:
            found[engine] = compare_engine(asked, after, engine)
    return Weighed(
        tuple(one.without_tallies() for one in before),
        after.without_tallies(),
        found,
        tuple(e for e in newest.engines if e not in after.engines),
        tuple(e for e in after.engines if e not in newest.engines),
    )


def _of(one: RunSamples, engine: str) -> EngineSample:
    """A run's sample of an engine; StoreError lists what there is."""
    if engine not in one.engines:
        raise _not_asked(one.run, engine, one.engines)
    return one.engines[engine]


def _not_asked(run: runs.Run, engine: str, asked: Iterable[str]) -> StoreError:
    known = ", ".join(asked) or "none"
    return StoreError(f"{run.public_id} did not ask {engine[:100]!r}; it asked: {known}")


def _as_asked(one: EngineSample, newest: EngineSample) -> Sample:
    """A sample kept to the prompts, as worded, of the newest of the pooled ones."""
    wanted = {f"{prompt}@{version}" for prompt, version in newest.prompts.items()}
    sample = one.sample
    kept = {key: t for key, t in sample.tallies.items() if sample.versions[key] in wanted}
    return sample if len(kept) == len(sample.tallies) else replace(sample, tallies=kept)


def _compared(
    sides: tuple[Sample, Sample], *, blind: bool
) -> tuple[tuple[list[Tally], list[Tally]], Callable[[Tally], str], Callable[[Tally], str]]:
    """Tallies of both sides, and what tells the prompt version and the run of each.

    With `blind`, what rests on verdicts is left out.
    """
    versions: dict[int, str] = {}
    ran: dict[int, str] = {}
    parts: tuple[list[Tally], list[Tally]] = ([], [])
    for side, part in zip(sides, parts, strict=True):
        for key, tally in side.tallies.items():
            kept = _without_verdicts(tally) if blind else tally
            part.append(kept)
            versions[id(kept)] = side.versions[key]
            ran[id(kept)] = side.run_of[key]
    return parts, lambda tally: versions[id(tally)], lambda tally: ran[id(tally)]


def _without_verdicts(tally: Tally) -> Tally:
    """A tally of what is counted from the citations alone."""
    kept = {name: counts for name, counts in tally.measures.items() if name not in JUDGED}
    return replace(tally, measures=kept)


def _refused(before: Sequence[EngineSample], after: EngineSample) -> tuple[str, ...]:
    """Keys that forbid a comparison.

    Prompts of a panel carry their locale in their version, so another locale forbids it only
    where the two sides have none in common.
    """
    found = dict.fromkeys(
        key
        for one in before
        for key in blocking_difference(
            one.recipe,
            after.recipe,
            across_engines=one.sample.engine != after.sample.engine,
        )
    )
    if any(_locales(one) & _locales(after) for one in before):
        found.pop("locale", None)
    return tuple(found)


def _locales(one: EngineSample) -> set[str]:
    return set(one.recipe.locale.split("+"))


def _finished(made: Comparison, sides: Sequence[EngineSample], unread: Sequence[str]) -> Comparison:
    """A comparison with its measures in reading order, and with what evidence lacks."""
    told = {f"recipe differs in {EVIDENCE}": f"{EVIDENCE}: {'; '.join(unread)}"}
    failures = tuple(told.get(one, one) for one in made.gates.failures)
    rows = made.measures
    because = _lacking(sides)
    if because and not failures:
        rows += _unjudged(sides, because)
    return replace(
        made,
        gates=replace(made.gates, failures=failures),
        measures=tuple(sorted(rows, key=lambda row: _ORDER.get(row.name, len(_ORDER)))),
    )


def _lacking(sides: Sequence[EngineSample]) -> str:
    """Which verdicts are missing, and why; empty where none is."""
    removed = "; ".join(
        f"{one.missing} or more verdicts of {one.sample.name} were never given by "
        f"{one.recipe.judge}, and retention removed the texts they need"
        for one in sides
        if one.missing
    )
    unpaid = "; ".join(
        f"{one.pending} or more verdicts of {one.sample.name} were never given by "
        f"{one.recipe.judge}, which is paid: `monitor compare --judge-usd USD` has them given "
        "for that money at most"
        for one in sides
        if one.pending
    )
    named = {EVIDENCE: removed, JUDGE: unpaid}
    return "; ".join(f"{name}: {said}" for name, said in named.items() if said)


def _unjudged(sides: Sequence[EngineSample], because: str) -> tuple[Change, ...]:
    """What would be said of the measures that verdicts are missing for."""
    names = {
        name for one in sides for tally in one.sample.tallies.values() for name in tally.measures
    }
    return tuple(
        Change(
            subject=Subject.MEASURE,
            name=name,
            before=_NOTHING,
            after=_NOTHING,
            test=None,
            prompts=0,
            counted=0,
            verdict=ChangeVerdict.NOT_COMPARABLE,
            because=because,
        )
        for name in names & JUDGED
    )


def _save(bench: Bench, before: runs.Run, after: runs.Run, weighed: Weighed) -> None:
    """Store every comparison under its key."""
    made_at = bench.clock.now()
    keyed = [
        (
            scores.ComparisonKey(
                panel=after.panel,
                engine=engine,
                before_run_id=before.id,
                after_run_id=after.id,
                recipe=recipe_hash(weighed.after.engines[engine].recipe),
            ),
            comparison_json(one),
        )
        for engine, one in weighed.comparisons.items()
    ]
    bench.write(
        lambda c: [scores.save_comparison(c, key, body, made_at=made_at) for key, body in keyed]
    )


def comparison_json(one: Comparison) -> dict[str, object]:
    """A comparison as JSON values."""
    body: dict[str, object] = encode(Comparison, one)
    return body
