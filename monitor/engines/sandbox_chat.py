"""The sandbox's chat page, read through a browser: the pattern for every browser surface.

The page (`monitor.sandbox`, host chat.sandbox.example) is ours, so its layout is known since
2026-08 and does not move. Citations are pills `a[data-citation=inline]` behind a sentence; a
pill may stand in the DOM without being shown. A "Sources" button mounts a panel of links
`a[data-citation=panel]`, which may hold more than the pills.

What the driver does, with SELECTORS (CSS) below:

1. Open `Request.url`. If `login_wall`, `consent` or `captcha` is visible, stop with that state.
2. Remember the ids (`data-turn-id`) of all `turn`s, fill `prompt` with the prompt's text, click
   `send`. After that nothing is tried again: another try would be another answer.
3. The answer's turn is the last `turn` whose id is new. It is finished when all hold: its id does
   not end in `-pending`, it has no `stop`, it has `copy`, and the text of `answer` has not changed
   for STABLE_MILLISECONDS. The stop button goes before the last sentence is drawn, so its absence
   alone means nothing. No finish within the time allowed: state `timeout`. Finished but without
   `answer`: state `layout_unknown`.
4. Evaluate EXTRACT (a JavaScript function of the turn element) for text and inline pills; it
   uses `checkVisibility`, since a hidden pill can have a box.
5. If the turn has `sources_button`, click it, wait for `sources_panel`, evaluate EXTRACT_PANEL
   on the panel, keep its outerHTML; else `sources_html` is null. Answers scroll inside `scroller`.

The payload, contract `browser-capture-1`, is one canonical JSON object (sorted keys, ASCII):

    contract            "browser-capture-1"
    state               complete | timeout | layout_unknown | login_required | consent_required
                        | captcha
    url, title          of the page when the capture ended
    prompt              the text that was filled in
    user_turn           text of the last user turn, or null: proof that the answer is to this prompt
    turn_id             data-turn-id of the answer, or null
    text                text of the answer without the pills' labels, or ""
    searched            list of queries shown, or null where the page does not tell
    model               model shown, or null
    turn_html           outerHTML of the answer's turn, or null
    sources_html        outerHTML of the opened panel, or null
    visible_citations   list in DOM order of {"url", "title", "visible": true|false,
                        "placement": "inline"|"panel", "text_before": int|null}

`text_before` counts code points of `text` before an inline pill, null for the panel. Every anchor
with `data-citation` is listed, the hidden ones too, so that the payload proves what was left out.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from monitor.domain.engine import (
    Access,
    Citation,
    Engine,
    EngineSettings,
    Exchanges,
    Outcome,
    Reading,
    Request,
    Retrieval,
    Role,
    Span,
    SpanKind,
    Surface,
    no_follow_up,
)
from monitor.domain.panel import Prompt
from monitor.engines.shapes.payload import (
    clean_text,
    list_at,
    mapping_at,
    optional_string,
    read_json,
    require,
    string_at,
)
from monitor.errors import PayloadError

CONTRACT = "browser-capture-1"
STABLE_MILLISECONDS = 600

SELECTORS: Mapping[str, str] = MappingProxyType(
    {
        "prompt": "[data-testid=prompt]",
        "send": "[data-testid=send]",
        "turn": "[data-role=assistant][data-turn-id]",
        "user_turn": "[data-role=user][data-turn-id]",
        "answer": "[data-testid=answer]",
        "stop": "[data-testid=stop]",
        "copy": "[data-testid=copy]",
        "searched": "[data-testid=searched]",
        "sources_button": "[data-testid=sources-button]",
        "sources_panel": "[data-testid=sources-panel]",
        "scroller": "[data-testid=scroller]",
        "login_wall": "[data-testid=login-wall]",
        "consent": "[data-testid=consent]",
        "captcha": "[data-testid=captcha]",
    }
)
"""CSS selectors of the chat page by role; verified against the sandbox by its own tests."""

EXTRACT = """
(turn) => {
  const body = turn.querySelector("[data-testid=answer]");
  const searched = turn.querySelector("[data-testid=searched]");
  const citations = [];
  let text = "";
  const walk = (node) => {
    for (const child of node.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) text += child.textContent;
      else if (child.nodeType !== Node.ELEMENT_NODE) continue;
      else if (child.dataset.citation) citations.push({
        url: child.getAttribute("href"), title: child.getAttribute("title"),
        visible: child.checkVisibility({visibilityProperty: true, opacityProperty: true}),
        placement: "inline", text_before: [...text].length});
      else walk(child);
    }
  };
  if (body) walk(body);
  return {text, visible_citations: citations, turn_id: turn.dataset.turnId,
    turn_html: turn.outerHTML,
    searched: searched ? searched.textContent.split(" · ").filter(Boolean) : null};
}
"""
"""JavaScript function of the turn element; gives payload fields by their names."""

EXTRACT_PANEL = """
(panel) => ({sources_html: panel.outerHTML,
  visible_citations: [...panel.querySelectorAll("a[data-citation]")].map((a) => ({
    url: a.getAttribute("href"), title: a.getAttribute("title"),
    visible: a.checkVisibility({visibilityProperty: true, opacityProperty: true}),
    placement: "panel", text_before: null}))})
