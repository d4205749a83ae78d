"""What a reader opens: what citations show when hovered, and the list of sources.

Each is read while it is open. Links are never clicked: they lead away.
"""

import asyncio

from playwright.async_api import Locator
from playwright.async_api import TimeoutError as PlaywrightTimeoutError

from monitor.capture import snapshot
from monitor.capture.live.looking import TAB, Pill, pill_css
from monitor.capture.live.talk import Talk

MOST_POPOVERS = 40
"""Citations of one answer that are hovered, at most."""
MOST_LEAVES = 10
"""Pages of what one citation shows, at most."""
MOST_PICTURES = 12
"""Popovers of one answer that are pictured, at most."""


async def open_popovers(talk: Talk) -> None:
    """Hover over each citation that has more behind it, and read what that shows."""
    if talk.css("pill_popover") is None:
        return
    pills = await talk.eyes.mark()
    closed = [(number, one) for number, one in enumerate(pills) if one.closed]
    until = talk.now() + talk.patience.panel * 3
    opened = 0
    for number, pill in closed[:MOST_POPOVERS]:
        if talk.now() > until:
            break
        with talk.forgiving(f"citation {number} could not be opened"):
            opened += await _open_popover(talk, number, pill, picture=opened < MOST_PICTURES)
    if opened < len(closed):
        talk.record.notes.append(f"{opened} of {len(closed)} citations with more behind opened")


async def _open_popover(talk: Talk, number: int, pill: Pill, *, picture: bool) -> bool:
    """Whether a citation showed anything; what it showed is added to the record."""
    css = talk.css("pill_popover") or ""
    limit = talk.milliseconds(min(1.0, talk.patience.panel))
    element = talk.page.locator(pill_css(number)).first
    await element.hover(timeout=limit)
    shown = await _appears(talk.seen(css), limit)
    if not shown and not pill.link:
        await element.click(timeout=limit)
        shown = await _appears(talk.seen(css), limit)
    if shown:
        if picture:
            await _picture(talk, "popover", css)
        await _leaf_through(talk, css, number)
    await talk.page.mouse.move(0, 0)
    if not await _goes(talk.seen(css), limit / 2):
        await talk.page.keyboard.press("Escape")
        await _goes(talk.seen(css), limit / 2)
    return shown


async def _leaf_through(talk: Talk, css: str, number: int) -> None:
    """Read what a citation shows, page by page where it has several."""
    limit = talk.milliseconds(min(1.0, talk.patience.panel))
    following = talk.css("pill_next")
    pages = [(await snapshot.take(talk.page, css)).html]
    with talk.forgiving(f"citation {number} could not be leafed through"):
        while following is not None and len(pages) < MOST_LEAVES:
            button = talk.seen(following).first
            if not await button.count() or not await button.is_enabled():
                break
            await button.click(timeout=limit)
            pages.append((await snapshot.take(talk.page, css)).html)
    talk.record.panels.append({"name": "popover", "html": "\n".join(pages), "anchor": str(number)})


async def open_sources(talk: Talk) -> None:
    """Open the list of sources, read it while it is open, and go back."""
    button, panel = talk.css("sources_button"), talk.css("sources_panel")
    if button is None or panel is None or await talk.seen(button).count() == 0:
        return
    limit = talk.milliseconds(talk.patience.panel)
    with talk.forgiving("the list of sources did not open"):
        if await talk.seen(panel).count() == 0:
            has_tabs = await talk.eyes.name_tab()
            await talk.seen(button).last.click(timeout=limit)
        else:
            has_tabs = False
        await talk.seen(panel).first.wait_for(state="visible", timeout=limit)
        await _settled(talk, panel)
        found = await snapshot.take(talk.page, panel)
        talk.record.panels.append({"name": "sources", "html": found.html, "anchor": None})
        await _picture(talk, "sources", panel)
        await _go_back(talk, has_tabs=has_tabs)


async def _go_back(talk: Talk, *, has_tabs: bool) -> None:
    """Leave the list of sources as it was found."""
    panel = talk.css("sources_panel") or ""
    limit = talk.milliseconds(min(1.0, talk.patience.panel))
    way = TAB if has_tabs else talk.css("sources_back") or talk.css("sources_button") or ""
    if await talk.seen(panel).count() and await talk.seen(way).count():
        with talk.forgiving("the list of sources did not close"):
            await talk.seen(way).last.click(timeout=limit)
            await _goes(talk.seen(panel), limit)


async def _picture(talk: Talk, name: str, css: str) -> None:
    with talk.forgiving(f"no picture of {name}"):
        talk.record.screenshots.append(await talk.pictures.panel(name, css))


async def _settled(talk: Talk, css: str) -> None:
    """Wait until an opened panel has words that stay, at most as long as it may take."""
    until = talk.now() + talk.patience.panel
    words, since = "", talk.now()
    while talk.now() < until:
        now = await talk.seen(css).first.inner_text()
        if now != words:
            words, since = now, talk.now()
        elif words.strip() and talk.now() - since >= talk.patience.stable / 2:
            return
        await talk.pause()


async def _appears(found: Locator, milliseconds: float) -> bool:
    """Whether something is seen in time."""
    try:
        await found.first.wait_for(state="visible", timeout=milliseconds)
    except PlaywrightTimeoutError:
        return False
    return True


async def _goes(found: Locator, milliseconds: float) -> bool:
    """Whether nothing of it is seen in time."""
    until = asyncio.get_running_loop().time() + milliseconds / 1000
    while await found.count():
        if asyncio.get_running_loop().time() > until:
            return False
        await asyncio.sleep(0.02)
    return True
