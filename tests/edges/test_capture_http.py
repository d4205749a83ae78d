"""Capture over HTTP: retries, pauses, deadlines, budgets, bytes first, nothing paid twice."""

import asyncio
import gzip
import json
import logging
from dataclasses import replace

import httpx
import pytest

from monitor.capture import http as capture_http
from monitor.capture.http import HttpCapture
from monitor.domain.engine import Cost, EngineSettings, Outcome
from monitor.domain.job import Job
from monitor.durable import LocalRunner
from monitor.errors import BudgetError, StoreError
from monitor.pipeline.reading import read_exchanges
from tests.capturing import KEY, PROMPT, Desk, FakeBudget, MemoryArtifacts
from tests.unit.engines.payloads_a import SONAR
from tests.unit.engines.payloads_b import found, said, searched
from tests.unit.engines.payloads_b import message as claude

THROTTLED = {"error": {"message": "Rate limit reached", "type": "rate_limit_error"}}
NO_MONEY = {"error": {"message": "You exceeded your current quota", "type": "insufficient_quota"}}


def ok(value=SONAR, **headers):
    return httpx.Response(200, json=value, headers=headers)


def refused(status, value=THROTTLED, **headers):
    plain = {name.replace("_", "-"): text for name, text in headers.items()}
    return httpx.Response(status, json=value, headers=plain)


async def test_an_answer_is_one_call_with_its_bytes_kept_and_its_price_settled():
    desk = Desk(ok())
    captured = await desk.ask()
    assert captured.reading.outcome is Outcome.ANSWERED
    assert len(desk.vendor.requests) == 1
    assert desk.artifacts.blobs[captured.envelopes[0].body_sha256] == ok().content
    # The vendor says 0.00519 USD; the reservation of 1 000 micro-USD becomes 5 190.
    assert desk.budget.settled == {0: 5190}


async def test_the_price_of_a_call_is_asked_for_by_its_reading_and_its_moment():
    desk, asked = Desk(ok()), []

    def price(reading, at):
        asked.append((reading.usage.input_tokens, at))
        return 77

    captured = await desk.ask(price=price)
    assert desk.budget.settled == {0: 77}
    assert asked == [(8, captured.envelopes[0].started_at)]


async def test_a_refused_call_costs_nothing_whatever_the_price():
    desk = Desk(refused(401, {"error": {"message": "no"}}))
    await desk.ask(price=lambda _reading, _at: 77)
    assert desk.budget.settled == {0: 0}


async def test_a_cost_in_another_currency_is_settled_at_the_estimate_and_not_as_usd():
    def reading(engine, exchanges):
        return replace(read_exchanges(engine, exchanges), cost=Cost(5_190, "EUR"))

    desk = Desk(ok())
    desk.http = HttpCapture(
        desk.client, desk.artifacts, desk.budget, desk.clock, read=reading, jitter=lambda: 0.5
    )
    await desk.ask()
    assert desk.budget.settled == {0: 1000}


async def test_the_body_and_its_record_lie_in_the_artifacts_before_anything_is_parsed():
    desk = Desk(ok())
    seen = []

    def reading(engine, exchanges):
        seen.append(list(desk.artifacts.log))
        return read_exchanges(engine, exchanges)

    desk.http = HttpCapture(
        desk.client, desk.artifacts, desk.budget, desk.clock, read=reading, jitter=lambda: 0.5
    )
    await desk.ask()
    assert seen[0] == ["put", "put", "point"]


async def test_throttled_twice_then_answered_waits_as_asked_and_counts_three_calls():
    desk = Desk(refused(429, retry_after="7"), refused(429, retry_after_ms="1500"), ok())
    captured = await desk.ask()
    assert captured.reading.outcome is Outcome.ANSWERED
    assert [e.status for e in captured.envelopes] == [429, 429, 200]
    assert [e.attempt for e in captured.envelopes] == [0, 1, 2]
    assert sum(desk.clock.slept) == pytest.approx(8.5, abs=0.01)
    assert len(desk.budget.reserved) == 3
    assert desk.budget.settled == {0: 0, 1: 0, 2: 5190}


