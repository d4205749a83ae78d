"""The text layer: a URL of prose without what was glued to it.

Only for URLs found in text. In a structured field a trailing `_` or `)` is part of the URL;
there only white space and HTML-escaped ampersands are undone.
"""

import re

from monitor.urls.rules import unescape_ampersands

_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")
_CONTROLS = re.compile(r"[\t\r\n]")
_EDGES = "".join(map(chr, range(0x21))) + (
    "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u200c\u200d\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u202f\u205f"
    "\u2066\u2067\u2068\u2069\u3000\x7f"
)
_MARKDOWN_LINK = re.compile(r"!?\[.*?\]\(\s*<?(?=\S)", re.DOTALL)
_REFERENCE = re.compile(r"\[[^\]]*\]:\s*<?")
_HTML_LINK = re.compile(r"<a\s[^>]*?href\s*=\s*[\"']?([^\"'\s>]+)", re.IGNORECASE | re.DOTALL)
_WIKI_LINK = re.compile(r"\[((?:https?:)?//\S+?)(?:\s[^\]]*)?\]")
_LABEL = re.compile(r"(?:[-*+>•·–]\s+|\d{1,3}[.)]\s+|<?ur[li]:\s*(?=\S))+", re.IGNORECASE)
_LEADING_ENTITIES = re.compile(
    r"(?:&(?:lt|quot|apos|nbsp|ldquo|laquo|#34|#39|#60);\s*)+", re.IGNORECASE
)
_OPENING = "([{<\"'`*_~“”„‟‘’‚«‹「『《〈【〔（［｛"
_TRAILING = "?!.,:*_~'\"`<>|\\([{“”„‟‘’‚«»‹›…—–•。，、；：！？．･「」『』《》〈〉【】〔〕（［｛］｝"
_NOTE_MARKS = "†‡¹²³⁴⁵⁶⁷⁸⁹⁰↩↗\ufe0e\ufe0f"
_WIDE = frozenset("，、；（）《》「」『』【】〈〉“”„")
"""Marks that begin prose where a URL was plain ASCII so far; titles of wikis may hold them."""
_WIDE_DOTS = frozenset("。．")
"""As above behind a path; between labels they are dots of a host (UTS 46)."""
_ASCII_RUN = re.compile(r"[!-~]+")
_PAIRS = {")": "(", "]": "[", "}": "{", "）": "（"}
_CLOSING = {start: end for end, start in _PAIRS.items()}
_IGNORED_TAIL = frozenset(_TRAILING + _NOTE_MARKS + _EDGES)
_CUT = re.compile(
    "\\]\\(|\\]\\[|\\)\\(\\[|【|[\"`\ue200-\ue2ff]|<(?=[A-Za-z/!])|\\s(?=')"
    "|(?:[,;，；、]|\\s)\\s?(?=https?://)|\\|(?=[^|\\]]{0,200}\\]\\])|(?:\\\\[nrt]){1,4}$"
)
_AFTER_WORDS = re.compile(r"[^/?#&=]{0,300}[\s(\[<\"'“](https?://\S+)", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{1,6}|#[xX][0-9a-fA-F]{1,5});$")
_TAIL = re.compile(r"(?:\[\^?\d{1,3}\]|%E2%80%8B|%C2%A0|%EF%BB%BF|%20)$", re.IGNORECASE)
_TOKEN = re.compile(
    r"(?:youtu\.be/|[?&]v=|/(?:shorts|embed|live)/)[\w-]{10}_$|/grounding-api-redirect/[\w-]+$",
    re.ASCII,
)
"""An identifier that may end in an underscore of its own, which then is no emphasis."""
_TOKEN_WINDOW = 600
_WINDOW = 12
"""Characters of the longest entity, reference mark or escaped blank at the end."""
_ESCAPED = re.compile(r"\\([_*~()\[\]#&=+!<>|.:-])")
_JSON_ESCAPE = re.compile(r"\\u00(26|3d|3f|2f)", re.IGNORECASE)


def field_text(raw: str) -> str:
    """URL of a structured field: edges trimmed, `&amp;` undone, nothing else."""
    return unescape_ampersands(_CONTROLS.sub("", raw).strip(_EDGES))


def prose_text(raw: str) -> str:
    """URL of a text: markup, quotes, escapes and sentence punctuation taken off."""
    text = _INVISIBLE.sub("", _CONTROLS.sub("", raw)).strip(_EDGES)
    if not text.startswith(("http://", "https://")):
        text = _begin(text)
    if "\\" in text:
        text = _JSON_ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
        text = _ESCAPED.sub(r"\1", text)
    return unescape_ampersands(_without_trailing(_cut(text)))


def _begin(text: str) -> str:
    """Text from the start of its URL on, whatever list mark or markup is before it."""
    text = _LEADING_ENTITIES.sub("", text, count=1) if text[:1] == "&" else text
    text = _inside_markup(_LABEL.sub("", text, count=1)).lstrip(_OPENING + _EDGES)
    after_words = _AFTER_WORDS.match(text)
    return text if after_words is None else after_words[1]


def _inside_markup(text: str) -> str:
    bare = text.lstrip("(*_~ ")
    html = _HTML_LINK.match(bare)
    if html is not None:
        return html[1]
    link = _MARKDOWN_LINK.match(bare)
    if link is not None:
        return _until_closed(bare[link.end() :])
    reference = _REFERENCE.match(bare)
    if reference is not None:
        return bare[reference.end() :]
    wiki = _WIKI_LINK.match(text)
    return wiki[1] if wiki is not None else text


def _until_closed(text: str) -> str:
    """Text up to the parenthesis that closes a Markdown link."""
    depth = 1
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return text[:at]
    return text


def _cut(text: str) -> str:
    match = _CUT.search(text)
    text = _before_wide_mark(text if match is None else text[: match.start()])
    before, mark, _ = text.partition(">")
    return text if not mark or "<" in before else before


def _before_wide_mark(text: str) -> str:
    run = _ASCII_RUN.match(text)
    if run is None or run.end() == len(text):
        return text
    url, mark = run[0], text[run.end()]
    has_path = "/" in url.partition("//")[2]
    return url if mark in _WIDE or (mark in _WIDE_DOTS and has_path) else text


def _without_trailing(text: str) -> str:
    """Text without what follows its URL; a bracket goes only where it was never opened."""
    excess = {end: text.count(end) - text.count(start) for end, start in _PAIRS.items()}
    end = len(text)
    while end:
        last = text[end - 1]
        if last == "_" and _TOKEN.search(text, max(0, end - _TOKEN_WINDOW), end):
            break
        if excess.get(last, 0) > 0:
            excess[last] -= 1
            length = 1
        else:
            length = _tail_length(text[max(0, end - _WINDOW) : end])
        if not length:
            break
        if last in _CLOSING:
            excess[_CLOSING[last]] += 1
        end -= length
    return text[:end]


def _tail_length(text: str) -> int:
    """Length of the last thing that is no part of a URL; else 0."""
    if text[-1] == ";":
        entity = _ENTITY.search(text)
        return 1 if entity is None else len(entity[0])
    if text[-1] in _IGNORED_TAIL:
        return 1
    tail = _TAIL.search(text)
    return 0 if tail is None else len(tail[0])
