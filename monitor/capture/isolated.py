"""Our scripts in a world of their own: they see a page's document, but nothing its scripts changed.

A page may replace what its scripts call (`checkVisibility`, `getComputedStyle`, `Array.prototype`)
and so tell a capture that what it hid was shown. In an isolated world all of that is the browser's.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from playwright.async_api import CDPSession, Error, Page

_NAME = "monitor"
_TRIES = 3
"""Of one call, where the page goes to another document meanwhile."""
_LEFT = ("Cannot find context", "Execution context was destroyed", "No frame for given id")
"""What a browser says of a world whose document went."""


@dataclass(frozen=True, slots=True)
class _World:
    session: CDPSession
    crashed: asyncio.Future[None]
    """Done once the page has crashed: its browser answers nothing any more."""


_WORLDS: WeakKeyDictionary[Page, _World] = WeakKeyDictionary()
"""One for each page: what a script notes on an element stays there until the document goes."""


async def evaluate(page: Page, script: str, asked: Mapping[str, Any]) -> Any:
    """What a function gives for one JSON value; Error where the page is gone or the script fails.

    Elements may be marked by attributes, which the page sees, too.
    """
    world = await _world(page)
    for left in reversed(range(_TRIES)):
        try:
            return await _call(world, script, asked)
        except Error as error:
            if left == 0 or not any(words in str(error) for words in _LEFT):
                raise
    raise AssertionError


async def _world(page: Page) -> _World:
    if page not in _WORLDS:
        session = await page.context.new_cdp_session(page)
        crashed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        page.on("crash", lambda _: None if crashed.done() else crashed.set_result(None))
        _WORLDS[page] = _World(session, crashed)
    return _WORLDS[page]


async def _call(world: _World, script: str, asked: Mapping[str, Any]) -> Any:
    tree = await _sent(world, "Page.getFrameTree", {})
    frame = tree["frameTree"]["frame"]["id"]
    # The same name gives the same world, as long as the document is the same.
    made = await _sent(world, "Page.createIsolatedWorld", {"frameId": frame, "worldName": _NAME})
    told = await _sent(
        world,
        "Runtime.callFunctionOn",
        {
            "functionDeclaration": script,
            "arguments": [{"value": asked}],
            "executionContextId": made["executionContextId"],
            "returnByValue": True,
            "awaitPromise": True,
        },
    )
    if "exceptionDetails" in told:
        thrown = told["exceptionDetails"]
        raise Error(str(thrown.get("exception", {}).get("description") or thrown["text"])[:400])
    return told["result"].get("value")


async def _sent(world: _World, method: str, values: dict[str, Any]) -> Any:
    sending = asyncio.ensure_future(world.session.send(method, values))
    either: tuple[asyncio.Future[Any], ...] = (sending, world.crashed)
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    finally:
        if not sending.done():
            sending.cancel()
    if world.crashed.done():
        raise Error("Target crashed")
    return await sending
