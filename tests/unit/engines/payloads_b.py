"""Synthetic payloads in the shapes of Gemini, Anthropic, SerpApi and DataForSEO.

Every text, page and number here is made up; nothing was recorded.
"""

import copy
import json
from collections.abc import Iterator, Sequence
from typing import Any

from monitor.domain.engine import Exchange, Request
from monitor.domain.panel import Prompt

PROMPT = Prompt("p1", "How old is the lighthouse of Exampleton?", "en-GB")
OTHER = Prompt("p2", "Wie alt ist der Turm?", "de")

WRONG: tuple[Any, ...] = (None, 7, -1, 2.5, True, "x", "", [], {}, [None], [[]], {"a": 1})


def exchange(value: Any, status: int | None = 200, request: Request | None = None) -> Exchange:
    """An exchange whose body is this value as JSON."""
    return Exchange(json.dumps(value).encode(), status, (), request)


def stream(events: Sequence[Any], status: int | None = 200) -> Exchange:
    """An exchange whose body is server-sent events."""
    lines = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
    return Exchange(lines.encode(), status)


def json_lines(events: Sequence[Any]) -> Exchange:
    """An exchange whose body is one JSON object a line."""
    return Exchange("\n".join(json.dumps(event) for event in events).encode(), 200)


def _paths(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    children: list[tuple[Any, Any]] = []
    if isinstance(node, dict):
        children = list(node.items())
    elif isinstance(node, list):
        children = list(enumerate(node))
    for key, child in children:
        yield from _paths(child, (*path, key))


def mutants(document: Any) -> Iterator[Any]:
    """The document with every node in turn replaced by wrong values, and every key left out."""
    for path in _paths(document):
        for wrong in WRONG:
            broken = [copy.deepcopy(document)]
            _parent(broken, (0, *path))[(0, *path)[-1]] = copy.deepcopy(wrong)
            yield broken[0]
        if path:
            broken = [copy.deepcopy(document)]
            del _parent(broken, (0, *path))[path[-1]]
            yield broken[0]


def _parent(root: Any, path: tuple[Any, ...]) -> Any:
    for key in path[:-1]:
        root = root[key]
    return root


# ---- Gemini ---------------------------------------------------------------------------------

GEMINI_TEXT = "Ünïted 🗼 lights: built 1851. It is 42 m high."
"""Two-byte letters and a four-byte tower before the claims."""


def segment(words: str, text: str = GEMINI_TEXT) -> dict[str, Any]:
    """A segment as the vendor states it: UTF-8 bytes, a start of 0 left out."""
    start = len(text[: text.index(words)].encode())
    stated = {"endIndex": start + len(words.encode()), "text": words}
    return {"startIndex": start, **stated} if start else stated


def gemini(**changes: Any) -> dict[str, Any]:
    """A grounded generateContent answer: three chunks, one of them supported by nothing."""
    candidate = {
        "content": {
            "role": "model",
            "parts": [
                {"text": "Let me think.", "thought": True},
                {"toolCall": {"toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["tower age"]}}},
                {"text": GEMINI_TEXT},
            ],
        },
        "finishReason": "STOP",
        "groundingMetadata": {
            "webSearchQueries": ["", "exampleton lighthouse"],
            "searchEntryPoint": {"renderedContent": "<div></div>"},
            "groundingChunks": [
                {"web": {"uri": "https://redirect.example/a", "title": "towers.example"}},
                {"web": {"uri": "https://redirect.example/b", "title": "heights.example"}},
                {"web": {"uri": "https://redirect.example/c"}},
            ],
            "groundingSupports": [
                {"segment": segment("It is 42 m high."), "groundingChunkIndices": [1, 0]},
                {"segment": segment("Ünïted 🗼 lights: built 1851."), "groundingChunkIndices": [0]},
            ],
        },
    } | changes
    return {
        "candidates": [candidate],
        "modelVersion": "gemini-test-1",
        "usageMetadata": {
            "promptTokenCount": 9, "candidatesTokenCount": 20, "thoughtsTokenCount": 4,
        },
    }  # fmt: skip


INTERACTION: dict[str, Any] = {
    "id": "i1",
    "object": "interaction",
    "status": "completed",
    "model": "gemini-test-1",
    "steps": [
        {"type": "thought", "signature": "s"},
        {"type": "google_search_call", "arguments": {"queries": ["tower age", ""]}},
        {"type": "google_search_result", "result": [{"search_suggestions": "<div></div>"}]},
        {
            "type": "model_output",
            "content": [
                {
                    "type": "text",
                    "text": "Built 1851. High.",
                    "annotations": [
                        {"type": "url_citation", "start_index": 0, "end_index": 11,
                         "url": "https://redirect.example/a", "title": "towers.example"},
                        {"type": "url_citation", "start_index": 12, "end_index": 17,
                         "url": "https://redirect.example/b", "title": "heights.example"},
                    ],
                }
            ],
        },
    ],
    "usage": {"total_input_tokens": 5, "total_output_tokens": 6, "total_thought_tokens": 7},
}  # fmt: skip

INTERACTION_EVENTS: list[dict[str, Any]] = [
    {"event_type": "interaction.created",
     "interaction": {"id": "i1", "status": "in_progress", "model": "gemini-test-1"}},
    {"event_type": "step.start", "index": 0, "step": {"type": "model_output"}},
    {"event_type": "step.delta", "index": 0, "delta": {"type": "text", "text": "Built "}},
    {"event_type": "step.delta", "index": 0, "delta": {"type": "text", "text": "1851."}},
    {"event_type": "step.delta", "index": 0, "delta": {
        "type": "text_annotation_delta",
        "annotations": [{"type": "url_citation", "start_index": 0, "end_index": 11,
                         "url": "https://redirect.example/a", "title": "towers.example"}]}},
    {"event_type": "step.stop", "index": 0},
    {"event_type": "step.start", "index": 1, "step": {"type": "google_search_call"}},
    {"event_type": "step.delta", "index": 1, "delta": {
        "type": "google_search_call", "arguments": {"queries": ["tower age"]}}},
    {"event_type": "interaction.completed",
     "interaction": {"id": "i1", "status": "completed", "model": "gemini-test-1",
                     "usage": {"total_output_tokens": 6}}},
]  # fmt: skip

# ---- Anthropic ------------------------------------------------------------------------------


def found(*names: str) -> dict[str, Any]:
    """A search result block with these pages."""
    return {
        "type": "web_search_tool_result",
        "tool_use_id": "t1",
        "content": [
            {"type": "web_search_result", "url": f"https://{name}.example/", "title": name}
            for name in names
        ],
    }


def said(text: str, *names: str) -> dict[str, Any]:
    """A text block that cites these pages."""
    cited = [
        {"type": "web_search_result_location", "url": f"https://{name}.example/", "title": name,
         "cited_text": f"{name} says so", "encrypted_index": "e"}
        for name in names
    ]  # fmt: skip
    return (
        {"type": "text", "text": text, "citations": cited}
        if cited
        else {"type": "text", "text": text}
    )


def searched(query: str) -> dict[str, Any]:
    """A call of the search tool."""
    return {"type": "server_tool_use", "id": "t1", "name": "web_search", "input": {"query": query}}


def message(*blocks: dict[str, Any], stop: str | None = "end_turn") -> dict[str, Any]:
    """An assistant message of these blocks."""
    return {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "claude-test-1",
        "content": list(blocks),
        "stop_reason": stop,
        "usage": {
            "input_tokens": 10,
            "cache_read_input_tokens": 5,
            "output_tokens": 7,
            "output_tokens_details": {"thinking_tokens": 2},
            "server_tool_use": {"web_search_requests": 1},
        },
    }


CLAUDE = message(
    {"type": "thinking", "thinking": "hm", "signature": "s"},
    said("I'll look it up."),
    searched("tower age"),
    found("towers", "heights", "towers"),
    said("The 🗼 was "),
    said("built in 1851", "towers", "towers"),
    said(" and is "),
    said("42 m high", "heights", "towers"),
    said("."),
)

CLAUDE_EVENTS: list[dict[str, Any]] = [
    {"type": "message_start", "message": {"model": "claude-test-1", "content": [],
                                          "stop_reason": None, "usage": {"input_tokens": 3}}},
    {"type": "content_block_start", "index": 0, "content_block": {
        "type": "server_tool_use", "id": "t1", "name": "web_search", "input": {}}},
    {"type": "content_block_delta", "index": 0, "delta": {
        "type": "input_json_delta", "partial_json": '{"query": "tow'}},
    {"type": "content_block_delta", "index": 0, "delta": {
        "type": "input_json_delta", "partial_json": 'er age"}'}},
    {"type": "content_block_start", "index": 1, "content_block": found("towers")},
    {"type": "ping"},
    {"type": "content_block_start", "index": 2, "content_block": {
        "type": "text", "text": "", "citations": []}},
    {"type": "content_block_delta", "index": 2, "delta": {"type": "text_delta", "text": "Built "}},
    {"type": "content_block_delta", "index": 2, "delta": {
        "type": "citations_delta", "citation": said("x", "towers")["citations"][0]}},
    {"type": "content_block_delta", "index": 2, "delta": {"type": "text_delta", "text": "1851."}},
    {"type": "content_block_stop", "index": 2},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 4}},
    {"type": "message_stop"},
]  # fmt: skip

# ---- SerpApi --------------------------------------------------------------------------------


def references(count: int) -> list[dict[str, Any]]:
    """References 0 to count - 1, each to its own page."""
    return [
        {"index": n, "title": f"Page {n}", "link": f"https://page{n}.example/#:~:text=x",
         "snippet": f"excerpt {n}", "source": f"Page{n}https://page{n}.example"}
        for n in range(count)
    ]  # fmt: skip


BLOCKS: list[dict[str, Any]] = [
    {"type": "paragraph", "snippet": "Der Turm 🗼 ist alt.", "reference_indexes": [2, 0],
     "snippet_links": [{"link": "https://page2.example/#:~:text=x"}]},
    {"type": "heading", "snippet": "Height"},
    {
        "type": "list",
        "reference_indexes": [3],
        "list": [
            {"title": "Tall:", "snippet": "42 m", "reference_indexes": [0]},
            {"snippet": "Lit", "list": [{"snippet": "since 1851", "reference_indexes": [1]}]},
        ],
    },
    {"type": "table", "table": [["Part", "Age"], ["Lamp", "12"]]},
    {"type": "comparison", "product_labels": ["Old", "New"],
     "comparison": [{"feature": "Colour", "values": ["red", "white"]}]},
    {"type": "expandable", "title": "More",
     "text_blocks": [{"type": "paragraph", "snippet": "See the harbour office.",
                      "snippet_links": [{"text": "office", "link": "https://office.example/"}]}]},
    {"type": "code_block", "code": "print(1851)"},
    {"type": "top_stories", "stories": [{"title": "News", "link": "https://news.example/1"}]},
]  # fmt: skip

OVERVIEW: dict[str, Any] = {"text_blocks": BLOCKS, "references": references(5)}

SEARCH: dict[str, Any] = {
    "search_metadata": {"id": "s1", "status": "Success"},
    "search_parameters": {"engine": "google", "q": "tower", "gl": "uk", "hl": "en"},
    "organic_results": [],
    "related_questions": [{"type": "ai_overview", "text_blocks": BLOCKS, "references": []}],
}

AI_MODE: dict[str, Any] = {
    "search_metadata": {"id": "s2", "status": "Success"},
    "search_parameters": {"engine": "google_ai_mode", "q": "tower"},
    **OVERVIEW,
    "reconstructed_markdown": "Der Turm",
}

# ---- DataForSEO -----------------------------------------------------------------------------


def chip(name: str) -> str:
    """A bare source chip."""
    return f"[](https://{name}.example/)"


def numbered(n: int, name: str) -> str:
    """A numbered marker."""
    return f"[[{n}]](https://{name}.example/)"


MARKDOWN = (
    f"Der **Turm** 🗼 ist alt.{chip('towers')} {numbered(1, 'towers')}\n\n"
    f"- Tall: 42 m {numbered(1, 'heights_(uk)')}\n"
    "- Ask [the office](https://office.example/)\n\n"
    "![picture](https://img.example/1)0:55[A film![](https://img.example/2)\n"
    "Films](https://film.example/watch?v=1)"
)


def tray(*names: str) -> list[dict[str, Any]]:
    """References to these pages."""
    return [
        {"type": "ai_overview_reference", "url": f"https://{name}.example/", "title": name,
         "text": f"{name} excerpt", "source": name, "domain": f"{name}.example"}
        for name in names
    ]  # fmt: skip


def envelope(*entries: dict[str, Any], kind: str = "organic", code: int = 20000) -> dict[str, Any]:
    """A live task's envelope whose page has these entries."""
    return {
        "status_code": 20000,
        "status_message": "Ok.",
        "cost": 0.002,
        "tasks": [
            {
                "id": "d1",
                "status_code": code,
                "status_message": "Ok." if code == 20000 else "It failed.",
                "cost": 0.002,
                "result": [{"type": kind, "items": list(entries)}] if code == 20000 else None,
            }
        ],
    }


ANSWER: dict[str, Any] = {
    "type": "ai_overview",
    "asynchronous_ai_overview": False,
    "markdown": MARKDOWN,
    "items": [
        {"type": "ai_overview_element", "title": None, "text": "Der Turm ist alt. towers +1",
         "markdown": MARKDOWN, "references": tray("towers", "quiet")},
        {"type": "ai_overview_expanded_element", "title": "Step", "text": "more",
         "components": [{"type": "ai_overview_expanded_component", "text": "inner",
                         "markdown": "- inner", "references": None}]},
        {"type": "ai_overview_video_element", "title": "A film",
         "url": "https://film.example/watch?v=2"},
        {"type": "ai_overview_table_element", "markdown": "| a |\n|---|\n| b |"},
    ],
    "references": tray("heights_(uk)", "towers", "viewer"),
}  # fmt: skip
