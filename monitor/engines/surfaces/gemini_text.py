"""What a person copied from the Gemini app: questions, answers, the list at an answer's end.

A first line names the page and when it was copied; a question follows `You said`, an answer
`## Gemini said` or `**Gemini**`. A last heading such as `Sources & References` begins a list that
the model wrote: its links are listed, and they are no chips, which copied text does not have.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from monitor.domain.engine import Outcome, Reading, Role, Span, SpanKind
from monitor.domain.turn import NOTHING_TOLD, Turn
from monitor.engines.shapes.links import find_links
from monitor.engines.surfaces.leftovers import token_leftover
from monitor.engines.surfaces.sightings import Sighting, gather_sightings

_FIRST = re.compile(
    r"^\s*\[Gemini\]\(https://gemini\.google\.com/[^\s()]{0,300}\)[ \t]*(?P<moment>[^\n]{0,60})\n"
)
_MOMENT = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)[ \t]*\(?([+-])(\d\d):?(\d\d)\)?"
)
_ASKED = re.compile(r"^[ \t]*(?:#{1,6}[ \t]*|\*\*)?You said:?(?:\*\*)?[ \t]*$", re.MULTILINE)
_SAID = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]*Gemini said:?|\*\*Gemini(?: said)?:?\*\*|Gemini said:?)[ \t]*$",
    re.MULTILINE,
)
_LIST = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]*|\*\*)(?:Sources (?:&|and) References|References (?:&|and) Sources"
    r"|Sources|References):?(?:\*\*)?[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
_ROW = re.compile(r"[ \t]*(?:\d{1,3}[.)]|[-*•])[ \t]+|[ \t]+\S|\[|https?://|and[ \t]*$|[ \t]*$")
_NOTICE = re.compile(
    r"Gemini is AI and can make mistakes|Gemini can make mistakes"
    r"|\blimit\b.{0,200}\b(?:reached|resets?|until)\b|reached your.{0,60}\blimit\b",
    re.IGNORECASE,
)
_LONGEST_NOTICE = 300
_CITE = re.compile(r"[ \t]?\[cite(?:_start|_end|:\s*[\d,\s]{1,60})\]")


@dataclass(frozen=True, slots=True)
class _Copied:
    prompt: str | None
    answer: str


def is_copied(text: str) -> bool:
    """Whether words were copied from the Gemini app."""
    return bool(_FIRST.match(text) or (_ASKED.search(text) and _SAID.search(text)))


def copied_turns(text: str) -> tuple[Turn, ...]:
    """Questions and answers of copied words; none where nobody answers in them."""
    first = _FIRST.match(text)
    moment = _moment(first["moment"]) if first else None
    rest = text[first.end() :] if first else text
    return tuple(_turn(index, one, moment) for index, one in enumerate(_copied(rest)))


def _copied(text: str) -> Iterator[_Copied]:
    marks = [(one.start(), one.end(), False) for one in _ASKED.finditer(text)]
    marks += [(one.start(), one.end(), True) for one in _SAID.finditer(text)]
    marks.sort()
    prompt: str | None = None
    ends = [start for start, _, _ in marks[1:]] + [len(text)]
    for (_, start, answers), end in zip(marks, ends, strict=bool(marks)):
        words = text[start:end].strip()
        if answers:
            yield _Copied(prompt, words)
            prompt = None
        else:
            prompt = words or None


def _turn(index: int, copied: _Copied, moment: datetime | None) -> Turn:
    words = _without_notices(copied.answer)
    body, rows = _split(words)
    text = _CITE.sub("", body)
    listed = [Sighting(one.url, Role.LISTED, one.label) for one in find_links(rows)]
    linked = [
        Sighting(one.url, Role.LINK, one.label, Span(one.start, one.end, SpanKind.MARKER))
        for one in find_links(text)
    ]
    outcome, reason, why = _outcome(text, body, listed=bool(listed))
    reading = Reading(
        outcome,
        reason,
        text=text,
        citations=gather_sightings([*linked, *listed]),
        warnings=why,
        hidden_citations=None,
    )
    return Turn(index, None, copied.prompt, reading, NOTHING_TOLD, answered_at=moment)


def _outcome(text: str, body: str, *, listed: bool) -> tuple[Outcome, str | None, tuple[str, ...]]:
    """Outcome, its reason, and what was seen."""
    if not text.strip():
        return Outcome.ERROR, "empty", ()
    sign = token_leftover(body) or next((one[0].strip() for one in _CITE.finditer(body)), None)
    if sign is None or listed:
        return Outcome.ANSWERED, None, ()
    seen = f"{sign!r} stands for a citation, but the words hold no list of sources"
    return Outcome.LAYOUT_UNKNOWN, None, (seen,)


def _split(words: str) -> tuple[str, str]:
    """An answer, and the rows of the list at its end; all words where there is none."""
    heading = next(reversed(list(_LIST.finditer(words))), None)
    if heading is None:
        return words, ""
    rows = words[heading.end() :]
    listed = all(_ROW.match(line) for line in rows.splitlines())
    return (words[: heading.start()].rstrip(), rows) if listed else (words, "")


def _without_notices(words: str) -> str:
    """Words without what the app says below an answer of itself."""
    lines = words.split("\n")
    while lines and (not lines[-1].strip() or _is_notice(lines[-1])):
        lines.pop()
    return "\n".join(lines).strip()


def _is_notice(line: str) -> bool:
    return len(line) <= _LONGEST_NOTICE and _NOTICE.search(line) is not None


def _moment(words: str) -> datetime | None:
    """When it was copied (UTC); None where the line does not say so with its time zone."""
    match = _MOMENT.search(words)
    if match is None:
        return None
    try:
        told = f"{match[1]}-{match[2]}-{match[3]}T{match[4]}:{match[5]}:{match[6]}"
        return datetime.fromisoformat(f"{told}{match[7]}{match[8]}:{match[9]}").astimezone(UTC)
    except (ValueError, OverflowError):
        return None
