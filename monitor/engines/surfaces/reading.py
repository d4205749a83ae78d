"""From the payload of a capture of a surface to its reading: one way for live and handed-in.

A document that was handed in comes as it is; two headers of its exchange say what it is:
`monitor-form` (a `Form`) and `monitor-turn` (number of the answer in it, from 0).
"""

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from monitor.domain.engine import Exchange, Exchanges, Outcome, Reading, Retrieval
from monitor.domain.turn import Document, Form, Turn
from monitor.engines.shapes.citing import distinct_words
from monitor.engines.shapes.payload import by_status, clean_text, last_exchange
from monitor.engines.surfaces.live import is_live, read_live
from monitor.engines.surfaces.typed import is_typed, read_typed
from monitor.errors import PayloadError
from monitor.markup.trees import decode_body

FORM = "monitor-form"
TURN = "monitor-turn"
URL = "monitor-url"

_OURS = re.compile(r"data-monitor-(?=(?:asked|hidden|shown|pill|answer)\b)", re.IGNORECASE)

Recognise = Callable[[bytes], Form | None]
"""Which form of a surface some bytes are; None where they are none of them."""
Turns = Callable[[Document], tuple[Turn, ...]]
"""All answers of a document, in the order shown; PayloadError where it cannot be read."""


@dataclass(frozen=True, slots=True)
class SurfaceReader:
    """How one surface's documents are told and read: a row of the table READERS."""

    recognise: Recognise
    turns: Turns


def read_surface(
    engine: str, exchanges: Exchanges, *, recognise: Recognise, turns: Turns
) -> Reading:
    """Reading of a capture of a surface."""
    exchange = last_exchange(engine, exchanges)
    if exchange.failure is not None:
        timeout = exchange.failure == "timeout"
        return Reading(Outcome.TIMEOUT) if timeout else Reading(Outcome.ERROR, "network")
    # What names its form was handed in as a document, whatever it says of itself.
    if exchange.header(FORM) is None:
        if is_live(exchange.body):
            return _live(engine, exchange, turns)
        if is_typed(exchange.body):
            return read_typed(engine, exchange.body)
    document = document_of(engine, exchange, recognise)
    several = turns(document)
    wanted = exchange.header(TURN)
    if not several:
        status = by_status(exchange.status)
        return status or Reading(
            Outcome.LAYOUT_UNKNOWN, warnings=("no answer was found in the document",)
        )
    if wanted is None:
        return several[-1].reading
    if not wanted.isdecimal() or int(wanted) >= len(several):
        raise PayloadError(engine, "$", f"answer {wanted!r} is wanted, there are {len(several)}")
    return several[int(wanted)].reading


def document_of(engine: str, exchange: Exchange, recognise: Recognise) -> Document:
    """The document that was handed in; PayloadError where nobody knows its form."""
    named = exchange.header(FORM)
    form = Form(named) if named in set(Form) else recognise(exchange.body)
    if form is None:
        start = exchange.body[:60].decode("utf-8", "replace")
        raise PayloadError(engine, "$", f"no form of this surface, starting {start!r}")
    return handed_in(exchange.body, form, exchange.header(URL))


def handed_in(body: bytes, form: Form, url: str | None) -> Document:
    """A document that somebody hands in; marks that only our own captures set say nothing in it."""
    if form is Form.DOM:
        # As the page will be read: some character sets could hide a word from a look at bytes.
        text, found = _OURS.subn("data-unsure-", decode_body(body, None))
        if found:
            body = codecs.BOM_UTF8 + text.encode("utf-8", "replace")
    return Document(body, form, url)


def _live(engine: str, exchange: Exchange, turns: Turns) -> Reading:
    live = read_live(engine, exchange.body)
    if live.ended is not None:
        return live.ended
    several = turns(live.document)
    own = [one for one in several if live.turn_id is None or one.id == live.turn_id]
    if not own:
        known = [one.id for one in several]
        raise PayloadError(engine, "$.turn_id", f"{live.turn_id!r}, the page has {known}")
    reading = own[-1].reading
    model = live.payload.get("model")
    if reading.served_model is None and isinstance(model, str) and model:
        reading = replace(reading, served_model=model)
    return _searched(reading, live.payload.get("searched"))


def _searched(reading: Reading, searched: object) -> Reading:
    """A reading with the queries that the page showed; an empty list says that none was."""
    if not isinstance(searched, list):
        return reading
    shown = [clean_text(one) for one in searched if isinstance(one, str)]
    used = bool(shown) or reading.retrieval is Retrieval.USED
    return replace(
        reading,
        queries=distinct_words([*reading.queries, *shown]),
        retrieval=Retrieval.USED if used else Retrieval.NOT_USED,
    )
