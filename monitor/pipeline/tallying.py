"""Assessed captures -> tallies -> scorecards, each under the recipe that made it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from monitor import __version__
from monitor.claims import CLAIMS_VERSION
from monitor.config.parts import ScoringPart
from monitor.domain.assessment import (
    AdequacyPolicy,
    AssessedCapture,
    PartialPolicy,
    Policy,
    Profile,
    RelevanceWeights,
)
from monitor.domain.baseline import Baseline
from monitor.domain.claim import Judge
from monitor.domain.panel import Prompt, Risk
from monitor.domain.score import Coverage, Scorecard, Tally
from monitor.engines import PARSE_VERSION
from monitor.pages.text import PAGES_VERSION
from monitor.pipeline.assessing import assess_run
from monitor.pipeline.bench import Bench, without_cycle_search
from monitor.pipeline.grading import baseline_for
from monitor.scoring.scorecard import category_tallies, scorecard
from monitor.scoring.segments import (
    EVERYTHING,
    category_segment,
    segment_keys,
    slice_coverage,
)
from monitor.scoring.signature import Recipe, Sample, Signature, policy_fields, recipe_hash
from monitor.scoring.tally import SCORING_VERSION, tally
from monitor.store import captures, citations, panels, runs, scores
from monitor.store.parts import WHOLE, Part
from monitor.urls import URLS_VERSION


@dataclass(frozen=True, slots=True)
class Scored:
    """A run's assessed captures with the tallies and scorecards made of them."""

    assessed: tuple[AssessedCapture, ...]
    tallies: Mapping[int, Tally]
    cards: tuple[Scorecard, ...]
    baseline: Baseline | None
    policy: Policy


def by_engine(scored: Scored) -> dict[str, list[AssessedCapture]]:
    """Assessed captures of every engine."""
    found: dict[str, list[AssessedCapture]] = defaultdict(list)
    for one in scored.assessed:
        found[one.engine].append(one)
    return dict(sorted(found.items()))


def engine_tallies(scored: Scored) -> dict[str, list[Tally]]:
    """Tallies of every engine."""
    return {
        engine: [scored.tallies[one.capture_id] for one in captures]
        for engine, captures in by_engine(scored).items()
    }


def policy_of(part: ScoringPart) -> Policy:
    """Scoring choices of the settings as the domain knows them."""
    return Policy(
        profile=Profile(part.profile),
        partial=PartialPolicy(part.partial),
        adequacy=MappingProxyType(
            {Risk(risk): AdequacyPolicy(name) for risk, name in part.adequacy.items()}
        ),
        relevance=RelevanceWeights(**part.relevance),
    )


def score_run(bench: Bench, run: runs.Run, judge: Judge) -> Scored:
    """Assess, tally and score a run under the settings and the baseline of now, and store it."""
    with without_cycle_search():
        return _score(bench, run, judge, WHOLE)


def score_engines(bench: Bench, run: runs.Run, judge: Judge) -> None:
    """Score and store a run engine by engine: no more than one of them is in memory at a time."""
    with without_cycle_search():
        for one in bench.read(lambda c: runs.load_plan(c, run.id)):
            _score(bench, run, judge, Part(engine=one.engine))


def _score(bench: Bench, run: runs.Run, judge: Judge, part: Part) -> Scored:
    """Every step from stored evidence to scorecards, of one engine or of all."""
    baseline = bench.read(lambda c: panels.load_baseline(c, run.panel))
    policy = policy_of(bench.settings.scoring)
    assessed = assess_run(bench, run, judge, baseline, part=part)
    tallies = {
        one.capture_id: tally(one, baseline_for(baseline, one.prompt), policy) for one in assessed
    }
    recipes = {
        engine: recipe
        for engine, recipe in run_recipes(bench, run, judge.version, baseline).items()
        if part.engine in {None, engine}
    }
    coverage = bench.read(lambda c: captures.coverage(c, run.id))
    served = served_models(bench, run)
    cards = tuple(
        card
        for engine, recipe in recipes.items()
        for card in _cards(
            [one for one in assessed if one.engine == engine],
            tallies,
            recipe=recipe,
            run=run,
            coverage=coverage[engine],
            served=served.get(engine, ()),
        )
    )
    _save(bench, run, recipes, tallies, assessed, cards)
    return Scored(assessed, tallies, cards, baseline, policy)


