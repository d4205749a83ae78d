"""Anthropic Messages as a stand-in: blocks with citations, and answers that pause once.

A paused answer ends after its search; its continuation repeats the assistant content unchanged as
the last message. The tool use id carries scene, prompt and repeat, so no state is kept.
"""

import base64
from collections.abc import Mapping
from typing import Any

from monitor.sandbox.script import Ask, Cited, Sentence, best_line
from monitor.sandbox.wire import KEY_PREFIX, Failure, Turn, last_user_text, tokens
from monitor.sandbox.world import FaultKind

_TOOL = "srvtoolu_sandbox"


def accepted(headers: Mapping[str, str]) -> bool:
    """Whether x-api-key carries a sandbox key."""
    key = headers.get("x-api-key", "")
    return len(key) > len(KEY_PREFIX) and key.startswith(KEY_PREFIX)


def asked(body: Mapping[str, Any]) -> str | None:
    """Prompt of a request: its last user message; None where there is none."""
    return last_user_text(body.get("messages"))


def malformed(message: str) -> Failure:
    """The 400 for a request that cannot be read."""
    return Failure(400, _error("invalid_request_error", message))


def failure(kind: FaultKind, retry_after: int | None) -> Failure:
    """The vendor's body for a 429 or 500."""
    if kind is FaultKind.RATE_LIMIT:
        body = _error("rate_limit_error", "This request would exceed your rate limit.")
        return Failure(429, body, (("retry-after", str(retry_after or 0)),))
    return Failure(500, _error("api_error", "Internal server error"))


def continued(body: Mapping[str, Any]) -> Ask | None:
    """The paused ask that a request continues; None for a first request."""
    messages = body.get("messages")
    last = messages[-1] if isinstance(messages, list) and messages else None
    if not isinstance(last, dict) or last.get("role") != "assistant":
        return None
    blocks = [b for b in last.get("content") or () if isinstance(b, dict)]
    used = [str(b.get("id", "")) for b in blocks if b.get("type") == "server_tool_use"]
    marked = [name.split(".") for name in used if name.startswith(f"{_TOOL}.")]
    if not marked:
        return None
    _, scene, prompt, repeat, _ = marked[-1]
    return Ask(scene, "anthropic", prompt, int(repeat))


def paused(turn: Turn) -> dict[str, Any]:
    """First half of an answer that pauses: the search and its finds."""
    return _envelope(turn, paused_content(turn), "pause_turn", 1)


def paused_content(turn: Turn) -> list[dict[str, Any]]:
    """Content that a continuation must repeat unchanged."""
    lead = {"type": "text", "text": "I'll search for current information."}
    half = (len(turn.answer.searched) + 1) // 2
    return [lead, *_search(turn, 0, turn.answer.searched[:half])]


def resumed(turn: Turn) -> dict[str, Any]:
    """Second half: another search, then the text, citing finds of both searches."""
    half = (len(turn.answer.searched) + 1) // 2
    content = [*_search(turn, 1, turn.answer.searched[half:]), *_blocks(turn)]
    return _envelope(turn, content, "end_turn", 1)


def reply(turn: Turn) -> dict[str, Any]:
    """Message object: lead, search, finds, text blocks (or what the fault makes of them)."""
    lead = {"type": "text", "text": "I'll look this up."}
    content = [lead, *_search(turn, 0, turn.answer.searched), *_blocks(turn)]
    if turn.fault is FaultKind.REFUSAL:
        return _envelope(turn, [], "refusal", 0)
    if turn.fault is FaultKind.TRUNCATED:
        return _envelope(turn, content[: len(content) // 2 + 2], "max_tokens", 1)
    if turn.fault is FaultKind.IN_BODY:
        return _envelope(turn, _failed_search(turn), "end_turn", 1)
    return _envelope(turn, content, "end_turn", 1)


def _search(turn: Turn, number: int, finds: tuple[Cited, ...]) -> list[dict[str, Any]]:
    queries = turn.answer.queries
    tool = _tool_id(turn, number)
    use = {
        "type": "server_tool_use",
        "id": tool,
        "name": "web_search",
        "input": {"query": queries[min(number, len(queries) - 1)]},
    }
    found = [_find(cited) for cited in finds]
    return [use, {"type": "web_search_tool_result", "tool_use_id": tool, "content": found}]


def _failed_search(turn: Turn) -> list[dict[str, Any]]:
    use = _search(turn, 0, ())
    error = {"type": "web_search_tool_result_error", "error_code": "unavailable"}
    return [use[0], use[1] | {"content": error}]


def _tool_id(turn: Turn, number: int) -> str:
    ask = turn.ask
    return f"{_TOOL}.{ask.scene}.{ask.prompt}.{ask.repeat}.{number}"


def _find(cited: Cited) -> dict[str, Any]:
    return {
        "type": "web_search_result",
        "url": cited.url,
        "title": cited.page.title,
        "encrypted_content": _sealed(cited),
        "page_age": cited.page.byline.updated or cited.page.byline.published,
    }


def _blocks(turn: Turn) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    for number, sentence in enumerate(turn.answer.sentences):
        glue = ("\n\n" if turn.answer.bullets else " ") if number else ""
        if not sentence.cited:
            blocks.append({"type": "text", "text": f"{glue}{sentence.text}"})
            continue
        blocks.append(
            {"type": "text", "text": f"{glue}- " if turn.answer.bullets else glue or "\n"}
        )
        blocks.append(_cited_block(sentence))
        blocks.append({"type": "text", "text": sentence.text[-1]})
    return blocks


def _cited_block(sentence: Sentence) -> dict[str, Any]:
    citations = [
        {
            "type": "web_search_result_location",
            "cited_text": best_line(cited.page, sentence.text),
            "url": cited.url,
            "title": cited.page.title,
            "encrypted_index": _sealed(cited),
        }
        for cited in sentence.cited
    ]
    return {"citations": citations, "type": "text", "text": sentence.text[:-1]}


def _sealed(cited: Cited) -> str:
    return base64.b64encode(f"sandbox:{cited.page.id}".encode()).decode()


def _envelope(
    turn: Turn, content: list[dict[str, Any]], stop_reason: str, searches: int
) -> dict[str, Any]:
    made = sum(tokens(str(block.get("text", ""))) for block in content)
    return {
        "model": turn.served_model,
        "id": f"msg_{turn.id}",
        "type": "message",
        "role": "assistant",
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {
            "input_tokens": 1200 + 180 * len(turn.answer.searched),
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": made,
            "service_tier": "standard",
            "server_tool_use": {"web_search_requests": searches, "web_fetch_requests": 0},
        },
    }


def _error(kind: str, message: str) -> dict[str, Any]:
    error = {"type": kind, "message": message}
    return {"type": "error", "error": error, "request_id": "req_sandbox"}


UNAUTHORISED = Failure(401, _error("authentication_error", "invalid x-api-key"))
