"""How far the judge of a run may be trusted: shipped figures, the panel's labels, corrections.

Labels never change a verdict. They say how often the judge agrees with people, and they correct
the judge's rates as a sample (`monitor.statistics.correction`): the judge's own rate stays what it
is, and no label is counted in it.

Corrected are the measures whose units are the pairs that people label: claim citation precision
and contradiction rate. Citation recall counts statements, many of which hold several claims or cite
nothing; labels of claims are no random sample of those, so it is left as the judge has it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from monitor.claims import CLAIMS_VERSION
from monitor.domain.assessment import PartialPolicy
from monitor.domain.claim import NotAssessable, Support, Verdict
from monitor.domain.score import Rate, Scorecard
from monitor.domain.trust import (
    NEEDED,
    CorrectedMeasure,
    JudgeTrust,
)
from monitor.errors import StoreError
from monitor.judge.trust import measured_figures
from monitor.pipeline.bench import Bench
from monitor.pipeline.label_agreement import Settled, panel_labels, settle
from monitor.pipeline.labelling import CitedPair, Frame, Resting, cited_frame
from monitor.scoring.credit import credited, joint_verdict, not_assessable
from monitor.scoring.segments import EVERYTHING
from monitor.scoring.signature import Recipe, parse_signature
from monitor.statistics.correction import LabelledCounts, corrected_rate
from monitor.store import runs, support_labels, verdicts
from monitor.store.support_labels import LabelDraw, PairKey
from monitor.store.verdicts import VerdictKey

_COMPLETE = 0.9
"""Share of the pairs up to the last labelled one that has a label: who leaves out hard ones has
no random sample any more. The order of a draw is random, so that anybody may stop early."""

Credit = Callable[[Verdict, Resting], Rate]
"""What a verdict counts for one claim."""


def run_trust(bench: Bench, run: runs.Run, cards: Sequence[Scorecard]) -> JudgeTrust | None:
    """Trust in the judge behind scorecards of a run; None without a scorecard.

    Nothing is judged: verdicts that the store does not have count as left open.
    """
    whole = [card for card in cards if card.segment == EVERYTHING]
    judge = next((judge for card in whole if (judge := judge_of(card))), None)
    if judge is None:
        return None
    labels = bench.read(lambda c: support_labels.load_labels(c, run.panel))
    if not labels:
        return JudgeTrust(judge, measured_figures(judge), None)
    settled = settle(labels)
    draws = bench.read(lambda c: support_labels.load_draws(c, run.panel))
    here = panel_labels(bench, labels, draws, judge)
    mine = [one for one in draws if one.run == run.public_id]
    corrected, notes = _corrections(bench, run, whole, mine, settled)
    return JudgeTrust(judge, measured_figures(judge), here, corrected, notes)


def judge_of(card: Scorecard) -> str | None:
    """Name and version of a scorecard's judge; None where another version wrote its signature."""
    recipe = _recipe(card)
    return recipe.judge if recipe else None


def _recipe(card: Scorecard) -> Recipe | None:
    try:
        return parse_signature(card.signature).recipe
    except StoreError:
        return None


def _corrections(
    bench: Bench,
    run: runs.Run,
    cards: Sequence[Scorecard],
    draws: Sequence[LabelDraw],
    settled: Settled,
) -> tuple[tuple[CorrectedMeasure, ...], tuple[str, ...]]:
    """Corrected measures of every engine that labels were drawn for, and why others are not."""
    if not draws:
        return (), (f"no labelled pair was drawn from {run.public_id}",)
    recipes = {card.engine: recipe for card in cards if (recipe := _recipe(card))}
    if any(one.claims != str(CLAIMS_VERSION) for one in recipes.values()):
        return (), (f"scored by earlier rules of claims: `monitor rescore {run.public_id}`",)
    frame = cited_frame(bench, run)
    usable, notes = _usable(frame, draws, settled)
    found = [
        one
        for card in cards
        if card.engine in recipes and any(draw.engine in {None, card.engine} for draw in usable)
        for one in _engine(bench, card, recipes[card.engine], _Labelled(frame, usable, settled))
    ]
    return tuple(found), notes


def _usable(
    frame: Frame, draws: Sequence[LabelDraw], settled: Settled
) -> tuple[dict[LabelDraw, frozenset[PairKey]], tuple[str, ...]]:
    """Draws whose labels are a random sample, with those pairs, and why others are none.

    Nothing is said of a draw that another one makes up for.
    """
    usable: dict[LabelDraw, frozenset[PairKey]] = {}
    barred: dict[LabelDraw, str] = {}
    for draw in draws:
        labelled = [one.pair in settled for one in draw.pairs]
        last = max((at for at, is_there in enumerate(labelled, 1) if is_there), default=0)
        if not last:
            continue
        if frame.key(draw.engine) != draw.frame:
            barred[draw] = "claims or pages of the run are others since; draw anew"
        elif sum(labelled) < _COMPLETE * last:
            barred[draw] = (
                f"{sum(labelled)} of its first {last} pairs are labelled; label those that were "
                "passed over, so that nobody chose which ones count"
            )
        else:
            usable[draw] = frozenset(one.pair for one in draw.pairs[:last] if one.pair in settled)
    covered = {draw.engine for draw in usable}
    notes = (
        f"draw {draw.key}: {why}"
        for draw, why in barred.items()
        if not covered & {None, draw.engine}
    )
    return usable, tuple(notes)