def run_recipes(
    bench: Bench, run: runs.Run, judge: str, baseline: Baseline | None
) -> dict[str, Recipe]:
    """Recipe per engine of a run."""
    plan = bench.read(lambda c: runs.load_plan(c, run.id))
    policy = policy_fields(policy_of(bench.settings.scoring))
    return {
        one.engine: Recipe(
            panel=f"{run.panel}@{run.panel_version}",
            engine=one.engine,
            access=one.access.value,
            locale=_locales(one.prompts),
            baseline=f"{baseline.panel}@{baseline.label}" if baseline else "none",
            urls=str(URLS_VERSION),
            families=bench.families.version,
            claims=str(CLAIMS_VERSION),
            judge=judge,
            request=one.request_key,
            parse=str(PARSE_VERSION),
            pages=str(PAGES_VERSION),
            scoring=str(SCORING_VERSION),
            **policy,
        )
        for one in plan
    }


def _locales(prompts: Iterable[Prompt]) -> str:
    """Locales of a plan, joined; one in most panels."""
    return "+".join(sorted({p.locale for p in prompts}))


def served_models(bench: Bench, run: runs.Run) -> dict[str, tuple[str, ...]]:
    """Engine -> the model names its payloads tell, sorted."""
    return bench.read(lambda c: citations.served_models(c, run.id))


def _cards(
    assessed: Sequence[AssessedCapture],
    tallies: Mapping[int, Tally],
    *,
    recipe: Recipe,
    run: runs.Run,
    coverage: Coverage,
    served: tuple[str, ...],
) -> list[Scorecard]:
    """Scorecards of one engine: everything, each segment, each claim category."""
    slices: dict[str, list[AssessedCapture]] = {EVERYTHING: []}
    for one in assessed:
        for segment in segment_keys(one):
            slices.setdefault(segment, []).append(one)
    parts = {
        segment: (
            [tallies[one.capture_id] for one in inside],
            coverage if segment == EVERYTHING else slice_coverage(inside),
        )
        for segment, inside in slices.items()
    }
    everything = parts[EVERYTHING][0]
    for category in sorted({c for t in everything for _, c in t.categories}):
        inside = list(category_tallies(everything, category))
        parts[category_segment(category)] = (inside, coverage)
    return [
        scorecard(
            part,
            panel=run.panel,
            run=run.public_id,
            engine=recipe.engine,
            segment=segment,
            coverage=heard,
            signature=Signature(recipe, _sample(run, heard, served)).line,
            recipe=recipe_hash(recipe),
        )
        for segment, (part, heard) in parts.items()
    ]


def _sample(run: runs.Run, coverage: Coverage, served: tuple[str, ...]) -> Sample:
    """What was measured: the part of a signature behind the double bar."""
    return Sample(
        window=run.slot,
        served="+".join(served) or "not told",
        n=str(coverage.answered),
        answered=f"{coverage.answered}/{coverage.planned}",
        seed="none",
        version=__version__,
    )


def _save(
    bench: Bench,
    run: runs.Run,
    recipes: Mapping[str, Recipe],
    tallies: Mapping[int, Tally],
    assessed: Sequence[AssessedCapture],
    cards: Sequence[Scorecard],
) -> None:
    """Store tallies and scorecards of one scoring in one transaction."""
    made_at = bench.clock.now()
    by_engine = {
        engine: {a.capture_id: tallies[a.capture_id] for a in assessed if a.engine == engine}
        for engine in recipes
    }
    bench.write(
        lambda c: [
            *(
                scores.save_tallies(c, run.id, recipe_hash(recipes[e]), part, made_at=made_at)
                for e, part in by_engine.items()
            ),
            scores.save_scorecards(c, run.id, cards, made_at=made_at),
        ]
    )
