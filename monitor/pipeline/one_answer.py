"""One stored answer with all that proves it, at the cost of its own evidence.

Nobody is asked and nothing is stored: it is assessed as its run was scored last, by the verdicts
that are there, so that a page shows what scorecards and reports count.
"""

from dataclasses import dataclass

from monitor.domain.assessment import AssessedCapture
from monitor.domain.baseline import Baseline, PromptBaseline
from monitor.domain.score import Tally
from monitor.errors import StoreError
from monitor.pipeline.answer_parts import beside_of, blocks_of, fetches_of, kept_of, labels_of
from monitor.pipeline.answer_shelf import Shelf
from monitor.pipeline.assessing import assess_capture
from monitor.pipeline.bench import Bench
from monitor.pipeline.capture_views import Shown, capture_view
from monitor.pipeline.counting import mapped
from monitor.pipeline.grading import baseline_for
from monitor.pipeline.judge_choice import judge_choice
from monitor.pipeline.reporting import engine_label, measure_notes
from monitor.pipeline.run_judge import RunJudge
from monitor.pipeline.run_pages import RunPages, load_pages_of
from monitor.pipeline.splitting import Splits
from monitor.pipeline.tallying import policy_of, rules_of_now
from monitor.pipeline.verdicts import VerdictBook
from monitor.report.answer_view import AnswerView, RuleMove
from monitor.scoring.segments import EVERYTHING
from monitor.scoring.signature import Recipe, parse_signature
from monitor.store import captures, citations, runs, scores, spend, tally_sets


@dataclass(frozen=True, slots=True)
class Scoring:
    """How the engine of an answer was scored last in its run."""

    signature: str
    recipe: Recipe | None
    """None where another version wrote the signature."""
    tally: Tally | None


@dataclass(frozen=True, slots=True)
class OneAnswer:
    """One answer: what is shown of it, and the values that more can be asked of."""

    view: AnswerView
    stored: citations.StoredReading
    assessed: AssessedCapture
    pages: RunPages
    run: runs.Run
    capture: captures.Capture


@dataclass(frozen=True, slots=True)
class Rests:
    """What an answer was assessed from."""

    run: runs.Run
    capture: captures.Capture
    stored: citations.StoredReading
    payloads: tuple[captures.StoredPayload, ...]
    scoring: Scoring | None
    graded: PromptBaseline | None
    baseline: str | None
    assessed: AssessedCapture
    pages: RunPages
    moves: tuple[RuleMove, ...]


def one_answer(bench: Bench | Shelf, capture_id: int) -> OneAnswer | None:
    """A capture whose payload was read, assessed from stored evidence; None where there is none."""
    shelf = bench if isinstance(bench, Shelf) else Shelf(bench)
    rests = _rests(shelf, capture_id)
    if rests is None:
        return None
    view = _view(shelf, rests)
    return OneAnswer(view, rests.stored, rests.assessed, rests.pages, rests.run, rests.capture)


def load_held(shelf: Shelf, capture_id: int) -> tuple[runs.Run, captures.Capture] | None:
    """A capture and its run, whatever became of it; None where no capture has that id."""
    found = shelf.bench.read(lambda c: captures.load_place(c, capture_id))
    if found is None:
        return None
    run_id, version_id = found
    run = shelf.bench.read(lambda c: runs.load_run_by_id(c, run_id))
    known = {version_id: shelf.prompt(run, version_id)}
    capture = shelf.bench.read(lambda c: captures.load_capture(c, capture_id, known=known))
    return run, capture


def _rests(shelf: Shelf, capture_id: int) -> Rests | None:
    bench = shelf.bench
    held = load_held(shelf, capture_id)
    stored = bench.read(lambda c: citations.load_reading(c, capture_id))
    if held is None or stored is None:
        return None
    run, capture = held
    scoring = _scoring(bench, run, capture)
    baseline = _baseline(shelf, run, scoring)
    judge = _judge(bench, run, scoring)
    splits = Splits.of(bench.looking(), judge)
    pages = load_pages_of(bench, run, _keys(bench, stored), shelf.moved(run))
    book = VerdictBook(bench, judge, lenient=True)
    assessed = assess_capture(
        bench, run, (capture, stored), book, baseline=baseline, splits=splits, pages=pages
    )
    own = baseline_for(baseline, capture.prompt)
    graded = own if isinstance(own, PromptBaseline) else None
    label = f"{baseline.panel}@{baseline.label}" if baseline and graded else None
    payloads = bench.read(lambda c: captures.load_payloads(c, capture_id))
    moves = _moves(bench, judge, scoring)
    return Rests(run, capture, stored, payloads, scoring, graded, label, assessed, pages, moves)


