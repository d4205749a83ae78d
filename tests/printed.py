"""A PDF of Chromium's as far as tests look into it: pages in order, headings, title, language."""

import re
from dataclasses import dataclass

_OBJECT = re.compile(rb"(?m)^(\d+) 0 obj\n(.*?)\nendobj", re.DOTALL)
_ESCAPED = re.compile(rb"\\([()\\])")


@dataclass(frozen=True)
class Printed:
    """What a test asks of a document."""

    pages: tuple[int, ...]
    """Object numbers, in reading order."""
    headings: tuple[tuple[str, int], ...]
    """(heading, page it stands on, from 1), in the order of the outline's objects."""
    title: str
    language: str
    addresses: frozenset[str]
    """Addresses that a click would open."""

    def page_of(self, heading):
        """Page of the first heading that reads so."""
        return next(page for text, page in self.headings if text == heading)


def printed(pdf):
    """The document, read from its uncompressed objects."""
    assert pdf.startswith(b"%PDF-")
    objects = {int(number): body for number, body in _OBJECT.findall(pdf)}
    catalog = next(body for body in objects.values() if b"/Type /Catalog" in body)
    pages = tuple(_leaves(objects, int(re.search(rb"/Pages (\d+) 0 R", catalog)[1])))
    return Printed(
        pages,
        tuple(
            (_text(body), pages.index(int(at[1])) + 1)
            for body in objects.values()
            if b"/Title" in body and (at := re.search(rb"/Dest \[(\d+) 0 R", body))
        ),
        _text(next(body for body in objects.values() if b"/CreationDate" in body)),
        re.search(rb"/Lang \((.*?)\)", catalog)[1].decode("ascii"),
        frozenset(a.decode("ascii", "replace") for a in re.findall(rb"/URI \((.*?)\)", pdf)),
    )


def _leaves(objects, number):
    """Pages beneath a node of the tree of pages."""
    body = objects[number]
    if b"/Type /Pages" not in body:
        return [number]
    kids = re.search(rb"/Kids \[(.*?)\]", body, re.DOTALL)[1]
    return [leaf for kid in re.findall(rb"(\d+) 0 R", kids) for leaf in _leaves(objects, int(kid))]


def _text(body):
    """A title as text, whether written in letters or in hexadecimal digits."""
    if found := re.search(rb"/Title <([0-9A-Fa-f]+)>", body):
        return bytes.fromhex(found[1].decode("ascii")).decode("utf-16")
    plain = re.search(rb"/Title \(((?:\\.|[^\\)])*)\)", body, re.DOTALL)[1]
    return _ESCAPED.sub(rb"\1", plain).decode("latin-1")
