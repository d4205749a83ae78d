"""What a document of an answer surface holds: turns of question and answer, and how complete."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from monitor.domain.engine import Reading


class Form(StrEnum):
    """What kind of document of a surface some bytes are."""

    LIVE = "live"
    """Our own record of a page that was captured live."""
    DOM = "dom"
    """HTML of the surface's page, saved in any way."""
    SHARE = "share"
    """A shared page that carries its conversation as data, not as text."""
    CONVERSATION = "conversation"
    """JSON of one conversation, as an export of an account holds many."""
    THREAD = "thread"
    """JSON of a thread, as the surface's own page asks for it."""
    STREAM = "stream"
    """Server-sent events of an answer."""
    MARKDOWN = "markdown"
    """The surface's own export as Markdown."""
    TEXT = "text"
    """What a person copied from the page."""


@dataclass(frozen=True, slots=True)
class Panel:
    """A part of the page that a reader opens: a list of sources, what a pill shows when hovered."""

    name: str
    """`sources`, or `popover`."""
    html: str
    """As the page had it while it was open, elements marked as in `monitor.markup.shown`."""
    anchor: str | None = None
    """Number of the pill it belongs to (`data-monitor-pill`), for a popover."""


@dataclass(frozen=True, slots=True)
class Document:
    """Bytes of a surface, and what is known of them."""

    body: bytes
    form: Form
    url: str | None = None
    panels: tuple[Panel, ...] = ()
    in_view: frozenset[str] | None = None
    """Numbers of pills (`data-monitor-pill`) that were seen without scrolling; None where nobody
    looked."""


@dataclass(frozen=True, slots=True)
class Completeness:
    """What a document can and cannot tell of an answer; a reader of its numbers must know."""

    hidden_citations: int | None
    """Citations behind "+N" labels whose URLs are not in the document; 0 where none is; None where
    it cannot be told."""
    offsets_exact: bool
    """Whether each citation's place in the text is the document's own."""
    model_known: bool
    locale_known: bool
    retrieved_known: bool
    """Whether it tells what was searched, cited or not."""


NOTHING_TOLD = Completeness(
    None, offsets_exact=False, model_known=False, locale_known=False, retrieved_known=False
)
"""Of a document that tells none of this."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How well a page fitted the selectors we have for it."""

    hits: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Role -> selector -> elements it found."""
    disagreements: tuple[str, ...] = ()
    """Roles whose selectors found different elements, in words; all that were found count."""
    in_document: int = 0
    """Citation elements in the document."""
    shown: int = 0
    """Those that were visible."""
    coverage: float | None = None
    """Part of the answer's visible characters that is in the text; None where there are none."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One question and its answer."""

    index: int
    """From 0, in the order shown."""
    id: str | None
    """The surface's own name for the answer."""
    prompt: str | None
    """The question as the document shows it; None where it does not."""
    reading: Reading
    completeness: Completeness
    answered_at: datetime | None = None
    """When the document says it was answered; None where it does not."""
    layout: Layout = Layout()
    language: str | None = None
    """Language of the page around the answer, by its own word (BCP 47); None where it has none."""
