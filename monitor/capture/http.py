"""Capture over HTTP: ask, keep the bytes, ask again only where that can help.

One capture is a sequence of exchanges: the first request, then what `follow_up` asks for. Each
exchange has up to `attempts` tries. Before every call money and a call are reserved, after it the
bytes are stored, then the reservation is settled. What already lies in the artifacts is replayed.
"""

import asyncio
import logging
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import httpx

from monitor.capture.envelope import (
    Envelope,
    Kept,
    kept_headers,
    make_envelope,
    redact,
    redact_headers,
    store_envelope,
    stored_exchanges,
)
from monitor.capture.limits import EngineGate, Sleep
from monitor.capture.retry import MAX_WAIT_SECONDS, asked_delay, backoff, is_retryable
from monitor.config.logs import log
from monitor.domain.engine import (
    Auth,
    Engine,
    EngineSettings,
    Exchange,
    Exchanges,
    Outcome,
    Reading,
    Request,
)
from monitor.domain.panel import Prompt
from monitor.domain.ports import Artifacts, Budget, Clock
from monitor.errors import StoreError

MAX_BODY_BYTES = 32 * 1024 * 1024
"""An engine's payload larger than this is not an answer."""

NETWORK, TIMEOUT, TOO_LARGE, ENCODING = "network", "timeout", "too_large", "encoding"
"""Why an exchange has no bytes."""

_SLOW_TO_READ = 100_000
"""Bodies of more bytes are read in a thread: other calls have deadlines of their own."""

_CODINGS = frozenset({"", "identity", "gzip"})
"""What was asked for. Others, and stacked ones, unfold without bound from one small piece."""

Read = Callable[[Engine, tuple[Exchange, ...]], Reading]
"""Parse that never raises: unreadable bytes become error/unreadable."""

Price = Callable[[Reading, datetime], int]
"""What an answered call cost that was made at a moment, in millionths of a USD."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How one engine is asked in this run."""

    engine: Engine
    settings: EngineSettings
    gate: EngineGate
    secrets: tuple[str, ...]
    attempts: int
    timeout_seconds: float
    call_micros: int
    """Estimated price of a call: what is reserved before it."""
    price: Price | None = None
    """Price of a call after it; None counts the vendor's own figure in USD, else the estimate."""


@dataclass(frozen=True, slots=True)
class Captured:
    """All exchanges of a capture, the failed tries included, and what the last ones say."""

    envelopes: tuple[Envelope, ...]
    reading: Reading


@dataclass(frozen=True, slots=True)
class _Asked:
    """One try, and what it says read by itself."""

    envelope: Envelope
    exchange: Exchange
    reading: Reading


