"""What `monitor labels list` prints for people."""

from monitor.cli.console import OUT, table
from monitor.domain.claim import Support
from monitor.domain.trust import CLASSES, NEEDED, CorrectedMeasure, Figure, JudgeTrust
from monitor.pipeline.label_list import LabelList
from monitor.report.numbers import interval, percent
from monitor.report.trust import corrected_text, judged_text


def show_labels(found: LabelList) -> None:
    """Print the labels of a panel and what they say of its judge."""
    OUT.print(
        f"{found.panel}: {found.labelled} of {found.drawn} drawn pairs labelled, "
        f"{found.disputed} disputed"
        + (f", {found.adjudicated} adjudicated" if found.adjudicated else "")
    )
    if found.annotators:
        rows = [
            (name, *(str(counts.get(support, 0)) for support in Support))
            for name, counts in found.annotators.items()
        ]
        table("", ("annotator", *(support.value for support in Support)), rows)
    if found.between is not None:
        for one in found.between.measures:
            value = one.coefficient.value
            said = "not measured" if value is None else f"{value:.3f}"
            name = one.name.replace("_", " ")
            OUT.print(f"annotators, {name}: {said} ({one.coefficient.subjects} pairs)")
    if found.trust is not None:
        _show_trust(found.trust, found.run or "")


def _show_trust(trust: JudgeTrust, run: str) -> None:
    """The judge beside the labels."""
    here = trust.here
    if here is None:
        return
    agreement = here.agreement
    if agreement is None:
        OUT.print(
            f"judge {trust.judge}: agreement not told yet, {here.both} of {NEEDED} labels needed "
            "of pairs that it decided"
        )
    else:
        OUT.print(
            f"judge {trust.judge}: agrees on {agreement.agreeing} of {agreement.pairs} pairs "
            f"({percent(agreement.raw.value)}{_range(agreement.raw)}), kappa "
            f"{_coefficient(agreement.kappa)}, alpha {_coefficient(agreement.alpha)}"
        )
        names = tuple(support.value for support in CLASSES)
        rows = [
            (f"people: {name}", *map(str, row))
            for name, row in zip(names, agreement.confusion, strict=True)
        ]
        table("", ("judge:", *names), rows)
    for one in trust.corrected:
        OUT.print(f"{run}: {_line(one)}")
    by_engine = {one.engine: one.labelled for one in trust.corrected}
    if sum(by_engine.values()) > here.labelled:
        OUT.print(
            f"labels are counted for each engine that a pair comes from: {here.labelled} labelled "
            f"pairs are {sum(by_engine.values())} of {len(by_engine)} engines"
        )
    for note in trust.notes:
        OUT.print(f"not corrected: {note}")


def _range(one: Figure) -> str:
    """The interval of a share, where there is one."""
    return f", {interval(one.interval)}" if one.interval else ""


def _coefficient(one: Figure) -> str:
    """A coefficient with its interval."""
    if one.value is None:
        return "not measured"
    ends = f" [{one.interval.low:.2f}, {one.interval.high:.2f}]" if one.interval else ""
    return f"{one.value:.2f}{ends}"


def _line(one: CorrectedMeasure) -> str:
    """A judged rate and what labels make of it."""
    name = one.measure.replace("_", " ")
    made = corrected_text(one)
    said = f"not corrected: {made}" if one.value is None else f"corrected {made}"
    return f"{one.engine}, {name}: judge {judged_text(one)}; {said}"
