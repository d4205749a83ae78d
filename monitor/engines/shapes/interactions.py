"""Google's Interactions API: an answer as a list of steps, whole or streamed.

Text lies in steps `model_output`, in parts of type `text` with flat `annotations`
(`url_citation{start_index,end_index,url,title}`); searches in steps `google_search_call`. Search
results carry HTML only, no URLs. The offsets' unit is not documented and the payloads seen are
ASCII (2026-05): they are read as bytes like those of generateContent, and a warning says so where
that matters. Earlier builds of the API called the list `outputs` and put the text parts there.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from monitor.domain.engine import (
    Outcome,
    Reading,
    Retrieval,
    Role,
    Span,
    SpanKind,
    Usage,
)
from monitor.engines.shapes.byte_spans import Answer, answer_of, locate
from monitor.engines.shapes.citing import Mark, distinct_words, gather
from monitor.engines.shapes.payload import (
    list_at,
    mapping_at,
    optional_int,
    optional_string,
    require,
    string_at,
)

Node = Mapping[str, Any]

_ENDS: Mapping[str, Outcome] = {"completed": Outcome.ANSWERED}
_FAILED = frozenset({"failed", "cancelled"})


@dataclass(frozen=True, slots=True)
class _Part:
    """One visible text part and its annotations, with the path for errors."""

    text: str
    annotations: Sequence[Any]
    path: str


def is_interaction(document: Node) -> bool:
    """Whether a document is an interaction or an event of one."""
    kind = document.get("event_type")
    known = isinstance(kind, str) and kind.startswith(("interaction.", "step.", "content."))
    return known or "steps" in document or document.get("object") == "interaction"


def read_interaction(engine: str, documents: Sequence[Node]) -> Reading:
    """Reading of an interaction given whole (one document) or as its events in order."""
    streamed = "event_type" in documents[0]
    whole = _assembled(engine, documents) if streamed else documents[0]
    steps = _steps(engine, whole)
    parts = tuple(
        part for number, step in enumerate(steps) for part in _parts(engine, step, number)
    )
    answer = answer_of({number: part.text for number, part in enumerate(parts)})
    marks, warnings = _marks(engine, parts, answer)
    status = optional_string(whole.get("status")) or "unfinished"
    outcome, reason = _outcome(status, answer.text)
    return Reading(
        outcome,
        reason,
        text=answer.text,
        citations=gather(marks),
        queries=_queries(engine, steps),
        retrieval=_retrieval(steps, status),
        served_model=optional_string(whole.get("model")),
        usage=_usage(whole.get("usage")),
        warnings=warnings if outcome is Outcome.ANSWERED else (*warnings, f"status {status}"),
    )


def _outcome(status: str, text: str) -> tuple[Outcome, str | None]:
    if status in _FAILED:
        return Outcome.ERROR, "server"
    if not text.strip():
        return Outcome.ERROR, "empty"
    return _ENDS.get(status, Outcome.TRUNCATED), None


def _retrieval(steps: Sequence[Node], status: str) -> Retrieval:
    """Steps list every search, so a completed interaction without one did not search."""
    if any(step.get("type") == "google_search_call" for step in steps):
        return Retrieval.USED
    return Retrieval.NOT_USED if status == "completed" else Retrieval.UNKNOWN


def _usage(usage: Any) -> Usage | None:
    if not isinstance(usage, Mapping):
        return None
    return Usage(
        optional_int(usage.get("total_input_tokens")),
        optional_int(usage.get("total_output_tokens")),
        optional_int(usage.get("total_thought_tokens")),
    )


def _steps(engine: str, whole: Node) -> tuple[Node, ...]:
    key = "steps" if "steps" in whole or "outputs" not in whole else "outputs"
    steps = list_at(engine, require(engine, whole, key, "$"), f"$.{key}")
    return tuple(mapping_at(engine, step, f"$.{key}[{n}]") for n, step in enumerate(steps))


def _parts(engine: str, step: Node, number: int) -> Iterator[_Part]:
    path = f"$.steps[{number}]"
    if step.get("type") == "text":
        content: Sequence[Any] = [step]
    elif step.get("type") == "model_output":
        content = list_at(engine, step.get("content") or [], f"{path}.content")
    else:
        return
    for at, part in enumerate(content):
        here = f"{path}.content[{at}]"
        node = mapping_at(engine, part, here)
        if node.get("type") == "text":
            string_at(engine, require(engine, node, "text", here), f"{here}.text")
            notes = list_at(engine, node.get("annotations") or [], f"{here}.annotations")
            yield _Part(node["text"], notes, here)


def _marks(
    engine: str, parts: Sequence[_Part], answer: Answer
) -> tuple[tuple[Mark, ...], tuple[str, ...]]:
    marks: list[Mark] = []
    warnings: list[str] = []
    for number, part in enumerate(parts):
        for at, note in enumerate(part.annotations):
            path = f"{part.path}.annotations[{at}]"
            node = mapping_at(engine, note, path)
            if node.get("type", "url_citation") != "url_citation":
                warnings.append(f"{path}: annotation of type {node.get('type')!r} left out")
                continue
            span = _span(node, answer, number)
            if span is None:
                warnings.append(f"{path}: span not found in the text, dropped")
            url = string_at(engine, require(engine, node, "url", path), f"{path}.url")
            title = optional_string(node.get("title"))
            marks.append(Mark(url, Role.DISPLAYED, title, span, at=len(marks)))
    if marks and len(answer.text) < answer.bounds[-1]:
        warnings.append("offsets read as UTF-8 bytes; their unit is not documented")
    return tuple(marks), tuple(warnings)


def _span(node: Node, answer: Answer, part: int) -> Span | None:
    start = optional_int(node.get("start_index", 0))
    end = optional_int(node.get("end_index"))
    if start is None or end is None:
        return None
    found = locate(answer, (start, end), None, part)
    return Span(*found, SpanKind.CLAIM) if found else None


def _queries(engine: str, steps: Sequence[Node]) -> tuple[str, ...]:
    asked: list[str] = []
    for number, step in enumerate(steps):
        path = f"$.steps[{number}].arguments"
        if step.get("type") == "google_search_call" and step.get("arguments") is not None:
            arguments = mapping_at(engine, step["arguments"], path)
            queries = list_at(engine, arguments.get("queries") or [], f"{path}.queries")
            asked += [string_at(engine, query, f"{path}.queries") for query in queries]
    return distinct_words(asked)


def _assembled(engine: str, events: Sequence[Node]) -> Node:
    """The interaction that a stream spells out; without its last event it stays unfinished."""
    whole: dict[str, Any] = {}
    steps: dict[int, dict[str, Any]] = {}
    for number, event in enumerate(events):
        path = f"event {number}"
        if "interaction" in event:
            named = mapping_at(engine, event["interaction"], f"{path}.interaction")
            whole |= {k: named[k] for k in ("status", "model", "usage") if k in named}
        at = optional_int(event.get("index"))
        if at is None:
            continue
        step = steps.setdefault(at, {"content": []})
        if "step" in event:
            step |= mapping_at(engine, event["step"], f"{path}.step")
        if "delta" in event:
            _add(engine, step, mapping_at(engine, event["delta"], f"{path}.delta"), path)
    if whole.get("status") == "in_progress":
        whole["status"] = "unfinished"
    return whole | {"steps": [steps[at] for at in sorted(steps)]}


def _add(engine: str, step: dict[str, Any], delta: Node, path: str) -> None:
    """Let one delta grow its step: text, annotations, or the arguments of a search."""
    content = step.get("content")
    if not isinstance(content, list):
        content = step["content"] = []
    if "arguments" in delta:
        step["arguments"] = delta["arguments"]
    if optional_string(delta.get("type")) not in {
        "text",
        "text_annotation",
        "text_annotation_delta",
    }:
        return
    if not content or not isinstance(content[-1], dict):
        content.append({"type": "text", "text": "", "annotations": []})
    part = content[-1]
    if "text" in delta:
        string_at(engine, delta["text"], f"{path}.delta.text")
        part["text"] = f"{part.get('text', '')}{delta['text']}"
    notes = list_at(engine, delta.get("annotations") or [], f"{path}.delta.annotations")
    part["annotations"] = [*(part.get("annotations") or []), *notes]
