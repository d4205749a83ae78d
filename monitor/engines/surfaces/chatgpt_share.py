"""The conversation that a shared ChatGPT page carries as data; the page shows it only by script.

Since 2025 the page is a React Router application: `streamController.enqueue("...")` calls hold a
stream whose first line is a table of values (turbo-stream). A whole number in it is the place of
another value, negative ones are constants, `"_7"` as a key means the name at place 7, and a list
that begins with a letter is a typed value. Later lines `P21:[...]` go on with the table and fill
promise 21. Before, `<script id="__NEXT_DATA__">` held plain JSON.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from monitor.errors import PayloadError

_ENQUEUED = re.compile(r'streamController\.enqueue\(\s*("(?:[^"\\]++|\\.)*+")\s*\)', re.DOTALL)
_NEXT = re.compile(
    r"""<script\b[^>]{0,200}\bid=["']?__NEXT_DATA__\b[^>]{0,200}>(.*?)</script""",
    re.DOTALL | re.IGNORECASE,
)
_LATER = re.compile(r"P(\d{1,6}):")
_WRAPPERS = (("serverResponse", "data"), ("serverResponse",), ("data",), ("conversation",))


def is_share(body: bytes) -> bool:
    """Whether bytes are a page that carries a conversation as data."""
    streamed = b"streamController.enqueue" in body and b"serverResponse" in body
    return streamed or (b"__NEXT_DATA__" in body and b"serverResponse" in body)


def shared_conversation(engine: str, page: str) -> Mapping[str, Any]:
    """The conversation object of a shared page; PayloadError where it carries none."""
    found = next((one for one in _candidates(engine, page) if one is not None), None)
    if found is None:
        raise PayloadError(engine, "$", "a shared page without a conversation in its data")
    return found


def conversation_in(value: Any) -> Mapping[str, Any] | None:
    """The conversation object in a JSON value: itself, or what usual wrappers hold."""
    if not isinstance(value, Mapping):
        return None
    if _is_conversation(value):
        return value
    for path in _WRAPPERS:
        inner: Any = value
        for key in path:
            inner = inner.get(key) if isinstance(inner, Mapping) else None
        if isinstance(inner, Mapping) and _is_conversation(inner):
            return inner
    return None


def revived(lines: Sequence[str]) -> Any:
    """The value that a stream of table lines stands for; ValueError where it is not one."""
    table = json.loads(lines[0])
    if not isinstance(table, list) or not table:
        raise ValueError("no table of values")
    promises: dict[int, int] = {}
    for line in lines[1:]:
        match = _LATER.match(line)
        more = json.loads(line[match.end() :]) if match else None
        if match and isinstance(more, list):
            promises[int(match[1])] = len(table)
            table.extend(more)
    return _Table(table, promises).root()


def _candidates(engine: str, page: str) -> Iterator[Mapping[str, Any] | None]:
    try:
        streamed = "".join(json.loads(match[1]) for match in _ENQUEUED.finditer(page))
        lines = [line for line in streamed.split("\n") if line]
        root = revived(lines) if lines else None
        loaded = root.get("loaderData") if isinstance(root, Mapping) else None
        yield from (conversation_in(one) for one in _values(loaded))
        plain = _NEXT.search(page)
        props = json.loads(plain[1]).get("props") if plain else None
        yield from (conversation_in(one) for one in _values(props))
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise PayloadError(engine, "$", f"data of the page that cannot be read: {error}") from error


def _values(loaded: Any) -> tuple[Any, ...]:
    return tuple(loaded.values()) if isinstance(loaded, Mapping) else ()


def _is_conversation(value: Mapping[str, Any]) -> bool:
    line = value.get("linear_conversation")
    return isinstance(value.get("mapping"), Mapping) or (isinstance(line, list) and bool(line))


def _typed(value: Any) -> bool:
    """Whether a table's list begins with the letter of a type."""
    return isinstance(value, list) and bool(value) and isinstance(value[0], str)


class _Table:
    """Values of a stream by place, each made once, so that cycles and shared parts cost nothing."""

    def __init__(self, values: list[Any], promises: Mapping[int, int]) -> None:
        self.values = values
        self.promises = promises
        self.made = [_begun(value) for value in values]

    def root(self) -> Any:
        """The first value, with all in it."""
        for value, made in zip(self.values, self.made, strict=True):
            if isinstance(value, dict):
                made.update((self._name(key), self._at(place)) for key, place in value.items())
            elif isinstance(made, list):
                made.extend(self._at(place) for place in value)
        return self.made[0]

    def _at(self, place: Any) -> Any:
        """What a number in the table stands for; constants and what is beyond it are nothing."""
        if isinstance(place, bool) or not isinstance(place, int):
            return None
        value: Any = self.values[place] if 0 <= place < len(self.values) else None
        if _typed(value) and value[0] == "P" and len(value) == 2:
            place = self.promises.get(value[1], -1) if isinstance(value[1], int) else -1
        return self.made[place] if 0 <= place < len(self.made) else None

    def _name(self, key: str) -> str:
        place = int(key[1:]) if re.fullmatch(r"_\d{1,9}", key) else -1
        name = self.values[place] if 0 <= place < len(self.values) else None
        return name if isinstance(name, str) else key


def _begun(value: Any) -> Any:
    """An empty value of the same kind; a typed one as its plain content, where it has one."""
    if isinstance(value, dict):
        return {}
    if not isinstance(value, list):
        return value
    if not _typed(value):
        return []
    plain = len(value) > 1 and value[0] in {"D", "U", "B"}
    return value[1] if plain and isinstance(value[1], int | float | str) else None
