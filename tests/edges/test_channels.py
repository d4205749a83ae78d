"""Channels of alerts: who is told, what is sent, what is tried again, and what never leaves."""

import hashlib
import hmac
import json
import logging
import re
from dataclasses import replace
from datetime import timedelta

import httpx
import jsonschema
import pytest

from monitor.alerts.posting import LONGEST_WAIT
from monitor.config.logs import configure_logs
from monitor.config.parts import HealthPart
from monitor.domain.alert import Severity
from monitor.pipeline import notifying, sending
from monitor.store import deliveries
from tests.house import ROOT
from tests.receivers import Box, Hook, channel_settings
from tests.stored import bench_in
from tests.told import LOST, SHARE, digest

URL = "https://hooks.example.org/5ecret"
ONE = f"alerts: {{channels: {{ops: {{kind: webhook, url: '{URL}', secret: 5ecret-key}}}}}}"
CHATS = f"""
alerts:
  links: https://reports.example.org
  channels:
    chat: {{kind: slack, url: "{URL}-slack"}}
    team: {{kind: teams, url: "{URL}-teams?sig=5ecret"}}
"""


@pytest.fixture
def box(tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch) as bench:
        yield Box(bench, ONE)


def told_to(box, text):
    box.bench = replace(box.bench, settings=channel_settings(box.bench.settings, text))


async def test_a_digest_told_twice_is_sent_once(box):
    hook = Hook()
    assert box.announce(digest()) == 1
    assert box.announce(digest()) == 0
    assert await box.deliver(hook) == 1
    assert box.announce(digest(still_open=5, events=())) == 0
    assert await box.deliver(hook) == 0
    assert len(hook.calls) == 1
    assert box.only().state == "sent"


def test_other_alerts_another_engine_and_another_run_are_other_messages(box):
    told = [
        digest(),
        digest(alerts=(LOST, SHARE)),
        digest(alerts=(LOST,)),
        digest(engine="gemini"),
        digest(run="run:tea:2026-12"),
    ]
    assert [box.announce(one) for one in told] == [1, 0, 1, 1, 1]
    assert len({one.message.key for one in box.kept()}) == 4


def test_a_channel_is_told_of_its_panels_its_engines_and_what_is_grave_enough(box):
    told_to(box, f"""
alerts:
  channels:
    everything: {{kind: slack, url: "{URL}", least: notice}}
    grave: {{kind: slack, url: "{URL}", least: critical}}
    tea: {{kind: slack, url: "{URL}", panels: [tea, coffee]}}
    openai: {{kind: slack, url: "{URL}", engines: [openai]}}
""")  # fmt: skip
    box.announce(
        digest(run="run:tea:1"),
        digest(run="run:tea:2", alerts=(LOST,), panel="water"),
        digest(run="run:tea:3", alerts=(replace(LOST, severity=Severity.NOTICE),)),
        digest(run="run:tea:4", alerts=(LOST,), engine="gemini"),
        digest(run="run:tea:5", alerts=()),
    )
    targets = {}
    for one in box.kept():
        targets.setdefault(one.message.key.split(":")[3], set()).add(
            one.message.target.removeprefix("channel:")
        )
    assert targets == {
        "1": {"everything", "grave", "tea", "openai"},
        "2": {"everything", "openai"},
        "3": {"everything"},
        "4": {"everything", "tea"},
        "5": {"everything"},
    }


def test_a_message_goes_with_the_transaction_of_its_alerts(box):
    def undone(connection):
        notifying.announce_digests(connection, box.bench.settings, [digest()], at=box.clock.now())
        raise RuntimeError("the alert was not stored")

    with pytest.raises(RuntimeError):
        box.bench.write(undone)
    assert box.kept() == ()


