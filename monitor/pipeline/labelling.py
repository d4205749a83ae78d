"""Pairs of claim and evidence for people to label: drawn at random, and blind.

A pair is a claim that an answer presents as cited, with the readable texts it cites read together.
The draw is a simple random sample of a run's distinct pairs: prompts need no strata, for pairs of
the same prompt are weighed as one cluster when the labels correct a rate. Pairs are ordered by a
hash of the seed and the pair, so that a larger draw begins with the smaller one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from monitor.domain.keys import content_key
from monitor.errors import UnfitError
from monitor.pipeline.bench import Bench
from monitor.pipeline.cited_pairs import CitedPair, Resting, cited_frame
from monitor.pipeline.label_sheets import PairSheet, sheet_of
from monitor.store import runs, scores, support_labels
from monitor.store.support_labels import DrawnPair, LabelDraw

MOST_PAIRS = 5_000
"""Pairs of one draw; more are no person's work."""

_SEED_DIGITS = 15
"""Hex digits of a seed that is made from the content: a spreadsheet keeps it exactly as text."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A draw with the sheets that its file shows, and whether it was drawn before."""

    draw: LabelDraw
    sheets: tuple[PairSheet, ...]
    texts: Mapping[str, str]
    """Hash -> whole text of every page on the sheets."""
    is_new: bool
    labelled: int
    """Its pairs that have a label of anyone, from this draw or another."""


def draw_pairs(
    bench: Bench,
    run: runs.Run,
    *,
    engine: str | None,
    pairs: int,
    seed: int | None,
) -> Drawn:
    """Draw pairs of a run at random, keep the draw, and show each pair without its verdict.

    The seed is made from the run's pairs unless it is given. UnfitError where the run has no
    scorecards, where nothing can be drawn, and where retention removed a text.
    """
    if not 1 <= pairs <= MOST_PAIRS:
        raise UnfitError(f"pairs: got {pairs}; expected 1 to {MOST_PAIRS}")
    _check_scored(bench, run, engine)
    frame = cited_frame(bench, run)
    able = frame.of(engine)
    if not able:
        raise UnfitError(
            f"{run.public_id}: no claim there cites a page that could be read, so there is nothing "
            "to label; name another run or engine"
        )
    held = frame.key(engine)
    start = int(content_key([run.public_id, engine, held], _SEED_DIGITS), 16)
    chosen = start if seed is None else seed
    ranked = in_random_order(able, chosen)[:pairs]
    key = content_key([run.public_id, engine, held, chosen, len(ranked)], 12)
    drawn = tuple(_drawn(key, place, one, engine) for place, one in enumerate(ranked, 1))
    draw = LabelDraw(key, run.panel, run.public_id, engine, chosen, held, len(able), drawn)
    texts: dict[str, str] = {}
    sheets = tuple(
        sheet_of(one, pair, frame, texts) for one, pair in zip(drawn, ranked, strict=True)
    )
    at = bench.clock.now()
    is_new = bench.write(lambda c: support_labels.save_draw(c, draw, at=at))
    known = {one.pair for one in bench.read(lambda c: support_labels.load_labels(c, run.panel))}
    return Drawn(draw, sheets, texts, is_new, sum(one.key in known for one in ranked))


def in_random_order(pairs: Sequence[CitedPair], seed: int) -> list[CitedPair]:
    """Pairs in an order that depends on the seed and on nothing that they say or come from."""
    return sorted(pairs, key=lambda one: content_key([seed, one.key.identity]))


def _check_scored(bench: Bench, run: runs.Run, engine: str | None) -> None:
    """UnfitError where there is no scorecard that the labels could speak of."""
    engines = {one.engine for one in bench.read(lambda c: scores.load_scorecards(c, run.id))}
    if not engines:
        raise UnfitError(
            f"{run.public_id} has no scorecards yet; run `monitor resume {run.public_id}`"
        )
    if engine is not None and engine not in engines:
        raise UnfitError(
            f"{run.public_id}: no scorecard of engine {engine[:100]!r}; expected one of "
            f"{', '.join(sorted(engines))}"
        )


def _drawn(key: str, place: int, pair: CitedPair, engine: str | None) -> DrawnPair:
    """A pair under the name that its row carries."""
    check = content_key([key, pair.key.identity], 6)
    first = _shown(pair, engine)
    return DrawnPair(
        f"D{key}-{place:04d}-{check}",
        first.prompt,
        first.engine,
        pair.claim,
        pair.evidence,
        pair.key,
    )


def _shown(pair: CitedPair, engine: str | None) -> Resting:
    """The first claim that rests on a pair, of the engine drawn from."""
    return next(one for one in pair.claims if engine in {None, one.engine})