def _moves(bench: Bench, judge: RunJudge, scoring: Scoring | None) -> tuple[RuleMove, ...]:
    """Rules that are others now than when an answer was counted."""
    if scoring is None or scoring.recipe is None:
        return ()
    then, now = scoring.recipe, rules_of_now(bench, judge.splitting)
    return tuple(
        RuleMove(key, getattr(then, key), value)
        for key, value in now.items()
        if getattr(then, key) != value
    )


def _keys(bench: Bench, stored: citations.StoredReading) -> tuple[str, ...]:
    """Keys of every page that an answer cites or that was searched for it."""
    identities = (*stored.identities, *stored.retrieved_identities)
    named = mapped(bench, identities)
    return tuple(dict.fromkeys(one.page_key or one.raw for one in named))


def _scoring(bench: Bench, run: runs.Run, capture: captures.Capture) -> Scoring | None:
    last = bench.read(lambda c: scores.last_signature(c, run.id, capture.engine, EVERYTHING))
    if last is None:
        return None
    signature, recipe = last
    counted = bench.read(lambda c: tally_sets.load_tally(c, run.id, recipe, capture.id))
    try:
        return Scoring(signature, parse_signature(signature).recipe, counted)
    except StoreError:
        return Scoring(signature, None, counted)


def _baseline(shelf: Shelf, run: runs.Run, scoring: Scoring | None) -> Baseline | None:
    """The baseline that a run was scored with; before that, the one saved last."""
    if scoring is None or scoring.recipe is None:
        return shelf.baseline(run.panel)
    named = scoring.recipe.baseline
    if named == "none":
        return None
    return shelf.baseline(run.panel, named.removeprefix(f"{run.panel}@").removesuffix("-draft"))


def _judge(bench: Bench, run: runs.Run, scoring: Scoring | None) -> RunJudge:
    """The judge that a run was scored by, whom nobody asks."""
    if scoring is not None and scoring.recipe is not None:
        return RunJudge(scoring.recipe.judge, None, run.splitter_version)
    if run.judge_version is not None:
        return RunJudge(run.judge_version, None, run.splitter_version)
    choice = judge_choice(bench, run)
    return RunJudge(choice.version, None, choice.splitting)


def _view(shelf: Shelf, rests: Rests) -> AnswerView:
    bench, run, capture, stored = shelf.bench, rests.run, rests.capture, rests.stored
    reading, scoring = stored.reading, rests.scoring
    paid = bench.read(lambda c: spend.totals_by_capture(c, [capture.id])).get(capture.id)
    shown = Shown(
        rests.assessed, stored, run.slot, capture.stored_at, rests.payloads, rests.graded, paid
    )
    statements = [one.statement for one in rests.assessed.statements]
    kept = kept_of(bench, capture.id, rests.payloads)
    near = beside_of(bench, capture.id, run.panel)
    return AnswerView(
        view=capture_view(shown, rests.pages, policy_of(bench.settings.scoring)),
        run=run.public_id,
        panel=run.panel,
        panel_version=run.panel_version,
        fictional=run.fictional,
        label=engine_label(capture.engine, capture.access),
        access=capture.access.value,
        locale=capture.prompt.locale,
        locale_state=capture.locale_state.value if capture.locale_state else None,
        locale_confirmed=stored.locale_confirmed,
        is_canary=capture.canary,
        requested_model=reading.requested_model,
        text=reading.text,
        without_text=reading.without_text,
        hidden_citations=reading.hidden_citations,
        blocks=blocks_of(reading, statements),
        tally=scoring.tally if scoring else None,
        measures=measure_notes(),
        baseline=rests.baseline,
        signature=scoring.signature if scoring else None,
        moves=rests.moves,
        exchanges=kept.exchanges,
        shots=kept.shots,
        snapshots=kept.snapshots,
        proof=kept.proof,
        fetches=fetches_of(bench, rests.assessed, stored, rests.pages),
        labels=labels_of(bench, run.panel, rests.assessed, rests.pages),
        beside=near.beside,
        earlier=near.earlier,
        later=near.later,
    )
