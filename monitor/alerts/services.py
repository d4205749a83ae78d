"""Any other service through the library apprise, an extra that is imported where it is used.

apprise follows redirects and connects wherever they lead: nothing here can guard it. It tells
whether a message was taken, and not why it was not.
"""

import asyncio
import logging
from importlib.util import find_spec

from monitor.errors import DeliveryError

MISSING = (
    "the library apprise is not installed: install the extra, "
    "`pip install citation-monitor[apprise]`"
)

SECONDS = 30.0
"""Time for one message; apprise cannot be cut off, and goes on in its thread."""


def missing_library() -> str | None:
    """What to install before any service can be told; None where it is there."""
    return MISSING if find_spec("apprise") is None else None


async def send_service(url: str, subject: str, text: str, *, seconds: float = SECONDS) -> None:
    """Hand a message to a service; DeliveryError where it is not taken, without its address."""
    try:
        async with asyncio.timeout(seconds):
            taken = await asyncio.to_thread(_notify, url, subject, text)
    except TimeoutError:
        raise DeliveryError(f"no answer within {seconds:g} seconds", permanent=False) from None
    if not taken:
        raise DeliveryError("apprise could not deliver it, and tells no reason", permanent=False)


def _notify(url: str, subject: str, text: str) -> bool:
    """Whether apprise says that a service took a message."""
    try:
        import apprise
    except ImportError:
        raise DeliveryError(MISSING, permanent=True) from None
    # Its own lines repeat whole addresses.
    logging.getLogger("apprise").setLevel(logging.CRITICAL + 1)
    told = apprise.Apprise()
    if not told.add(url):
        raise DeliveryError(
            "apprise knows no service of such an address; check url or url_file", permanent=True
        )
    try:
        return bool(told.notify(body=text, title=subject, body_format=apprise.NotifyFormat.TEXT))
    except Exception as error:  # noqa: BLE001 - a plugin of any service may raise anything
        name = type(error).__name__
        raise DeliveryError(f"apprise could not deliver it ({name})", permanent=False) from None
