"""Looks at a page: what stands on it by the roles of a surface's selectors, all at one moment."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Any

from playwright.async_api import Error, Page

from monitor.capture.isolated import evaluate
from monitor.capture.live.barriers import BY_ROLE
from monitor.engines.surfaces.selectors import Selectors


@lru_cache(maxsize=1)
def _script() -> str:
    return (files("monitor.capture.live") / "page.js").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Look:
    """What stands on a page at one moment."""

    walls: tuple[str, ...]
    """Roles of walls that are seen."""
    overlay: bool
    """Whether something that may be closed lies over the page."""
    loaded: bool
    prompt: bool
    """Whether there is a place to type the question."""
    turns: tuple[str, ...]
    """Keys of all answers, in document order."""
    turn: str | None
    """The page's own name of the newest answer that was not there before the question."""
    has_turn: bool
    """Whether there is such an answer, finished or not."""
    has_answer: bool
    text: str
    """Its words so far."""
    user: str | None
    """The question that stands before it."""
    users: int
    """Questions on the page."""
    ended: bool
    """Whether its end mark is there."""
    busy: bool
    """Whether a stop button, a sign of writing or a pending mark is there."""
    declined: bool
    needs_input: bool
    whole: bool
    """Whether the page shows what it ends with, answer or not."""


@dataclass(frozen=True, slots=True)
class Pill:
    """A citation of the answer that is seen; its number is its place."""

    in_view: bool
    closed: bool
    """Whether there is more behind it than it shows."""
    link: bool
    """Whether a click would lead away."""


@dataclass(slots=True)
class Eyes:
    """How one surface's pages are looked at."""

    page: Page
    selectors: Selectors
    before: tuple[str, ...] = ()
    """Keys of the answers that were there before the question."""
    css: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        """Join the selectors of each role."""
        roles = {one.role for one in self.selectors.selectors}
        self.css = {role: css for role in roles if (css := self.selectors.css(role))}

    async def look(self) -> Look:
        """What stands on the page now."""
        told = await self._ask("look")
        return Look(**{**told, "walls": tuple(told["walls"]), "turns": tuple(told["turns"])})

    async def try_look(self) -> Look | None:
        """The same; None while the page is on its way to another document."""
        try:
            return await self.look()
        except Error as error:
            if is_gone(error) or self.page.is_closed():
                raise
            return None

    async def typed(self) -> str | None:
        """What stands in the place to type the question; None where none is seen."""
        told: str | None = await self._ask("typed")
        return told

    async def remember(self) -> None:
        """Take the answers that are there for those before the question."""
        self.before = tuple(await self._ask("remember"))

    async def mark(self) -> tuple[Pill, ...]:
        """Mark the answer as ANSWER on the page, and number its citations that are seen."""
        told = await self._ask("mark")
        return tuple(Pill(**one) for one in told["pills"])

    async def about(self) -> Mapping[str, Any]:
        """What the page says of itself: queries, model, whether somebody is signed in, locale."""
        told: Mapping[str, Any] = await self._ask("about")
        return told

    async def unfold(self) -> bool:
        """Name the next thing to open as UNFOLDING; False where there is none."""
        return bool(await self._ask("unfold"))

    async def name_tab(self) -> bool:
        """Name the tab that is open as TAB; False where there are no tabs."""
        return bool(await self._ask("tab"))

    async def _ask(self, what: str) -> Any:
        return await evaluate(
            self.page,
            _script(),
            {
                "do": what,
                "css": dict(self.css),
                "before": list(self.before),
                "turnId": self.selectors.turn_id,
                "walls": [role for role in BY_ROLE if role in self.css],
            },
        )


ANSWER = "[data-monitor-answer]"
UNFOLDING = "[data-monitor-unfolded=now]"
TAB = "[data-monitor-tab]"


def pill_css(number: int) -> str:
    """Selector of a numbered citation."""
    return f'[data-monitor-pill="{number}"]'


def is_gone(error: Error) -> bool:
    """Whether an error says that the page or its browser is there no more."""
    said = str(error)
    return any(words in said for words in ("Target crashed", "has been closed", "Target closed"))