async def test_a_webhook_gets_the_documented_json_signed_with_time_and_key(box):
    hook = Hook()
    box.announce(digest())
    await box.deliver(hook)
    (call,) = hook.calls
    assert (call.method, str(call.url)) == ("POST", URL)
    assert call.headers["content-type"] == "application/json; charset=utf-8"
    assert call.headers["idempotency-key"] == box.only().message.key
    stamp = call.headers["x-monitor-timestamp"]
    assert stamp == str(int(box.clock.now().timestamp()))
    proof = hmac.new(b"5ecret-key", f"{stamp}.".encode() + call.content, hashlib.sha256)
    assert call.headers["x-monitor-signature"] == f"sha256={proof.hexdigest()}"
    schema = json.loads((ROOT / "docs/schemas/digest.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(schema).validate(json.loads(call.content))


async def test_the_documented_way_to_verify_a_message_tells_ours_from_others(box, monkeypatch):
    page = (ROOT / "docs/alerts.md").read_text("utf-8")
    (snippet,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    told = {}
    exec(snippet, told)
    hook = Hook()
    box.announce(digest())
    await box.deliver(hook)
    (call,) = hook.calls
    headers = {name.title(): value for name, value in call.headers.items()}
    sent = box.clock.now().timestamp()
    monkeypatch.setattr(told["time"], "time", lambda: sent + 10)
    assert told["is_ours"](headers, call.content, "5ecret-key")
    assert not told["is_ours"](headers, call.content + b" ", "5ecret-key")
    assert not told["is_ours"](headers, call.content, "another-key")
    later = headers | {"X-Monitor-Timestamp": str(int(sent) + 1)}
    assert not told["is_ours"](later, call.content, "5ecret-key")
    monkeypatch.setattr(told["time"], "time", lambda: sent + 301)
    assert not told["is_ours"](headers, call.content, "5ecret-key")


async def test_without_a_secret_nothing_is_signed(box):
    told_to(box, f"alerts: {{channels: {{ops: {{kind: webhook, url: '{URL}'}}}}}}")
    hook = Hook()
    box.announce(digest())
    await box.deliver(hook)
    assert "x-monitor-signature" not in hook.calls[0].headers


async def test_chats_get_their_own_form_at_their_own_address(box):
    told_to(box, CHATS)
    hook = Hook(202, 200)
    box.announce(digest())
    assert await box.deliver(hook) == 2
    sent = {str(call.url): json.loads(call.content) for call in hook.calls}
    assert set(sent) == {f"{URL}-slack", f"{URL}-teams?sig=5ecret"}
    assert sent[f"{URL}-slack"]["blocks"][0]["type"] == "header"
    card = sent[f"{URL}-teams?sig=5ecret"]["attachments"][0]
    assert card["contentType"] == "application/vnd.microsoft.card.adaptive"
    assert "https://reports.example.org/tea-2026-11.html#capture-71" in json.dumps(sent)


async def test_a_changed_address_takes_effect_for_what_waits(box):
    hook = Hook(500)
    box.announce(digest())
    await box.deliver(hook)
    told_to(box, ONE.replace("5ecret'", "other'"))
    box.clock.seconds += 60
    await box.deliver(hook)
    assert [str(call.url) for call in hook.calls] == [URL, "https://hooks.example.org/other"]
    assert len(set(hook.keys)) == 1


@pytest.mark.parametrize(
    "answer",
    [500, 502, 503, 408, 425, 429, httpx.ConnectError("refused"), httpx.ReadTimeout("slow")],
)
async def test_a_failure_that_passes_is_tried_again_after_a_minute(box, answer):
    hook = Hook(answer)
    box.announce(digest())
    assert await box.deliver(hook) == 0
    kept = box.only()
    assert (kept.state, kept.attempts) == ("waiting", 1)
    assert kept.due_at == box.clock.now() + timedelta(minutes=1)
    box.clock.seconds += 60
    assert await box.deliver(hook) == 1
    assert len(set(hook.keys)) == 1
    assert len(hook.calls) == 2


async def test_pauses_double_and_eight_tries_are_all(box):
    """1 + 2 + 4 + 8 + 16 + 32 + 64 minutes lie between eight tries."""
    hook = Hook(*[503] * 50)
    box.announce(digest())
    pauses = []
    while box.only().state == "waiting":
        await box.deliver(hook)
        due = (box.only().due_at - box.clock.now()).total_seconds()
        pauses.append(due / 60)
        box.clock.seconds += due
    assert pauses[:7] == [1, 2, 4, 8, 16, 32, 64]
    assert (len(hook.calls), box.only().state, box.only().error) == (8, "given_up", "answered 503")


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("300", 300), ("5", 60), ("0", 60), ("9999999", LONGEST_WAIT), ("soon", 60), ("-5", 60),
        ("Sat, 01 Aug 2026 00:10:00 GMT", 600), ("Sat, 01 Aug 2020 00:00:00 GMT", 60),
        ("Sat, 01 Aug 2099 00:00:00 GMT", LONGEST_WAIT), ("1e9", 60), ("٣٠٠", 60),
        ("1000000000000", LONGEST_WAIT), ("9" * 400, LONGEST_WAIT),
        (f"Sat, 01 Aug 2026 00:10:00 +{'9' * 20}", 60), (f"Sat, 01 Aug {'9' * 40} 0:0:0 GMT", 60),
    ],
)  # fmt: skip
async def test_retry_after_is_honoured_within_bounds(box, value, seconds):
    """The clock stands at 2026-08-01 00:00 UTC; the least pause is a minute, the longest 6 hours."""
    hook = Hook(429, **{"retry-after": value.encode()})
    box.announce(digest())
    await box.deliver(hook)
    assert box.only().due_at - box.clock.now() == timedelta(seconds=seconds)


async def test_a_receiver_has_all_of_the_time_that_a_message_may_take(box):
    hook = Hook()
    box.announce(digest())
    await box.deliver(hook)
    # 5 seconds without a byte, the client's own limit, would be under the 10 of a message.
    assert set(hook.calls[0].extensions["timeout"].values()) == {None}


@pytest.mark.parametrize("answer", [400, 401, 403, 404, 405, 410, 413, 422])
async def test_a_refusal_for_good_is_tried_once(box, answer):
    hook = Hook(answer)
    box.announce(digest())
    assert await box.deliver(hook) == 0
    assert (box.only().state, len(hook.calls)) == ("given_up", 1)
    assert box.only().error == f"answered {answer}; check the address of the channel"


@pytest.mark.parametrize("answer", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(box, answer):
    hook = Hook(answer, location="http://169.254.169.254/latest/meta-data/")
    box.announce(digest())
    await box.deliver(hook)
    assert len(hook.calls) == 1
    assert (box.only().state, box.only().error) == (
        "given_up", f"answered {answer}: a redirect is not followed; write the address it leads to",
    )  # fmt: skip


async def test_a_channel_that_is_gone_is_given_up_with_that_reason(box):
    box.announce(digest())
    told_to(box, "alerts: {channels: {}}")
    assert await box.deliver(Hook()) == 0
    assert box.only().state == "given_up"
    assert box.only().error == "there is no alerts.channels.ops in the settings any more"


async def test_a_file_that_cannot_be_read_is_tried_again(box, tmp_path):
    told_to(box, f"alerts: {{channels: {{ops: {{kind: slack, url_file: {tmp_path / 'url'}}}}}}}")
    hook = Hook()
    box.announce(digest())
    await box.deliver(hook)
    assert box.only().state == "waiting"
    assert "alerts.channels.ops.url_file" in box.only().error
    (tmp_path / "url").write_text(URL)
    box.clock.seconds += 60
    assert await box.deliver(hook) == 1


async def test_a_digest_of_another_version_is_given_up_and_told(box):
    message = deliveries.Message("digest:x", "digest", "channel:ops", {"digest": {"panel": "tea"}})
    box.bench.write(lambda c: deliveries.save(c, message, at=box.clock.now()))
    await box.deliver(Hook())
    assert box.only().state == "given_up"
    assert "another version of the monitor wrote it" in box.only().error


async def test_a_fault_of_ours_with_one_message_holds_up_no_other(box, monkeypatch):
    told_to(box, CHATS)

    def broken(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr(sending, "digest_blocks", broken)
    box.announce(digest())
    assert await box.deliver(Hook()) == 1
    states = {one.message.target: (one.state, one.error) for one in box.kept()}
    assert states == {
        "channel:chat": ("waiting", "a fault of the program (ZeroDivisionError)"),
        "channel:team": ("sent", None),
    }


async def test_killed_between_sending_and_marking_sends_one_duplicate_of_the_same_key(
    box, monkeypatch
):
    hook = Hook()
    box.announce(digest())

    def killed(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(deliveries, "mark_sent", killed)
        with pytest.raises(KeyboardInterrupt):
            await box.deliver(hook)
    assert await box.deliver(hook) == 0
    box.clock.seconds += 90
    assert await box.deliver(hook) == 1
    assert await box.deliver(hook) == 0
    assert hook.keys == [box.only().message.key] * 2


async def test_messages_of_one_channel_keep_their_order_and_other_channels_pass(box):
    told_to(box, CHATS)
    box.announce(digest(), digest(run="run:tea:2026-12"))
    hook = Hook(500)
    assert await box.deliver(hook) == 2
    waiting = [one for one in box.kept() if one.state == "waiting"]
    assert {one.message.target for one in waiting} == {"channel:chat"}
    assert [one.attempts for one in reversed(waiting)] == [1, 0]


async def test_a_failed_test_is_not_tried_again(box):
    def save(connection):
        return notifying.save_digest(
            connection, digest(), "ops", key="test:1", at=box.clock.now(), test=True
        )

    box.bench.write(save)
    hook = Hook(503)
    await box.deliver(hook)
    assert json.loads(hook.calls[0].content)["test"] is True
    assert box.only().state == "given_up"


@pytest.fixture
def logged():
    """Every line of the log, whatever its weight."""
    configure_logs(HealthPart(log_format="json", log_level="debug"), service=True)
    yield
    root = logging.getLogger()
    root.handlers = [one for one in root.handlers if type(one).__name__ != "_StandardError"]
    logging.getLogger("monitor").setLevel(logging.NOTSET)


@pytest.mark.usefixtures("logged")
async def test_no_secret_is_in_the_outbox_the_log_or_an_error(box, tmp_path, capsys):
    told_to(box, CHATS + f"    hook: {{kind: webhook, url: '{URL}', secret: 5ecret-key}}\n")
    box.announce(digest())
    for answer in (httpx.ConnectError(f"cannot reach {URL}"), 404, 500, 302):
        await box.deliver(Hook(answer, location=URL))
        box.clock.seconds += 3600
    errors = [one.error for one in box.kept()]
    assert any(errors)
    box.bench.writer.close()
    kept = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
    assert b"leaf.example" in kept
    told = capsys.readouterr().err
    assert "delivery_given_up" in told
    for text in (kept.decode("utf-8", "replace"), told, str(errors), repr(box.bench.settings)):
        assert "5ecret" not in text


async def test_what_a_receiver_answers_is_not_read(box):
    """An endless answer ends nothing: the status is all that is looked at."""
    read = []

    class Endless(httpx.AsyncByteStream):
        async def __aiter__(self):
            while True:
                read.append(1)
                yield b"x" * 65536

    async def hook(_request):
        return httpx.Response(200, stream=Endless())

    box.announce(digest())
    assert await box.deliver(hook) == 1
    assert len(read) == 0
