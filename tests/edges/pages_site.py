"""Loopback sites and fakes for the page fetcher's tests; all content is synthetic."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

import httpcore

from monitor.pages.fetch import Caps, Fetcher

Script = bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]


class FixedClock:
    """A clock that stands still."""

    def now(self) -> datetime:
        return datetime(2026, 11, 1, 9, 0, tzinfo=UTC)

    def monotonic(self) -> float:
        return 0.0


@dataclass
class FakeResolver:
    """Answers from a table, one list per lookup in turn; counts its lookups."""

    table: Mapping[str, list[tuple[str, ...]]] = field(default_factory=dict)
    lookups: list[str] = field(default_factory=list)

    async def resolve(self, host: str, port: int) -> tuple[str, ...]:
        turn = self.lookups.count(host)
        self.lookups.append(host)
        if host not in self.table:
            raise OSError(f"{host}: unknown name")
        answers = self.table[host]
        return answers[min(turn, len(answers) - 1)]


@dataclass
class FakeConnector(httpcore.AsyncNetworkBackend):
    """Records every connect; answers with scripted bytes or fails."""

    answer: bytes | None = None
    connects: list[tuple[str, int]] = field(default_factory=list)

    async def connect_tcp(self, host, port, *unused) -> httpcore.AsyncNetworkStream:
        self.connects.append((host, port))
        if self.answer is None:
            raise httpcore.ConnectError("nothing listens here")
        return httpcore.AsyncMockStream([self.answer])


def http(status: int, body: bytes = b"", **headers: str) -> bytes:
    """Bytes of one HTTP/1.1 answer that closes its connection."""
    lines = {"Content-Length": str(len(body)), "Connection": "close"}
    lines |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status} X\r\n{head}\r\n".encode("latin-1") + body


def page(text: str = "A page of text.") -> bytes:
    return http(200, f"<html><body><p>{text}</p></body></html>".encode(), Content_Type="text/html")


@dataclass
class Site:
    """A running loopback server: scripts by path, and what was asked of it."""

    port: int = 0
    scripts: dict[str, Script] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    open_now: int = 0
    open_most: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            path = head.split(" ")[1]
            self.asked.append(path)
            self.heads.append(head)
            self.open_now += 1
            self.open_most = max(self.open_most, self.open_now)
            script = self.scripts.get(path, http(404))
            if callable(script):
                await script(writer)
            else:
                writer.write(script)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            self.open_now -= 1
            writer.close()


@asynccontextmanager
async def site(scripts: dict[str, Script], ssl=None) -> AsyncIterator[Site]:
    """A site on a free loopback port."""
    running = Site(scripts=scripts)
    server = await asyncio.start_server(running.serve, "127.0.0.1", 0, ssl=ssl)
    running.port = server.sockets[0].getsockname()[1]
    try:
        yield running
    finally:
        server.close()


def names(port: int, *hosts: str) -> dict[str, tuple[str, int, int]]:
    return dict.fromkeys(hosts or ("site.example",), ("127.0.0.1", port, port))


def fetcher(hosts=None, **settings) -> Fetcher:
    """A fetcher with a short deadline, no robots and fakes unless given."""
    settings.setdefault("resolver", FakeResolver())
    settings.setdefault("caps", Caps(total_seconds=3.0))
    settings.setdefault("respect_robots", False)
    return Fetcher(hosts=hosts or {}, clock=FixedClock(), user_agent="test-bot/1.0", **settings)
