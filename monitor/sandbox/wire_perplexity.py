"""Perplexity Sonar as a stand-in: `[n]` markers into the list of everything retrieved."""

from collections.abc import Mapping
from typing import Any

from monitor.sandbox.script import Cited, Sentence, best_line
from monitor.sandbox.wire import Failure, Turn, bearer_accepted, last_user_text, tokens
from monitor.sandbox.world import FaultKind

accepted = bearer_accepted

UNAUTHORISED = Failure(
    401,
    {
        "error": {
            "message": "Invalid API key provided. Ensure your API key is correct and active.",
            "type": "invalid_api_key",
            "code": 401,
        }
    },
)


def asked(body: Mapping[str, Any]) -> str | None:
    """Prompt of a request: its last user message; None where there is none."""
    return last_user_text(body.get("messages"))


def malformed(message: str) -> Failure:
    """The 400 for a request that cannot be read."""
    return Failure(400, {"error": {"message": message, "type": "bad_request", "code": 400}})


def failure(kind: FaultKind, retry_after: int | None) -> Failure:
    """The vendor's body for a 429 or 500."""
    if kind is FaultKind.RATE_LIMIT:
        error = {"message": "Too many requests.", "type": "rate_limit_exceeded", "code": 429}
        return Failure(429, {"error": error}, (("retry-after", str(retry_after or 0)),))
    error = {"message": "Internal server error.", "type": "internal_server_error", "code": 500}
    return Failure(500, {"error": error})


def reply(turn: Turn) -> dict[str, Any]:
    """Completion object with content, citations, search results and cost."""
    content = _content(turn)
    finish = "stop"
    if turn.fault is FaultKind.TRUNCATED:
        content, finish = content[: len(content) // 2], "length"
    elif turn.fault is FaultKind.REFUSAL:
        content = "I'm sorry, but I can't help with that request."
    message = {"role": "assistant", "content": content}
    return {
        "id": f"{turn.id[:8]}-{turn.id[8:12]}-4{turn.id[12:15]}-a{turn.id[15:18]}-{turn.id[:12]}",
        "model": turn.served_model,
        "created": turn.created,
        "usage": _usage(turn, content),
        "citations": [cited.url for cited in turn.answer.searched],
        "search_results": [_found(turn, cited) for cited in turn.answer.searched],
        "object": "chat.completion",
        "choices": [
            {
                "index": 0,
                "message": message,
                "delta": {"role": "assistant", "content": ""},
                "finish_reason": finish,
            }
        ],
    }


def _content(turn: Turn) -> str:
    numbers = {cited.url: n for n, cited in enumerate(turn.answer.searched, 1)}
    joined = "\n".join if turn.answer.bullets else " ".join
    text = joined(_line(turn, sentence, numbers) for sentence in turn.answer.sentences)
    return f"{text}[{len(numbers) + 5}]" if turn.stray_marker else text


def _line(turn: Turn, sentence: Sentence, numbers: Mapping[str, int]) -> str:
    marks = "".join(f"[{numbers[cited.url]}]" for cited in sentence.cited)
    bullet = "- " if turn.answer.bullets and sentence.cited else ""
    return f"{bullet}{sentence.text}{marks}"


def _found(turn: Turn, cited: Cited) -> dict[str, Any]:
    page = cited.page
    return {
        "title": page.title,
        "url": cited.url,
        "date": page.byline.published,
        "last_updated": page.byline.updated or page.byline.published,
        "snippet": best_line(page, turn.answer.queries[0]),
        "source": "web",
    }


def _usage(turn: Turn, content: str) -> dict[str, Any]:
    given, made = tokens(turn.answer.queries[0]), tokens(content)
    price = {
        "input_tokens_cost": round(given * 1e-6, 6),
        "output_tokens_cost": round(made * 1e-6, 6),
        "request_cost": 0.005,
    }
    return {
        "prompt_tokens": given,
        "completion_tokens": made,
        "total_tokens": given + made,
        "search_context_size": "low",
        "cost": price | {"total_cost": round(sum(price.values()), 6)},
    }