"""
"""JavaScript function of the opened panel; its citations are appended to those of the turn."""

_NAME = "sandbox_chat"
_BASE = "https://chat.sandbox.example/"
_STATES: Mapping[str, tuple[Outcome, str | None]] = {
    "timeout": (Outcome.TIMEOUT, None),
    "layout_unknown": (Outcome.LAYOUT_UNKNOWN, None),
    "login_required": (Outcome.LOGIN_REQUIRED, None),
    "consent_required": (Outcome.CONSENT_REQUIRED, None),
    "captcha": (Outcome.BLOCKED, "captcha"),
}
_PILL = re.compile(r"<a\b[^>]*\bdata-citation=[\"']?inline\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?:][\"'”’)]*\s+|\n+")


def request(prompt: Prompt, settings: EngineSettings) -> Request:  # noqa: ARG001 - typed, not sent
    """Address of the chat page; the driver types the prompt's text into it."""
    base = (settings.base_url or _BASE).rstrip("/")
    return Request("GET", f"{base}/")


def parse(exchanges: Exchanges) -> Reading:
    """Reading of a capture: pills are displayed, panel-only links listed."""
    if not exchanges:
        raise PayloadError(_NAME, "$", "no exchange at all")
    payload = mapping_at(_NAME, read_json(_NAME, exchanges[-1].body), "$")
    contract = require(_NAME, payload, "contract", "$")
    if contract != CONTRACT:
        raise PayloadError(_NAME, "$.contract", f"{contract!r}, expected {CONTRACT!r}")
    state = string_at(_NAME, require(_NAME, payload, "state", "$"), "$.state")
    if state in _STATES:
        outcome, reason = _STATES[state]
        return Reading(outcome, reason)
    if state != "complete":
        raise PayloadError(_NAME, "$.state", f"{state!r}, expected complete or {sorted(_STATES)}")
    return _complete(payload)


def _complete(payload: Mapping[str, Any]) -> Reading:
    prompt = string_at(_NAME, require(_NAME, payload, "prompt", "$"), "$.prompt")
    shown = optional_string(payload.get("user_turn"))
    if shown is None or _squeezed(shown) != _squeezed(prompt):
        stale = f"the page answers {shown!r}, not the prompt that was filled in"
        return Reading(Outcome.LAYOUT_UNKNOWN, warnings=(stale,))
    text = string_at(_NAME, require(_NAME, payload, "text", "$"), "$.text")
    if not text.strip():
        return Reading(Outcome.ERROR, "empty")
    rows = list_at(_NAME, require(_NAME, payload, "visible_citations", "$"), "$.visible_citations")
    marks = [_mark(row, f"$.visible_citations[{index}]") for index, row in enumerate(rows)]
    queries = payload.get("searched")
    return Reading(
        Outcome.ANSWERED,
        text=text,
        citations=_citations(marks, text),
        queries=tuple(clean_text(q) for q in queries or () if isinstance(q, str)),
        retrieval=Retrieval.USED if queries else Retrieval.UNKNOWN,
        served_model=optional_string(payload.get("model")),
        warnings=_warnings(payload, marks, text),
    )


