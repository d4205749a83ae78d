"""Private-use tokens that leak into an OpenAI answer's text, and offsets that survive them.

U+E200 opens a token, U+E202 separates its parts, U+E201 closes it; U+E203 to U+E206 wrap spans.
Source tokens (`cite`, `navlist` ...) go; an `entity` token is replaced by its name, because the
words stand nowhere else; a `url` token by its label.
"""

import json
import re
from dataclasses import dataclass

_TOKEN = re.compile("\ue200([^\ue200\ue201]*)\ue201|[\ue200-\ue206]")


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A text after edits, with the edits as (start, end, new length) of the old text."""

    text: str
    edits: tuple[tuple[int, int, int], ...] = ()

    def at(self, offset: int) -> int:
        """Where an offset of the old text lies in the new one."""
        shift = 0
        for start, end, size in self.edits:
            if offset <= start:
                break
            if offset < end:
                return start + shift + min(size, offset - start)
            shift += size - (end - start)
        return offset + shift


def _entity_name(parts: list[str]) -> str:
    try:
        names = json.loads(parts[1])
    except (IndexError, ValueError, RecursionError):
        return ""
    named = isinstance(names, list) and len(names) > 1 and isinstance(names[1], str)
    return names[1] if named else ""


def _words(token: str | None) -> str:
    parts = (token or "").split("\ue202")
    if parts[0] == "entity":
        return _entity_name(parts)
    return parts[1] if parts[0] == "url" and len(parts) > 2 else ""


def without_tokens(text: str) -> Rewrite:
    """Text as a reader sees it: source tokens gone, entity tokens replaced by their words."""
    pieces, edits, done = [], [], 0
    for match in _TOKEN.finditer(text):
        words = _words(match[1])
        pieces += [text[done : match.start()], words]
        edits.append((match.start(), match.end(), len(words)))
        done = match.end()
    return Rewrite("".join([*pieces, text[done:]]), tuple(edits))
