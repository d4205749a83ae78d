"""One capture from an address to a record: ask, wait, take; every way to fail is an outcome."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from playwright.async_api import Error
from playwright.async_api import TimeoutError as PlaywrightTimeoutError

from monitor.capture.live.asking import put_question
from monitor.capture.live.barriers import EndedError, Ending
from monitor.capture.live.taking import keep_evidence, keep_mhtml, take_answer
from monitor.capture.live.talk import Talk, first_line
from monitor.capture.live.waiting import wait_for_answer
from monitor.config.logs import log
from monitor.config.surfaces import SurfacePart
from monitor.domain.engine import Outcome
from monitor.errors import MonitorError

_LAST_SECONDS = 10.0
"""How long the last look at a page may take that came to nothing."""


async def converse(talk: Talk, surface: SurfacePart, session: str) -> None:
    """Put the question and take the answer; what came of it is in the record.

    Nothing is tried twice here. Once the question went out, nobody sends it again.
    """
    record = talk.record
    try:
        async with asyncio.timeout(talk.patience.whole):
            await put_question(talk)
            await take_answer(talk, await wait_for_answer(talk))
            if surface.keep_mhtml:
                await keep_mhtml(talk)
    except EndedError as ended:
        record.ending = ended.ending
    except (TimeoutError, PlaywrightTimeoutError):
        said = f"the capture took longer than {talk.patience.whole:g} s"
        record.ending = Ending(Outcome.TIMEOUT, detail=said)
    except Error as error:
        record.ending = Ending(Outcome.ERROR, "network", f"the browser failed: {first_line(error)}")
    except MonitorError:
        raise
    except Exception as error:
        # A fault of ours; but to try again would be to ask again.
        if record.submitted is None:
            raise
        log("capture_failed", level="warning", error=error)
        said = f"{type(error).__name__}: {first_line(error)}"
        record.ending = Ending(Outcome.ERROR, "unreadable", said)
    if record.ending is not None and record.complete:
        record.notes.append(record.ending.detail or "the capture ended early")
    await _look_back(talk, surface, session)


async def _look_back(talk: Talk, surface: SurfacePart, session: str) -> None:
    """Evidence of what stood in the way, and what the page says of itself, if it still can."""
    record = talk.record
    record.environment = environment(surface, session, {}, talk)
    with suppress(Error, TimeoutError):
        async with asyncio.timeout(_LAST_SECONDS):
            record.url, record.title = talk.page.url, await talk.page.title()
            about = await talk.eyes.about()
            record.environment = environment(surface, session, about, talk)
            if not record.complete:
                await keep_evidence(talk)


def environment(
    surface: SurfacePart, session: str, about: Mapping[str, Any], talk: Talk
) -> dict[str, Any]:
    """Where and as what the page was seen: by its own word, not by what was asked for."""
    place = surface.place if session != "attached" else None
    size = talk.page.viewport_size
    return {
        "browser": talk.browser,
        "viewport": [size["width"], size["height"]] if size else None,
        "locale": about.get("locale"),
        "timezone": about.get("timezone"),
        "geolocation": None if place is None else [place.latitude, place.longitude],
        "color_scheme": about.get("color_scheme"),
        "user_agent": about.get("user_agent"),
        "egress_country": surface.egress_country,
        "logged_in": about.get("signed_in"),
        "personalised": "no" if session == "anonymous" else "possible",
        "session": session,
    }