async def test_a_throttled_engine_is_held_back_for_every_capture():
    desk = Desk(refused(429, retry_after="30"), ok(), ok())
    asking = desk.asking()
    async with desk.client:
        await desk.http.capture(1, PROMPT, asking)
        started = desk.clock.seconds
        await desk.http.capture(2, PROMPT, asking)
    assert started >= 130
    assert desk.clock.seconds - started < 1


async def test_a_spent_quota_is_not_tried_again():
    desk = Desk(refused(429, NO_MONEY, retry_after="1"))
    captured = await desk.ask("openai")
    assert (captured.reading.outcome, captured.reading.reason) == (Outcome.ERROR, "quota")
    assert len(desk.vendor.requests) == 1


async def test_a_wrong_key_is_not_tried_again():
    desk = Desk(refused(401, {"error": {"message": "Incorrect API key provided"}}))
    captured = await desk.ask("openai")
    assert (captured.reading.outcome, captured.reading.reason) == (Outcome.ERROR, "auth")
    assert len(desk.vendor.requests) == 1


async def test_a_broken_server_is_tried_up_to_the_attempts_with_growing_pauses():
    desk = Desk(*(refused(500, {"error": {"message": "oops"}}) for _ in range(4)))
    captured = await desk.ask()
    assert (captured.reading.outcome, captured.reading.reason) == (Outcome.ERROR, "server")
    assert len(desk.vendor.requests) == 4
    # Jitter of one half makes the factor 1: pauses of 1, 2 and 4 seconds.
    assert desk.clock.slept == [1.0, 2.0, 4.0]


async def test_a_network_error_is_tried_again_and_costs_nothing():
    desk = Desk(httpx.ConnectError("no route"), httpx.ReadError("cut"), ok())
    captured = await desk.ask()
    assert captured.reading.outcome is Outcome.ANSWERED
    assert [e.failure for e in captured.envelopes] == ["network", "network", None]
    assert desk.budget.settled == {0: 0, 1: 0, 2: 5190}


async def test_no_connection_at_all_is_a_network_error():
    desk = Desk(*(httpx.ConnectError("no route") for _ in range(2)))
    captured = await desk.ask(attempts=2)
    assert (captured.reading.outcome, captured.reading.reason) == (Outcome.ERROR, "network")


async def test_the_deadline_is_for_the_whole_call_not_for_each_piece():
    async def drip():
        while True:
            await asyncio.sleep(0.02)
            yield b" "

    desk = Desk(httpx.Response(200, content=drip()))
    captured = await desk.ask(attempts=1, timeout_seconds=0.15)
    assert captured.reading.outcome is Outcome.TIMEOUT
    # The vendor worked on it, for all we know: the estimate stands.
    assert desk.budget.settled == {0: 1000}


async def test_a_timeout_of_the_client_is_a_timeout_too():
    captured = await Desk(httpx.ReadTimeout("slow")).ask(attempts=1)
    assert captured.reading.outcome is Outcome.TIMEOUT


async def test_an_oversized_body_is_an_outcome_and_is_not_asked_for_again(monkeypatch):
    monkeypatch.setattr(capture_http, "MAX_BODY_BYTES", 1000)
    desk = Desk(httpx.Response(200, content=b"x" * 1001))
    captured = await desk.ask()
    assert (captured.reading.outcome, captured.reading.reason) == (Outcome.ERROR, "unreadable")
    assert (captured.envelopes[0].failure, captured.envelopes[0].status) == ("too_large", 200)
    again = Desk(artifacts=desk.artifacts)
    assert (await again.ask()).reading == captured.reading
    assert again.vendor.requests == []


async def test_only_gzip_is_offered_and_gzip_is_unpacked():
    packed = gzip.compress(json.dumps(SONAR).encode())
    desk = Desk(httpx.Response(200, content=packed, headers={"content-encoding": "gzip"}))
    captured = await desk.ask()
    assert captured.reading.outcome is Outcome.ANSWERED
    assert desk.vendor.requests[0].headers["accept-encoding"] == "gzip, identity"


async def test_a_pause_longer_than_a_run_waits_ends_the_capture():
    desk = Desk(refused(429, retry_after="3600"))
    captured = await desk.ask()
    assert (captured.reading.outcome, captured.reading.reason) == (Outcome.BLOCKED, "rate_limit")
    assert desk.clock.slept == []


