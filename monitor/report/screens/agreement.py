"""How far annotators agree: one line a coefficient, for pairs and for sources of a baseline."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AgreementLine:
    """One coefficient of agreement, with its interval and what it rests on."""

    name: str
    label: str
    value: float | None
    low: float | None
    high: float | None
    subjects: int
    """Pairs or sources with two labels or more."""
    undefined: str
    """Why there is no value, or no interval; empty where there are both."""


@dataclass(frozen=True, slots=True)
class AgreementView:
    """Every coefficient; none where nothing has two labels yet, or while it is being counted."""

    lines: tuple[AgreementLine, ...]
    counting: bool = False
