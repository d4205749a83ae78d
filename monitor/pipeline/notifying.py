"""What is told to the outside, and when: pings as runs begin and end, and digests of alerts."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from functools import partial

import httpx

from monitor.alerts import Ping, open_client, send_ping
from monitor.config.logs import log
from monitor.config.pings import alive_ping_url, pings_wanted
from monitor.config.settings import Settings
from monitor.domain.alert import Digest
from monitor.domain.instrument import Alarm
from monitor.domain.keys import content_key
from monitor.domain.score import Coverage
from monitor.errors import ConfigError, DeliveryError
from monitor.pipeline.alarming import checkup
from monitor.pipeline.bench import Bench
from monitor.pipeline.outside import Outside
from monitor.pipeline.sending import CHANNEL, DIGEST, PING, send
from monitor.store import Connection, captures, codec, deliveries, runs

_EVENTS = {
    runs.RunState.RUNNING: Ping.START,
    runs.RunState.DONE: Ping.SUCCESS,
    runs.RunState.INCOMPLETE: Ping.FAIL,
    runs.RunState.FAILED: Ping.FAIL,
    runs.RunState.CANCELLED: Ping.FAIL,
}
"""What a run's state is to a switch that waits for a success in time."""

_TRIES = 12
_FIRST_PAUSE, _LONGEST_PAUSE = 2.0, 1800.0
"""Of a ping, which is of use in time only."""

_DIGEST_TRIES = 8
_DIGEST_PAUSE, _LONGEST_DIGEST_PAUSE = 60.0, 21_600.0
"""Of a digest, which is of use tomorrow, too."""

LEASE = timedelta(seconds=90)
"""Longer than any message may take: after it, whoever claimed a message is taken for dead."""


def announce(
    connection: Connection,
    settings: Settings,
    run: runs.Run,
    *,
    at: datetime,
) -> None:
    """Leave a message about the state that a run has just been moved to, in that transaction.

    Call it with the run as it stands after the move. It is idempotent per run and event, and does
    nothing without a ping URL, for a state of no interest (planned), or for what was handed in,
    which must not pass for a run in time. The alarms it tells of are those of the run's last
    `take_stock`.
    """
    ping = _EVENTS.get(run.state)
    if run.imported or ping is None or not pings_wanted(settings.health, run.panel):
        return
    alarms = checkup(connection, settings.alarms, run).alarms if run.state in runs.TELLING else ()
    grave = any(alarm.grave for alarm in alarms)
    if ping is Ping.SUCCESS and grave and settings.alarms.ping_fail:
        ping = Ping.FAIL
    text = _text(run, captures.coverage(connection, run.id), alarms)
    message = deliveries.Message(
        _key(run, ping), PING, f"panel:{run.panel}", {"ping": ping.name.lower(), "text": text}
    )
    overtaken = [_key(run, one) for one in Ping if one is not ping]
    deliveries.save(connection, message, at=at, instead_of=overtaken, lease=LEASE)


def _key(run: runs.Run, ping: Ping) -> str:
    return f"{PING}:{run.public_id}:{ping.name.lower()}"


def announce_digests(
    connection: Connection,
    settings: Settings,
    digests: Sequence[Digest],
    *,
    at: datetime,
) -> int:
    """Leave messages about new alerts for every channel that wants them, in that transaction.

    Returns how many are new in the outbox. It is idempotent per run, engine, alerts and channel:
    told twice is told once. Addresses are no part of a message; they are looked up as it is sent.
    """
    return sum(
        save_digest(connection, one, name, key=digest_key(one, name), at=at)
        for one in digests
        for name, channel in settings.alerts.channels.items()
        if channel.wants(one)
    )


def digest_key(digest: Digest, channel: str) -> str:
    """What makes it one message to a channel, however often it is told."""
    told = content_key(sorted(alert.key(digest.panel) for alert in digest.alerts), 16)
    return f"{run_digests(digest.run, digest.engine)}{told}:{channel}"


def run_digests(run: str, engine: str) -> str:
    """How the keys of all messages about one engine in one run begin."""
    return f"{DIGEST}:{run}:{engine}:"


def save_digest(
    connection: Connection,
    digest: Digest,
    channel: str,
    *,
    key: str,
    at: datetime,
    test: bool = False,
) -> bool:
    """Put one digest for one channel into the outbox; whether it is new there."""
    body = {"digest": codec.encode(Digest, digest), "test": test}
    message = deliveries.Message(key, DIGEST, f"{CHANNEL}{channel}", body)
    return deliveries.save(connection, message, at=at)


def _text(run: runs.Run, coverage: dict[str, Coverage], alarms: Sequence[Alarm]) -> str:
    """A few plain lines: run, state, coverage by engine and alarms; nothing that was asked."""
    lines = [f"{run.public_id} {run.state.value}"]
    lines += [f"{e}: {c.answered} of {c.planned} answered" for e, c in coverage.items()]
    lines += [f"alarm: {alarm.says}" for alarm in alarms]
    return "\n".join(lines)


