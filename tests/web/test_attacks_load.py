"""Attempts at keeping everybody else out: bodies that never end, streams that nobody reads."""

import asyncio
import contextlib

import pytest
from fastapi import HTTPException, Request

from monitor.web.access import bodies
from monitor.web.access.bodies import capped
from monitor.web.app import make_app
from monitor.web.health import HealthWatch
from monitor.web.pages import progress
from tests.stored import bench_in, planned

FORM = {"type": "http.request", "body": b"name=ada", "more_body": True}


def asked(*messages, headers=()):
    """A request whose body comes in these messages, and then no more."""
    left = list(messages)

    async def receive():
        if left:
            return left.pop(0)
        return await asyncio.Future()

    scope = {"type": "http", "method": "POST", "path": "/login", "headers": list(headers)}
    return Request(scope, receive)


@pytest.mark.parametrize("messages", [(), (FORM,), (FORM, FORM)])
async def test_a_body_that_stops_coming_is_not_waited_for(messages, monkeypatch):
    monkeypatch.setattr(bodies, "SILENT_SECONDS", 0.01)
    receive = capped(asked(*messages), 1000)
    for one in messages:
        assert await receive() == one
    with pytest.raises(HTTPException) as refused:
        await receive()
    assert refused.value.status_code == 408
    assert refused.value.headers == {"connection": "close"}


async def test_a_body_that_drips_is_not_read_to_its_end(monkeypatch):
    monkeypatch.setattr(bodies, "LONGEST_SECONDS", 0.0)
    monkeypatch.setattr(bodies, "LEAST_BYTES_A_SECOND", 1000)
    # A body of at most 0 bytes may take no time; one of 2,000,000 may take 2,000 seconds.
    with pytest.raises(HTTPException) as refused:
        await capped(asked(FORM), 0)()
    assert refused.value.status_code in {408, 413}
    assert await capped(asked(FORM), 2_000_000)() == FORM


async def test_who_waits_for_an_answer_is_not_hurried(monkeypatch):
    monkeypatch.setattr(bodies, "SILENT_SECONDS", 0.01)
    whole = FORM | {"more_body": False}
    receive = capped(asked(whole), 1000)
    assert await receive() == whole
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(receive(), 0.05)


async def test_a_stream_whose_reader_left_before_its_first_word_frees_its_place(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(progress, "STREAMS", progress.Streams(most=1))
    with bench_in(tmp_path, monkeypatch) as bench:
        run = planned(bench)
        app = make_app(HealthWatch(bench, holds=0.0))
        for _ in range(3):
            assert await left_at_once(app, f"/runs/{run.public_id}/progress") in {None, 200}
            assert progress.STREAMS.open == 0


async def left_at_once(app, path):
    """Ask for a path and be gone; the status, where one was told."""
    told = []

    async def receive():
        return {"type": "http.disconnect"}

    async def send(message):
        told.append(message.get("status"))
        raise OSError("gone")

    scope = {
        "type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "method": "GET",
        "path": path, "raw_path": path.encode(), "query_string": b"", "scheme": "http",
        "headers": [(b"host", b"127.0.0.1:8750")], "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8750), "http_version": "1.1", "root_path": "",
    }  # fmt: skip
    with contextlib.suppress(OSError, BaseExceptionGroup):
        await app(scope, receive, send)
    return told[0] if told else None
