"""How an installation stands to browser surfaces: on or off and why, stopped, captures today."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from random import SystemRandom
from typing import Any
from urllib.parse import urlsplit

from monitor.capture.live.own import open_by_hand
from monitor.capture.live.surfaces import LiveSurfaces, profile_folder, surface_part
from monitor.config.settings import Settings
from monitor.config.words import nearest
from monitor.domain.engine import EngineSettings, Surface
from monitor.domain.job import capture_queue
from monitor.domain.panel import Prompt
from monitor.engines import ENGINES
from monitor.engines.surfaces.selectors import Selectors, Terms, load_selectors
from monitor.errors import ConfigError
from monitor.pipeline.bench import Bench
from monitor.store import Connection, surface_state
from monitor.store.surface_state import StoredGate, SurfacePace, SurfaceState

_CHANCE = SystemRandom()


def surface_names() -> tuple[str, ...]:
    """Engines that are captured through a browser."""
    return tuple(name for name, one in ENGINES.items() if one.surface is Surface.BROWSER)


def pace_of(settings: Settings, selectors: Selectors) -> SurfacePace:
    """How often a surface may be captured; a page of our own has no cap."""
    told = settings.surfaces.get(selectors.surface)
    if told is None and selectors.terms is None:
        return SurfacePace(settings.browser.spacing_seconds, None)
    part = surface_part(settings, selectors)
    return SurfacePace(part.spacing_seconds, part.daily_cap)


def open_surfaces(bench: Bench) -> LiveSurfaces:
    """All surfaces of this process, with the gates that it shares with all others."""

    def gate_of(name: str) -> StoredGate:
        return StoredGate(
            bench.database,
            bench.writer,
            name,
            pace_of(bench.settings, load_selectors(name)),
            bench.clock,
            chance=_CHANCE.random,
        )

    return LiveSurfaces(bench.settings, gate_of)


def off_reason(name: str, settings: Settings, today: date | None = None) -> str | None:
    """Why a surface is not captured live, with what to write; None where it is on."""
    terms = load_selectors(name).terms
    if terms is None:
        told = name in settings.engines or name in settings.surfaces
        return None if told else f"browser surfaces are off until engines.{name} is configured"
    part = settings.surfaces.get(name)
    if part is None or part.acknowledgement is None:
        return (
            f"live capture is off: read {terms.name} ({terms.url}), and if you answer for it set "
            f"{_wanted(name, terms)}; `monitor import` needs none of this"
        )
    return acknowledgement_problem(name, settings, today)


def acknowledgement_problem(name: str, settings: Settings, today: date | None = None) -> str | None:
    """What is wrong with the acknowledgement of a surface, and what to write; else None."""
    terms, part = load_selectors(name).terms, settings.surfaces.get(name)
    if terms is None or part is None or part.acknowledgement is None:
        return None
    told = part.acknowledgement
    if told.terms != terms.url:
        return (
            f"surfaces.{name}.acknowledgement.terms is not the address of its terms: read "
            f"{terms.name} ({terms.url}), and write {_wanted(name, terms)}"
        )
    if told.read_on > (today or datetime.now(UTC).date()):
        return (
            f"surfaces.{name}.acknowledgement.read_on is {told.read_on}, a day to come: write the "
            "day on which you read the terms"
        )
    return None


def _wanted(name: str, terms: Terms) -> str:
    return (
        f"surfaces.{name}.acknowledgement: {{terms: {terms.url!r}, read_on: YYYY-MM-DD, by: NAME}}"
    )


def surface_problems(settings: Settings) -> Iterator[tuple[tuple[str, ...], str]]:
    """What is wrong with the sections of surfaces: where it stands, and what to write."""
    known = surface_names()
    folders: dict[str, str] = {}
    for name, part in settings.surfaces.items():
        if name not in known:
            yield ("surfaces", name), f"unknown surface {name!r}{nearest(name, known)}"
            continue
        if (problem := acknowledgement_problem(name, settings)) is not None:
            yield ("surfaces", name, "acknowledgement"), problem
        if part.session == "profile" and part.profile is not None:
            other = folders.setdefault(part.profile, name)
            if other != name:
                said = f"surfaces.{name}.profile is that of {other}: each has a folder of its own"
                yield ("surfaces", name, "profile"), said


def resting(connection: Connection, settings: Settings, now: datetime) -> Mapping[str, str]:
    """Surfaces that may not be captured now, with the reason."""
    states = surface_state.load_surfaces(connection, surface_names())
    found = {}
    for name, state in states.items():
        reason = state.refusal(pace_of(settings, load_selectors(name)).daily_cap, now)
        if reason is not None:
            found[name] = reason
    return found


def resting_queues(connection: Connection, settings: Settings, now: datetime) -> frozenset[str]:
    """Queues of captures that may not be made now."""
    names: Iterable[str] = resting(connection, settings, now)
    return frozenset(capture_queue(name, ENGINES[name].access) for name in names)


def resume_surface(bench: Bench, name: str) -> bool:
    """Lift the stop of a surface; whether it was stopped."""
    _known(name)
    return bench.write(lambda c: surface_state.lift_stop(c, name))


def sign_in_folder(settings: Settings, name: str) -> Path:
    """Folder of the profile that a person may sign in to; ConfigError where there is none."""
    _known(name)
    part = surface_part(settings, load_selectors(name))
    if part.session != "profile":
        raise ConfigError(
            f"surfaces.{name}.session is {part.session}, which keeps nobody signed in here: "
            "`profile` has a folder for it; in a browser of your own, sign in yourself"
        )
    if (off := off_reason(name, settings)) is not None:
        raise ConfigError(f"{name}: {off}")
    return profile_folder(name, part)


async def sign_in(settings: Settings, name: str, folder: Path) -> None:
    """Let a person sign in to a surface's own profile; ends with the window."""
    asked = ENGINES[name].request(_NOTHING, EngineSettings())
    place = urlsplit(asked.url)
    part = surface_part(settings, load_selectors(name))
    await open_by_hand(settings, part, folder, url=f"{place.scheme}://{place.netloc}/")


