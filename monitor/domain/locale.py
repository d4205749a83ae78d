"""Whether an engine served the locale that was requested, as far as somebody asked."""

from enum import StrEnum


class LocaleState(StrEnum):
    """What is known of the locale of a capture."""

    REQUESTED = "requested"
    """It was asked for; nobody confirmed it."""
    CONFIRMED = "confirmed"
    """A canary of the same engine and locale got the answer of that country."""
    CONTRADICTED = "contradicted"
    """One got the answer of another country: the capture leaves that locale's figures."""


CANARY_ID = "canary:"
"""How ids of canary prompts begin; no prompt of a panel has a colon in its id."""
