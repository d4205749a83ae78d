"""Hints for mistyped words."""

import difflib
from collections.abc import Iterable

_COMPARED = 500
"""With more known words than this no near miss is looked for: it would take too long."""
_LISTED = 15


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` for a near miss, else the list of what is known."""
    names = sorted(set(known))
    if not names:
        return ""
    close = difflib.get_close_matches(word, names, 1, 0.6) if len(names) <= _COMPARED else []
    if close:
        return f"; did you mean {close[0]!r}?"
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f"; known: {', '.join(names[:_LISTED])}{more}"
