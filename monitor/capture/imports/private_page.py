"""What of a saved page is nobody's business: sessions in scripts, forms' secrets, the account.

A page is never run. Scripts that carry a session are emptied; those that carry the conversation of
a share page stay, and single values in them are blanked at the same length, so that offsets hold.
"""

import re
from collections import Counter
from collections.abc import Iterable

from lxml import etree

from monitor.markup.select import select_all
from monitor.markup.trees import decode_body, parse_html

HISTORY = (
    "#history",
    "nav[aria-label='Chat history']",
    "[data-testid^='history-item']",
    "nav a[href^='/c/']",
    "nav a[href^='/search/']",
    "[data-test-id='conversation']",
)
"""Lists of other conversations beside the one that is shown."""

_SCRIPT = re.compile(
    rb"(?P<open><script\b[^<>]*>?)(?P<said>.*?)(?P<end></script\s*>|\Z)", re.IGNORECASE | re.DOTALL
)
_CONVERSATION = (b"streamController.enqueue", b"__NEXT_DATA__")
_SESSION = re.compile(
    rb"access_?token|session_?token|refresh_?token|read_write_token|csrf|xsrf|authorization"
    rb"|phone_?number|set-?cookie|document\.cookie|api_?key|bearer|user_?id|account_?id"
    rb"|session_?id|\bjwt\b|oauth|passwo?r?d|[\"']email|@[a-z0-9-]{1,63}\.[a-z]{2}|srtst|\bgarc\b",
    re.IGNORECASE,
)
_FIELD = re.compile(
    rb"(?P<tag><(?:input|meta|button|(?P<area>textarea))\b[^<>]{0,4000}>)(?P<words>(?(area)[^<]*))",
    re.IGNORECASE,
)
_OWN = re.compile(
    rb"(?<=[\s\"'])data-(?:[a-z]{1,20}-){0,4}(?:token|csrf|xsrf|session|session-?id|auth|secret"
    rb"|password|user-?id|account-?id|phone)\s{0,9}=\s{0,9}[\"']?(?P<said>[^\s\"'<>]{8,})",
    re.IGNORECASE,
)
"""An attribute that carries a secret to scripts."""
_ATTRIBUTE = re.compile(
    rb"(?P<name>[a-z-]{1,40})\s*=\s*(?P<said>\"[^\"]*\"|'[^']*'|[^\s\"'>]+)", re.IGNORECASE
)
_NAMES = (b"name", b"id", b"property", b"type", b"http-equiv")
_SECRET_NAME = re.compile(
    rb"token|csrf|xsrf|session|auth(?!or)|secret|e-?mail|phone|password|cookie", re.IGNORECASE
)
_BESIDE = re.compile(
    rb"(?P<quote>\\{0,8}\")(?P<key>email|phone_number|accessToken|access_token|read_write_token"
    rb"|user_profile|user_instructions|sessionToken|refreshToken|idToken|id_token|session_?[iI]d"
    rb"|csrfToken|authToken|cookie|set-cookie|jwt|api_?[kK]ey)(?P=quote)\s*[,:]\s*(?P=quote)"
    rb"(?P<said>(?:(?!(?P=quote)).){1,20000}?)(?P=quote)",
    re.DOTALL,
)


def clean_scripts(body: bytes, dropped: Counter[str]) -> bytes:
    """A page whose scripts hold no session, and whose forms hold no secret."""

    def script(found: re.Match[bytes]) -> bytes:
        said = found["said"]
        if any(mark in found[0] for mark in _CONVERSATION):
            return found["open"] + _blanked(said, dropped) + found["end"]
        if not _SESSION.search(said):
            return found[0]
        dropped["script"] += 1
        return found["open"] + found["end"]

    def field(found: re.Match[bytes]) -> bytes:
        attributes = list(_ATTRIBUTE.finditer(found["tag"]))
        names = (one["said"] for one in attributes if one["name"].lower() in _NAMES)
        if not any(_SECRET_NAME.search(name) for name in names):
            return found[0]
        dropped["form secret"] += 1
        return _ATTRIBUTE.sub(_emptied, found["tag"])

    def own(found: re.Match[bytes]) -> bytes:
        dropped["attribute"] += 1
        return found[0][: -len(found["said"])] + b"*" * len(found["said"])

    return _OWN.sub(own, _FIELD.sub(field, _SCRIPT.sub(script, body)))


def _emptied(attribute: re.Match[bytes]) -> bytes:
    """An attribute, without its value where that is what a form sends."""
    name = attribute["name"]
    return name + b'=""' if name.lower() in {b"value", b"content"} else attribute[0]


def _blanked(said: bytes, dropped: Counter[str]) -> bytes:
    """Values beside private names in a conversation's script, as stars."""

    def value(found: re.Match[bytes]) -> bytes:
        dropped["account field"] += 1
        start, end = found.span("said")
        whole = found[0]
        at, to = start - found.start(), end - found.start()
        return whole[:at] + re.sub(rb"[A-Za-z0-9]", b"*", whole[at:to]) + whole[to:]

    return _BESIDE.sub(value, said)


def without_areas(body: bytes, css: Iterable[str], dropped: Counter[str]) -> bytes:
    """A page without the areas of the account and lists of other conversations.

    The same bytes where it has none; else its tree written anew.
    """
    tree = parse_html(decode_body(body, None), full=True)
    if tree is None:
        return body
    found = {id(one): one for selector in css for one in select_all(tree, selector)}
    areas = [one for one in found.values() if one.getparent() is not None]
    if not areas:
        return body
    for area in areas:
        dropped["account area"] += 1
        area.drop_tree()
    written: bytes = etree.tostring(
        tree, encoding="utf-8", method="html", doctype="<!DOCTYPE html>"
    )
    return written
