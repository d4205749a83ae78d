"""Assessed captures -> tallies -> scorecards, each under the recipe that made it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from monitor import __version__
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
from monitor.domain.engine import Access
from monitor.domain.panel import Prompt, Risk
from monitor.domain.score import Coverage, Scorecard, Tally
from monitor.engines import PARSE_VERSION
from monitor.pages.text import PAGES_VERSION
from monitor.pipeline.assessing import assess_run, judge_part
from monitor.pipeline.bench import Bench, without_cycle_search
from monitor.pipeline.grading import baseline_for
from monitor.pipeline.locales import settle_locales
from monitor.pipeline.run_judge import claims_version, is_asked, splitting_of
from monitor.pipeline.run_pages import load_pages
from monitor.pipeline.splitting import Splits
from monitor.pipeline.verdicts import VerdictBook
from monitor.scoring.scorecard import category_tallies, scorecard
from monitor.scoring.segments import (
    EVERYTHING,
    category_segment,
    segment_keys,
    slice_coverage,
)
from monitor.scoring.signature import (
    NOT_TOLD,
    Recipe,
    Sample,
    Signature,
    policy_fields,
    recipe_hash,
)
from monitor.scoring.tally import SCORING_VERSION, tally
from monitor.store import Connection, captures, citations, panels, runs, scores, tally_sets
from monitor.store.inputs import scoring_inputs
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
    access: Mapping[str, Access]
    """How the answers of each engine were obtained."""
    missing: int = 0
    """Verdicts that nobody can give any more; with any, nothing of this was stored."""
    pending: int = 0
    """Verdicts and splits of answers that are not there and that nobody was asked for, or that a
    cap ended; with any, this was stored only by who is to pay for them."""


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


def score_engines(bench: Bench, run: runs.Run, judge: Judge) -> int:
    """Score and store a run engine by engine: no more than one of them is in memory at a time.

    Returns the verdicts that are pending: of a judge that may not be asked, nothing is stored for
    an engine that has some. With the support matrix all other verdicts of all engines are given
    first: they are worth more to a judge whose money may end.
    """
    parts = [Part(engine=one.engine) for one in bench.read(lambda c: runs.load_plan(c, run.id))]
    with without_cycle_search():
        if bench.settings.judge.matrix:
            baseline = bench.read(lambda c: panels.load_baseline(c, run.panel))
            pages = load_pages(bench, run)
            for part in parts:
                judge_part(bench, run, judge, baseline, part=part, pages=pages)
        return sum(_score(bench, run, judge, part).pending for part in parts)


def score_engine(bench: Bench, run: runs.Run, judge: Judge, engine: str) -> Scored:
    """Score and store one engine of a run.

    Where verdicts are missing whose texts retention removed, or that are pending, they are counted
    and nothing is stored: such a scoring must not take the place of one that had them.
    """
    with without_cycle_search():
        return _score(bench, run, judge, Part(engine=engine), lenient=True)


def _score(
    bench: Bench, run: runs.Run, judge: Judge, part: Part, *, lenient: bool = False
) -> Scored:
    """Every step from stored evidence to scorecards, of one engine or of all."""
    if bench.keeps:
        settle_locales(bench, run)
    matrix = bench.settings.judge.matrix
    inputs = bench.read(lambda c: scoring_inputs(c, run.id, run.panel, matrix=matrix))
    baseline = bench.read(lambda c: panels.load_baseline(c, run.panel))
    policy = policy_of(bench.settings.scoring)
    book = VerdictBook(bench, judge, lenient=lenient)
    splits = Splits.of(bench, judge)
    assessed = assess_run(bench, run, book, baseline, splits=splits, part=part)
    tallies = {
        one.capture_id: tally(one, baseline_for(baseline, one.prompt), policy) for one in assessed
    }
    recipes = {
        engine: recipe
        for engine, recipe in run_recipes(bench, run, judge, baseline).items()
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
    pending = book.pending + splits.pending
    access = {engine: Access(recipe.access) for engine, recipe in recipes.items()}
    scored = Scored(assessed, tallies, cards, baseline, policy, access, book.missing, pending)
    is_whole = not book.missing and (not pending or (is_asked(judge) and not lenient))
    if is_whole and bench.keeps:
        _save(bench, run, recipes, scored, inputs={} if book.temporary or pending else inputs)
    return scored


def run_recipes(
    bench: Bench,
    run: runs.Run,
    judge: Judge,
    baseline: Baseline | None,
    *,
    plan: Sequence[runs.PlannedEngine] | None = None,
) -> dict[str, Recipe]:
    """Recipe per engine of a run, whose plan may be given where it is at hand."""
    if plan is None:
        plan = bench.read(lambda c: runs.load_plan(c, run.id))
    rules = rules_of_now(bench, splitting_of(judge))
    return {
        one.engine: Recipe(
            panel=f"{run.panel}@{run.panel_version}",
            engine=one.engine,
            access=one.access.value,
            locale=_locales(one.prompts),
            baseline=f"{baseline.panel}@{baseline.label}" if baseline else "none",
            judge=judge.version,
            request=one.request_key,
            parse=str(PARSE_VERSION),
            pages=str(PAGES_VERSION),
            scoring=str(SCORING_VERSION),
            **rules,
        )
        for one in plan
    }


def rules_of_now(bench: Bench, splitting: str | None) -> Mapping[str, str]:
    """Parts of a recipe by which any stored answer is assessed now, whatever it was scored under.

    Keys are those of a recipe; `splitting` is the version of the model that splits statements.
    """
    return {
        "urls": str(URLS_VERSION),
        "families": bench.families.version,
        "claims": claims_version(splitting),
        **policy_fields(policy_of(bench.settings.scoring)),
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
            signature=Signature(recipe, signature_sample(run, heard, served)).line,
            recipe=recipe_hash(recipe),
        )
        for segment, (part, heard) in parts.items()
    ]


def signature_sample(
    run: runs.Run, coverage: Coverage, served: Sequence[str], *, seed: str = "none"
) -> Sample:
    """What was measured: the part of a signature behind the double bar."""
    return Sample(
        window=run.slot,
        served="+".join(served) or NOT_TOLD,
        n=str(coverage.answered),
        answered=f"{coverage.answered}/{coverage.planned}",
        seed=seed,
        version=__version__,
    )


def _save(
    bench: Bench,
    run: runs.Run,
    recipes: Mapping[str, Recipe],
    scored: Scored,
    *,
    inputs: Mapping[str, str],
) -> None:
    """Store tallies and scorecards of one scoring in one transaction.

    Inputs that changed while it was made vouch for nothing.
    """
    made_at = bench.clock.now()
    parts = {
        engine: {a.capture_id: scored.tallies[a.capture_id] for a in mine}
        for engine, mine in by_engine(scored).items()
    }

    def save(connection: Connection) -> None:
        matrix = bench.settings.judge.matrix
        now = scoring_inputs(connection, run.id, run.panel, matrix=matrix)
        for engine, recipe in recipes.items():
            before = inputs.get(engine)
            tally_sets.save_tallies(
                connection,
                run.id,
                recipe_hash(recipe),
                parts.get(engine, {}),
                made_at=made_at,
                inputs=before if before == now.get(engine) else None,
            )
        scores.save_scorecards(connection, run.id, scored.cards, made_at=made_at)

    bench.write(save)