def _known(name: str) -> None:
    if name not in surface_names():
        known = surface_names()
        raise ConfigError(f"no browser surface is called {name!r}{nearest(name, known)}")


_NOTHING = Prompt("login", "login", "en-GB")
"""Stands for a question where only the address of a surface is wanted."""


@dataclass(frozen=True, slots=True)
class SurfaceStanding:
    """One surface, as `monitor surfaces` shows it."""

    name: str
    label: str
    off: str | None
    """Why it is off; None where it is on."""
    terms: Terms | None
    """None for a page of our own."""
    acknowledged: str | None
    """By whom and when its terms were read."""
    session: str
    state: SurfaceState
    captures_today: int
    daily_cap: int | None

    def as_json(self) -> dict[str, Any]:
        """The same as JSON values."""
        stopped = self.state.stopped_at
        return {
            "surface": self.name,
            "label": self.label,
            "on": self.off is None,
            "off_because": self.off,
            "terms": None if self.terms is None else self.terms.url,
            "terms_say": None if self.terms is None else self.terms.says,
            "acknowledged": self.acknowledged,
            "session": self.session,
            "stopped_at": None if stopped is None else stopped.isoformat(),
            "stopped_because": self.state.stopped_because,
            "captures_today": self.captures_today,
            "daily_cap": self.daily_cap,
        }


def surface_standings(bench: Bench) -> tuple[SurfaceStanding, ...]:
    """All surfaces, in the order of the engines."""
    states = bench.read(lambda c: surface_state.load_surfaces(c, surface_names()))
    return tuple(_standing(bench, states[name]) for name in surface_names())


def _standing(bench: Bench, state: SurfaceState) -> SurfaceStanding:
    settings, name, now = bench.settings, state.engine, bench.clock.now()
    selectors = load_selectors(name)
    part = surface_part(settings, selectors)
    read = part.acknowledgement
    return SurfaceStanding(
        name,
        ENGINES[name].label,
        "browser.enabled is false" if not settings.browser.enabled else off_reason(name, settings),
        selectors.terms,
        None if read is None else f"{read.by}, {read.read_on}",
        part.session,
        state,
        state.captures_on(now),
        pace_of(settings, selectors).daily_cap,
    )
