"""Browser surfaces by engine name: where things stand on the page and how they are read off it."""

from collections.abc import Mapping
from dataclasses import dataclass

from monitor.engines import sandbox_chat


@dataclass(frozen=True, slots=True)
class BrowserSurface:
    """What the driver needs to know of one chat-like page."""

    contract: str
    """Name of the payload's shape, written into every payload."""
    selectors: Mapping[str, str]
    """CSS selectors by role; see the engine module."""
    extract: str
    """JavaScript function of the answer's turn."""
    extract_panel: str
    """JavaScript function of the opened source panel."""


SURFACES: Mapping[str, BrowserSurface] = {
    "sandbox_chat": BrowserSurface(
        contract=sandbox_chat.CONTRACT,
        selectors=sandbox_chat.SELECTORS,
        extract=sandbox_chat.EXTRACT,
        extract_panel=sandbox_chat.EXTRACT_PANEL,
    ),
}
"""The one table of surfaces that a browser can drive."""
