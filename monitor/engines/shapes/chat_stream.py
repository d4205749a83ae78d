"""A chat-completions stream put back together from its chunks.

Text comes from `delta.content`; Perplexity repeats the whole message, its citations and its usage
in every chunk, so the last ones stand. A chunk may carry an `error` instead (OpenRouter, mid-way).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from monitor.engines.shapes.payload import Body, list_at, mapping_at, string_at
from monitor.errors import PayloadError

_CUT = "the stream ended before a finish reason; what arrived is kept as cut"
_KEPT = ("id", "model", "object", "citations", "search_results", "usage", "error", "provider")


def _first_choice(engine: str, chunk: Mapping[str, Any], path: str) -> Mapping[str, Any] | None:
    choices = chunk.get("choices")
    if choices is None:
        return None
    listed = list_at(engine, choices, f"{path}.choices")
    return mapping_at(engine, listed[0], f"{path}.choices[0]") if listed else None


def _text(engine: str, node: Mapping[str, Any], key: str, path: str) -> str:
    value = node.get(key)
    return "" if value is None else string_at(engine, value, f"{path}.{key}")


class _Growing:
    """A message while its chunks are read."""

    def __init__(self, engine: str) -> None:
        self.engine = engine
        self.content = ""
        self.refusal = ""
        self.whole = ""
        self.annotations: list[Any] = []
        self.annotated = False
        self.finish: Any = None
        self.error: Any = None

    def add(self, choice: Mapping[str, Any], path: str) -> None:
        """Take one chunk's first choice."""
        delta = choice.get("delta")
        if delta is not None:
            self._grow(mapping_at(self.engine, delta, f"{path}.delta"), f"{path}.delta")
        message = choice.get("message")
        if message is not None:
            node = mapping_at(self.engine, message, f"{path}.message")
            self.whole = _text(self.engine, node, "content", f"{path}.message") or self.whole
        self.finish = choice.get("finish_reason") or self.finish
        self.error = choice.get("error") or self.error

    def _grow(self, delta: Mapping[str, Any], path: str) -> None:
        self.content += _text(self.engine, delta, "content", path)
        self.refusal += _text(self.engine, delta, "refusal", path)
        notes = delta.get("annotations")
        if notes is not None:
            self.annotated = True
            self.annotations += list_at(self.engine, notes, f"{path}.annotations")

    def message(self) -> Mapping[str, Any]:
        """The message as it stood at the end; `annotations` only where some chunk had the key."""
        grown: dict[str, Any] = {"content": self.content or self.whole, "refusal": self.refusal}
        if self.annotated:
            grown["annotations"] = self.annotations
        return grown


def _chunks(engine: str, body: Body) -> Sequence[Mapping[str, Any]]:
    return [
        mapping_at(engine, event.data, f"event {number}")
        for number, event in enumerate(body.events)
    ]


def whole_completion(engine: str, body: Body) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """The payload as one object, and a warning where a stream was cut short."""
    if not body.events:
        return mapping_at(engine, body.value, "$"), ()
    growing, payload, heard = _Growing(engine), dict[str, Any](), False
    for number, chunk in enumerate(_chunks(engine, body)):
        payload |= {key: chunk[key] for key in _KEPT if chunk.get(key) is not None}
        choice = _first_choice(engine, chunk, f"event {number}")
        if choice is not None:
            heard = True
            growing.add(choice, f"event {number}.choices[0]")
    if not heard:
        if payload.get("error") is None:
            keys = sorted({str(key) for event in body.events for key in event.data})[:20]
            raise PayloadError(engine, "$", f"a stream without choices; its events have {keys}")
        return payload, ()
    if growing.error is not None:
        payload["error"] = growing.error
    cut = growing.finish is None
    choice = {"message": growing.message(), "finish_reason": "length" if cut else growing.finish}
    return {**payload, "choices": [choice]}, (_CUT,) if cut else ()
