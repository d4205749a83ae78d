"""What people labelled of a panel: who, what, how far they agree with each other and the judge."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from monitor.baseline.agreement import AgreementReport, agreement, agreement_json
from monitor.baseline.labels import Labels
from monitor.domain.claim import Support
from monitor.domain.keys import content_key
from monitor.domain.trust import JudgeTrust
from monitor.errors import StoreError
from monitor.pipeline.adjudicating import adjudicated, disagreements
from monitor.pipeline.bench import Bench
from monitor.pipeline.first_run import none_yet
from monitor.pipeline.label_agreement import settle
from monitor.pipeline.trust_json import trust_json
from monitor.pipeline.trusting import run_trust
from monitor.statistics import Level
from monitor.store import panels, runs, scores, support_labels
from monitor.store.support_labels import LabelDraw, SupportLabel


@dataclass(frozen=True, slots=True)
class LabelList:
    """The labels of a panel, counted."""

    panel: str
    drawn: int
    """Distinct pairs that were drawn."""
    labelled: int
    """Distinct pairs with a label of anyone."""
    disputed: int
    annotators: Mapping[str, Mapping[Support, int]]
    """Annotator -> how often each support was given; the latest label of a pair counts."""
    guidelines: Mapping[str, int]
    """Guideline version -> labels given by it."""
    between: AgreementReport | None
    """Agreement of annotators; None with fewer than two."""
    run: str | None
    """The newest run with scorecards, whose judge is held against the labels."""
    trust: JudgeTrust | None
    adjudicated: int = 0
    """Distinct pairs on which annotators disagree and somebody decided."""


def list_labels(bench: Bench, panel: str) -> LabelList:
    """Labels of a panel; StoreError where no such panel is stored."""
    check_panel(bench, panel)
    labels = bench.read(lambda c: support_labels.load_labels(c, panel))
    draws = bench.read(lambda c: support_labels.load_draws(c, panel))
    decided = adjudicated(bench, panel)
    settled = settle(labels, decided)
    annotators: dict[str, Counter[Support]] = {}
    for one in labels:
        annotators.setdefault(one.annotator, Counter())[one.support] += 1
    run, trust = _newest(bench, panel)
    return LabelList(
        panel=panel,
        drawn=len({one.pair for draw in draws for one in draw.pairs}),
        labelled=len(settled),
        disputed=sum(one is None for one in settled.values()),
        adjudicated=sum(one.decision is not None for one in disagreements(bench, panel)),
        annotators=dict(sorted(annotators.items())),
        guidelines=dict(sorted(Counter(one.guideline for one in labels).items())),
        between=between(labels, draws) if len(annotators) > 1 else None,
        run=run.public_id if run else None,
        trust=trust,
    )


def check_panel(bench: Bench, panel: str) -> None:
    """StoreError where the store has no panel of that name."""
    known = sorted({one.name for one in bench.read(panels.list_panels)})
    if panel not in known:
        names = ", ".join(known[:8]) or none_yet()
        raise StoreError(f"no panel {panel[:100]!r} in the store; panels: {names}")


def _newest(bench: Bench, panel: str) -> tuple[runs.Run | None, JudgeTrust | None]:
    """The newest run of a panel that has scorecards, and the trust in its judge."""
    for run in bench.read(lambda c: runs.list_runs(c, panel)):
        cards = bench.read(partial(scores.load_scorecards, run_id=run.id))
        if cards:
            return run, run_trust(bench, run, cards)
    return None, None


def between(labels: Sequence[SupportLabel], draws: Sequence[LabelDraw]) -> AgreementReport:
    """Agreement of annotators on the classes they gave; pairs of one prompt are one cluster."""
    prompt_of = {one.pair: one.prompt for draw in draws for one in draw.pairs}
    names = sorted({one.annotator for one in labels})
    subjects = list(dict.fromkeys(one.pair for one in labels))
    scale = tuple(sorted({one.support.value for one in labels}))
    cells = {(one.annotator, one.pair): float(scale.index(one.support.value)) for one in labels}
    clusters = [prompt_of.get(pair, pair.identity) for pair in subjects]
    places = {name: place for place, name in enumerate(dict.fromkeys(clusters))}
    table = Labels(
        tuple(names),
        tuple(pair.identity for pair in subjects),
        scale,
        tuple(float(place) for place in range(len(scale))),
        tuple(tuple(cells.get((name, pair)) for pair in subjects) for name in names),
        tuple(places[name] for name in clusters),
        len(labels),
    )
    content = [[one.pair.identity, one.annotator, one.support.value] for one in labels]
    seed = int(content_key(sorted(content), 15), 16)
    return agreement(table, level=Level.NOMINAL, seed=seed)


def list_json(found: LabelList) -> dict[str, Any]:
    """What `monitor labels list --json` prints."""
    return {
        "panel": found.panel,
        "drawn": found.drawn,
        "labelled": found.labelled,
        "disputed": found.disputed,
        "adjudicated": found.adjudicated,
        "annotators": {
            name: {support.value: counts.get(support, 0) for support in Support}
            for name, counts in found.annotators.items()
        },
        "guidelines": dict(found.guidelines),
        "between_annotators": agreement_json(found.between) if found.between else None,
        "run": found.run,
        "trust": trust_json(found.trust) if found.trust else None,
    }
