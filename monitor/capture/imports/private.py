"""A document without what is private in it, and how much of each kind that was."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from types import MappingProxyType

from monitor.capture.imports.parts import Counts
from monitor.capture.imports.private_json import clean_json, clean_stream
from monitor.capture.imports.private_page import HISTORY, clean_scripts, without_areas
from monitor.capture.imports.private_words import starred
from monitor.domain.turn import Form

IMPORTER = "monitor-import-1"
"""Name and version of the rules by which documents are taken; stored with each."""


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A document as it may be kept."""

    body: bytes
    """The very bytes handed in where nothing had to go."""
    dropped: Counts


def clean(
    body: bytes, form: Form, *, said: Collection[str] = (), areas: Collection[str] = ()
) -> Cleaned:
    """A document without tokens, cookies, e-mails, memory and the account's own areas.

    `said` is what answers say of that kind (`said_in`) and stays; `areas` selectors of the parts of
    the page that show the account.
    """
    dropped: Counter[str] = Counter()
    if form in {Form.DOM, Form.SHARE}:
        body = clean_scripts(body, dropped)
    if form is Form.DOM:
        body = without_areas(body, (*areas, *HISTORY), dropped)
    if form in {Form.CONVERSATION, Form.THREAD}:
        body = clean_json(body, dropped)
    if form is Form.STREAM:
        body = clean_stream(body, dropped)
    body = starred(body, frozenset(said), dropped)
    return Cleaned(body, MappingProxyType(dict(sorted(dropped.items()))))
