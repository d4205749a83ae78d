"""Whoever connects to the web door and says nothing, or half a request, is not waited for."""

import asyncio
import socket
from contextlib import asynccontextmanager, closing

import httpx
import pytest
from starlette.responses import PlainTextResponse

from monitor.web import serving

HALF = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n"


async def answering(scope, receive, send):
    await PlainTextResponse("fine")(scope, receive, send)


async def slow(scope, receive, send):
    await asyncio.sleep(3)
    await answering(scope, receive, send)


@asynccontextmanager
async def served(app, monkeypatch):
    """The address of a server that closes silent connections after a second."""
    monkeypatch.setattr(serving, "_SILENT_SECONDS", 1.0)
    with closing(socket.create_server(("127.0.0.1", 0))) as place:
        server = serving._Server(serving._config(app))
        task = asyncio.create_task(server.serve(sockets=[place]))
        yield place.getsockname()[:2]
        server.should_exit = True
        await task


async def get(place):
    async with httpx.AsyncClient(trust_env=False) as client:
        return await client.get(f"http://{place[0]}:{place[1]}/health")


async def began(place, *, after):
    """A connection that goes silent: at once, in mid-request, or in the middle of the second."""
    reader, writer = await asyncio.open_connection(*place)
    writer.write(after)
    await writer.drain()
    return reader, writer


@pytest.mark.parametrize("said", [b"", HALF, HALF + b"\r\n" + HALF])
async def test_connections_that_go_silent_are_closed_and_others_answered(monkeypatch, said):
    async with served(answering, monkeypatch) as place:
        silent = [await began(place, after=said) for _ in range(210)]
        assert (await get(place)).status_code == 503
        for reader, writer in silent:
            async with asyncio.timeout(10):
                await reader.read()
            writer.close()
        assert (await get(place)).text == "fine"


async def test_an_answer_that_takes_long_is_waited_for(monkeypatch):
    async with served(slow, monkeypatch) as place:
        assert (await get(place)).text == "fine"