async def deliver_due(
    bench: Bench,
    *,
    patience: float = 0.0,
    client: httpx.AsyncClient | None = None,
    outside: Outside | None = None,
) -> int:
    """Send what waits in the outbox and is due; returns how many messages were taken.

    With `patience`, failed ones are tried again for so many seconds. Never raises for a message.
    `outside` is the network, `client` the part of it for addresses that need no guard.
    """
    own = Outside(plain=client) if outside is None else outside
    ends = bench.clock.monotonic() + patience
    sent = 0
    try:
        while True:
            sent += await _deliver_now(bench, own)
            left = ends - bench.clock.monotonic()
            due = await asyncio.to_thread(bench.read, deliveries.next_due)
            wait = None if due is None else (due - bench.clock.now()).total_seconds()
            if wait is None or wait > left:
                return sent
            await asyncio.sleep(max(wait, 0.05))
    finally:
        if outside is None:
            await own.aclose()


async def _deliver_now(bench: Bench, outside: Outside) -> int:
    """Send everything that is due at this moment."""
    sent = 0
    while True:
        at = bench.clock.now()
        # Looked at before it is claimed: a claim takes the store's one seat for writing.
        due = await asyncio.to_thread(bench.read, deliveries.next_due)
        if due is None or due > at:
            return sent
        one = await bench.writer.do(partial(deliveries.claim, at=at, lease=LEASE))
        if one is None:
            return sent
        sent += await _deliver(bench, outside, one)


async def _deliver(bench: Bench, outside: Outside, one: deliveries.Delivery) -> bool:
    """Send one claimed message and note what became of it."""
    try:
        await send(bench.settings, outside, one.message, at=bench.clock.now())
    except (DeliveryError, ConfigError) as error:
        await _note_failure(bench, one, error)
        return False
    except Exception as error:  # noqa: BLE001 - one bad message must not hold up the others
        log("delivery_broken", level="error", kind=one.message.kind, error=error)
        said = f"a fault of the program ({type(error).__name__})"
        await _note_failure(bench, one, DeliveryError(said, permanent=False))
        return False
    at = bench.clock.now()
    await bench.writer.do(lambda c: deliveries.mark_sent(c, one, at=at))
    return True


async def _note_failure(
    bench: Bench, one: deliveries.Delivery, error: DeliveryError | ConfigError
) -> None:
    """Keep why a message was not taken, and when it is tried again, if it is."""
    told, due = str(error), None
    pause = _pause(one)
    permanent = isinstance(error, DeliveryError) and error.permanent
    if not permanent and pause is not None:
        asked = error.after if isinstance(error, DeliveryError) else None
        due = bench.clock.now() + timedelta(seconds=max(pause, asked or 0.0))
    await bench.writer.do(lambda c: deliveries.mark_failed(c, one, told, due=due))
    event = "delivery_given_up" if due is None else "delivery_failed"
    log(event, level="warning", kind=one.message.kind, job=one.message.target, reason=told,
        attempt=one.attempts)  # fmt: skip


def _pause(one: deliveries.Delivery) -> float | None:
    """Seconds until a message is tried again; None where it was tried often enough."""
    if one.message.kind == PING:
        tries, first, longest = _TRIES, _FIRST_PAUSE, _LONGEST_PAUSE
    else:
        tries, first, longest = _DIGEST_TRIES, _DIGEST_PAUSE, _LONGEST_DIGEST_PAUSE
    if one.attempts >= tries or one.message.body.get("test"):
        return None
    return float(min(first * 2 ** (one.attempts - 1), longest))


@asynccontextmanager
async def delivering(bench: Bench) -> AsyncIterator[None]:
    """Send what is due, again and again, while something else goes on.

    At the end a message under way is seen through: cut off, it would be sent once more.
    """
    ended = asyncio.Event()
    task = asyncio.create_task(_deliver_until(bench, ended))
    try:
        yield
    finally:
        ended.set()
        await task


async def _deliver_until(bench: Bench, ended: asyncio.Event) -> None:
    """Deliver now and every few seconds; a failure of the store is the other work's to tell."""
    while not ended.is_set():
        try:
            await deliver_due(bench)
        except Exception as error:  # noqa: BLE001 - a run does not end for want of a listener
            log("duty_failed", level="warning", reason="deliver", error=error)
        with suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), _DELIVER_SECONDS)


_DELIVER_SECONDS = 5.0


class Herald:
    """What a scheduler tells between runs: the outbox, and now and then that it lives."""

    def __init__(self, bench: Bench, client: httpx.AsyncClient | None = None) -> None:
        self._bench = bench
        self._client = client
        self._told_at: float | None = None

    def tell(self) -> None:
        """Send what is due, from a thread without an event loop; never raises."""
        try:
            asyncio.run(self._tell())
        except Exception as error:  # noqa: BLE001 - a scheduler does not end for want of a listener
            log("duty_failed", level="warning", reason="tell", error=error)

    async def _tell(self) -> None:
        await self._tell_alive()
        await deliver_due(self._bench, client=self._client)

    async def _tell_alive(self) -> None:
        """Ping the scheduler's own switch, when it is time and there is one."""
        now, part = self._bench.clock.monotonic(), self._bench.settings.health
        if self._told_at is not None and now - self._told_at < part.alive_seconds:
            return
        url = alive_ping_url(part)
        if url is None:
            return
        client = self._client or open_client()
        try:
            await send_ping(
                client, url, Ping.SUCCESS, "the scheduler lives", seconds=part.ping_timeout_seconds
            )
            self._told_at = now
        except DeliveryError as error:
            log("alive_ping_failed", level="warning", reason=str(error))
        finally:
            if self._client is None:
                await client.aclose()
