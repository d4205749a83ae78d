"""From stored bytes to a tree that hostile markup cannot make expensive.

libxml2 stops at 256 nested elements, so depth is no danger; time is: attributes of one tag cost the
square of their number. Tags longer than any honest one lose their attributes before parsing.
"""

import codecs
import re
from collections.abc import Iterator

from lxml import etree
from lxml.html import HtmlElement, HTMLParser, document_fromstring

_LONGEST_TAG = 2048
"""Characters of a tag before its attributes are dropped; only inlined images are longer."""
_MOST_ATTRIBUTES = 200
_QUOTED = re.compile(r"\"[^\"]*+\"|'[^']*+'")
_BETWEEN = re.compile(r"[\s/]+")

_MARKUP = re.compile(
    r"<!--(?:[^-]++|-(?!->))*+"
    r"|<(?P<raw>script|style|textarea|title|noscript)\b(?P<rest>[^<>]*+>(?:[^<]++|<(?!/(?P=raw)))*+)"
    r"|<(?P<tag>[A-Za-z][A-Za-z0-9:-]{0,40})(?:[^<>\"']++|\"[^\"]*+\"|'[^']*+')*+>?",
    re.IGNORECASE,
)
_META_CHARSET = re.compile(
    rb"<meta[^>]{0,400}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]+)", re.IGNORECASE
)
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202d\u202e\ud800-\udfff\ufffe\uffff]")
_WHATWG = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "gb2312": "gb18030",
    "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949", "tis-620": "cp874",
}  # fmt: skip
_TEXT_CODEC = re.compile(
    r"utf-8(?:-sig)?|utf-16(?:-[lb]e)?|cp(?:125\d|866|874|932|949)|iso8859-\d+|koi8-[ru]|"
    r"mac-(?:roman|cyrillic)|gb18030|hz|big5(?:hkscs)?|euc_jp|iso2022_jp"
)
_STATEFUL = frozenset({"iso2022_jp", "hz", "utf-16", "utf-16-le", "utf-16-be", "utf-32"})
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SKIPPED = frozenset(
    {"script", "style", "noscript", "template", "svg", "iframe", "nav", "aside", "footer", "form",
     "button", "select", "head", "object", "canvas", "audio", "video"}
)  # fmt: skip
_INLINE = frozenset(
    {"a", "abbr", "b", "bdi", "bdo", "cite", "code", "em", "font", "i", "kbd", "mark", "q", "s",
     "small", "span", "strong", "sub", "sup", "time", "u", "var", "wbr"}
)  # fmt: skip


def clean_text(text: str) -> str:
    """Text with NUL, other controls, lone surrogates and bidi overrides as U+FFFD, one for one."""
    return _UNFIT.sub("\ufffd", text)


def _codec(label: str | None) -> str | None:
    """Python codec of a charset label as browsers read it; None when unknown or not of text."""
    try:
        name = codecs.lookup((label or "").strip().strip("\"'")).name
    except (LookupError, ValueError):
        return None
    name = _WHATWG.get(name, name)
    return name if _TEXT_CODEC.fullmatch(name) else None


def _declared(body: bytes, charset: str | None) -> Iterator[str]:
    """Codecs the header and the first bytes of a page name."""
    match = _META_CHARSET.search(body[:4096])
    for label in (charset, match[1].decode("ascii") if match else None):
        codec = _codec(label)
        if codec is not None:
            yield codec


def decode_body(body: bytes, charset: str | None) -> str:
    """Characters of a page: byte order mark, UTF-8 where valid, header, meta, else windows-1252."""
    for mark, codec in _MARKS:
        if body.startswith(mark):
            return body.decode(codec, "replace")
    declared = list(dict.fromkeys(_declared(body, charset)))
    lenient = body.decode("utf-8", "replace")
    stateful = [codec for codec in declared if codec in _STATEFUL]
    for codec in (*stateful, "utf-8", *([] if _mostly_read(lenient) else declared)):
        try:
            return body.decode(codec)
        except UnicodeError:
            continue
    return lenient if _mostly_read(lenient) else body.decode((declared or ["cp1252"])[0], "replace")


def _mostly_read(text: str) -> bool:
    """Whether leniently read UTF-8 has few broken bytes among its non-ASCII characters."""
    broken = text.count("\ufffd")
    return broken * 4 < sum(1 for char in text if char > "\x7f") - broken


def _shortened(match: re.Match[str]) -> str:
    if match["tag"] is None or len(match[0]) <= _LONGEST_TAG:
        return match[0]
    return f"<{match['tag']}>"


def _thinned(match: re.Match[str]) -> str:
    """A long tag as it is where it has few attributes: its length is that of an address."""
    if match["tag"] is None or len(match[0]) <= _LONGEST_TAG:
        return match[0]
    bare = _QUOTED.sub(" ", match[0])
    return match[0] if len(_BETWEEN.split(bare)) <= _MOST_ATTRIBUTES else f"<{match['tag']}>"


def parse_html(markup: str, *, full: bool = False) -> HtmlElement | None:
    """Tree of a page; None where there is nothing to parse.

    A `full` tree has comments, and tags longer than most where they have few attributes.
    """
    parser = HTMLParser(
        collect_ids=False,
        default_doctype=False,
        encoding="utf-8",
        remove_comments=not full,
        remove_pis=True,
    )
    safe = _MARKUP.sub(_thinned if full else _shortened, clean_text(markup))
    try:
        return document_fromstring(safe.encode("utf-8"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None


def plain_text(tree: HtmlElement) -> str:
    """Words of the visible blocks in one pass, a line a block; for pages too big to weigh."""
    parts: list[str] = []
    skipping = 0
    for event, node in etree.iterwalk(tree, events=("start", "end")):
        opening = event == "start"
        if node.tag in _SKIPPED:
            skipping += 1 if opening else -1
        if node.tag not in _INLINE:
            parts.append("\n")
        text = node.text if opening else node.tail
        if text and not skipping:
            parts.append(text)
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)
