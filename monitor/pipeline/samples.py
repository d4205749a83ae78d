"""Runs as samples to compare: every engine's tallies under the recipe of now.

Tallies that the store holds under that very recipe are taken over where they were counted from
what is stored now (`store.inputs`): no reading, fetch, group or baseline came since, no redirect
was followed since, and no verdict was used that a later one may replace. All else is scored anew,
one engine's answers in memory at a time.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from monitor.domain.claim import Judge
from monitor.domain.panel import Panel
from monitor.domain.sample import Sample
from monitor.domain.score import Coverage, Tally
from monitor.engines import PARSE_VERSION
from monitor.errors import StoreError
from monitor.pipeline.bench import Bench, without_cycle_search
from monitor.pipeline.capturing import reparse_run
from monitor.pipeline.tallying import Scored, run_recipes, score_engine
from monitor.scoring.signature import Recipe, recipe_hash
from monitor.store import Connection, asked, captures, citations, panels, runs, scores, tally_sets
from monitor.store.inputs import scoring_inputs
from monitor.urls import URLS_VERSION


@dataclass(frozen=True, slots=True)
class EngineSample:
    """One engine of one run, with what a comparison must know of it besides its counts."""

    sample: Sample
    recipe: Recipe
    queries: Mapping[str, frozenset[str]]
    """Prompt version -> queries the engine told it searched for, case folded."""
    prompts: Mapping[str, str]
    """Prompt id -> version key, as planned."""
    first_signature: str | None
    """What the run was scored under first, before now; None where it never was."""
    missing: int = 0
    """Verdicts that nobody can give: they were never given, and retention removed the texts."""
    pending: int = 0
    """Verdicts that only a judge which is paid could give, and was not asked for."""


@dataclass(frozen=True, slots=True)
class RunSamples:
    """One run, by engine."""

    run: runs.Run
    engines: Mapping[str, EngineSample]
    panel: Panel
    """The version it was planned with."""
    unread: str = ""
    """Why its payloads could not be read by the rules of now, where they had to be."""

    def without_tallies(self) -> "RunSamples":
        """The same without its counts, which are nearly all of its size."""
        return replace(self, engines={name: _light(one) for name, one in self.engines.items()})


def _light(one: EngineSample) -> EngineSample:
    nothing: Mapping[int, Any] = MappingProxyType({})
    sample = replace(one.sample, tallies=nothing, run_of=nothing, versions=nothing)
    return replace(one, sample=sample, queries=MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class _Told:
    """What the store tells of a run at once, before anything of it is scored anew."""

    panel: Panel
    plan: Mapping[str, runs.PlannedEngine]
    recipes: Mapping[str, Recipe]
    first: Mapping[str, str]
    versions: Mapping[int, str]
    inputs: Mapping[str, str]
    coverage: Mapping[str, Coverage]
    models: Mapping[str, tuple[str, ...]]
    queries: Mapping[str, Mapping[str, Collection[str]]]


class RunReader:
    """A run whose engines are sampled one at a time, when somebody wants them."""

    def __init__(self, bench: Bench, run: runs.Run, judge: Judge) -> None:
        """Have payloads read by the rules of now, and look what there is."""
        self.run = run
        self._bench = bench
        self._judge = judge
        self._unread = read_again(bench, run)
        self._told = _told(bench, run, judge)

    @property
    def engines(self) -> tuple[str, ...]:
        """Engines that the run was planned to ask."""
        return tuple(self._told.plan)

    def samples(self, engines: Collection[str]) -> RunSamples:
        """Samples of those of these engines that the run asked; they are not kept here."""
        wanted = [engine for engine in self.engines if engine in engines]
        with without_cycle_search():
            made = {engine: self._counted(engine) for engine in wanted}
        return RunSamples(self.run, MappingProxyType(made), self._told.panel, self._unread)

    def _counted(self, engine: str) -> EngineSample:
        """One engine with the tallies the store vouches for, else with tallies counted anew."""
        run, told = self.run, self._told
        recipe, inputs = recipe_hash(told.recipes[engine]), told.inputs.get(engine)
        if inputs is not None:
            stored = self._bench.read(lambda c: tally_sets.load_counted(c, run.id, recipe, inputs))
            if stored is not None:
                return _sampled(run, told, engine, stored)
        scored = score_engine(self._bench, run, self._judge, engine)
        one = _sampled(run, told, engine, scored.tallies)
        return replace(one, missing=scored.missing, pending=scored.pending)


def run_samples(
    bench: Bench, run: runs.Run, judge: Judge, *, engines: Collection[str] | None = None
) -> RunSamples:
    """Samples of a run under the settings, baseline and judge of now: of all engines, or of some.

    Engines that the run did not ask are left out.
    """
    reader = RunReader(bench, run, judge)
    return reader.samples(reader.engines if engines is None else engines)


def samples_of(
    bench: Bench, run: runs.Run, judge: Judge, scored: Scored, *, first: Mapping[str, str]
) -> RunSamples:
    """The same for a run that was scored just now; `first` are its first signatures until then."""
    told = replace(_told(bench, run, judge), first=first)
    parts: dict[str, dict[int, Tally]] = {engine: {} for engine in told.plan}
    for one in scored.assessed:
        parts[one.engine][one.capture_id] = scored.tallies[one.capture_id]
    made = {
        engine: replace(_sampled(run, told, engine, part), pending=scored.pending)
        for engine, part in parts.items()
    }
    return RunSamples(run, MappingProxyType(made), told.panel)


def read_again(bench: Bench, run: runs.Run) -> str:
    """Have payloads read by the rules of now where others read them; says why it cannot be.

    A recipe names the rules of now, so numbers of other rules must not stand under it.
    """
    versions = {"parse_version": PARSE_VERSION, "urls_version": URLS_VERSION}
    outdated = bench.read(lambda c: asked.count_outdated(c, run.id, **versions))
    if not outdated:
        return ""
    if not bench.keeps:
        return (
            f"{run.public_id}: {outdated} of its answers were read by other rules than those of "
            f"now; `monitor reparse {run.public_id}` reads them again"
        )
    try:
        reparse_run(bench, run)
    except StoreError as error:
        return str(error)
    left = bench.read(lambda c: asked.count_outdated(c, run.id, **versions))
    return (
        f"{run.public_id}: {left} of its answers have no payload to be read again" if left else ""
    )


def _told(bench: Bench, run: runs.Run, judge: Judge) -> _Told:
    """Everything but the tallies, in one reading."""

    def load(connection: Connection) -> _Told:
        baseline = panels.load_baseline(connection, run.panel)
        plan = {part.engine: part for part in runs.load_plan(connection, run.id)}
        return _Told(
            panel=panels.load_panel_by_id(connection, run.panel_id),
            plan=plan,
            recipes=run_recipes(bench, run, judge, baseline, plan=tuple(plan.values())),
            first=scores.first_signatures(connection, run.id),
            versions=asked.prompt_versions(connection, run.id),
            inputs=scoring_inputs(
                connection, run.id, run.panel, matrix=bench.settings.judge.matrix
            ),
            coverage=captures.coverage(connection, run.id),
            models=citations.served_models(connection, run.id),
            queries=asked.load_queries(connection, run.id),
        )

    return bench.read(load)


def _sampled(run: runs.Run, told: _Told, engine: str, tallies: Mapping[int, Tally]) -> EngineSample:
    """An engine's tallies with all that belongs to them."""
    sample = Sample(
        engine=engine,
        runs=(run.public_id,),
        tallies=MappingProxyType(dict(tallies)),
        run_of=MappingProxyType(dict.fromkeys(tallies, run.public_id)),
        versions=MappingProxyType({key: told.versions[key] for key in tallies}),
        coverage=told.coverage.get(engine, _NOTHING_PLANNED),
        models=told.models.get(engine, ()),
    )
    return EngineSample(
        sample=sample,
        recipe=told.recipes[engine],
        queries=MappingProxyType(
            {prompt: frozenset(words) for prompt, words in told.queries.get(engine, {}).items()}
        ),
        prompts=MappingProxyType({p.id: p.version_key for p in told.plan[engine].prompts}),
        first_signature=told.first.get(engine),
    )


_NOTHING_PLANNED = Coverage(0, 0, 0, 0, MappingProxyType({}))
