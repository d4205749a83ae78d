"""Pictures of what a surface showed, with what makes them evidence."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class ScreenshotKind(StrEnum):
    """What a picture shows."""

    VIEWPORT = "viewport"
    FULL = "full"
    TILE = "tile"
    """A part of the whole answer, where it is too long for one picture."""
    PANEL = "panel"
    CARD = "card"
    """A rendering of stored text; never evidence of an interface."""
    BARRIER = "barrier"
    """What stood in the way: a wall, or a page nobody knows."""
    UPLOAD = "upload"
    """A picture that a person handed in."""


@dataclass(frozen=True, slots=True)
class Screenshot:
    """A picture taken during a capture; its bytes lie among the artifacts under `sha256`."""

    kind: ScreenshotKind
    sha256: str
    url: str
    taken_at: datetime
    browser: str
    """Name and build."""
    viewport: tuple[int, int]
    """CSS pixels, width and height."""
    size: tuple[int, int]
    """Pixels of the picture, width and height."""
    locale: str
    position: int = 0
    """Place among the pictures of its kind, from 0, top to bottom."""
    name: str | None = None
    """Which panel it shows."""
    masked: int = 0
    """Areas painted over: those of the account."""
    altered: str | None = None
    """What was changed on the page for the picture, in words; None where nothing was."""


class SnapshotKind(StrEnum):
    """What is kept beside the pictures of a page."""

    DOM = "dom"
    TEXT = "text"
    MHTML = "mhtml"
    SOURCE = "source"
    """A file that a person handed in, without what is private in it."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Bytes of a page as it stood; they lie among the artifacts under `sha256`."""

    kind: SnapshotKind
    sha256: str
    taken_at: datetime
    name: str | None = None
    """Which panel or file it is of; None for the page."""