def _mark(row: Any, path: str) -> Mapping[str, Any]:
    mark = mapping_at(_NAME, row, path)
    string_at(_NAME, require(_NAME, mark, "url", path), f"{path}.url")
    if not isinstance(require(_NAME, mark, "visible", path), bool):
        raise PayloadError(_NAME, f"{path}.visible", f"expected true or false, {mark['visible']!r}")
    placement = require(_NAME, mark, "placement", path)
    if placement not in {"inline", "panel"}:
        raise PayloadError(_NAME, f"{path}.placement", f"{placement!r}, expected inline or panel")
    return mark


def _citations(marks: list[Mapping[str, Any]], text: str) -> tuple[Citation, ...]:
    """One citation per distinct URL that is shown, in DOM order; pills come before the panel."""
    shown: dict[str, list[Mapping[str, Any]]] = {}
    for mark in marks:
        if mark["visible"]:
            shown.setdefault(clean_text(mark["url"]), []).append(mark)
    cited = [_citation(url, group, text) for url, group in shown.items()]
    return tuple(sorted(cited, key=lambda citation: citation.role is not Role.DISPLAYED))


def _citation(url: str, group: list[Mapping[str, Any]], text: str) -> Citation:
    pills = [mark for mark in group if mark["placement"] == "inline"]
    spans = [_span(mark.get("text_before"), text) for mark in pills]
    titles = [title for mark in group if (title := optional_string(mark.get("title")))]
    return Citation(
        url=url,
        title=titles[0] if titles else None,
        role=Role.DISPLAYED if pills else Role.LISTED,
        marks=len(pills),
        spans=tuple(dict.fromkeys(span for span in spans if span)),
    )


def _span(before: Any, text: str) -> Span | None:
    """The sentence that ends where a pill stands; None where the place cannot be told."""
    if not _is_place(before, text):
        return None
    head = text[:before].rstrip()
    ends = [match.end() for match in _SENTENCE_END.finditer(head)]
    start = ends[-1] if ends else 0
    return Span(start, len(head), SpanKind.CLAIM) if start < len(head) else None


def _is_place(before: Any, text: str) -> bool:
    return isinstance(before, int) and not isinstance(before, bool) and 0 < before <= len(text)


def _warnings(
    payload: Mapping[str, Any], marks: list[Mapping[str, Any]], text: str
) -> tuple[str, ...]:
    found = []
    pills = [mark for mark in marks if mark["placement"] == "inline"]
    if hidden := sum(not mark["visible"] for mark in marks):
        found.append(f"{hidden} citation(s) in the DOM are not shown and not counted")
    lost = sum(not _is_place(m.get("text_before"), text) for m in pills if m["visible"])
    if lost:
        found.append(f"{lost} pill(s) stand at no known place of the text")
    in_html = len(_PILL.findall(payload.get("turn_html") or ""))
    if in_html != len(pills):
        found.append(f"{in_html} pill(s) in turn_html, {len(pills)} reported")
    return tuple(found)


def _squeezed(text: str) -> str:
    return " ".join(text.split())


ENGINE = Engine(
    name=_NAME,
    label="Sandbox chat (browser)",
    access=Access.BROWSER,
    surface=Surface.BROWSER,
    request=request,
    follow_up=no_follow_up,
    parse=parse,
    auth=None,
    default_model=None,
    call_micros=0,
    lists_sources=True,
)
