"""Synthetic payloads of the shapes that six engines send; nothing here was ever recorded."""

import json
from copy import deepcopy
from typing import Any

LINK = "([oak.example](https://oak.example/a?utm_source=openai))"
OAK = "https://oak.example/a?utm_source=openai"
ELM = "https://elm.example/b"


def output_text(text: str, *cited: tuple[str, str]) -> dict[str, Any]:
    """A content part whose annotations sit exactly on the given slices."""
    annotations = [
        {"type": "url_citation", "url": url, "title": f"Page {url}",
         "start_index": text.index(shown), "end_index": text.index(shown) + len(shown)}
        for shown, url in cited
    ]  # fmt: skip
    return {"type": "output_text", "text": text, "annotations": annotations}


def message(*parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [*parts],
    } | more


def search(*queries: str, sources: tuple[str, ...] = ()) -> dict[str, Any]:
    listed = [{"type": "url", "url": url} for url in sources]
    action = {"type": "search", "queries": [*queries], "query": None, "sources": listed or None}
    return {"type": "web_search_call", "status": "completed", "action": action}


def responses(*output: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "id": "resp_synthetic", "object": "response", "status": "completed", "error": None,
        "incomplete_details": None, "model": "made-up-1-2026-01-01", "output": [*output],
        "usage": {"input_tokens": 900, "output_tokens": 80,
                  "output_tokens_details": {"reasoning_tokens": 30}},
    } | more  # fmt: skip


OPENAI = responses(
    {"type": "reasoning", "summary": []},
    search("oaks 2026", "", "oaks", sources=("https://oak.example/a", ELM)),
    message(output_text(f"Oaks grow – slowly. {LINK} Elms too.", (LINK, OAK))),
)

XAI = responses(
    search("oaks", sources=(ELM,)),
    message(
        {"type": "output_text", "text": f"Elms grow.[[1]]({ELM}) Fast.", "annotations": [
            {"type": "url_citation", "url": ELM, "title": "1", "start_index": 10,
             "end_index": 10 + len(f"[[1]]({ELM})")}]},
    ),
    usage={"input_tokens": 10, "output_tokens": 5, "cost_in_usd_ticks": 161_508_500},
)  # fmt: skip

XAI_FAST = responses(
    {"type": "web_search_call", "status": "completed", "name": "web_search",
     "arguments": '{"query": "what is an oak"}'},
    message({"type": "output_text", "text": "An oak is a tree.", "annotations": [
        {"type": "url_citation", "url": ELM}, {"type": "url_citation", "url": OAK}]}),
)  # fmt: skip


def completion(content: Any, *annotations: dict[str, Any], **more: Any) -> dict[str, Any]:
    shown = {"role": "assistant", "content": content, "refusal": None}
    return {
        "id": "chat_synthetic", "object": "chat.completion", "model": "made-up-search",
        "choices": [{"index": 0, "finish_reason": "stop",
                     "message": shown | {"annotations": [*annotations]}}],
        "usage": {"prompt_tokens": 12, "completion_tokens": 34},
    } | more  # fmt: skip


def nested(url: str, start: int, end: int, **more: Any) -> dict[str, Any]:
    body = {"url": url, "title": "A page", "start_index": start, "end_index": end} | more
    return {"type": "url_citation", "url_citation": body}


CHAT_TEXT = f"Größe: oaks grow. {LINK} "
CHAT = completion(CHAT_TEXT, nested(OAK, 18, 18 + len(LINK)))

SONAR = {
    "id": "sonar_synthetic", "model": "sonar", "object": "chat.completion",
    "citations": ["https://a.example/", "https://b.example/", "https://c.example/"],
    "search_results": [
        {"title": "A", "url": "https://a.example/", "snippet": "about a", "date": "2026-01-02"},
        {"title": "B", "url": "https://b.example/", "snippet": "about b"},
        {"title": "C", "url": "https://c.example/", "snippet": ""},
        {"title": "A again", "url": "https://a.example/"},
    ],
    "choices": [{"index": 0, "finish_reason": "stop", "delta": {"content": ""}, "message": {
        "role": "assistant", "content": "Elms grow.[3][1] Oaks too.[3]"}}],
    "usage": {"prompt_tokens": 8, "completion_tokens": 20, "num_search_queries": 2,
              "reasoning_tokens": 4, "cost": {"request_cost": 0.005, "total_cost": 0.00519}},
}  # fmt: skip

MISTRAL = {
    "object": "conversation.response", "conversation_id": "conv_synthetic",
    "outputs": [
        {"type": "tool.execution", "name": "web_search", "arguments": '{"query": "oak age"}'},
        {"type": "message.output", "role": "assistant", "model": "mistral-made-up", "content": [
            {"type": "text", "text": "Oaks live long"},
            {"type": "tool_reference", "tool": "web_search", "title": "Oak", "url": OAK,
             "description": "on oaks"},
            {"type": "tool_reference", "tool": "web_search", "title": "Elm", "url": ELM},
            {"type": "text", "text": ". Elms do not"},
            {"type": "tool_reference", "tool": "web_search", "title": "Elm", "url": ELM},
            {"type": "text", "text": "."}]},
    ],
    "usage": {"prompt_tokens": 50, "completion_tokens": 9, "connectors": {"web_search": 1}},
}  # fmt: skip

ROUTER = completion(
    f"See [elm.example]({ELM}).",
    nested(OAK, 0, 0, content="an excerpt"),
    nested(ELM, 0, 0),
    model="deepseek/made-up",
    usage={"prompt_tokens": 5, "completion_tokens": 6, "cost": 0.0076509,
           "server_tool_use_details": {"web_search_requests": 1}},
)  # fmt: skip

BY_ENGINE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("openai", OPENAI), ("xai", XAI), ("xai", XAI_FAST), ("openai_chat_search", CHAT),
    ("perplexity", SONAR), ("mistral", MISTRAL), ("openrouter", ROUTER),
)  # fmt: skip


def as_bytes(payload: Any) -> bytes:
    return json.dumps(payload).encode()


def as_stream(*events: Any, named: bool = True) -> bytes:
    """Server-sent events, with event names where the data has a type."""
    blocks = []
    for event in events:
        head = f"event: {event['type']}\n" if named and "type" in event else ""
        blocks.append(f"{head}data: {json.dumps(event)}\n\n")
    return "".join(blocks).encode()


def changed(payload: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """A deep copy with one place replaced."""
    copy = deepcopy(payload)
    node = copy
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    return copy
