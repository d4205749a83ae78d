"""Synthetic chat pages and conversations, of our own writing: no sentence or address is anybody's."""

import json
from typing import Any

from monitor.domain.turn import Document, Form, Panel, Turn
from monitor.engines import READERS

A, B, C, D = (f"https://{name}.example/page" for name in ("alpha", "beta", "gamma", "delta"))
START, BETWEEN, END = "\ue200", "\ue202", "\ue201"
COPY = '<button data-testid="copy-turn-action-button">Copy</button>'


def pill(url: str, label: str, *, number: int | None = None, more: str = "") -> str:
    """A pill of ChatGPT's page, numbered where a live capture opened it."""
    mark = "" if number is None else f' data-monitor-pill="{number}"'
    return (
        f'<span data-testid="webpage-citation-pill"{mark}><a href="{url}" alt="{url}">'
        f"<span>{label}</span></a><span>{more}</span></span>"
    )


def chatgpt(*answers: str, after: str = COPY, ids: tuple[str, ...] = ()) -> str:
    """A page of ChatGPT with one question before each answer."""
    turns = []
    for number, answer in enumerate(answers):
        name = ids[number] if number < len(ids) else f"turn-{number}"
        turns.append(
            f'<section data-testid="conversation-turn-{2 * number + 1}" data-turn="user">'
            f'<h4>You said:</h4><div data-message-author-role="user">Question {number}?</div>{COPY}'
            f'</section><section data-testid="conversation-turn-{2 * number + 2}" '
            f'data-turn="assistant" data-turn-id="{name}"><h4>ChatGPT said:</h4>'
            f'<div data-message-author-role="assistant" data-message-model-slug="model-x">'
            f'<div class="markdown">{answer}</div></div>{after}</section>'
        )
    return f"<main>{''.join(turns)}</main>"


def copilot(answer: str, *, end: str = '<div data-testid="message-item-reactions"></div>') -> str:
    return (
        '<div data-content="conversation"><div data-content="user-message">Question 0?</div>'
        '<div data-content="ai-message" role="article"><h2 class="sr-only">Copilot said</h2>'
        f"<div>{answer}</div>{end}</div></div>"
    )


def gemini(answer: str, *, end: str = '<div class="response-footer complete"></div>') -> str:
    return (
        '<user-query><div class="query-text"><p>Question 0?</p></div></user-query>'
        '<model-response><message-content><div class="markdown" id="m1">'
        f"{answer}</div></message-content>{end}</model-response>"
    )


def turns_of(
    name: str, body: str | bytes, form: Form = Form.DOM, *panels: Panel, **more: Any
) -> tuple[Turn, ...]:
    raw = body.encode() if isinstance(body, str) else body
    return READERS[name].turns(Document(raw, form, None, panels, **more))


def page_turn(answer: str, *panels: Panel, **more: Any) -> Turn:
    """The turn of a ChatGPT page with one answer."""
    (turn,) = turns_of("chatgpt_web", chatgpt(answer), Form.DOM, *panels, **more)
    return turn


def token(*parts: str) -> str:
    return START + BETWEEN.join(parts) + END


def grouped(text: str, matched: str, *pages: Any, shift: int = 0, **more: Any) -> dict[str, Any]:
    """A pill's reference: its first place in the text, `shift` code points off."""
    start = text.index(matched) + shift
    named = [{"url": one, "title": f"Title of {one}"} if isinstance(one, str) else one
             for one in pages]  # fmt: skip
    return {
        "type": "grouped_webpages", "matched_text": matched, "start_idx": start,
        "end_idx": start + len(matched), "items": named,
    } | more  # fmt: skip


def message(role: str, text: Any, **more: Any) -> dict[str, Any]:
    parts = [text] if isinstance(text, str) else text
    base = {
        "id": f"{role}-message", "author": {"role": role}, "recipient": "all",
        "content": {"content_type": "text", "parts": parts}, "metadata": {},
    }  # fmt: skip
    return base | more


def answer(text: str, *references: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return message("assistant", text, metadata={"content_references": list(references), **metadata})


def conversation(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A conversation whose messages follow each other."""
    mapping = {
        f"n{i}": {
            "id": f"n{i}", "parent": f"n{i - 1}" if i else None, "message": one,
            "children": [f"n{i + 1}"] if i + 1 < len(messages) else [],
        }
        for i, one in enumerate(messages)
    }  # fmt: skip
    return {"title": "T", "mapping": mapping, "current_node": f"n{len(messages) - 1}"} | more


def read(value: Any) -> tuple[Turn, ...]:
    """Turns of a conversation object."""
    return turns_of("chatgpt_web", json.dumps(value), Form.CONVERSATION)


def asked(*messages: dict[str, Any], **more: Any) -> Turn:
    """The one turn of a conversation that begins with a question."""
    (turn,) = read(conversation(message("user", "Question 0?"), *messages, **more))
    return turn
