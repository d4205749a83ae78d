"""Judged rates corrected by labels of people, engine by engine.

Corrected are the measures whose units are the pairs that people label: claim citation precision
and contradiction rate. Citation recall counts statements, many of which hold several claims or cite
nothing; labels of claims are no random sample of those, so it is left as the judge has it.
"""

from collections.abc import Mapping, Sequence

from monitor.claims import CLAIMS_VERSION
from monitor.domain.assessment import PartialPolicy
from monitor.domain.claim import Support
from monitor.domain.score import Scorecard
from monitor.domain.trust import NEEDED, CorrectedMeasure
from monitor.errors import StoreError
from monitor.pipeline.bench import Bench
from monitor.pipeline.cited_pairs import Frame, cited_frame
from monitor.pipeline.label_agreement import Settled
from monitor.pipeline.labelled_counts import Credit, JudgedPairs, contradicted, labelled_counts
from monitor.pipeline.random_sample import usable_draws
from monitor.scoring.credit import credited, joint_verdict
from monitor.scoring.signature import Recipe, parse_signature
from monitor.statistics.correction import corrected_rate
from monitor.store import runs, verdicts
from monitor.store.support_labels import LabelDraw, PairKey
from monitor.store.verdicts import VerdictKey


def corrections(
    bench: Bench,
    run: runs.Run,
    cards: Sequence[Scorecard],
    *,
    draws: Sequence[LabelDraw],
    settled: Settled,
) -> tuple[tuple[CorrectedMeasure, ...], tuple[str, ...]]:
    """Corrected measures of every engine that labels were drawn for, and why others are not."""
    if not draws:
        return (), (f"no labelled pair was drawn from {run.public_id}",)
    recipes = {card.engine: recipe for card in cards if (recipe := recipe_of(card))}
    if any(one.claims != str(CLAIMS_VERSION) for one in recipes.values()):
        return (), (f"scored by earlier rules of claims: `monitor rescore {run.public_id}`",)
    frame = cited_frame(bench, run)
    usable, notes = usable_draws(frame, draws, settled)
    found: list[CorrectedMeasure] = []
    for card in cards:
        drawn = [pairs for draw, pairs in usable.items() if draw.engine in {None, card.engine}]
        if drawn and card.engine in recipes:
            chosen = frozenset[PairKey]().union(*drawn)
            people = {pair: support for pair in chosen if (support := settled[pair]) is not None}
            found += _engine(bench, card, recipes[card.engine], frame, people=people)
    return tuple(found), notes


def recipe_of(card: Scorecard) -> Recipe | None:
    """Recipe of a scorecard; None where another version wrote its signature."""
    try:
        return parse_signature(card.signature).recipe
    except StoreError:
        return None


def _engine(
    bench: Bench,
    card: Scorecard,
    recipe: Recipe,
    frame: Frame,
    *,
    people: Mapping[PairKey, Support],
) -> list[CorrectedMeasure]:
    """Corrected measures of one engine, by what people settled of its drawn pairs."""
    pairs = frame.of(card.engine)
    keys = {p.key: VerdictKey(p.key.claim, p.evidence, recipe.judge) for p in pairs}
    given = bench.read(lambda c: verdicts.load_verdicts(c, keys.values()))
    partial = PartialPolicy(recipe.partial)
    judged = {pair: given.get(key) for pair, key in keys.items()}
    counted = JudgedPairs(card.engine, pairs, judged, people)
    broken = {p: n for (engine, p), n in frame.broken.items() if engine == card.engine}
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
