"""The Responses shape (OpenAI, Azure, xAI): an `output` list of calls and messages.

Streams end with the complete object; one that does not is put together from its pieces and
counts as cut. Offsets count code points of one `output_text` part, so parts are joined with "".
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from monitor.domain.engine import (
    Cost,
    Exchange,
    Exchanges,
    Outcome,
    Reading,
    Retrieval,
    Retrieved,
    Usage,
)
from monitor.engines.shapes.annotations import Passage, marks_of
from monitor.engines.shapes.citing import (
    Mark,
    distinct,
    distinct_words,
    untracked,
    with_prose,
)
from monitor.engines.shapes.ending import Ending, conclude
from monitor.engines.shapes.failure import by_error
from monitor.engines.shapes.payload import (
    by_status,
    describe,
    last_exchange,
    list_at,
    mapping_at,
    micros,
    open_body,
    optional_int,
    optional_list,
    optional_string,
    requested_model,
    require,
    string_at,
)
from monitor.engines.shapes.responses_stream import whole_payload
from monitor.engines.shapes.tokens import without_tokens
from monitor.errors import PayloadError

_SEARCH_CALLS = frozenset({"web_search_call", "x_search_call"})
_KNOWN_TYPES = _SEARCH_CALLS | {
    "message", "reasoning", "function_call", "custom_tool_call", "file_search_call",
    "code_interpreter_call", "computer_call", "image_generation_call", "mcp_call",
    "mcp_list_tools", "mcp_approval_request", "local_shell_call", "shell_call", "compaction",
    "function_call_output", "custom_tool_call_output", "shell_call_output", "tool_search_call",
    "tool_search_output", "apply_patch_call",
}  # fmt: skip
_UNFINISHED = frozenset({"in_progress", "queued", "cancelled"})


@dataclass(frozen=True, slots=True)
class _Piece:
    """An entry of `output` with its type and JSON path."""

    node: Mapping[str, Any]
    kind: str
    path: str

    @property
    def is_search(self) -> bool:
        """Whether it is a call of a search tool."""
        name = self.node.get("name")
        x_tool = isinstance(name, str) and name.startswith(("x_", "web_search"))
        return self.kind in _SEARCH_CALLS or (self.kind == "custom_tool_call" and x_tool)


@dataclass(frozen=True, slots=True)
class _Said:
    """Text of the kept messages with what it points at."""

    text: str = ""
    refusal: str = ""
    marks: tuple[Mark, ...] = ()
    warnings: tuple[str, ...] = ()


def _pieces(engine: str, payload: Mapping[str, Any]) -> tuple[_Piece, ...]:
    found = []
    output = list_at(engine, require(engine, payload, "output", "$"), "$.output")
    for number, entry in enumerate(output):
        path = f"$.output[{number}]"
        node = mapping_at(engine, entry, path)
        kind = string_at(engine, require(engine, node, "type", path), f"{path}.type")
        found.append(_Piece(node, kind, path))
    strange = sorted({piece.kind for piece in found} - _KNOWN_TYPES)
    if strange and not any(piece.kind == "message" for piece in found):
        raise PayloadError(engine, "$.output", f"no message, but unknown types {strange}")
    return tuple(found)


def _content(engine: str, piece: _Piece) -> Iterator[tuple[Mapping[str, Any], str, str]]:
    """Parts of a message: node, type and path; unknown types are refused."""
    path = f"{piece.path}.content"
    parts = list_at(engine, require(engine, piece.node, "content", piece.path), path)
    for number, entry in enumerate(parts):
        here = f"{path}[{number}]"
        node = mapping_at(engine, entry, here)
        kind = string_at(engine, require(engine, node, "type", here), f"{here}.type")
        if kind not in {"output_text", "refusal"}:
            found = f"unknown content type {kind!r} in {describe(node)}"
            raise PayloadError(engine, f"{here}.type", found)
        yield node, kind, here


def _say(engine: str, messages: Sequence[_Piece]) -> _Said:
    text, refusal = "", ""
    marks: list[Mark] = []
    warnings: list[str] = []
    for piece in messages:
        for node, kind, path in _content(engine, piece):
            key = "text" if kind == "output_text" else "refusal"
            raw = string_at(engine, require(engine, node, key, path), f"{path}.{key}")
            if kind == "refusal":
                refusal += raw
                continue
            passage = Passage(raw, without_tokens(raw), len(text))
            text += passage.rewrite.text
            if "annotations" not in node:
                warnings.append(f"{path}: no annotations key; links in prose are all there is")
            here = f"{path}.annotations"
            found, notes = marks_of(engine, passage, node.get("annotations"), here)
            marks += found
            warnings += notes
    return _Said(text, refusal, tuple(marks), tuple(warnings))


def _spoken(engine: str, pieces: Sequence[_Piece]) -> _Said:
    """The final answer where phases are given; else without uncited chatter before a search."""
    messages = [piece for piece in pieces if piece.kind == "message"]
    final = [piece for piece in messages if piece.node.get("phase") == "final_answer"]
    if final:
        return _say(engine, final)
    last_search = max((n for n, piece in enumerate(pieces) if piece.is_search), default=-1)
    chatter = [
        piece
        for piece in pieces[: last_search + 1]
        if piece.kind == "message" and not _say(engine, [piece]).marks
    ]
    kept = [piece for piece in messages if piece not in chatter]
    said = _say(engine, kept)
    return said if said.text.strip() else _say(engine, messages)


def _action(engine: str, piece: _Piece) -> Mapping[str, Any]:
    """What a search call did; grok-4-fast writes JSON `arguments` instead of an `action`."""
    action = piece.node.get("action")
    if action is not None:
        return mapping_at(engine, action, f"{piece.path}.action")
    try:
        arguments = json.loads(str(piece.node.get("arguments") or piece.node.get("input") or "{}"))
    except (ValueError, RecursionError):
        return {}
    return arguments if isinstance(arguments, Mapping) else {}


def _queries(engine: str, piece: _Piece) -> Iterator[str]:
    action, path = _action(engine, piece), f"{piece.path}.action"
    queries = action.get("queries")
    if queries is not None:
        for number, query in enumerate(list_at(engine, queries, f"{path}.queries")):
            yield string_at(engine, query, f"{path}.queries[{number}]")
    elif action.get("query") is not None:
        yield string_at(engine, action["query"], f"{path}.query")


def _sources(engine: str, piece: _Piece) -> Iterator[Retrieved]:
    """Listed sources of a call; feeds such as `oai-weather` have no address and are left out."""
    action, path = _action(engine, piece), f"{piece.path}.action"
    for number, entry in enumerate(optional_list(engine, action, "sources", path)):
        here = f"{path}.sources[{number}]"
        node = mapping_at(engine, entry, here)
        if node.get("type") == "url" or "url" in node:
            url = string_at(engine, require(engine, node, "url", here), f"{here}.url")
            yield Retrieved(url, optional_string(node.get("title")))


def _retrieved(
    engine: str, payload: Mapping[str, Any], searches: Sequence[_Piece], marks: Sequence[Mark]
) -> tuple[Retrieved, ...]:
    """Listed sources and, beside them, opened and cited pages; none where no list is given."""
    listed = [source for piece in searches for source in _sources(engine, piece)]
    met = optional_list(engine, payload, "citations", "$")
    listed += [
        Retrieved(string_at(engine, url, f"$.citations[{number}]"))
        for number, url in enumerate(met)
    ]
    if not listed:
        return ()
    opened = (_action(engine, piece).get("url") for piece in searches)
    more = [Retrieved(url) for url in map(optional_string, opened) if url]
    more += [Retrieved(mark.url, mark.title) for mark in marks]
    known = {untracked(source.url) for source in listed}
    return distinct([*listed, *(s for s in more if untracked(s.url) not in known)])


def _search_state(searches: Sequence[_Piece]) -> Retrieval:
    if not searches:
        return Retrieval.NOT_USED
    failed = all(piece.node.get("status") == "failed" for piece in searches)
    return Retrieval.UNKNOWN if failed else Retrieval.USED


def _count_at(node: Any, *keys: str) -> int | None:
    """A count under nested keys, or None anywhere on the way."""
    for key in keys:
        node = node.get(key) if isinstance(node, Mapping) else None
    return optional_int(node)


def _usage(payload: Mapping[str, Any], searches: Sequence[_Piece]) -> Usage:
    usage = payload.get("usage")
    counted = (
        _count_at(payload, "tool_usage", "web_search", "num_requests"),
        _count_at(usage, "server_side_tool_usage_details", "web_search_calls"),
        len([piece for piece in searches if piece.node.get("status") != "failed"]),
    )
    return Usage(
        input_tokens=_count_at(usage, "input_tokens"),
        output_tokens=_count_at(usage, "output_tokens"),
        reasoning_tokens=_count_at(usage, "output_tokens_details", "reasoning_tokens"),
        searches=next(count for count in counted if count is not None),
    )


def _cost(payload: Mapping[str, Any]) -> Cost | None:
    """Money where xAI reports it: 10,000,000,000 ticks are one USD."""
    ticks = _count_at(payload.get("usage"), "cost_in_usd_ticks")
    amount = micros(ticks / 1e10) if ticks is not None and 0 <= ticks < 10**18 else None
    return Cost(amount) if amount is not None else None


def _ending(engine: str, payload: Mapping[str, Any]) -> Ending:
    status = string_at(engine, require(engine, payload, "status", "$"), "$.status")
    if status == "completed":
        return Ending.DONE
    if status in _UNFINISHED:
        return Ending.UNFINISHED
    if status not in {"incomplete", "failed"}:
        raise PayloadError(engine, "$.status", f"unknown status {status!r}")
    details = payload.get("incomplete_details")
    why = details.get("reason") if isinstance(details, Mapping) else None
    return Ending.FILTERED if why == "content_filter" else Ending.CUT


def _failure(exchange: Exchange, payload: Mapping[str, Any]) -> Reading | None:
    """Outcome of a body that is an error and holds no output, or None."""
    error = payload.get("error")
    if isinstance(error, str):
        error = {"code": payload.get("code"), "message": error}
    if not payload.get("output"):
        if error is not None:
            return by_error(error, exchange.status)
        if payload.get("status") == "failed":
            return by_error("failed without an error object", exchange.status)
    if "output" in payload:
        return None
    reading = by_status(exchange.status)
    return by_error(payload.get("detail") or payload, exchange.status) if reading else None


def _read(engine: str, payload: Mapping[str, Any], notes: tuple[str, ...]) -> Reading:
    pieces = _pieces(engine, payload)
    searches = tuple(piece for piece in pieces if piece.is_search)
    said, ending = _spoken(engine, pieces), _ending(engine, payload)
    outcome, reason = conclude(
        ending, said.text, refused=bool(said.refusal.strip()), cited=bool(said.marks)
    )
    if payload.get("error") is not None:
        failed = by_error(payload["error"], None)
        notes += failed.warnings
        if outcome is not Outcome.TRUNCATED:
            outcome, reason = failed.outcome, failed.reason
    return Reading(
        outcome=outcome,
        reason=reason,
        text=said.text or said.refusal,
        citations=with_prose(said.text, said.marks),
        retrieved=_retrieved(engine, payload, searches, said.marks),
        queries=distinct_words(q for piece in searches for q in _queries(engine, piece)),
        retrieval=_search_state(searches),
        served_model=optional_string(payload.get("model")),
        usage=_usage(payload, searches),
        cost=_cost(payload),
        warnings=notes + said.warnings,
    )


def read_responses(engine: str, exchanges: Exchanges) -> Reading:
    """Reading of a Responses body: whole, streamed, or an error in any of its forms."""
    exchange = last_exchange(engine, exchanges)
    asked = requested_model(exchange)
    body = open_body(engine, exchange)
    if isinstance(body, Reading):
        return replace(body, requested_model=asked)
    payload, notes = whole_payload(engine, body)
    reading = _failure(exchange, payload) or _read(engine, payload, notes)
    return replace(reading, requested_model=asked)
