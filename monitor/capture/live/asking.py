"""From an address to a question that was put: open, get past what may be closed, type, submit."""

from contextlib import suppress
from urllib.parse import urlsplit

from playwright.async_api import Error, Response
from playwright.async_api import TimeoutError as PlaywrightTimeoutError

from monitor.capture.live.barriers import (
    EndedError,
    Ending,
    is_challenged,
    refusal,
    wall_at,
    wall_seen,
)
from monitor.capture.live.looking import Look
from monitor.capture.live.talk import Talk, first_line
from monitor.domain.engine import Outcome
from monitor.engines.surfaces.live import squeezed

_NOTHING_SENT = ("NAME_NOT_RESOLVED", "CONNECTION_REFUSED", "INTERNET_DISCONNECTED",
                 "ADDRESS_UNREACHABLE", "PROXY_CONNECTION_FAILED")  # fmt: skip
"""Failures before a single byte of a request went out."""


async def put_question(talk: Talk) -> None:
    """Open the page and put the question to it once; EndedError where something stands before."""
    if talk.css("prompt") is None:
        await _put_by_address(talk)
        return
    await _open(talk)
    await _ready(talk)
    talk.host = urlsplit(talk.page.url).hostname
    await talk.eyes.remember()
    look = await talk.eyes.look()
    talk.users, talk.record.moved = look.users, not look.turns
    await _submit(talk)


def refuse_walls(talk: Talk, look: Look) -> None:
    """EndedError where a wall stands: by the page's address, else by what is seen."""
    wall = wall_at(talk.page.url, talk.eyes.selectors.addresses) or wall_seen(look.walls)
    if wall is not None:
        # A wall is nothing that was there before the question.
        talk.record.moved = True
        raise EndedError(wall)


async def _put_by_address(talk: Talk) -> None:
    """A surface whose address holds the question: to open it is to submit."""
    talk.record.submit()
    try:
        await _open(talk)
    except EndedError as ended:
        if any(words in (ended.ending.detail or "") for words in _NOTHING_SENT):
            talk.record.submitted = None
        raise
    await _ready(talk)
    talk.host = urlsplit(talk.page.url).hostname


async def _open(talk: Talk) -> None:
    """Navigate, then hear what status and headers say."""
    limit = talk.patience.navigate
    try:
        reply = await talk.page.goto(
            talk.url, wait_until="commit", timeout=talk.milliseconds(limit)
        )
    except PlaywrightTimeoutError:
        said = f"the page did not come within {limit:g} s"
        raise EndedError(Ending(Outcome.TIMEOUT, detail=said)) from None
    except Error as error:
        ending = Ending(Outcome.ERROR, "network", f"the page did not open: {first_line(error)}")
        raise EndedError(ending) from error
    talk.record.moved = True
    talk.record.note("opened_at")
    await _hear(talk, reply)


async def _hear(talk: Talk, reply: Response | None) -> None:
    """EndedError where the reply is a refusal; what is seen on the page says it more exactly."""
    if is_challenged(reply):
        said = "the reply's header says that it is a challenge"
        raise EndedError(Ending(Outcome.BLOCKED, "challenge", said))
    refused = refusal(reply.status if reply else None)
    if refused is None:
        return
    with suppress(PlaywrightTimeoutError):
        limit = talk.milliseconds(talk.patience.panel)
        await talk.page.wait_for_load_state("domcontentloaded", timeout=limit)
    look = await talk.eyes.try_look()
    if look is not None:
        refuse_walls(talk, look)
    raise EndedError(refused)


async def _ready(talk: Talk) -> None:
    """Wait until the page can be asked; EndedError where it cannot."""
    typed = talk.css("prompt") is not None
    until = talk.now() + talk.patience.ready
    while True:
        look = await talk.eyes.try_look()
        if look is not None:
            refuse_walls(talk, look)
            if not await talk.close_overlay(look) and (look.prompt or not typed):
                return
        if talk.now() > until:
            said = f"no place to type the question was seen within {talk.patience.ready:g} s"
            raise EndedError(Ending(Outcome.LAYOUT_UNKNOWN, detail=said))
        await talk.pause()


async def _submit(talk: Talk) -> None:
    """Type the question, and send it: once."""
    await _type(talk)
    box, send = talk.seen(talk.css("prompt") or "").first, talk.css("send")
    talk.address = talk.page.url
    talk.record.submit()
    # Whatever goes wrong from here on, the question may have gone out.
    with suppress(PlaywrightTimeoutError):
        limit = talk.milliseconds(talk.patience.panel)
        if send is None:
            await box.press("Enter", timeout=limit)
        else:
            await talk.seen(send).first.click(timeout=limit)


async def _type(talk: Talk) -> None:
    """Type until the page took it: a page that is still waking up forgets what it was told."""
    until = talk.now() + talk.patience.ready
    said: str | None = "the question could not be typed"
    while talk.now() < until:
        try:
            said = await _typed(talk)
        except PlaywrightTimeoutError as error:
            said = f"the question could not be typed and sent: {first_line(error)}"
        if said is None:
            return
    raise EndedError(Ending(Outcome.LAYOUT_UNKNOWN, detail=said))


async def _typed(talk: Talk) -> str | None:
    """Type the question; what is wrong with what the page made of it, None where it can be sent."""
    limit = talk.milliseconds(min(3.0, talk.patience.ready))
    box = talk.seen(talk.css("prompt") or "").first
    await box.fill(talk.record.prompt, timeout=limit)
    taken = await talk.eyes.typed() or ""
    if squeezed(taken) != squeezed(talk.record.prompt):
        return f"the page took {taken[:80]!r} for the question"
    if (send := talk.css("send")) is not None:
        await talk.seen(send).first.click(trial=True, timeout=limit)
    return None
