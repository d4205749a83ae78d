"""What was found in files that were handed in, before anything of it is stored."""

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from monitor.capture.imports.parts import NOTHING, Container, Counts
from monitor.capture.imports.pictures import Picture
from monitor.domain.keys import sha256_hex
from monitor.domain.panel import Prompt
from monitor.domain.turn import Form, Turn

TYPED = "typed"
"""Form of what a person typed off a page or a picture."""

_RANK = (Form.CONVERSATION, Form.SHARE, Form.THREAD, Form.STREAM, Form.LIVE, Form.DOM,
         Form.MARKDOWN, Form.TEXT, TYPED)  # fmt: skip
"""Forms of a document, the most complete first."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person said beside the files."""

    prompt: str | None = None
    """Id of the prompt that was asked."""
    engine: str | None = None
    at: datetime | None = None
    """When the answer was seen."""
    turn: int | None = None
    """Number of the answer in its document, from 1."""
    urls: tuple[str, ...] = ()
    """Addresses read off a picture or a page."""
    text: Path | None = None
    """File with the text of the answer that a picture shows."""


@dataclass(frozen=True, slots=True)
class HandedFile:
    """A file as it was handed in; its bytes are not kept."""

    path: Path
    sha256: str
    size: int
    """Bytes."""
    changed_at: datetime
    """When the file system says it was written last."""
    container: Container

    @property
    def name(self) -> str:
        """Its name without the folders it lies in."""
        return self.path.name


@dataclass(frozen=True, slots=True)
class FoundPicture:
    """A picture that was handed in."""

    file: HandedFile
    body: bytes
    picture: Picture


@dataclass(frozen=True, slots=True)
class FoundAnswer:
    """One answer of a file, with the prompt of the panel that it answers."""

    file: HandedFile
    engine: str
    prompt: Prompt
    asked: str
    """Whether the document shows that prompt: `matches`, `differs`, or `not shown`."""
    form: str
    """A `Form`, or `typed`."""
    body: bytes
    """The document as it is kept."""
    turn: Turn
    member: str | None = None
    url: str | None = None
    inside_at: datetime | None = None
    declared_at: datetime | None = None
    dropped: Counts = field(default_factory=lambda: NOTHING)
    notes: tuple[str, ...] = ()
    pictures: tuple[FoundPicture, ...] = ()

    @property
    def kept_sha256(self) -> str:
        """Of the document as it is kept."""
        return sha256_hex(self.body)

    @property
    def captured_at(self) -> datetime:
        """When it was seen: as a person says, else as the file says inside, else as it is dated."""
        return self.declared_at or self.inside_at or self.file.changed_at

    @property
    def dated_by(self) -> str:
        """Which of the three that is: `declared`, `inside` or `file`."""
        if self.declared_at is not None:
            return "declared"
        return "inside" if self.inside_at is not None else "file"

    @property
    def rank(self) -> int:
        """Place of its form among all, the most complete first."""
        return _RANK.index(self.form)

    @property
    def completeness(self) -> dict[str, Any]:
        """What it can and cannot tell, as JSON values."""
        one = self.turn.completeness
        return {
            "hidden_citations": one.hidden_citations,
            "offsets_exact": one.offsets_exact,
            "model_known": one.model_known,
            "locale_known": one.locale_known,
            "retrieved_known": one.retrieved_known,
            "text_known": not self.turn.reading.without_text,
            "prompt": self.asked,
            "earlier_turns": self.turn.index,
            "dated_by": self.dated_by,
            "notes": list(self.notes),
        }

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of its numbers must know, in words."""
        one = self.turn.completeness
        told = (
            (bool(self.turn.index), f"context: {self.turn.index} earlier turns stand before it"),
            (self.asked == "differs", "the document shows another question than the prompt"),
            (self.asked == "not shown", "the document does not show its question"),
            (one.hidden_citations is None, "citations may be hidden: how many cannot be told"),
            (bool(one.hidden_citations), f"{one.hidden_citations} citations are hidden behind +N"),
            (self.turn.reading.without_text, "no text was handed in: claims are not assessable"),
            (self.dated_by == "file", "dated by the file alone; --at says when it was seen"),
        )
        return (*(words for holds, words in told if holds), *self.notes)


@dataclass(frozen=True, slots=True)
class Unmatched:
    """An answer whose question no prompt of the panel asks."""

    file: str
    member: str | None
    engine: str
    turn: int
    """Number of the answer in its document, from 1."""
    shown: str | None
    """Its question, cut; None where the document does not show it."""
    nearest: str | None
    """Id of the prompt whose text is most like it."""


@dataclass(frozen=True, slots=True)
class FileFindings:
    """What one file came to."""

    answers: tuple[FoundAnswer, ...] = ()
    pictures: tuple[FoundPicture, ...] = ()
    unmatched: tuple[Unmatched, ...] = ()
    """Those that are listed; there may be more."""
    unmatched_count: int = 0
    unread: int = 0
    """Documents of a surface that could not be read."""
    foreign: int = 0
    """Documents of no surface."""
    dropped: Counts = field(default_factory=lambda: NOTHING)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """What all files of a command came to."""

    files: tuple[HandedFile, ...]
    answers: tuple[FoundAnswer, ...]
    unmatched: tuple[Unmatched, ...] = ()
    unmatched_count: int = 0
    unread: int = 0
    foreign: int = 0
    dropped: Counts = field(default_factory=lambda: NOTHING)
    notes: tuple[str, ...] = ()
    """What to know of the files, in words."""
    skipped: tuple[str, ...] = ()
    """Files that were left out because they cannot be taken, and why."""
