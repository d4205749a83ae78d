"""OpenAI Responses as a stand-in: links in the text, annotations with code point offsets."""

from collections.abc import Mapping
from typing import Any

from monitor.sandbox.script import Cited, domain
from monitor.sandbox.wire import Failure, Turn, bearer_accepted, last_user_text, tokens
from monitor.sandbox.world import FaultKind

accepted = bearer_accepted

UNAUTHORISED = Failure(
    401,
    {
        "error": {
            "message": "Incorrect API key provided. You can find your API key in the settings.",
            "type": "invalid_request_error",
            "param": None,
            "code": "invalid_api_key",
        }
    },
)


def asked(body: Mapping[str, Any]) -> str | None:
    """Prompt of a request, from text or messages; None without one."""
    prompt = body.get("input")
    return (prompt or None) if isinstance(prompt, str) else last_user_text(prompt)


def malformed(message: str) -> Failure:
    """The 400 for a request that cannot be read."""
    return Failure(400, _error(message, "invalid_request_error", "missing_required_parameter"))


def failure(kind: FaultKind, retry_after: int | None) -> Failure:
    """The vendor's body for a 429 or 500."""
    if kind is FaultKind.RATE_LIMIT:
        wait = str(retry_after or 0)
        body = _error("Rate limit reached for requests.", "requests", "rate_limit_exceeded")
        headers = (("retry-after", wait), ("x-ratelimit-remaining-requests", "0"))
        return Failure(429, body, headers)
    return Failure(500, _error("The server had an error.", "server_error", None))


def reply(turn: Turn) -> dict[str, Any]:
    """Response object: a search call, then a message, unless a fault."""
    text, annotations = _text(turn)
    part: dict[str, Any] = {
        "type": "output_text",
        "annotations": annotations,
        "logprobs": [],
        "text": text,
    }
    status, error, incomplete = "completed", None, None
    output = [_search(turn), _message(turn, part)]
    if turn.fault is FaultKind.REFUSAL:
        refusal = {"type": "refusal", "refusal": "I'm sorry, but I can't help with that request."}
        output = [_message(turn, refusal)]
    elif turn.fault is FaultKind.TRUNCATED:
        part["text"], part["annotations"] = text[: len(text) // 2], []
        status, incomplete = "incomplete", {"reason": "max_output_tokens"}
    elif turn.fault is FaultKind.IN_BODY:
        output, status = [], "failed"
        error = {"code": "server_error", "message": "An error occurred while processing."}
    return _envelope(turn) | {
        "status": status,
        "error": error,
        "incomplete_details": incomplete,
        "output": output,
        "usage": _usage(turn, text),
    }


def _text(turn: Turn) -> tuple[str, list[dict[str, Any]]]:
    text, annotations = "", []
    for sentence in turn.answer.sentences:
        text += ("\n" if text and turn.answer.bullets else " ") if text else ""
        text += f"- {sentence.text}" if turn.answer.bullets and sentence.cited else sentence.text
        for cited in sentence.cited:
            url = _tagged(cited.url)
            link = f"([{domain(url)}]({url}))"
            text += " "
            annotations.append(_annotation(len(text), link, url, cited))
            text += link
    return text, annotations


def _annotation(start: int, link: str, url: str, cited: Cited) -> dict[str, Any]:
    return {
        "type": "url_citation",
        "start_index": start,
        "end_index": start + len(link),
        "title": cited.page.title,
        "url": url,
    }


def _tagged(url: str) -> str:
    return f"{url}{'&' if '?' in url else '?'}utm_source=openai"


def _search(turn: Turn) -> dict[str, Any]:
    answer = turn.answer
    return {
        "id": f"ws_{turn.id}",
        "type": "web_search_call",
        "status": "completed",
        "action": {
            "type": "search",
            "query": answer.queries[0],
            "queries": list(answer.queries),
            "sources": [{"type": "url", "url": cited.url} for cited in answer.searched],
        },
    }


def _message(turn: Turn, part: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": f"msg_{turn.id}",
        "type": "message",
        "status": "completed",
        "role": "assistant",
        "content": [part],
    }


def _envelope(turn: Turn) -> dict[str, Any]:
    return {
        "id": f"resp_{turn.id}",
        "object": "response",
        "created_at": turn.created,
        "background": False,
        "instructions": None,
        "max_output_tokens": None,
        "model": turn.served_model,
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "reasoning": {"effort": "low", "summary": None},
        "service_tier": "default",
        "store": False,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [{"type": "web_search", "search_context_size": "medium"}],
        "top_p": 1.0,
        "truncation": "disabled",
        "user": None,
        "metadata": {"sandbox": "fictional"},
    }


def _usage(turn: Turn, text: str) -> dict[str, Any]:
    given = 900 + 220 * len(turn.answer.searched)
    return {
        "input_tokens": given,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": tokens(text) + 64,
        "output_tokens_details": {"reasoning_tokens": 64},
        "total_tokens": given + tokens(text) + 64,
    }


def _error(message: str, kind: str, code: str | None) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}
