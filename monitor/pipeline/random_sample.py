"""Which draws of pairs are a random sample: those of which people left out no hard ones."""

from collections.abc import Sequence

from monitor.pipeline.cited_pairs import Frame
from monitor.pipeline.label_agreement import Settled
from monitor.store.support_labels import LabelDraw, PairKey

_COMPLETE = 0.9
"""Share of the pairs up to the last labelled one that has a label: who leaves out hard ones has
no random sample any more. The order of a draw is random, so that anybody may stop early."""


def usable_draws(
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