@dataclass(frozen=True, slots=True)
class _Labelled:
    """What a run's pairs are, which of them were drawn and labelled, and what people settled."""

    frame: Frame
    usable: Mapping[LabelDraw, frozenset[PairKey]]
    settled: Settled


def _engine(
    bench: Bench, card: Scorecard, recipe: Recipe, known: _Labelled
) -> list[CorrectedMeasure]:
    """Corrected measures of one engine."""
    pairs = known.frame.of(card.engine)
    keys = {p.key: VerdictKey(p.key.claim, p.evidence, recipe.judge) for p in pairs}
    given = bench.read(lambda c: verdicts.load_verdicts(c, keys.values()))
    chosen: frozenset[PairKey] = frozenset().union(
        *(found for draw, found in known.usable.items() if draw.engine in {None, card.engine})
    )
    partial = PartialPolicy(recipe.partial)
    counted = JudgedPairs(
        card.engine,
        pairs,
        {pair: given.get(key) for pair, key in keys.items()},
        {pair: support for pair in chosen if (support := known.settled[pair]) is not None},
    )
    broken = {p: n for (engine, p), n in known.frame.broken.items() if engine == card.engine}
    ways: dict[str, tuple[Credit, Mapping[str, int]]] = {
        "claim_citation_precision": (
            lambda verdict, one: credited(joint_verdict(verdict, one.pages), partial),
            broken,
        ),
        "contradiction_rate": (contradicted, {}),
    }
    return [
        _measure(card, name, counted, credit, misses=misses)
        for name, (credit, misses) in ways.items()
        if name in card.measures
    ]


@dataclass(frozen=True, slots=True)
class JudgedPairs:
    """Pairs of one engine with what the judge and people say of them."""

    engine: str
    pairs: tuple[CitedPair, ...]
    judged: Mapping[PairKey, Verdict | None]
    people: Mapping[PairKey, Support]
    """Settled supports of drawn pairs alone."""


def contradicted(verdict: Verdict, one: Resting) -> Rate:
    """One cited claim: contradicted, not, or not assessable."""
    joint = joint_verdict(verdict, one.pages)
    if joint.reason is not None:
        return not_assessable(joint.reason)
    return Rate(int(joint.support is Support.CONTRADICTED), 1)


def _measure(
    card: Scorecard, name: str, counted: JudgedPairs, credit: Credit, *, misses: Mapping[str, int]
) -> CorrectedMeasure:
    """One measure beside its correction, which takes NEEDED labels."""
    mine = [pair for pair in counted.pairs if pair.key in counted.people]
    estimate = None
    if len(mine) >= NEEDED:
        estimate = corrected_rate(labelled_counts(counted, credit, misses))
    own = card.measures[name]
    return CorrectedMeasure(
        engine=card.engine,
        measure=name,
        judged=own.rate,
        judged_interval=own.interval,
        labelled=len(mine),
        pairs=len(counted.pairs),
        value=estimate.value if estimate else None,
        interval=estimate.interval if estimate else None,
        weight=estimate.weight if estimate else None,
    )


def labelled_counts(
    counted: JudgedPairs, credit: Credit, misses: Mapping[str, int]
) -> LabelledCounts:
    """Counts of judge and people for every pair and prompt of one engine."""
    rows: list[tuple[str, int, Rate, Rate | None]] = []
    for pair in counted.pairs:
        verdict = counted.judged[pair.key]
        support = counted.people.get(pair.key)
        claims: dict[str, list[Resting]] = {}
        for one in pair.claims:
            if one.engine == counted.engine:
                claims.setdefault(one.prompt, []).append(one)
        for prompt, resting in claims.items():
            judged = _sum(_guess(verdict, credit, one) for one in resting)
            label = None if support is None else _label(support)
            people = None if label is None else _sum(credit(label, one) for one in resting)
            rows.append((prompt, len(resting), judged, people))
    prompts = sorted({prompt for prompt, *_ in rows} | set(misses))
    place = {prompt: at for at, prompt in enumerate(prompts)}
    return LabelledCounts(
        prompt=[place[prompt] for prompt, *_ in rows],
        claims=[claims for _, claims, *_ in rows],
        judge_hits=[judged.hits for _, _, judged, _ in rows],
        judge_total=[judged.total for _, _, judged, _ in rows],
        human_hits=[np.nan if people is None else people.hits for *_, people in rows],
        human_total=[np.nan if people is None else people.total for *_, people in rows],
        misses=[misses.get(prompt, 0) for prompt in prompts],
    )


def _sum(rates: Iterable[Rate]) -> Rate:
    return sum(rates, Rate(0, 0))


def _label(support: Support) -> Verdict:
    """A label in the shape of a verdict; `not_assessable` of people is no class."""
    reasons = (NotAssessable.JUDGE_UNCLEAR.value,) if support is Support.NOT_ASSESSABLE else ()
    return Verdict(support, reasons)


def _guess(verdict: Verdict | None, credit: Credit, one: Resting) -> Rate:
    """What the judge's verdict counts for; where it left a claim open, its score is the guess.

    The correction holds whatever is guessed; a good guess makes it narrower. So a label on a pair
    that the judge left open is used like any other.
    """
    if verdict is None:
        return Rate(0, 0)
    found = credit(verdict, one)
    is_whole = all(page.readable for page in one.pages)
    if verdict.reason != NotAssessable.JUDGE_UNCLEAR.value or not is_whole:
        return found
    sure = credit(Verdict(Support.FULL), one)
    return Rate((verdict.score or 0.0) * sure.hits, 1)
