"""Examples of measures that no scorecard has: overlap, visible citation recall, agreement."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from monitor.report.numbers import NOT_MEASURED, index, percent
from monitor.report.screens.agreement import AgreementLine, AgreementView
from monitor.report.screens.formulas_beside import BESIDE
from monitor.report.screens.numbers import NumberView
from monitor.report.view import BoundedView, OverlapView

NO_RUN = "no run has ended yet"
BEING_COUNTED = "it is being counted; look again in some seconds"
_ALONE = "no other engine of this kind answered in the run"
_UNKNOWN = "no relevant page is known"


@dataclass(frozen=True, slots=True)
class Example:
    """A run's own counts in the place of a formula's words."""

    engine: str
    """Two with a comma between are a pair of engines; empty where it is of people."""
    label: str
    counted: str
    """As `155 graded required / 176 graded = 0.881`; empty where nothing was measured."""
    number: NumberView | None
    """None for what is no rate."""


@dataclass(frozen=True, slots=True)
class Aside:
    """Examples of one measure, or why there are none."""

    examples: tuple[Example, ...]
    without: str = ""


@dataclass(frozen=True, slots=True)
class AnswerPair:
    """Two answers to a prompt, and how many families they cite."""

    prompt: str
    repeats: tuple[int, int]
    both: int
    either: int


@dataclass(frozen=True, slots=True)
class OverlapExample:
    """An overlap with the first two answers that it was counted from."""

    overlap: OverlapView
    pair: AnswerPair | None
    """None where no prompt has two answers of which one cites a family."""


@dataclass(frozen=True, slots=True)
class RecallExample:
    """A bounded recall with the pages that it was counted from."""

    recall: BoundedView
    relevant_cited: int
    unjudged_cited: int
    relevant_elsewhere: int
    unjudged_elsewhere: int


@dataclass(frozen=True, slots=True)
class LabelledTwice:
    """Labels of a plan's pairs that two people labelled."""

    plan: int
    annotators: tuple[str, ...]
    alike: int
    pairs: int
    agreement: AgreementView


def overlap_aside(found: Sequence[OverlapExample], labels: Mapping[str, str]) -> Aside:
    """Overlap of repeats and of engines; `labels` names the engines."""
    return Aside(tuple(_overlap(one, labels) for one in found), "" if found else NO_RUN)


def _overlap(one: OverlapExample, labels: Mapping[str, str]) -> Example:
    found, pair = one.overlap, one.pair
    a, b = labels.get(found.a, found.a), labels.get(found.b, found.b)
    alone = found.kind == "repeats"
    return Example(
        engine=found.a if alone else f"{found.a},{found.b}",
        label=f"{a}, its repeats" if alone else f"{a} and {b}",
        counted=_pair(pair, found) if pair else "",
        number=None,
    )


def _pair(pair: AnswerPair, found: OverlapView) -> str:
    formula = BESIDE["overlap"].formula
    first, second = pair.repeats
    return (
        f"{pair.prompt}, answers {first} and {second}: {pair.both} {formula.hits} / "
        f"{pair.either} {formula.total} = {index(pair.both / pair.either)}; "
        f"mean {index(found.mean)} over {found.prompts} prompts"
    )


def recall_aside(found: Sequence[RecallExample], labels: Mapping[str, str]) -> Aside:
    """Visible citation recall of every engine that answered a prompt with a baseline."""
    without = "" if found else "no prompt of the run has a baseline and an answer"
    return Aside(tuple(_recall(one, labels) for one in found), without)


def _recall(one: RecallExample, labels: Mapping[str, str]) -> Example:
    name = one.recall.engine
    return Example(name, labels.get(name, name), _bounds(one), None)


def _bounds(one: RecallExample) -> str:
    bounds, own, others = one.recall.bounds, one.relevant_cited, one.relevant_elsewhere
    if one.recall.is_alone or bounds is None:
        return _ALONE if one.recall.is_alone else _UNKNOWN
    return (
        f"{own} relevant pages that the engine cites / ({own} + {others} that only others cite + "
        f"{one.unjudged_elsewhere} unjudged of theirs) = {index(bounds.low)}; at most ({own} + "
        f"{one.unjudged_cited} unjudged of its own) / ({own} + {one.unjudged_cited} + {others}) = "
        f"{index(bounds.high)}; {percent(one.recall.judged_share)} of the pool judged"
    )


def agreement_aside(one: LabelledTwice | None) -> Aside:
    """Agreement of people on the pairs of a plan that two of them labelled."""
    if one is None or not one.pairs:
        return Aside(
            (), "nobody labelled twice yet" if one else "no labelling is planned for this panel"
        )
    if one.agreement.counting:
        return Aside((), BEING_COUNTED)
    formula = BESIDE["agreement"].formula
    counted = (
        f"{one.alike} {formula.hits} / {one.pairs} {formula.total} = {index(one.alike / one.pairs)}"
    )
    beside = (
        f"{line.label} {_value(line)}"
        for line in one.agreement.lines
        if line.name != "raw_agreement"
    )
    label = f"{' and '.join(one.annotators)}, plan {one.plan}"
    return Aside((Example("", label, "; ".join((counted, *beside)), None),))


def _value(line: AgreementLine) -> str:
    if line.value is not None:
        return index(line.value)
    return f"{NOT_MEASURED} ({line.undefined})" if line.undefined else NOT_MEASURED