async def test_the_vendors_word_that_trying_again_is_useless_is_taken():
    desk = Desk(refused(500, {"error": {"message": "oops"}}, x_should_retry="false"))
    await desk.ask()
    assert len(desk.vendor.requests) == 1


# --- several exchanges of one capture ---

PAUSED = claude(searched("tea"), found("towers"), said("So far: "), stop="pause_turn")
ENDED = claude(said("42 m", "towers"), said(" high."))


async def test_a_paused_turn_is_continued_with_what_was_said_so_far():
    desk = Desk(ok(PAUSED), ok(ENDED))
    captured = await desk.ask("anthropic")
    assert [(e.seq, e.attempt) for e in captured.envelopes] == [(0, 0), (1, 0)]
    asked = [json.loads(r.content)["messages"] for r in desk.vendor.requests]
    assert [m["role"] for m in asked[1]] == ["user", "assistant"]
    assert asked[1][1]["content"] == PAUSED["content"]
    assert captured.reading.text.endswith("42 m high.")


async def test_a_throttled_continuation_is_tried_again_though_the_first_part_has_text():
    desk = Desk(ok(PAUSED), refused(429, retry_after="2"), ok(ENDED))
    captured = await desk.ask("anthropic")
    assert [(e.seq, e.attempt) for e in captured.envelopes] == [(0, 0), (1, 0), (1, 1)]
    assert captured.reading.outcome is Outcome.ANSWERED


async def test_resuming_with_the_first_exchange_stored_pays_only_the_second():
    cut = Desk(ok(PAUSED), budget=FakeBudget(calls=1))
    with pytest.raises(BudgetError):
        await cut.ask("anthropic")
    desk = Desk(ok(ENDED), artifacts=cut.artifacts)
    captured = await desk.ask("anthropic")
    assert captured.reading.outcome is Outcome.ANSWERED
    assert (len(desk.vendor.requests), len(desk.budget.reserved)) == (1, 1)
    assert [e.seq for e in captured.envelopes] == [0, 1]


async def test_a_finished_capture_is_replayed_without_a_call():
    first = Desk(ok(PAUSED), ok(ENDED))
    captured = await first.ask("anthropic")
    again = Desk(artifacts=first.artifacts)
    assert await again.ask("anthropic") == captured
    assert (again.vendor.requests, again.budget.reserved) == ([], [])


async def test_a_stored_failed_try_is_replayed_and_then_tried_anew():
    first = Desk(refused(500, {"error": {"message": "oops"}}))
    await first.ask(attempts=1)
    desk = Desk(ok(), artifacts=first.artifacts)
    captured = await desk.ask(attempts=4)
    assert [(e.attempt, e.status) for e in captured.envelopes] == [(0, 500), (1, 200)]
    assert (len(desk.vendor.requests), desk.clock.slept) == (1, [])


async def test_tries_that_are_used_up_stay_used_up_after_a_restart():
    first = Desk(*(refused(500, {"error": {"message": "oops"}}) for _ in range(2)))
    await first.ask(attempts=2)
    again = Desk(artifacts=first.artifacts)
    captured = await again.ask(attempts=2)
    assert (captured.reading.reason, again.vendor.requests) == ("server", [])


async def test_captures_with_numbers_that_start_alike_do_not_share_exchanges():
    artifacts = MemoryArtifacts()
    await Desk(ok(), artifacts=artifacts).ask(capture_id=11)
    desk = Desk(ok(), artifacts=artifacts)
    await desk.ask(capture_id=1)
    assert len(desk.vendor.requests) == 1


async def test_a_budget_that_is_spent_makes_no_call_and_leaves_nothing():
    desk = Desk(budget=FakeBudget(micros=999))
    with pytest.raises(BudgetError):
        await desk.ask()
    assert (desk.vendor.requests, desk.artifacts.pointed) == ([], {})


async def test_an_answer_that_could_not_be_kept_is_not_paid_for():
    desk = Desk(ok())
    desk.artifacts.full = True
    with pytest.raises(StoreError, match="No space left"):
        await desk.ask()
    assert (desk.vendor.requests, desk.budget.reserved) == ([], [])


