"""One connection a call at once, kept for the next call, whatever became of the last one."""

import asyncio
from contextlib import asynccontextmanager

import httpx
import pytest

from monitor.capture.connections import FreeConnections

ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"


class Engine:
    """A loopback server that counts connections and answers when it is let."""

    def __init__(self, hang_up=False):
        self.connections = 0
        self.hang_up = hang_up
        self.go_on = asyncio.Event()
        self.go_on.set()
        self.served = []

    async def serve(self, reader, writer):
        self.connections += 1
        self.served.append(asyncio.current_task())
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                await self.go_on.wait()
                writer.write(ANSWER)
                await writer.drain()
                if self.hang_up:
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        writer.close()
        await asyncio.wait([asyncio.ensure_future(writer.wait_closed())])


@asynccontextmanager
async def running(engine):
    server = await asyncio.start_server(engine.serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    async with httpx.AsyncClient(transport=FreeConnections(), trust_env=False) as client:
        yield client, url
    server.close()
    await asyncio.gather(*engine.served)
    await server.wait_closed()


async def test_calls_one_after_another_share_a_connection():
    engine = Engine()
    async with running(engine) as (client, url):
        told = [(await client.get(url)).text for _ in range(5)]
    assert (told, engine.connections) == (["hello"] * 5, 1)


async def test_calls_at_once_have_a_connection_each_and_leave_them_to_the_next():
    engine = Engine()
    async with running(engine) as (client, url):
        for _ in range(3):
            await asyncio.gather(*(client.get(url) for _ in range(4)))
    assert engine.connections == 4


async def test_connection_that_the_engine_closed_is_opened_again():
    engine = Engine(hang_up=True)
    async with running(engine) as (client, url):
        told = []
        for _ in range(3):
            told.append((await client.get(url)).text)
            await asyncio.sleep(0.05)
    assert (told, engine.connections) == (["hello"] * 3, 3)


async def test_call_given_up_half_way_harms_no_later_one():
    engine = Engine()
    async with running(engine) as (client, url):
        engine.go_on.clear()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await client.get(url)
        engine.go_on.set()
        told = [(await client.get(url)).text for _ in range(3)]
    assert told == ["hello"] * 3


async def test_body_that_is_not_read_to_its_end_harms_no_later_call():
    engine = Engine()
    async with running(engine) as (client, url):
        async with client.stream("GET", url) as answer:
            assert answer.status_code == 200
        assert (await client.get(url)).text == "hello"


async def test_place_that_refuses_is_told_and_can_be_asked_again():
    engine = Engine()
    async with running(engine) as (client, url):
        with pytest.raises(httpx.ConnectError):
            await client.get("http://127.0.0.1:1/")
        assert (await client.get(url)).text == "hello"
