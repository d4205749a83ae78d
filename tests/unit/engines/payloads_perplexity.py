"""Synthetic documents in the shapes that Perplexity's page uses; nothing here was ever recorded."""

import json
from typing import Any

from monitor.domain.turn import Document, Form, Panel, Turn
from monitor.engines.perplexity_web import turns

OAK = "https://oak.example/age"
ELM = "https://elm.example/age"
YEW = "https://yew.example/age"
TEXT = "Oaks live 300 years.[1][2] Elms live less.[2]"
TURN = "11111111-2222-3333-4444-555555555555"


def row(url: str, name: str = "A page", **flags: Any) -> dict[str, Any]:
    return {"name": name, "url": url, "snippet": "", "is_memory": False} | flags


ROWS = [row(OAK, "Oaks"), row(ELM, "Elms"), row(YEW, "Yews")]


def asked(text: str = TEXT, **fields: Any) -> dict[str, Any]:
    """A block that holds the answer as it did until July 2026."""
    block = {"progress": "DONE", "chunks": [text], "chunk_starting_offset": 0, "answer": text}
    return {"intended_usage": "ask_text", "markdown_block": block | fields}


def table(*rows: dict[str, Any]) -> dict[str, Any]:
    found = {"progress": "DONE", "web_results": list(rows or ROWS)}
    return {"intended_usage": "web_results", "web_result_block": found}


def workflow(*parts: dict[str, Any]) -> dict[str, Any]:
    """A block of steps, where the answer stands since August 2026."""
    steps = {"status": "WORKFLOW_COMPLETED", "steps": [{"items": list(parts)}]}
    return {"intended_usage": "workflow_root", "workflow_block": steps}


def part(kind: str, name: str, **fields: Any) -> dict[str, Any]:
    return {"type": f"WORKFLOW_ITEM_{kind}", "payload": {f"{name}_payload": fields}}


def change(usage: str, field: str, *patches: tuple[str, str, Any]) -> dict[str, Any]:
    several = [{"op": op, "path": path, "value": value} for op, path, value in patches]
    return {"intended_usage": usage, "diff_block": {"field": field, "patches": several}}


def message(*blocks: dict[str, Any], **fields: Any) -> dict[str, Any]:
    known = {
        "backend_uuid": TURN,
        "display_model": "turbo",
        "query_str": "How old do oaks get?",
        "status": "COMPLETED",
        "final_sse_message": True,
        "blocks": list(blocks),
    }
    return known | fields


def going_on(*blocks: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return message(*blocks, status="PENDING", final_sse_message=False) | fields


def stream(*messages: dict[str, Any], end: str = "\r\n") -> bytes:
    frames = [f"event: message{end}data: {json.dumps(one)}{end}{end}" for one in messages]
    return "".join(frames).encode()


def thread(*entries: Any) -> bytes:
    return json.dumps({"status": "success", "entries": list(entries)}).encode()


def pill(url: str, label: str = "oak") -> str:
    inner = f'<span class="citation inline"><span>{label}</span></span>'
    return f'<span class="citation inline" data-pplx-citation-url="{url}">{inner}</span>'


def page(body: str, *, question: str = "How old do oaks get?", more: str = "") -> str:
    asks = f'<div class="group/query"><span class="select-text">{question}</span></div>'
    answer = f'<div id="markdown-content-0"><div class="prose">{body}</div></div>'
    return f"<html><body><main>{asks}{answer}{more}</main></body></html>"


def read(body: bytes | str, form: Form, *panels: Panel) -> tuple[Turn, ...]:
    written = body.encode() if isinstance(body, str) else body
    return turns(Document(written, form, panels=panels))


def only(body: bytes | str, form: Form, *panels: Panel) -> Turn:
    (turn,) = read(body, form, *panels)
    return turn
