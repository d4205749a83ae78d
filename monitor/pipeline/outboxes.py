"""Digests in the outbox: how each stands, trying a channel out, and sending again."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from monitor.config.settings import Settings
from monitor.config.words import nearest
from monitor.domain.alert import Alert, AlertKind, Digest, Direction, Severity
from monitor.domain.change import (
    Change,
    ChangeVerdict,
    Event,
    EventKind,
    PairedTest,
    Side,
    Subject,
)
from monitor.domain.moments import utc_second
from monitor.domain.score import Interval, Rate
from monitor.errors import ConfigError
from monitor.pipeline.bench import Bench
from monitor.pipeline.notifying import deliver_due, save_digest
from monitor.pipeline.outside import Outside
from monitor.pipeline.sending import CHANNEL, DIGEST
from monitor.report.words import plural
from monitor.store import Connection, deliveries, vitals
from monitor.store.deliveries import Delivery

_SENT_SHOWN = 20

_TEST_PATIENCE = 20.0
"""Seconds for a test that another process may be sending."""


@dataclass(frozen=True, slots=True)
class Told:
    """One digest for one channel, as it stands in the outbox."""

    channel: str
    engine: str
    run: str
    state: str
    """`waiting`, `sent` or `given_up`."""
    attempts: int
    created_at: datetime
    next_try: datetime | None
    """None for what is not tried any more."""
    sent_at: datetime | None
    error: str | None
    """Why the last try failed."""
    is_test: bool

    def as_json(self) -> dict[str, Any]:
        """The part of it that the status of a run tells."""
        return {
            "channel": self.channel,
            "engine": self.engine,
            "state": self.state,
            "attempts": self.attempts,
            "error": self.error,
        }

    def as_full_json(self) -> dict[str, Any]:
        """All of it as JSON values."""
        return {
            **self.as_json(),
            "run": self.run,
            "created_at": utc_second(self.created_at),
            "next_try": None if self.next_try is None else utc_second(self.next_try),
            "sent_at": None if self.sent_at is None else utc_second(self.sent_at),
            "test": self.is_test,
        }


def told_of(connection: Connection, run: str) -> tuple[Told, ...]:
    """Digests of a run's alerts, oldest first."""
    found = map(told_digest, deliveries.load_of(connection, f"{DIGEST}:{run}:"))
    return tuple(one for one in found if one.run == run)


def outbox_of(connection: Connection) -> tuple[Told, ...]:
    """Digests that wait or were given up, and the last that were sent; newest first."""
    left = deliveries.load_all(connection, kind=DIGEST, states=("waiting", "given_up"))
    sent = deliveries.load_all(connection, kind=DIGEST, states=("sent",), limit=_SENT_SHOWN)
    every = sorted((*left, *sent), key=lambda one: one.id, reverse=True)
    return tuple(map(told_digest, every))


def untold_words(connection: Connection) -> str:
    """That digests were given up, by channel, and what to do; empty where none was."""
    boxes = [box for box in vitals.outbox(connection) if box.channel and box.given_up]
    if not boxes:
        return ""
    named = ", ".join(f"{box.channel} ({box.given_up})" for box in boxes)
    return f"given up on the way to {named}: `monitor alerts deliveries` says why"


def told_digest(one: Delivery) -> Told:
    """A message of the outbox as how its digest stands."""
    digest = one.message.body.get("digest", {})
    return Told(
        one.message.target.removeprefix(CHANNEL),
        str(digest.get("engine", "")),
        str(digest.get("run", "")),
        one.state,
        one.attempts,
        one.created_at,
        one.due_at if one.state == "waiting" else None,
        one.sent_at,
        one.error,
        bool(one.message.body.get("test")),
    )


def outbox_json(found: Sequence[Told]) -> dict[str, Any]:
    """What `monitor alerts deliveries --json` prints."""
    return {"schema": 1, "deliveries": [one.as_full_json() for one in found]}


