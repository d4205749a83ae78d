"""The one fetcher of pages: guarded, capped, polite, and never raising on what sites do.

Every outcome is a `Fetched` with a status of the closed list. Redirects are followed here, hop by
hop, each one checked; bodies are gzip or plain and cut at a cap; one deadline covers the whole
journey, waiting for a free place not counted. robots.txt follows RFC 9309: 4xx allows all, 429 and
5xx forbid all.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self, TypeVar
from weakref import WeakValueDictionary

import httpcore
import httpx

from monitor.domain.page import Fetched, FetchStatus
from monitor.domain.ports import Clock
from monitor.errors import InvalidUrlError, MonitorError
from monitor.pages.answers import (
    READABLE_TYPES,
    Arrival,
    location_of,
    read_answer,
    start_of,
    stopped,
    take_location,
)
from monitor.pages.body import FetchStoppedError
from monitor.pages.guard import (
    Address,
    HostMap,
    Resolver,
    check_url,
    guarded_client,
    join_url,
)
from monitor.pages.robots import ABSENT, DISALLOW_ALL, RATE_LIMITED, Robots, parse_robots

T = TypeVar("T")

_ROBOTS_BYTES = 512 * 1024
_ROBOTS_SECONDS = 3600.0
_ROBOTS_HOPS = 5
_CACHED_ORIGINS = 10_000
_OPAQUE_HOPS = 3
_ACCEPT = {"Accept": "text/html,application/xhtml+xml,text/plain;q=0.8,*/*;q=0.1"}


@dataclass(frozen=True, slots=True)
class Caps:
    """Limits of one fetcher: bytes decoded, seconds per page, hops, simultaneous fetches."""

    max_bytes: int = 5 * 1024 * 1024
    total_seconds: float = 20.0
    connect_seconds: float = 10.0
    max_hops: int = 10
    per_host: int = 2
    concurrency: int = 16


@dataclass(slots=True)
class _Journey:
    """Where one fetch has been, and how many seconds it has used."""

    types: frozenset[str] = READABLE_TYPES
    hops: list[str] = field(default_factory=list)
    http_status: int | None = None
    spent: float = 0.0


def _checked(url: str) -> Address:
    """A URL that may be asked; FetchStoppedError with the status of the refusal."""
    try:
        return check_url(url)
    except MonitorError as error:
        raise stopped(error) from error


def _next_hop(address: Address, location: str) -> str:
    try:
        return join_url(address.url, location)
    except InvalidUrlError as error:
        raise stopped(error) from error


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


async def _rules_in(answer: httpx.Response) -> Robots:
    """Rules of one robots.txt answer: 4xx allows all, 429 and 5xx forbid all (RFC 9309)."""
    code = answer.status_code
    if code == httpx.codes.TOO_MANY_REQUESTS:
        return RATE_LIMITED
    if httpx.codes.is_server_error(code):
        return DISALLOW_ALL
    if not httpx.codes.is_success(code):
        return ABSENT
    start = await start_of(answer, _ROBOTS_BYTES)
    return parse_robots(start.decode("utf-8", "replace"), is_cut=len(start) == _ROBOTS_BYTES)


class Fetcher:
    """Fetches pages through the guard; use as `async with Fetcher(...) as fetcher`."""

    def __init__(
        self,
        *,
        resolver: Resolver,
        hosts: HostMap,
        clock: Clock,
        user_agent: str,
        caps: Caps | None = None,
        verify: ssl.SSLContext | bool = True,
        respect_robots: bool = True,
        connector: httpcore.AsyncNetworkBackend | None = None,
    ) -> None:
        """Take resolver, sandbox names and settings; nothing is read from the environment."""
        self._caps = caps or Caps()
        self._clock = clock
        self._user_agent = user_agent
        self._respect_robots = respect_robots
        self._places = asyncio.Semaphore(self._caps.concurrency)
        self._hosts: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._robots: dict[str, tuple[float, Robots]] = {}
        self._client = guarded_client(
            resolver,
            hosts,
            verify=verify,
            connector=connector,
            timeout_seconds=self._caps.connect_seconds,
            user_agent=user_agent,
        )
        self._client.event_hooks = {"response": [take_location]}

    async def __aenter__(self) -> Self:
        """Open the client."""
        await self._client.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close every connection."""
        await self._client.__aexit__(kind, error, trace)

    async def fetch(self, url: str, *, types: frozenset[str] = READABLE_TYPES) -> Fetched:
        """The page behind a URL, or the status that says why there is none; never raises.

        `types` are the media types that are read; any other is unsupported_type.
        """
        journey = _Journey(types)
        try:
            arrival = await self._travel(url, journey)
        except FetchStoppedError as stop:
            return Fetched(
                url=url,
                status=stop.status,
                http_status=journey.http_status,
                hops=tuple(journey.hops),
                fetched_at=self._clock.now(),
                detail=str(stop)[:500],
            )
        return Fetched(
            url=url,
            status=FetchStatus.OK,
            http_status=journey.http_status,
            final_url=journey.hops[-1],
            hops=tuple(journey.hops),
            media_type=arrival.media_type,
            charset=arrival.charset,
            body=arrival.body,
            fetched_at=self._clock.now(),
            headers=arrival.headers,
        )

    async def resolve_redirect(self, url: str) -> str | None:
        """Absolute http(s) target an opaque redirect names, or None; the target is not asked."""
        current, journey = url, _Journey()
        for _ in range(_OPAQUE_HOPS):
            try:
                asked = _checked(current)
                arrival = await self._hop(asked, journey, robots=False, body=False)
                if arrival.location is None:
                    return None
                target = _checked(join_url(asked.url, arrival.location))
            except MonitorError:
                return None
            if target.host != asked.host:
                return join_url(asked.url, arrival.location)
            current = target.url
        return None

    async def robots(self, url: str) -> Robots:
        """Rules of the origin of a URL, cached for an hour; FetchStoppedError when out of reach."""
        address = _checked(url)
        async with self._place(address.host):
            return await self._timed(self._robots_of(address), _Journey())

    async def _travel(self, url: str, journey: _Journey) -> Arrival:
        target = url
        while len(journey.hops) <= self._caps.max_hops:
            journey.hops.append(target)
            address = _checked(target)
            if address.url in journey.hops[:-1]:
                raise FetchStoppedError(FetchStatus.UNREACHABLE, "a redirect loop")
            journey.hops[-1] = address.url
            arrival = await self._hop(address, journey, robots=self._respect_robots)
            if arrival.location is None:
                return arrival
            target = _next_hop(address, arrival.location)
        raise FetchStoppedError(
            FetchStatus.UNREACHABLE, f"more than {self._caps.max_hops} redirects"
        )

    async def _hop(
        self, address: Address, journey: _Journey, *, robots: bool, body: bool = True
    ) -> Arrival:
        """One hop in a free place, within what is left of the deadline; one retry."""
        async with self._place(address.host):
            if robots:
                await self._timed(self._check_robots(address), journey)
            try:
                return await self._timed(self._ask(address, journey, body=body), journey)
            except FetchStoppedError as stop:
                if not stop.retry:
                    raise
            return await self._timed(self._ask(address, journey, body=body), journey)

    @asynccontextmanager
    async def _place(self, host: str) -> AsyncIterator[None]:
        """A free place at the host, then one overall; in this order nobody waits holding both."""
        gate = self._hosts.setdefault(host, asyncio.Semaphore(self._caps.per_host))
        async with gate, self._places:
            yield

    async def _timed(self, work: Coroutine[Any, Any, T], journey: _Journey) -> T:
        """Work under what is left of the total deadline; every failure as FetchStoppedError."""
        loop = asyncio.get_running_loop()
        started = loop.time()
        left = self._caps.total_seconds - journey.spent
        try:
            async with asyncio.timeout(max(left, 0.0)):
                return await work
        except TimeoutError as error:
            seconds = self._caps.total_seconds
            raise FetchStoppedError(
                FetchStatus.TIMEOUT_TOTAL, f"not done after {seconds:g} s"
            ) from error
        except (httpx.HTTPError, httpx.InvalidURL, MonitorError, OSError, UnicodeError) as error:
            raise stopped(error) from error
        finally:
            journey.spent += loop.time() - started

    async def _ask(self, address: Address, journey: _Journey, *, body: bool) -> Arrival:
        """One request: the redirect it gives, or the page where `body` is wanted."""
        async with self._client.stream("GET", address.url, headers=_ACCEPT) as answer:
            journey.http_status = answer.status_code
            location = location_of(answer)
            if location is not None or not body:
                return Arrival(location)
            return await read_answer(answer, self._caps.max_bytes, journey.types)

    async def _check_robots(self, address: Address) -> None:
        rules = await self._robots_of(address)
        if not rules.allows(self._user_agent, address.target):
            raise FetchStoppedError(
                FetchStatus.ROBOTS, f"robots.txt of {address.host} forbids {address.target[:200]}"
            )

    async def _robots_of(self, address: Address) -> Robots:
        """Rules of an origin; asked once, by one fetch at a time."""
        now = asyncio.get_running_loop().time()
        async with self._locks.setdefault(address.origin, asyncio.Lock()):
            expires, rules = self._robots.get(address.origin, (0.0, ABSENT))
            if expires > now:
                return rules
            rules = await self._ask_robots(f"{address.scheme}://{_bracketed(address.host)}")
            if len(self._robots) >= _CACHED_ORIGINS:
                self._robots.clear()
            self._robots[address.origin] = (now + _ROBOTS_SECONDS, rules)
            return rules

    async def _ask_robots(self, site: str) -> Robots:
        url = f"{site}/robots.txt"
        for hop in range(_ROBOTS_HOPS + 1):
            try:
                address = check_url(url)
                async with self._client.stream("GET", address.url, headers=_ACCEPT) as answer:
                    location = location_of(answer)
                    if location is None:
                        return await _rules_in(answer)
                    url = join_url(address.url, location)
            except MonitorError:
                if hop == 0:
                    raise
                return ABSENT  # a robots.txt that leads nowhere is one that does not exist
        return ABSENT
