"""The appendix: what the numbers were made from, line by line, so that they can be held to it."""

from dataclasses import dataclass

from monitor.domain.score import Scorecard
from monitor.report.steps import current
from monitor.report.view import CaptureView, EngineView, ReportView

HASHES_SHOWN = 500
"""Answers whose hashes an edition without answers lists; the manifest names those of all."""


@dataclass(frozen=True, slots=True)
class SegmentLine:
    """One segment: what its signature has otherwise than its engine's."""

    segment: str
    line: str


@dataclass(frozen=True, slots=True)
class EngineProof:
    """Signatures of one engine's scorecards."""

    engine: EngineView
    now: str
    before: str
    """Empty without an earlier run."""
    segments: tuple[SegmentLine, ...]


@dataclass(frozen=True, slots=True)
class HashLine:
    """One answer with the hashes of what the engine sent."""

    capture: CaptureView
    label: str
    hashes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Appendix:
    """Everything that stands in the appendix beside the runs."""

    engines: tuple[EngineProof, ...]
    hashes: tuple[HashLine, ...]
    """Empty where there are too many of them to list."""


def appendix(view: ReportView) -> Appendix:
    """Signatures of every scorecard, and hashes of every answer of this run."""
    labels = {engine.name: engine.label for engine in view.engines}
    asked = current(view)
    return Appendix(
        tuple(_proof(engine) for engine in view.engines),
        tuple(
            HashLine(one, labels.get(one.engine, one.engine), tuple(sha for sha, _ in one.payloads))
            for one in asked
        )
        if len(asked) <= HASHES_SHOWN
        else (),
    )


def _proof(engine: EngineView) -> EngineProof:
    """One engine's signatures."""
    return EngineProof(
        engine,
        engine.card.signature,
        engine.before.signature if engine.before else "",
        tuple(SegmentLine(card.segment, _other(card, engine.card)) for card in engine.segments),
    )


def _other(card: Scorecard, whole: Scorecard) -> str:
    """Parts of a signature that are not in the one of all the panel."""
    known = set(whole.signature.split("|"))
    return "|".join(part for part in card.signature.split("|") if part not in known)