def chosen_channels(settings: Settings, names: Sequence[str]) -> tuple[str, ...]:
    """The channels of these names, or all; ConfigError where there is none of a name, or none."""
    known = settings.alerts.channels
    if not known:
        raise ConfigError(
            "no channel is set: name one in alerts.channels of the settings, as docs/alerts.md says"
        )
    for name in names:
        if name not in known:
            raise ConfigError(f"no channel is called {name[:80]!r}{nearest(name, known)}")
    return tuple(dict.fromkeys(names)) or tuple(known)


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of a test of one channel."""

    channel: str
    taken: bool
    reason: str
    """Why it was not taken; empty where it was."""


async def try_channels(
    bench: Bench, names: Sequence[str], *, outside: Outside | None = None
) -> tuple[Tried, ...]:
    """Send a test by each of these channels, the way that every digest goes.

    A test that is not taken at once is taken out of the outbox: nobody wants it an hour later.
    """
    at = bench.clock.now()
    keys = {name: f"test:{at.isoformat()}:{name}" for name in names}

    def save(connection: Connection) -> None:
        for name, key in keys.items():
            save_digest(connection, made_up_digest(at), name, key=key, at=at, test=True)

    await bench.writer.do(save)
    ends = bench.clock.monotonic() + _TEST_PATIENCE
    while True:
        await deliver_due(bench, outside=outside)
        found = {name: await _found(bench, key) for name, key in keys.items()}
        if bench.clock.monotonic() >= ends or not any(map(_under_way, found.values())):
            break
        await asyncio.sleep(0.2)
    tried = [await _came_of(bench, name, one) for name, one in found.items()]
    for key in keys.values():
        await bench.writer.do(partial(deliveries.withdraw, key=key))
    return tuple(tried)


async def _found(bench: Bench, key: str) -> Delivery | None:
    return await asyncio.to_thread(bench.read, lambda c: deliveries.load(c, key))


def _under_way(one: Delivery | None) -> bool:
    """Whether another process has it in hand."""
    return one is not None and one.state == "waiting" and one.attempts > 0


async def _came_of(bench: Bench, name: str, one: Delivery | None) -> Tried:
    """Whether a test was taken, and if not, why."""
    if one is None:
        return Tried(name, taken=False, reason="somebody else took it out of the outbox")
    if one.state != "waiting":
        return Tried(name, taken=one.state == "sent", reason=one.error or "")
    if one.attempts:
        why = "another process is sending it and has not come to an end"
        return Tried(name, taken=False, reason=why)
    waiting = await asyncio.to_thread(
        bench.read, lambda c: deliveries.load_all(c, kind=DIGEST, states=("waiting",))
    )
    before = [e for e in waiting if e.message.target == one.message.target and e.id < one.id]
    said = f" ({before[-1].error})" if before and before[-1].error else ""
    why = (
        f"{plural(len(before), 'earlier message')} to it not taken yet{said}; "
        f"`monitor alerts retry {name}` sends what waits now"
    )
    return Tried(name, taken=False, reason=why)


def retry(bench: Bench, channel: str | None) -> int:
    """Let digests that were given up, or wait for their next try, be tried now; how many."""
    target, at = _target(channel), bench.clock.now()
    return bench.write(lambda c: deliveries.revive(c, DIGEST, target=target, at=at))


def forget(bench: Bench, channel: str | None) -> int:
    """Take digests that were given up out of the outbox; how many there were."""
    return bench.write(lambda c: deliveries.forget(c, DIGEST, target=_target(channel)))


def _target(channel: str | None) -> str | None:
    return None if channel is None else f"{CHANNEL}{channel}"


def made_up_digest(at: datetime) -> Digest:
    """A made-up digest that tries a channel out; every form of it says so first."""
    change = Change(
        Subject.FAMILY_SHARE,
        "leaf.example",
        Side(0.10, Rate(41, 410), 20),
        Side(0.25, Rate(100, 400), 30),
        PairedTest(0.15, 0.03, Interval(0.09, 0.21), 0.0004, 0.012, 0.084),
        32,
        141,
        ChangeVerdict.CHANGED,
        "made up for a test",
    )
    alert = Alert(
        kind=AlertKind.FAMILY_SHARE,
        engine="test",
        entity="leaf.example",
        direction=Direction.UP,
        severity=Severity.WARNING,
        says="A test: an engine cites leaf.example more than before.",
        advice="Nothing: if you read this, the channel works.",
        before=(),
        after="test",
        change=change,
    )
    event = Event(EventKind.SERVED_MODEL, "model-a", "model-b", "made up for a test")
    return Digest("test", "test", "test", utc_second(at), (event,), (alert,), 0, "test", at)
