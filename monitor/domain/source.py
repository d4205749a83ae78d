"""Sources: the identity of a cited URL, its family, and what people say of it."""

from dataclasses import dataclass
from enum import StrEnum


class Grade(StrEnum):
    """What a baseline says of a source for a prompt."""

    REQUIRED = "required"
    ACCEPTABLE = "acceptable"
    OPTIONAL = "optional"
    OUT_OF_SCOPE = "out_of_scope"
    UNGRADED = "ungraded"


class UrlFlag(StrEnum):
    """Something worth saying about a URL's identity."""

    REJECTED = "rejected"
    UNRESOLVED = "unresolved"
    UNWRAPPED = "unwrapped"
    REPAIRED = "repaired"
    ARCHIVE = "archive"
    AMP = "amp"
    MOBILE = "mobile"
    TRANSLATED = "translated"
    NON_PUBLIC = "non_public"
    OVERRIDE = "override"


@dataclass(frozen=True, slots=True)
class UrlIdentity:
    """Three strings of one cited URL, and the family it belongs to."""

    raw: str
    """Exactly as cited."""
    clean_url: str | None
    """Safe to open: wrapper, trackers and fragment off. None when rejected."""
    page_key: str | None
    """Identity for counting; never shown as a link. None when rejected."""
    family: str | None
    """Publisher, or None when rejected or unresolved."""
    unit: str | None = None
    """Finer part of a family (channel, repository owner) where known."""
    flags: tuple[UrlFlag, ...] = ()