class HttpCapture:
    """Puts prompts to engines over HTTP; holds the edges it needs and no other state."""

    def __init__(
        self,
        client: httpx.AsyncClient,
        artifacts: Artifacts,
        budget: Budget,
        clock: Clock,
        *,
        read: Read,
        jitter: Callable[[], float],
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        _quiet_client_log()
        self._client = client
        self._artifacts = artifacts
        self._budget = budget
        self._clock = clock
        self._read = read
        self._jitter = jitter
        self._sleep = sleep

    async def capture(self, capture_id: int, prompt: Prompt, asking: Asking) -> Captured:
        """Exchanges of one capture until it is answered or cannot be; never pays twice."""
        known = await asyncio.to_thread(stored_exchanges, self._artifacts, capture_id)
        if known.lost:
            log("answers_lost", level="warning", capture=capture_id, count=known.lost)
        envelopes: list[Envelope] = []
        exchanges: tuple[Exchange, ...] = ()
        request: Request | None = asking.engine.request(prompt, asking.settings)
        while request is not None:
            seq = len(exchanges)
            tries = await self._exchange(capture_id, request, asking, seq=seq, known=known)
            envelopes += (one.envelope for one in tries)
            exchanges = (*exchanges, tries[-1].exchange)
            request = self._next(prompt, asking, exchanges)
        alone = len(exchanges) == 1
        reading = tries[-1].reading if alone else await self._reading(asking, exchanges)
        return Captured(tuple(envelopes), reading)

    def _next(self, prompt: Prompt, asking: Asking, exchanges: Exchanges) -> Request | None:
        """The call that goes on where the last one ended, or None."""
        if exchanges[-1].failure is not None or len(exchanges) >= asking.engine.max_calls:
            return None
        return asking.engine.follow_up(prompt, asking.settings, exchanges)

    async def _exchange(
        self,
        capture_id: int,
        request: Request,
        asking: Asking,
        *,
        seq: int,
        known: Kept,
    ) -> list[_Asked]:
        """The tries of one exchange; those already stored are replayed, not asked again."""
        made: list[_Asked] = []
        stored = [e for e in known.envelopes if e.seq == seq]
        free = known.free.get(seq, 0) - len(stored)
        tries = max(asking.attempts, len(stored))
        for attempt in range(tries):
            if attempt < len(stored):
                one, wait = await self._replay(stored[attempt], asking), 0.0
            else:
                number = free + attempt
                one = await self._call(capture_id, request, asking, seq=seq, attempt=number)
                wait = self._wait_before_next(one.exchange, attempt)
            made.append(one)
            if attempt + 1 == tries or not is_retryable(one.reading, one.exchange):
                break
            if wait > MAX_WAIT_SECONDS:
                break
            await self._pause(one.reading, asking, wait)
        return made

    async def _replay(self, envelope: Envelope, asking: Asking) -> _Asked:
        """A try that lies in the artifacts."""
        body = await asyncio.to_thread(self._artifacts.get, envelope.body_sha256)
        return await self._asked(envelope, envelope.exchange(body), asking)

    async def _asked(self, envelope: Envelope, exchange: Exchange, asking: Asking) -> _Asked:
        """A try with its reading."""
        # Read by itself: what an earlier message of the capture said must not hide its failure.
        return _Asked(envelope, exchange, await self._reading(asking, (exchange,)))

    async def _reading(self, asking: Asking, exchanges: tuple[Exchange, ...]) -> Reading:
        """What exchanges say; long ones are read aside."""
        if sum(len(one.body) for one in exchanges) <= _SLOW_TO_READ:
            return self._read(asking.engine, exchanges)
        return await asyncio.to_thread(self._read, asking.engine, exchanges)

    async def _pause(self, reading: Reading, asking: Asking, wait: float) -> None:
        """Hold back the whole engine where it is throttled, else only this capture."""
        blocked = reading.outcome is Outcome.BLOCKED
        log(
            "engine_paused" if blocked else "call_failed",
            level="warning",
            engine=asking.engine.name,
            outcome=reading.outcome.value,
            reason=reading.reason,
            seconds=wait,
        )
        if blocked:
            await asking.gate.pause(wait)
        elif wait:
            await self._sleep(wait)

    def _wait_before_next(self, exchange: Exchange, attempt: int) -> float:
        """Seconds before another try: what the engine asks for, else a growing pause."""
        asked = asked_delay(exchange, self._clock.now())
        return backoff(attempt, self._jitter()) if asked is None else asked

    async def _call(
        self, capture_id: int, request: Request, asking: Asking, *, seq: int, attempt: int
    ) -> _Asked:
        """One paid call: reserve, ask, keep the bytes, settle."""
        # What could not be kept is not paid for.
        await asyncio.to_thread(self._artifacts.ready)
        # Reserved before the slot is taken, and kept before it is given on: whoever kills the
        # process loses at most as many paid answers as there are slots.
        reservation = await self._budget.reserve(capture_id, asking.engine.name, asking.call_micros)
        async with asking.gate.slot():
            await self._may_still_be_kept(reservation)
            started_at, started = self._clock.now(), self._clock.monotonic()
            exchange = await self._send(request, asking)
            duration = round((self._clock.monotonic() - started) * 1000)
            body, redacted = redact(exchange.body, asking.secrets)
            headers = redact_headers(exchange.headers, asking.secrets)
            exchange = Exchange(body, exchange.status, headers, request, exchange.failure)
            envelope = make_envelope(
                request,
                exchange,
                seq=seq,
                attempt=attempt,
                started_at=started_at,
                duration_ms=duration,
                redacted=redacted,
            )
            await asyncio.to_thread(store_envelope, self._artifacts, capture_id, envelope, body)
        made = await self._asked(envelope, exchange, asking)
        await self._budget.settle(reservation, _charge(made, asking))
        return made

    async def _may_still_be_kept(self, reservation: int) -> None:
        """StoreError where answers cannot be kept by now; the call is then not made."""
        try:
            await asyncio.to_thread(self._artifacts.ready)
        except StoreError:
            await self._budget.settle(reservation, 0)
            raise

    async def _send(self, request: Request, asking: Asking) -> Exchange:
        """The bytes of one call, or why there are none."""
        try:
            async with asyncio.timeout(asking.timeout_seconds):
                return await self._stream(request, asking)
        except (TimeoutError, httpx.TimeoutException):
            return Exchange(b"", request=request, failure=TIMEOUT)
        except (httpx.HTTPError, httpx.InvalidURL, OSError):
            # The text of these errors may hold the full URL, and a key may be part of it.
            return Exchange(b"", request=request, failure=NETWORK)

    async def _stream(self, request: Request, asking: Asking) -> Exchange:
        """Status, kept headers and the body, read up to a cap."""
        headers, query = with_secret(request, asking.engine.auth, asking.secrets)
        async with self._client.stream(
            request.method,
            request.url,
            params=query or None,
            json=request.json,
            headers={"accept-encoding": "gzip, identity", **headers},
            timeout=asking.timeout_seconds,
        ) as answer:
            kept = kept_headers(answer.headers.multi_items())
            if answer.headers.get("content-encoding", "identity").strip().lower() not in _CODINGS:
                return Exchange(b"", answer.status_code, kept, request, ENCODING)
            chunks, size = [], 0
            async for chunk in answer.aiter_bytes():
                size += len(chunk)
                if size > MAX_BODY_BYTES:
                    return Exchange(b"", answer.status_code, kept, request, TOO_LARGE)
                chunks.append(chunk)
            return Exchange(b"".join(chunks), answer.status_code, kept, request)


def _quiet_client_log() -> None:
    """Drop the client's log lines: they hold full URLs, and a key may be part of one."""
    for name in ("httpx", "httpcore"):
        logger = logging.getLogger(name)
        if _dropped not in logger.filters:
            logger.addFilter(_dropped)


def _dropped(record: logging.LogRecord) -> bool:  # noqa: ARG001 - the signature of a filter
    return False


def with_secret(
    request: Request, auth: Auth | None, secrets: tuple[str, ...]
) -> tuple[dict[str, str], tuple[tuple[str, str], ...]]:
    """Headers and query of a call with its key put where the vendor wants it."""
    headers, query = dict(request.headers), list(request.query)
    if auth is None or not secrets:
        return headers, tuple(query)
    if auth.basic:
        token = b64encode(":".join(secrets).encode()).decode()
        headers["authorization"] = f"Basic {token}"
    elif auth.query:
        query.append((auth.query, secrets[0]))
    elif auth.header:
        headers[auth.header] = f"{auth.scheme}{secrets[0]}"
    return headers, tuple(query)


def _charge(made: _Asked, asking: Asking) -> int:
    """What a call cost: nothing where it failed, else what `Asking.price` makes of its reading.

    A call that ran out of time or was too large was worked on, for all we know: the estimate.
    """
    exchange, reading = made.exchange, made.reading
    if exchange.failure is not None:
        return 0 if exchange.failure == NETWORK else asking.call_micros
    if (exchange.status or 0) >= 400:
        return 0
    if asking.price is not None:
        return asking.price(reading, made.envelope.started_at)
    cost = reading.cost
    return cost.micros if cost and cost.currency == "USD" else asking.call_micros
