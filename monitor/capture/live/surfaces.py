"""Surfaces as they are captured live in one process: selectors, session, and gate of each."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from monitor.capture.live.own import AttachedSession, ProfileSession
from monitor.capture.live.patience import Patience, patience_of
from monitor.capture.live.sessions import AnonymousSession, Drivers, Session
from monitor.config.settings import Settings
from monitor.config.surfaces import SurfacePart
from monitor.domain.ports import SurfaceGate
from monitor.engines.surfaces.selectors import Selectors, load_selectors

LoadSelectors = Callable[[str], Selectors]
GateOf = Callable[[str], SurfaceGate]


@dataclass(frozen=True, slots=True)
class LiveSurface:
    """One surface, ready to be captured."""

    selectors: Selectors
    part: SurfacePart
    session: Session
    gate: SurfaceGate
    patience: Patience
    viewport: tuple[int, int]
    """CSS pixels, width and height."""


class LiveSurfaces:
    """All surfaces of a process; a browser is started when its first capture begins."""

    def __init__(
        self,
        settings: Settings,
        gate_of: GateOf,
        *,
        load: LoadSelectors = load_selectors,
        patience: Patience | None = None,
    ) -> None:
        """`patience` is that of the settings, unless it is given."""
        self._settings = settings
        self._gate_of = gate_of
        self._load = load
        self._patience = patience or patience_of(settings.browser)
        self._drivers = Drivers()
        self._known: dict[str, LiveSurface] = {}

    def surface(self, name: str) -> LiveSurface:
        """The surface of an engine."""
        if name not in self._known:
            part = surface_part(self._settings, self._load(name))
            browser = self._settings.browser
            self._known[name] = LiveSurface(
                self._load(name),
                part,
                self._session(name, part),
                self._gate_of(name),
                self._patience,
                (browser.width, browser.height),
            )
        return self._known[name]

    async def close(self) -> None:
        """End what was started."""
        for one in self._known.values():
            await one.session.close()
        self._known.clear()
        await self._drivers.close()

    def _session(self, name: str, part: SurfacePart) -> Session:
        settings = self._settings
        if part.session == "attached":
            return AttachedSession(self._drivers, settings.browser, part)
        if part.session == "profile":
            folder = profile_folder(name, part)
            return ProfileSession(
                self._drivers, settings.browser, settings.sandbox, part, folder=folder
            )
        return AnonymousSession(self._drivers, settings.browser, settings.sandbox, part)


def surface_part(settings: Settings, selectors: Selectors) -> SurfacePart:
    """How a surface is captured: as the settings say; a page of our own needs no settings."""
    told = settings.surfaces.get(selectors.surface)
    if told is not None:
        return told
    return SurfacePart() if selectors.terms is not None else SurfacePart(session="anonymous")


def profile_folder(name: str, part: SurfacePart) -> Path:
    """Folder of a surface's own profile."""
    return Path(part.profile).expanduser() if part.profile else Path("data") / "profiles" / name
