"""What people settled of a panel's pairs, and how far a judge agrees with that."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from monitor import statistics
from monitor.domain.claim import Support
from monitor.domain.keys import content_key
from monitor.domain.trust import CLASSES, NEEDED, Figure, PanelAgreement, PanelLabels
from monitor.pipeline.bench import Bench
from monitor.store import verdicts
from monitor.store.support_labels import LabelDraw, PairKey, SupportLabel
from monitor.store.verdicts import VerdictKey

Settled = Mapping[PairKey, Support | None]
"""Pair -> what was decided of it or what most of its annotators say; None at a tie."""

Decided = Mapping[str, Support]
"""Identity of a pair -> the support that an adjudicator decided."""

NOBODY: Decided = {}


def settle(labels: Iterable[SupportLabel], decided: Decided = NOBODY) -> Settled:
    """What people say of each pair that has a label which counts.

    Where they disagree, what was decided comes first, then what most of them say; None where
    nobody decided and no class has most of the labels.
    """
    by_pair: dict[PairKey, Counter[Support]] = {}
    for one in labels:
        by_pair.setdefault(one.pair, Counter())[one.support] += 1
    settled: dict[PairKey, Support | None] = {}
    for pair, counts in by_pair.items():
        (first, most), *others = counts.most_common()
        if others and pair.identity in decided:
            settled[pair] = decided[pair.identity]
        else:
            settled[pair] = None if others and others[0][1] == most else first
    return settled


def panel_labels(
    bench: Bench,
    labels: Sequence[SupportLabel],
    draws: Sequence[LabelDraw],
    judge: str,
    *,
    decided: Decided = NOBODY,
) -> PanelLabels:
    """A judge's stored verdicts beside what people settled, over all runs of a panel."""
    settled = settle(labels, decided)
    keys = {one.pair: VerdictKey(one.pair.claim, one.evidence, judge) for one in labels}
    found = bench.read(lambda c: verdicts.load_verdicts(c, keys.values()))
    told = [(pair, support) for pair, support in settled.items() if support in CLASSES]
    both = [
        (pair, support, verdict.support)
        for pair, support in told
        if support is not None
        and (verdict := found.get(keys[pair])) is not None
        and verdict.support in CLASSES
    ]
    return PanelLabels(
        labelled=len(settled),
        disputed=sum(support is None for support in settled.values()),
        not_assessable=sum(one is Support.NOT_ASSESSABLE for one in settled.values()),
        left_open=len(told) - len(both),
        both=len(both),
        agreement=_agreement(both, draws) if len(both) >= NEEDED else None,
    )


def _agreement(
    both: Sequence[tuple[PairKey, Support, Support]], draws: Sequence[LabelDraw]
) -> PanelAgreement:
    """Agreement on the four classes; pairs of one prompt are one cluster."""
    prompt_of = {one.pair: f"prompt {one.prompt}" for draw in draws for one in draw.pairs}
    named = [prompt_of.get(pair, f"pair {pair.identity}") for pair, _, _ in both]
    places = {name: place for place, name in enumerate(dict.fromkeys(named))}
    clusters = [places[name] for name in named]
    people = [CLASSES.index(support) for _, support, _ in both]
    judged = [CLASSES.index(support) for _, _, support in both]
    table = np.zeros((len(CLASSES), len(CLASSES)), dtype=np.int64)
    np.add.at(table, (people, judged), 1)
    agree = np.equal(people, judged).astype(np.float64)
    share = statistics.clustered_interval(np.bincount(clusters, agree), np.bincount(clusters))
    kappa = statistics.cohen_kappa(table)
    given = statistics.label_counts([people, judged])
    alpha = statistics.krippendorff_alpha(given)
    seed = int(content_key(sorted([p.identity, *map(str, s)] for p, *s in both), 15), 16)
    drawn = statistics.resampled_interval(
        given, statistics.krippendorff_alpha, clusters, seed=seed
    ).interval
    return PanelAgreement(
        len(both),
        int(agree.sum()),
        Figure(float(agree.mean()), share.interval if share else None),
        Figure(kappa.value, kappa.interval),
        Figure(alpha.value, drawn if alpha.value is not None else None),
        tuple(tuple(int(cell) for cell in row) for row in table),
    )
