"""A document without what is private in it, and how much of each kind that was."""

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from types import MappingProxyType

from monitor.capture.imports.parts import Counts
from monitor.capture.imports.private_json import clean_json, clean_stream
from monitor.capture.imports.private_page import HISTORY, clean_scripts, without_areas
from monitor.domain.turn import Form

IMPORTER = "monitor-import-1"
"""Name and version of the rules by which documents are taken; stored with each."""

_ESCAPED = rb"\\u[0-9a-fA-F]{4}|\\."
_BEGINS = rb"(?:(?<![A-Za-z0-9._%+-])|(?<=\\[a-z])|(?<=\\u[0-9a-fA-F]{4})|(?<=%[0-9A-F]{2}))"
"""Where a word can begin: only there is one looked for, so that long runs cost no square."""
_EMAIL = re.compile(
    _ESCAPED
    + rb"|"
    + _BEGINS
    + rb"(?P<local>[A-Za-z0-9._%+-]{1,64})(?P<at>@|%40)"
    + rb"(?P<place>[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,4}\.[A-Za-z]{2,24})"
)
_TOKEN = re.compile(
    _BEGINS + rb"(?:eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"
    rb"|(?:sk|sess|ghp|xox[bp])[-_][A-Za-z0-9_-]{20,})"
    rb"|(?<=[Bb]earer )[A-Za-z0-9._~+/=-]{16,}"
)
EMAIL_IN_TEXT = re.compile(
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,4}\.[A-Za-z]{2,24}"
)


_FILE = re.compile(
    rb"\.(?:png|jpe?g|gif|svg|webp|avif|ico|css|m?js|map|json|html?|woff2?|ttf|mp[34]|pdf)$",
    re.IGNORECASE,
)
"""How names of files end that look like addresses: `logo@2x.png`."""


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A document as it may be kept."""

    body: bytes
    """The very bytes handed in where nothing had to go."""
    dropped: Counts


def emails_of(*texts: str) -> frozenset[str]:
    """E-mail addresses in texts, in lower case: what an answer says is part of the answer."""
    plain = (text.replace("%40", "@") for text in texts)
    return frozenset(one.lower() for text in plain for one in EMAIL_IN_TEXT.findall(text))


def clean(
    body: bytes, form: Form, *, said: Collection[str] = (), areas: Collection[str] = ()
) -> Cleaned:
    """A document without tokens, cookies, e-mails, memory and the account's own areas.

    `said` are e-mail addresses that stand in answers and stay; `areas` selectors of the parts of
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
    body = _blanked(body, frozenset(said), dropped)
    return Cleaned(body, MappingProxyType(dict(sorted(dropped.items()))))


def _blanked(body: bytes, said: frozenset[str], dropped: Counter[str]) -> bytes:
    """Tokens and e-mail addresses as stars of the same length, so that offsets hold."""

    def token(found: re.Match[bytes]) -> bytes:
        dropped["token"] += 1
        return b"*" * len(found[0])

    def address(found: re.Match[bytes]) -> bytes:
        local, place = found["local"], found["place"]
        if local is None or _FILE.search(place):
            return found[0]
        if f"{local.decode()}@{place.decode()}".lower() in said:
            return found[0]
        dropped["e-mail"] += 1
        return b"*" * len(local) + found["at"] + b"*" * len(place)

    body = _TOKEN.sub(token, body)
    return _EMAIL.sub(address, body) if b"@" in body or b"%40" in body else body
