"""One question put to a chat page: type, send, wait for a stable end, read what is displayed.

Nothing is submitted twice: after `send` a failure is an outcome, not a reason to try again.
"""

import asyncio
from typing import Any

from playwright.async_api import ElementHandle, Page
from playwright.async_api import TimeoutError as PlaywrightTimeoutError

from monitor.capture.surfaces import BrowserSurface

POLL_SECONDS = 0.05
PANEL_MILLISECONDS = 5_000
"""How long an opened source panel may take to show."""

WALLS = (
    ("captcha", "captcha"),
    ("consent", "consent_required"),
    ("login_wall", "login_required"),
)
"""(selector role, state) in the order they are looked for."""


async def converse(
    page: Page, surface: BrowserSurface, url: str, *, prompt: str, stable_seconds: float
) -> dict[str, Any]:
    """Payload fields of one finished conversation; a wall or a strange page is its `state`."""
    await page.goto(url, wait_until="domcontentloaded")
    wall = await _wall(page, surface)
    if wall:
        return {"state": wall}
    select = surface.selectors
    before = await _turn_ids(page, surface)
    box = await page.query_selector(select["prompt"])
    send = await page.query_selector(select["send"])
    if box is None or send is None:
        return {"state": "layout_unknown"}
    await box.fill(prompt)
    await send.click()
    turn = await _finished_turn(page, surface, before, stable_seconds=stable_seconds)
    if await turn.query_selector(select["answer"]) is None:
        return {"state": "layout_unknown"}
    fields: dict[str, Any] = await turn.evaluate(surface.extract)
    users = await page.query_selector_all(select["user_turn"])
    fields["user_turn"] = await users[-1].inner_text() if users else None
    fields["state"] = "complete"
    return fields


async def open_sources(page: Page, surface: BrowserSurface, fields: dict[str, Any]) -> None:
    """Open the source panel where there is one and add what it shows to the fields.

    A panel that does not open leaves the answer as it stands.
    """
    button = await page.query_selector(surface.selectors["sources_button"])
    fields["sources_html"] = None
    if button is None:
        return
    await button.click()
    try:
        panel = await page.wait_for_selector(
            surface.selectors["sources_panel"], state="visible", timeout=PANEL_MILLISECONDS
        )
    except PlaywrightTimeoutError:
        return
    if panel is None:
        return
    shown = await panel.evaluate(surface.extract_panel)
    fields["sources_html"] = shown["sources_html"]
    fields["visible_citations"] = [*fields["visible_citations"], *shown["visible_citations"]]


async def _wall(page: Page, surface: BrowserSurface) -> str | None:
    """State of the wall that stands before the page, or None."""
    for role, state in WALLS:
        element = await page.query_selector(surface.selectors[role])
        if element is not None and await element.is_visible():
            return state
    return None


async def _turn_ids(page: Page, surface: BrowserSurface) -> frozenset[str]:
    """Ids of the turns that stood on the page before the question."""
    turns = await page.query_selector_all(surface.selectors["turn"])
    return frozenset([await t.get_attribute("data-turn-id") or "" for t in turns])


async def _finished_turn(
    page: Page, surface: BrowserSurface, before: frozenset[str], *, stable_seconds: float
) -> ElementHandle:
    """The new turn once it has its end mark and its text stays as it is; else waits for ever.

    The caller's deadline ends the wait. The stop button goes before the last sentence is drawn,
    so all signs must hold together.
    """
    text, since = None, 0.0
    clock = asyncio.get_running_loop().time
    while True:
        turn = await _new_turn(page, surface, before)
        if turn is not None and await _has_ended(turn, surface):
            now = await turn.inner_text()
            if now != text:
                text, since = now, clock()
            elif clock() - since >= stable_seconds:
                return turn
        else:
            text = None
        await asyncio.sleep(POLL_SECONDS)


async def _new_turn(
    page: Page, surface: BrowserSurface, before: frozenset[str]
) -> ElementHandle | None:
    """The last turn whose id is new, or None."""
    for turn in reversed(await page.query_selector_all(surface.selectors["turn"])):
        if (await turn.get_attribute("data-turn-id") or "") not in before:
            return turn
    return None


async def _has_ended(turn: ElementHandle, surface: BrowserSurface) -> bool:
    """Whether a turn has its final id, no stop button and its end mark."""
    turn_id = await turn.get_attribute("data-turn-id") or "-pending"
    if turn_id.endswith("-pending"):
        return False
    if await turn.query_selector(surface.selectors["stop"]) is not None:
        return False
    return await turn.query_selector(surface.selectors["copy"]) is not None
