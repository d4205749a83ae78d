"""The outbox of digests on both kinds of stores: what was saved is read back, sent and revived."""

import httpx
import pytest

from monitor.pipeline import outboxes
from monitor.pipeline.outside import Outside
from tests.receivers import Box, Hook
from tests.told import LOST, SHARE, SPREAD, digest

CHANNEL = "alerts: {channels: {ops: {kind: webhook, url: 'https://hooks.example.org/x'}}}"


@pytest.mark.parametrize("alerts", [(SHARE, LOST, SPREAD), (), (SPREAD,)])
async def test_a_digest_comes_out_of_a_store_as_it_went_in(any_bench, alerts, monkeypatch):
    box, seen = Box(any_bench, CHANNEL.replace("kind", "least: notice, kind")), []
    monkeypatch.setattr(
        "monitor.pipeline.sending.digest_json", lambda one, *_, **__: seen.append(one) or {}
    )
    told = digest(alerts=alerts, fictional=True)
    assert box.announce(told) == 1
    assert box.announce(told) == 0
    assert await box.deliver(Hook()) == 1
    assert seen == [told]


async def test_what_was_given_up_is_revived_sent_and_listed(any_bench):
    box = Box(any_bench, CHANNEL)
    box.announce(digest(), digest(engine="gemini"))
    assert await box.deliver(Hook(404, 404)) == 0
    assert box.bench.read(outboxes.untold_words).startswith("given up on the way to ops (2)")
    assert outboxes.retry(box.bench, "ops") == 2
    assert await box.deliver(Hook()) == 2
    found = box.bench.read(outboxes.outbox_of)
    assert {(one.engine, one.state, one.error) for one in found} == {
        ("openai", "sent", None), ("gemini", "sent", None),
    }  # fmt: skip
    assert [one.engine for one in box.bench.read(lambda c: outboxes.told_of(c, found[0].run))] == [
        "openai", "gemini",
    ]  # fmt: skip
    assert box.bench.read(outboxes.untold_words) == ""


async def test_a_channel_is_tried_out_on_either_store(any_bench):
    box, hook = Box(any_bench, CHANNEL), Hook(200, 500)
    client = httpx.AsyncClient(transport=httpx.MockTransport(hook))
    network = Outside(plain=client, guarded=client)
    first = await outboxes.try_channels(box.bench, ["ops"], outside=network)
    box.clock.seconds += 1
    second = await outboxes.try_channels(box.bench, ["ops"], outside=network)
    assert first == (outboxes.Tried("ops", taken=True, reason=""),)
    assert second == (outboxes.Tried("ops", taken=False, reason="answered 500"),)
    assert [one.state for one in box.kept()] == ["sent"]
    await client.aclose()
