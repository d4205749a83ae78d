"""Is it noise: what a comparison could have seen, what it left out, and the rule it follows."""

from collections.abc import Sequence
from dataclasses import dataclass

from monitor.domain.change import Appearance, ChangeRules, Comparison
from monitor.report.findings import verdict_of
from monitor.report.numbers import percent, points
from monitor.report.view import EngineView, ReportView
from monitor.report.words import event_words, left_out_words, plural


@dataclass(frozen=True, slots=True)
class Noise:
    """What one engine's comparison could have seen, in plain words."""

    engine: str
    verdict: str
    """The strongest thing said of the engine as a whole, or `not compared`."""
    text: str
    tested: str
    """Families tested of those there are; empty where nothing could be told of them."""
    matched: str
    """Prompts compared of those of the panel."""
    detectable: str
    """Change of a share that would be found four times in five: from one family to another."""
    left_out: tuple[str, ...]
    """Prompts that were not compared, a line a reason."""
    events: tuple[str, ...]
    appeared: tuple[str, ...]
    disappeared: tuple[str, ...]


def noise(view: ReportView) -> tuple[Noise, ...]:
    """One engine each: families tested, smallest detectable change, events, comings, goings."""
    return tuple(_noise(engine) for engine in view.engines)


def rules_text(view: ReportView) -> str:
    """The rule that calls a change one, in plain words; empty without any comparison."""
    rules = next((e.comparison.rules for e in view.engines if e.comparison), None)
    return "" if rules is None else rules_words(rules)


def rules_words(rules: ChangeRules) -> str:
    """When a difference is called a change, in plain words."""
    expected = round(1 / rules.q_changed) if rules.q_changed else 0
    return (
        f"A family or a measure is called changed when its adjusted p is at most "
        f"{rules.q_changed:g} (Benjamini-Hochberg over the families tested for the engine, and "
        "apart from them over its measures and concentration), it moved by "
        f"{points(rules.min_change)} or more, and by {percent(rules.min_relative)} or more of the "
        "larger share or number of effective sources. Of all that is called "
        f"changed, about 1 in {expected} is expected to be noise. No clear change does not mean "
        "that nothing moved."
    )


def watch_text(view: ReportView) -> str:
    """The adjusted p up to which a change is to be watched; empty without any comparison."""
    rules = next((e.comparison.rules for e in view.engines if e.comparison), None)
    return "" if rules is None else f"{rules.q_watch:g}"


def _noise(engine: EngineView) -> Noise:
    """One engine's comparison in words."""
    comparison = engine.comparison
    if comparison is None:
        why = f"Not compared: {engine.skipped_before or 'no earlier run'}."
        return Noise(engine.label, verdict_of(engine), why, "", "", "", (), (), (), ())
    tested, matched, detectable = _sight(comparison)
    return Noise(
        engine=engine.label,
        verdict=verdict_of(engine),
        text=noise_text(comparison),
        tested=tested,
        matched=matched,
        detectable=detectable,
        left_out=left_out_words(comparison.left_out),
        events=tuple(event_words(event) for event in comparison.events),
        appeared=moved(comparison, Appearance.APPEARED),
        disappeared=moved(comparison, Appearance.DISAPPEARED),
    )


def moved(comparison: Comparison, how: Appearance) -> tuple[str, ...]:
    """Families that came or went, commonest first; a line in a report, no alarm by itself."""
    moved = [c for c in comparison.families if c.appearance is how]
    return tuple(c.name for c in sorted(moved, key=lambda c: (-c.counted, c.name)))


def _sight(comparison: Comparison) -> tuple[str, str, str]:
    """Families tested, prompts matched, and what would be found; all empty without any."""
    sizes, gates = comparison.detectable, comparison.gates
    if not comparison.is_comparable or not _tested(comparison):
        return "", "", ""
    return (
        f"{_tested(comparison)} of {len(comparison.families)}",
        f"{gates.matched} of {gates.panel}",
        detectable_text(sizes) if sizes else "not to be told: the two runs do not differ",
    )


def noise_text(comparison: Comparison) -> str:
    """Families tested, prompts matched, and how small a change would have been seen."""
    gates = comparison.gates
    if not comparison.is_comparable:
        return f"Not comparable: {'; '.join(gates.failures)}."
    matched = f"{gates.matched} of {plural(gates.panel, 'prompt')} matched"
    if gates.matched < comparison.rules.counts_below:
        few = f"counts only, intervals from {comparison.rules.counts_below} prompts."
        return f"{matched}: {few}"
    tested = _tested(comparison)
    limit = (
        ""
        if gates.matched >= comparison.rules.alerts_from
        else f" Verdicts of change need {comparison.rules.alerts_from} matched prompts."
    )
    families = plural(tested, "family", "families")
    seen = _detectable(comparison)
    return f"{families} of {len(comparison.families)} tested; {matched}.{seen}{limit}"


def _detectable(comparison: Comparison) -> str:
    """The change that would usually be found, over the tested families."""
    sizes = comparison.detectable
    if not sizes and _tested(comparison):
        return (
            " On every prompt they were cited alike in both runs, so there is no error from which "
            "to tell how small a change would be found."
        )
    if not sizes:
        return " No family was cited often enough to test."
    return (
        f" A change of {detectable_text(sizes)} in a family's share, by family, would be found "
        "four times in five, a smaller one less often."
    )


def _tested(comparison: Comparison) -> int:
    """Families cited often enough for a test."""
    return sum(change.is_tested for change in comparison.families)


def detectable_text(sizes: Sequence[float]) -> str:
    """The least and the largest of them in points; one where they are shown alike."""
    least, most = points(min(sizes)), points(max(sizes))
    return least if least == most else f"{least.removesuffix(' points')} to {most}"
