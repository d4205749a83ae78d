"""The objects of a JSON list, one at a time, out of a stream that may be far larger than memory."""

import codecs
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from monitor.capture.imports.parts import Caps, ImportFileError, shown_bytes

_SPACE = re.compile(r"[\s,]*")
_LISTED = re.compile(r'\s*\{\s*"conversations"\s*:\s*\[')
_DECODER = json.JSONDecoder()


def pieces(chunks: Iterable[bytes], name: str, caps: Caps) -> Iterator[bytes]:
    """Every object of a list, of `{"conversations": [...]}`, or the one object there is.

    Each as the bytes it has in the stream. ImportFileError where it is no such JSON, where one
    object is too large, or nests so deep that nobody can read it.
    """
    text, rest = "", _texts(chunks, name)
    for more in rest:
        text += more
        if len(text.lstrip()) >= _ENOUGH:
            break
    text = text.removeprefix("\ufeff")
    listed = _LISTED.match(text)
    stripped = text.lstrip()
    if listed is not None:
        at = listed.end()
    elif stripped.startswith("["):
        at = text.index("[") + 1
    else:
        yield from _alone(text, rest, name, caps)
        return
    yield from _listed(text[at:], rest, name, caps)


_ENOUGH = 4096
"""Characters that tell how a stream begins."""


def is_list(body: bytes) -> bool:
    """Whether JSON is a list of objects, or the object that holds such a list."""
    text = body[:_ENOUGH].decode("utf-8", "replace").removeprefix("\ufeff")
    return text.lstrip().startswith("[") or _LISTED.match(text) is not None


def _listed(text: str, rest: Iterator[str], name: str, caps: Caps) -> Iterator[bytes]:
    """Objects of a list whose bracket was read."""
    tried = 0
    while True:
        text = text[_skipped(text) :]
        if text.startswith("]"):
            return
        end = _end(text, name) if text and len(text) >= tried else None
        if end is not None:
            if text[0] == "{":
                _refuse_large(text[:end], name, caps)
                yield text[:end].encode("utf-8")
            text, tried = text[end:], 0
            continue
        _refuse_large(text, name, caps)
        # Twice as much before the next try, so that a large object costs no square of its size.
        tried = max(tried, 2 * len(text)) if text else 0
        more = next(rest, None)
        if more is None:
            if text and _end(text, name) is not None:
                tried = 0
                continue
            raise ImportFileError(f"{name}: the JSON ends in the middle; save the file again")
        text += more


def _alone(text: str, rest: Iterator[str], name: str, caps: Caps) -> Iterator[bytes]:
    """The one object of a stream, or the conversations that it lists."""
    parts = [text]
    length = len(text)
    for more in rest:
        parts.append(more)
        length += len(more)
        if length > caps.document_bytes:
            _refuse_large("".join(parts), name, caps)
    whole = "".join(parts)
    _refuse_large(whole, name, caps)
    value = read_json(whole, name)
    several = value.get("conversations") if isinstance(value, dict) else None
    if isinstance(several, list):
        yield from (json.dumps(one).encode() for one in several if isinstance(one, dict))
    elif isinstance(value, dict):
        yield whole.encode("utf-8")
    else:
        raise ImportFileError(f"{name}: expected a list of conversations, found other JSON")


def read_json(text: str | bytes, name: str) -> Any:
    """A JSON value; ImportFileError where it is none, or nests deeper than can be read."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise _too_deep(name) from error
    except ValueError as error:
        raise ImportFileError(f"{name}: not JSON ({error}); save the file again") from error


def _end(text: str, name: str) -> int | None:
    """Where the value at the start of a text ends; None where it is cut."""
    try:
        return _DECODER.raw_decode(text)[1]
    except RecursionError as error:
        raise _too_deep(name) from error
    except ValueError:
        return None


def _skipped(text: str) -> int:
    found = _SPACE.match(text)
    return found.end() if found else 0


def _texts(chunks: Iterable[bytes], name: str) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for chunk in chunks:
            yield decoder.decode(chunk)
        yield decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise ImportFileError(f"{name}: not UTF-8 ({error.reason}); save the file again") from error


def _refuse_large(text: str, name: str, caps: Caps) -> None:
    if len(text) > caps.document_bytes:
        raise ImportFileError(
            f"{name}: a single object of more than {shown_bytes(caps.document_bytes)}, or JSON "
            "that is broken there; save the file again, or export fewer conversations"
        )


def _too_deep(name: str) -> ImportFileError:
    return ImportFileError(f"{name}: its JSON nests deeper than any document of a surface does")
