"""Pictures of what a surface showed, with what makes them evidence."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class ScreenshotKind(StrEnum):
    """What a picture shows."""

    VIEWPORT = "viewport"
    FULL = "full"
    PANEL = "panel"
    CARD = "card"


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
