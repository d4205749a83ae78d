"""Our own record of a page that was captured live, contract `browser-capture-2`.

One canonical JSON object (sorted keys, ASCII):

    contract        "browser-capture-2"
    surface         engine name, such as chatgpt_web
    selectors       version of the selectors that were used
    state           complete, or the outcome: timeout | layout_unknown | login_required |
                    consent_required | blocked | needs_input | no_answer
    reason          bracket of the outcome (captcha, challenge, rate_limit, geo, declined, absent),
                    else null
    detail          what was seen, in words, else null
    prompt          the text that was filled in
    user_turn       text of the last question shown, or null: proof of what is answered
    turn_id         the page's own name of the answer, or null
    url, title      of the page when the capture ended
    html            outerHTML of the answer's part of the page with what stands around it that the
                    surface's `turns` reads; shadow trees inside; elements that were not visible
                    have `data-monitor-hidden` (see `monitor.markup.shown`), the root has
                    `data-monitor-asked`, pills that were opened have `data-monitor-pill` (a
                    number); or null
    text            innerText of the answer, or null
    panels          list of {name, html, anchor}: what was opened, in that order
    in_view         numbers of the pills that were seen without scrolling, or null
    searched        list of queries shown, or null where the page does not tell
    model           model shown, or null
    screenshots     list of pictures, see `monitor.domain.screenshot.Screenshot`
    snapshots       list of what is kept beside them, see `Snapshot`
    environment     {browser, viewport, locale, timezone, geolocation, color_scheme, user_agent,
                    egress_country, logged_in, personalised, session}; unknown is null
    times           {opened_at, submitted_at, first_text_at, completed_at} UTC, or null, and
                    {wait_ms}: monotonic milliseconds from submit to complete
    hidden_text     {rendered_chars, dom_chars} of the answer, or null
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from monitor.domain.engine import REASONS, Outcome, Reading
from monitor.domain.turn import Document, Form, Panel
from monitor.engines.shapes.payload import (
    list_at,
    mapping_at,
    optional_string,
    read_json,
    require,
    string_at,
)
from monitor.errors import PayloadError

CONTRACT = "browser-capture-2"
COMPLETE = "complete"


@dataclass(frozen=True, slots=True)
class LiveCapture:
    """What a live payload says, before its page is read."""

    surface: str
    state: str
    reason: str | None
    detail: str | None
    prompt: str
    user_turn: str | None
    turn_id: str | None
    document: Document
    payload: Mapping[str, Any]
    """All fields, for those that only some surfaces have."""

    @property
    def ended(self) -> Reading | None:
        """The outcome of a capture that was not completed; None where there is an answer to read.

        An answer to another prompt than the one that was asked is nobody's answer.
        """
        if self.state == COMPLETE:
            shown = self.user_turn
            if shown is not None and squeezed(shown) == squeezed(self.prompt):
                return None
            stale = f"the page answers {shown!r}, not the prompt that was filled in"
            return Reading(Outcome.LAYOUT_UNKNOWN, warnings=(stale,))
        outcome = Outcome(self.state)
        reason = self.reason if outcome in REASONS else None
        return Reading(outcome, reason, warnings=(self.detail,) if self.detail else ())


def is_live(body: bytes) -> bool:
    """Whether bytes look like a live capture's record."""
    return body.lstrip()[:1] == b"{" and b'"contract":"browser-capture-' in body


def read_record(engine: str, body: bytes, contract: str) -> Mapping[str, Any]:
    """Fields of a record of ours; PayloadError where it is of another contract or surface."""
    record = mapping_at(engine, read_json(engine, body), "$")
    told = require(engine, record, "contract", "$")
    if told != contract:
        raise PayloadError(engine, "$.contract", f"{told!r}, expected {contract!r}")
    surface = string_at(engine, require(engine, record, "surface", "$"), "$.surface")
    if surface != engine:
        raise PayloadError(engine, "$.surface", f"{surface!r}, expected {engine!r}")
    return record


def read_live(engine: str, body: bytes) -> LiveCapture:
    """A live payload's fields; PayloadError where one that counts is missing or strange."""
    payload = read_record(engine, body, CONTRACT)
    state = string_at(engine, require(engine, payload, "state", "$"), "$.state")
    if state not in {COMPLETE, *(one.value for one in Outcome)}:
        raise PayloadError(engine, "$.state", f"{state!r}, expected complete or an outcome")
    html = optional_string(payload.get("html"))
    if state == COMPLETE and html is None:
        raise PayloadError(engine, "$.html", "a complete capture has the page it read")
    rows = list_at(engine, payload.get("panels") or [], "$.panels")
    panels = tuple(_panel(engine, row, f"$.panels[{i}]") for i, row in enumerate(rows))
    in_view = payload.get("in_view")
    return LiveCapture(
        surface=engine,
        state=state,
        reason=optional_string(payload.get("reason")),
        detail=optional_string(payload.get("detail")),
        prompt=string_at(engine, require(engine, payload, "prompt", "$"), "$.prompt"),
        user_turn=optional_string(payload.get("user_turn")),
        turn_id=optional_string(payload.get("turn_id")),
        document=Document(
            (html or "").encode(),
            Form.DOM,
            optional_string(payload.get("url")),
            panels,
            frozenset(map(str, in_view)) if isinstance(in_view, list) else None,
        ),
        payload=payload,
    )


def squeezed(text: str) -> str:
    """Text with every run of white space as one space."""
    return " ".join(text.split())


def _panel(engine: str, row: Any, path: str) -> Panel:
    panel = mapping_at(engine, row, path)
    return Panel(
        name=string_at(engine, require(engine, panel, "name", path), f"{path}.name"),
        html=string_at(engine, require(engine, panel, "html", path), f"{path}.html"),
        anchor=optional_string(panel.get("anchor")),
    )