async def test_a_cap_in_the_middle_of_a_run_leaves_the_rest_unasked_for_the_next_pass():
    desk = Desk(*(ok() for _ in range(10)), budget=FakeBudget(calls=4))
    asking = desk.asking()

    async def handle(job):
        await desk.http.capture(job.subject_id, PROMPT, asking)

    todo = [Job(1, "perplexity", one) for one in range(10)]

    runner = LocalRunner({"perplexity": 3})
    failures = await runner.drain(todo, handle)
    assert len(failures) == 1
    assert (len(desk.vendor.requests), len(desk.artifacts.pointed)) == (4, 4)
    desk.budget.calls = 10
    assert await runner.drain(todo, handle) == ()
    await desk.client.aclose()
    # Ten captures, ten calls in all: the four that were stored cost nothing again.
    assert (len(desk.vendor.requests), len(desk.budget.reserved)) == (10, 10)


# --- keys ---

PLACES = [
    ("openai", (KEY,), "authorization", f"Bearer {KEY}"),
    ("anthropic", (KEY,), "x-api-key", KEY),
    ("gemini", (KEY,), "x-goog-api-key", KEY),
    ("google_ai_mode_dataforseo", ("login-of-us", KEY), "authorization",
     "Basic bG9naW4tb2YtdXM6c2stbWFkZS11cC1LRVkvMDEyMys0NTY="),
]  # fmt: skip


@pytest.mark.parametrize(("engine", "secrets", "header", "value"), PLACES)
async def test_the_key_goes_into_the_header_the_vendor_wants_and_nowhere_else(
    engine, secrets, header, value
):
    desk = Desk(refused(401, {"error": {"message": "no"}}))
    captured = await desk.ask(engine, secrets=secrets)
    assert desk.vendor.requests[0].headers[header] == value
    assert KEY not in repr(captured)
    assert KEY.encode() not in desk.everything()


async def test_the_key_goes_into_the_query_where_the_vendor_wants_it_there(caplog):
    caplog.set_level(logging.DEBUG)
    desk = Desk(refused(401, {"error": "Invalid API key"}))
    captured = await desk.ask("google_ai_mode")
    assert desk.vendor.requests[0].url.params["api_key"] == KEY
    assert KEY not in repr(captured)
    assert KEY.encode() not in desk.everything()
    assert "sk-made-up" not in caplog.text


async def test_an_engine_without_a_key_sends_none():
    desk = Desk(ok())
    await desk.ask(secrets=())
    assert "authorization" not in desk.vendor.requests[0].headers


ECHOES = [
    KEY,
    json.dumps({"error": {"message": f"bad key {KEY}"}}),
    "https://api.example/?api_key=sk-made-up-KEY%2F0123%2B456&x=1",
    "bG9naW4tb2YtdXM6c2stbWFkZS11cC1LRVkvMDEyMys0NTY=",
]


@pytest.mark.parametrize("echo", ECHOES)
async def test_a_key_that_comes_back_is_stored_blanked(echo):
    desk = Desk(httpx.Response(401, text=echo, headers={"x-request-id": echo.replace("\n", "")}))
    captured = await desk.ask("google_ai_mode_dataforseo", secrets=("login-of-us", KEY))
    left = desk.everything()
    assert captured.envelopes[0].redacted == 1
    assert b"[redacted]" in left
    assert not [e for e in (KEY, "KEY%2F0123", "bG9naW4") if e.encode() in left]
    assert KEY not in repr(captured)


async def test_cookies_and_other_headers_are_not_kept():
    desk = Desk(ok(**{"set-cookie": "session=abc", "x-secret": "s", "x-request-id": "r1"}))
    captured = await desk.ask()
    assert ("x-request-id", "r1") in captured.envelopes[0].headers
    assert b"session=abc" not in desk.everything()
    assert b"x-secret" not in desk.everything()


async def test_a_failed_connection_is_told_without_its_url():
    url = f"https://api.example/?api_key={KEY}"
    desk = Desk(httpx.ConnectError(f"cannot reach {url}"))
    captured = await desk.ask(attempts=1)
    assert KEY not in repr(captured)
    assert KEY.encode() not in desk.everything()


async def test_a_broken_address_is_a_network_error_not_a_crash():
    desk = Desk(ok())
    captured = await desk.ask(
        settings=EngineSettings(base_url="https://api.exa\x7fmple"), attempts=1
    )
    assert captured.reading.reason == "network"
