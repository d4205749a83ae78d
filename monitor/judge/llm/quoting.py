"""Where a quote stands in a text, letter for letter but for what copying changes.

Runs of white space count as one space; typographic quotation marks, apostrophes and dashes count
as their plain forms; invisible characters (soft hyphens, zero-width marks) count as nothing. Case,
digits, words and all other signs must be the same. Ranges are those of the text as it is.
"""

import unicodedata
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_PLAIN = {
    **dict.fromkeys("‘’‚‛′＇", "'"),
    **dict.fromkeys("“”„‟″«»＂", '"'),
    **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
}
_SHORTEST = 6
"""Code points below which a quote shows nothing: any word is found somewhere."""
_AROUND = "\"'“”„«»‘’ \t\r\n"
_KEPT_TEXTS = 16


@dataclass(frozen=True, slots=True)
class Folded:
    """A text as it is compared, and the place of each of its characters in the text."""

    text: str
    places: "array[int]"


@lru_cache(maxsize=_KEPT_TEXTS)
def fold(text: str) -> Folded:
    """The form in which quotes are compared."""
    kept: list[str] = []
    places = array("I")
    for place, one in enumerate(text):
        if one.isspace():
            if kept and kept[-1] != " ":
                kept.append(" ")
                places.append(place)
        elif unicodedata.category(one) not in {"Cf", "Cc"}:
            kept.append(_PLAIN.get(one, one))
            places.append(place)
    return Folded("".join(kept), places)


def find_quote(quote: str, text: str) -> Iterator[tuple[int, int]]:
    """Ranges of a text where a quote stands, in order; none where it stands nowhere.

    Marks that a model puts around its quote are left away where the quote is not found with them.
    A quote of fewer than six characters counts only where it is the whole text.
    """
    for wanted in dict.fromkeys((quote.strip(), quote.strip(_AROUND))):
        spans = list(_found(wanted, text))
        if spans:
            if len(fold(wanted).text) >= _SHORTEST or wanted == text.strip():
                yield from spans
            return


def find_words(words: str, text: str) -> tuple[int, int] | None:
    """First range of a text where some words stand, as quotes are found but however short."""
    return next(_found(words.strip(_AROUND), text), None)


def _found(wanted: str, text: str) -> Iterator[tuple[int, int]]:
    """Ranges where some words stand: as they are where they do, else as they are compared."""
    if not wanted:
        return
    at = text.find(wanted)
    if at >= 0:
        while at >= 0:
            yield at, at + len(wanted)
            at = text.find(wanted, at + len(wanted))
        return
    page, needle = fold(text), fold(wanted).text.strip()
    at = page.text.find(needle) if needle else -1
    while at >= 0:
        yield page.places[at], page.places[at + len(needle) - 1] + 1
        at = page.text.find(needle, at + len(needle))
