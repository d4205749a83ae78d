"""Perplexity's own export as Markdown: answers with footnotes, several turns in one file.

A turn is `# question`, the answer with marks such as `[^1_3]` (turn and number), a hidden span of
marks that nothing in the answer uses (searched, not cited), a sign, and definitions `[^1_3]: URL`.
Older exports have `[^3]`, or `[1]` and a list under `Citations:`. Of a question of several lines
only the first is marked as one: the others cannot be told from the answer and stay in its text.
"""

import re
from dataclasses import dataclass

from monitor.domain.engine import Outcome, Reading, Retrieval
from monitor.domain.turn import Completeness, Layout, Turn
from monitor.engines.surfaces.perplexity_sources import (
    NUMBER,
    Source,
    cite,
    plain_answer,
    retrieved_of,
    web_address,
)

LOGO = re.compile(r"<img\b[^<>\n]{0,300}pplx-full-logo[^<>\n]{0,300}>", re.IGNORECASE)
DEFINITION = re.compile(r"^\[\^(?P<name>\d{1,3}(?:_\d{1,4})?)\]:[ \t]*(?P<rest>.*)$", re.MULTILINE)
SIGN = re.compile(r"^<div align=\"center\">\s{0,3}⁂\s{0,3}</div>[ \t]*$", re.MULTILINE)

_NOTE = re.compile(r"\[\^(?P<name>\d{1,3}(?:_\d{1,4})?)\](?![(:])")
_HIDDEN = re.compile(r"<span style=\"display:\s?none;?\">[^<]{0,100000}</span>", re.IGNORECASE)
_BETWEEN = re.compile(r"^-{3,}[ \t]*$", re.MULTILINE)
_QUESTION = re.compile(r"\s*#[ \t]+(?P<words>[^\n]+)\n?")
_LIST = re.compile(
    r"^\**Citations:?\**:?[ \t]*\n"
    r"(?P<rows>(?:[ \t]*(?:[-*][ \t]+)?\[\d{1,3}\][^\n]*\n?|[ \t]*\n)+)",
    re.MULTILINE | re.IGNORECASE,
)
_ROW = re.compile(r"\[(?P<name>\d{1,3})\]:?[ \t]*(?P<rest>[^\n]*)")
_URL = re.compile(r"https?://[^\s<>\"]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Part:
    """One turn of the file, as it is written."""

    prompt: str | None
    body: str


def is_export(text: str) -> bool:
    """Whether a text is such an export: its logo or its sign with footnotes, or the older list."""
    plain = text.replace("\r\n", "\n")
    if LOGO.search(plain[:2000]) or (SIGN.search(plain) and DEFINITION.search(plain)):
        return True
    older = _LIST.search(plain)
    return older is not None and NUMBER.search(plain[: older.start()]) is not None


def read_export(text: str) -> tuple[Turn, ...]:
    """All answers of an export."""
    plain = text.replace("\r\n", "\n")
    parts = [_part(one) for one in _cut(LOGO.sub("", plain))]
    everything = _definitions(plain)
    return tuple(
        _turn(index, part, everything)
        for index, part in enumerate(one for one in parts if one.body.strip() or one.prompt)
    )


def _cut(text: str) -> list[str]:
    """Turns: parted by a rule that follows what ends an answer and precedes a question."""
    ends = {
        found.start() + len(found[0].rstrip())
        for found in (*DEFINITION.finditer(text), *SIGN.finditer(text))
    }
    cuts, stops = [0], []
    for rule in _BETWEEN.finditer(text):
        at = rule.start()
        while at > 0 and text[at - 1].isspace():
            at -= 1
        if at in ends and _QUESTION.match(text, rule.end()):
            stops.append(rule.start())
            cuts.append(rule.end())
    return [text[start:end] for start, end in zip(cuts, [*stops, len(text)], strict=True)]


def _part(text: str) -> _Part:
    question = _QUESTION.match(text)
    if question is None:
        return _Part(None, text)
    return _Part(question["words"].strip(), text[question.end() :])


def _definitions(text: str) -> dict[str, Source]:
    """Name of a footnote -> what it defines; the first definition counts."""
    found: dict[str, Source] = {}
    for match in DEFINITION.finditer(text):
        found.setdefault(match["name"], _source(match["rest"]))
    return found


def _source(rest: str) -> Source:
    url = _URL.search(rest)
    if url is None:
        return Source(None)
    words = f"{rest[: url.start()]} {rest[url.end() :]}".strip(" \t[]()<>\"'-")
    return Source(web_address(url[0].rstrip(")>]")) if "](" in rest else web_address(url[0]), words)


def _turn(index: int, part: _Part, everything: dict[str, Source]) -> Turn:
    own = _definitions(part.body)
    older = None if own else _LIST.search(part.body)
    body = part.body
    if older is not None:
        rows = _ROW.finditer(older["rows"])
        own = {row["name"]: _source(row["rest"]) for row in rows}
        body = body[: older.start()] + body[older.end() :]
    for pattern in (_HIDDEN, SIGN, DEFINITION):
        body = pattern.sub("", body)
    text = plain_answer(re.sub(r"\n{3,}", "\n\n", body))
    named = own if older is not None else everything | own
    cited = cite(text, named, NUMBER if older is not None else _NOTE)
    goes_on = (part.prompt or "").endswith(":")
    reading = Reading(
        Outcome.ANSWERED if text else Outcome.ERROR,
        None if text else "empty",
        text=text,
        citations=cited.citations,
        retrieved=retrieved_of(tuple(own.values())),
        retrieval=Retrieval.USED if own else Retrieval.UNKNOWN,
        warnings=(*cited.warnings, *(_GOES_ON if goes_on else ())),
    )
    marks = sum(one.marks for one in reading.displayed)
    known = Completeness(
        hidden_citations=0,
        offsets_exact=True,
        model_known=False,
        locale_known=False,
        retrieved_known=bool(own),
    )
    layout = Layout(in_document=marks, shown=marks, coverage=1.0 if text else None)
    return Turn(index, None, part.prompt, reading, known, layout=layout)


_GOES_ON = ("the question may go on in the text: the export marks only its first line",)
