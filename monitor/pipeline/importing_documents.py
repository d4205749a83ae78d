"""One document of a file -> its surface, its answers, and the bytes that may be kept of it."""

from collections.abc import Mapping
from dataclasses import dataclass

from monitor.capture.imports.parts import Counts, FoundDocument, ImportFileError, added
from monitor.capture.imports.private import clean
from monitor.capture.imports.private_words import said_in
from monitor.domain.engine import Outcome
from monitor.domain.turn import Form, Turn
from monitor.engines.surfaces.reading import SurfaceReader, handed_in
from monitor.engines.surfaces.selectors import load_selectors
from monitor.errors import MonitorError, PayloadError

UNREADABLE = frozenset({Outcome.ERROR, Outcome.LAYOUT_UNKNOWN})
"""What a document says that nobody can read: it is no answer, and is not taken."""

Readers = Mapping[str, SurfaceReader]


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document, told and read."""

    found: FoundDocument
    engine: str
    form: Form
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class KeptDocument:
    """A document without what is private in it, and its answers as they are read from that."""

    body: bytes
    turns: tuple[Turn, ...]
    dropped: Counts


def read_document(
    found: FoundDocument, readers: Readers, *, engine: str | None
) -> ReadDocument | None:
    """A document of a surface, of `engine` where one is named; None where it is of none.

    ImportFileError where it is of several surfaces, or cannot be read.
    """
    wanted = readers if engine is None else {engine: readers[engine]}
    forms = {name: form for name, one in wanted.items() if (form := _form(one, found.body))}
    if not forms:
        return None
    read, failures = [], []
    for name, form in forms.items():
        try:
            turns = readers[name].turns(handed_in(found.body, form, found.url))
        except PayloadError as error:
            failures.append(str(error))
            continue
        except RecursionError:
            failures.append(f"{name}: it nests deeper than any page of this surface")
            continue
        read.append(ReadDocument(found, name, form, turns))
    whole = [one for one in read if any(_is_readable(turn) for turn in one.turns)]
    if len(whole) > 1:
        names = ", ".join(one.engine for one in whole)
        raise ImportFileError(f"it could be of {names}; say which by --engine")
    if whole:
        return whole[0]
    raise ImportFileError("; ".join([*failures, *map(_why, read)]))


def _form(reader: SurfaceReader, body: bytes) -> Form | None:
    """The form of some bytes; none where they nest too deep to be any."""
    try:
        form = reader.recognise(body)
    except (PayloadError, RecursionError):
        return None
    # A record of a live capture is ours; it comes with its run, not by hand.
    return None if form is Form.LIVE else form


def _is_readable(turn: Turn) -> bool:
    return turn.reading.outcome not in UNREADABLE


def _why(one: ReadDocument) -> str:
    """Why a document that was told has no answer."""
    said = [word for turn in one.turns for word in turn.reading.warnings]
    told = f" ({'; '.join(said)[:400]})" if said else ""
    return (
        f"{one.engine}: no answer was found in its {one.form.value}{told}; `monitor doctor --ui` "
        "tells what is read of a saved page"
    )


def kept_document(read: ReadDocument, reader: SurfaceReader) -> KeptDocument:
    """What may be kept of a document; ImportFileError where its answers cannot be parted from it.

    E-mail addresses in an answer, and all of an address that it cites, are words of the answer.
    """
    found = read.found
    said = said_in(*(text for turn in read.turns for text in _words(turn)))
    cleaned = clean(found.body, read.form, said=said, areas=_areas(read.engine))
    if cleaned.body == found.body:
        return KeptDocument(found.body, read.turns, found.dropped)
    turns = reader.turns(handed_in(cleaned.body, read.form, found.url))
    if [one.reading for one in turns] != [one.reading for one in read.turns]:
        turns = _alike(read, turns)
    return KeptDocument(cleaned.body, turns, added(found.dropped, cleaned.dropped))


def _words(turn: Turn) -> tuple[str, ...]:
    """What an answer says, and every address in it."""
    searched = (one.url for one in turn.reading.retrieved)
    return (turn.reading.text, *_urls(turn), *searched)


def _alike(read: ReadDocument, turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """The turns as they are read from what is kept, where they still say the same."""
    before = [(one.reading.outcome, one.reading.text, _urls(one)) for one in read.turns]
    after = [(one.reading.outcome, one.reading.text, _urls(one)) for one in turns]
    if before != after:
        raise ImportFileError(
            f"{read.engine}: its answers change when what is private is taken out (tokens, "
            "account areas), so that nothing is kept; save the answer in another form"
        )
    return turns


def _urls(turn: Turn) -> tuple[str, ...]:
    return tuple(one.url for one in turn.reading.citations)


def _areas(engine: str) -> tuple[str, ...]:
    """Selectors of the parts of a surface's page that show the account."""
    try:
        return tuple(one.css for one in load_selectors(engine).of("account"))
    except (MonitorError, FileNotFoundError):
        return ()
