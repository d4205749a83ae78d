"""A vendor that answers with bombs, strange codings, absurd numbers and very long texts."""

import asyncio
import gzip
import json
import threading

import httpx
import pytest

from monitor.capture import http as capture_http
from monitor.capture.http import HttpCapture
from monitor.domain.engine import Outcome
from monitor.engines.shapes.payload import optional_int
from monitor.pipeline.reading import read_exchanges
from tests.capturing import PROMPT, Desk, FakeBudget, FakeClock, MemoryArtifacts
from tests.unit.engines.payloads_a import SONAR


def packed(content, coding):
    return httpx.Response(
        200, stream=httpx.ByteStream(content), headers={"content-encoding": coding}
    )


async def _reads(*_):
    raise AssertionError("a body was unpacked that nobody asked for")


@pytest.mark.parametrize("coding", ["br", "zstd", "deflate", "gzip, gzip", "x-gzip", "gzip;q=1"])
async def test_a_coding_that_was_not_asked_for_is_never_unpacked(coding, monkeypatch):
    monkeypatch.setattr(httpx.Response, "aiter_bytes", _reads)
    desk = Desk(packed(gzip.compress(gzip.compress(b" " * 100_000)), coding))
    captured = await desk.ask()
    assert (captured.reading.outcome, captured.reading.reason) == (Outcome.ERROR, "unreadable")
    assert "only gzip is" in captured.reading.warnings[0]
    assert [one.failure for one in captured.envelopes] == ["encoding"]


@pytest.mark.parametrize("coding", ["", "identity", "Identity"])
async def test_a_body_that_is_not_packed_is_read_whatever_it_says(coding):
    desk = Desk(packed(json.dumps(SONAR).encode(), coding))
    assert (await desk.ask()).reading.outcome is Outcome.ANSWERED


async def test_a_gzip_bomb_ends_at_the_cap_and_is_asked_once(monkeypatch):
    monkeypatch.setattr(capture_http, "MAX_BODY_BYTES", 100_000)
    desk = Desk(packed(gzip.compress(b" " * 5_000_000), "gzip"))
    captured = await desk.ask()
    assert [one.failure for one in captured.envelopes] == ["too_large"]
    assert captured.envelopes[0].body_sha256 in desk.artifacts.blobs


@pytest.mark.parametrize("size", [10, 200_000])
async def test_a_long_payload_is_read_aside_so_that_other_calls_keep_their_time(size):
    readers = []

    def read(engine, exchanges):
        readers.append(threading.current_thread() is threading.main_thread())
        return read_exchanges(engine, exchanges)

    answer = httpx.Response(200, content=b" " * size)
    desk = Desk(answer)
    desk.http = HttpCapture(
        desk.client,
        MemoryArtifacts(),
        FakeBudget(),
        FakeClock(),
        read=read,
        jitter=lambda: 0.5,
        sleep=asyncio.sleep,
    )
    await desk.http.capture(7, PROMPT, desk.asking(attempts=1))
    assert readers == [size <= 100_000]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_of_a_vendor_is_not_followed_and_takes_no_key_along(status):
    moved = httpx.Response(status, headers={"location": "https://thief.example/v1"})
    desk = Desk(moved)
    captured = await desk.ask(attempts=1)
    assert len(desk.vendor.requests) == 1
    assert captured.reading.outcome is Outcome.ERROR


@pytest.mark.parametrize("count", [-1, True, 2**53, 10**4000, 1.5, "7", None])
def test_a_count_that_no_vendor_counts_to_is_no_count(count):
    assert optional_int(count) is None


def test_the_largest_count_that_json_carries_is_kept():
    assert optional_int(2**53 - 1) == 9_007_199_254_740_991
