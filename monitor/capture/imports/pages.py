"""Saved pages: what the program that saved one says at its top."""

import re

from monitor.capture.imports.addresses import safe_address
from monitor.capture.imports.moments import script_moment
from monitor.capture.imports.parts import Container, FoundDocument, Opened

_TOP = 65_536
_SINGLE = re.compile(rb"<!--\s*Page saved with SingleFile\s(?P<about>.{0,4000}?)-->", re.DOTALL)
_LINE = re.compile(r"^\s*(?P<name>url|saved date)\s*:\s*(?P<said>.*?)\s*$", re.MULTILINE)
_FROM = re.compile(rb"<!--\s*saved from url=\(\d{1,6}\)(?P<url>[^\s<>]{1,4000})\s*-->")
_REMOVED = (
    "SingleFile may have removed elements that were hidden: what is counted as hidden can be too "
    "little"
)


def open_page(body: bytes) -> Opened:
    """The page, with its address and day where it names them."""
    top = body[:_TOP]
    single = _SINGLE.search(top)
    if single is None:
        saved = _FROM.search(top)
        url = safe_address(saved["url"].decode("utf-8", "replace")) if saved else None
        return Opened(Container.PAGE, (FoundDocument(body, url=url, media="text/html"),))
    about = {
        m["name"]: m["said"] for m in _LINE.finditer(single["about"].decode("utf-8", "replace"))
    }
    document = FoundDocument(
        body,
        url=safe_address(about.get("url", "")),
        inside_at=script_moment(about.get("saved date", "")),
        notes=(_REMOVED,),
        media="text/html",
    )
    return Opened(Container.PAGE, (document,))
