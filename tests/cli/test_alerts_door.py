"""`monitor alerts`: channels tried out by the way of every alert, and what became of messages."""

import json
from datetime import UTC, datetime

import jsonschema
import pytest

from monitor.cli import main
from monitor.config.settings import load_settings
from monitor.pipeline.bench import open_bench
from monitor.pipeline.notifying import announce_digests
from monitor.pipeline.outboxes import made_up_digest, told_of
from monitor.report.digest import TEST, digest_subject, digest_text
from monitor.report.files import Links
from monitor.store import deliveries
from tests.house import ROOT
from tests.receivers import HookServer
from tests.told import digest

CONFIG = """
store: {{database: "sqlite:///{folder}/monitor.db", artifacts: "{folder}/artifacts"}}
panels: {folder}
alerts:
  channels:
    ops: {{kind: webhook, url: "{ops}/5ecret", private: true}}
    chat: {{kind: slack, url: "{chat}/5ecret", private: true}}
"""


@pytest.fixture
def hooks():
    with HookServer() as ops, HookServer() as chat:
        yield ops, chat


@pytest.fixture
def door(tmp_path, monkeypatch, capsys, hooks):
    """A command under settings with two channels: its exit code and what it printed."""
    monkeypatch.chdir(tmp_path)
    text = CONFIG.format(folder=tmp_path, ops=hooks[0].address, chat=hooks[1].address)
    (tmp_path / "config.yaml").write_text(text, "utf-8")

    def call(*words):
        with pytest.raises(SystemExit) as stop:
            main(["alerts", *words])
        told = capsys.readouterr()
        assert "5ecret" not in told.out + told.err
        return stop.value.code, told.out + told.err

    return call


def announce(*digests):
    with open_bench(load_settings(None)) as bench:
        at = bench.clock.now()
        bench.write(lambda c: announce_digests(c, bench.settings, digests, at=at))


def kept():
    with open_bench(load_settings(None)) as bench:
        return bench.read(deliveries.load_all)


def test_a_test_goes_to_every_channel_and_says_that_it_is_one(door, hooks):
    assert door("test") == (0, "ops: sent\nchat: sent\n")
    ((path, _, body),) = hooks[0].calls
    told = json.loads(body)
    assert (path, told["test"], told["title"]) == (
        "/5ecret", True, f"test, test, {told['slot']}: another model answers; 1 new alert (1 warning)",
    )  # fmt: skip
    assert "Test: this message tries a channel out" in hooks[1].calls[0][2].decode()
    assert {one.state for one in kept()} == {"sent"}


def test_a_test_of_one_channel_leaves_the_other_alone(door, hooks):
    assert door("test", "chat") == (0, "chat: sent\n")
    assert (len(hooks[0].calls), len(hooks[1].calls)) == (0, 1)


def test_a_failed_test_says_why_ends_with_two_and_leaves_nothing_behind(door, hooks):
    hooks[0].status = 503
    code, told = door("test")
    assert code == 2
    assert "ops: failed: answered 503" in told
    assert "chat: sent" in told
    assert [one.message.target for one in kept()] == ["channel:chat"]
    assert len(hooks[0].calls) == 1


def test_a_test_waits_its_turn_behind_what_was_not_taken(door, hooks):
    hooks[0].status = 503
    announce(digest())
    door("retry")
    hooks[0].status = 200
    code, told = door("test", "ops")
    assert code == 2
    assert "1 earlier message to it not taken yet (answered 503)" in told
    assert "`monitor alerts retry ops`" in told


def test_without_channels_and_with_a_wrong_name_it_says_what_to_do(door, tmp_path):
    code, told = door("test", "opps")
    assert (code, "no channel is called 'opps'; did you mean 'ops'?" in told) == (2, True)
    (tmp_path / "config.yaml").write_text("{}", "utf-8")
    code, told = door("test")
    assert (code, "no channel is set" in told) == (2, True)


def test_deliveries_tell_state_tries_and_the_last_error(door, hooks):
    assert door("deliveries") == (0, "nothing was to be told yet\n")
    hooks[0].status, hooks[1].status = 404, 500
    announce(digest(), digest(engine="gemini"))
    assert door("retry")[0] == 2
    code, told = door("deliveries")
    assert code == 0
    assert "2 waiting, 2 given up" in told
    assert "answered 404; check the address of the channel" in told
    code, told = door("deliveries", "--json")
    found = json.loads(told)
    schema = json.loads((ROOT / "docs/schemas/deliveries.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(schema).validate(found)
    assert set(found["deliveries"][0]) == set(
        schema["properties"]["deliveries"]["items"]["required"]
    )
    states = [
        (one["channel"], one["engine"], one["state"], one["attempts"])
        for one in found["deliveries"]
    ]
    assert sorted(states) == [
        ("chat", "gemini", "waiting", 0), ("chat", "openai", "waiting", 1),
        ("ops", "gemini", "given_up", 1), ("ops", "openai", "given_up", 1),
    ]  # fmt: skip


def test_what_was_given_up_is_sent_again_by_its_own_key(door, hooks):
    hooks[0].status = 404
    announce(digest())
    assert door("retry", "ops")[0] == 2
    hooks[0].status = 200
    code, told = door("retry", "ops")
    assert (code, told.splitlines()[0]) == (0, "1 sent, 0 left")
    assert len(hooks[0].keys) == 2
    assert len(set(hooks[0].keys)) == 1
    assert {one.state for one in kept()} == {"sent"}


def test_the_list_of_alerts_tells_that_some_were_given_up_on_the_way(door, hooks):
    assert door("list") == (0, "no alert is open\n")
    hooks[0].status = 404
    announce(digest(), digest(engine="gemini"))
    door("retry")
    code, told = door("list")
    assert (code, "given up on the way to ops (2): `monitor alerts deliveries`" in told) == (
        0,
        True,
    )
    assert json.loads(door("list", "--json")[1])["alerts"] == []


def test_what_was_given_up_can_be_forgotten(door, hooks):
    hooks[0].status = 410
    announce(digest())
    door("retry")
    assert door("retry", "--forget") == (0, "1 messages forgotten\n")
    assert [one.message.target for one in kept()] == ["channel:chat"]


def test_the_status_of_a_run_and_its_schema_tell_of_its_digests(door, hooks, capsys):
    hooks[0].status = 404
    announce(digest(), digest(run="run:tea:2026-11-02"))
    door("retry")
    with open_bench(load_settings(None)) as bench:
        found = bench.read(lambda c: told_of(c, "run:tea:2026-11"))
    schema = json.loads((ROOT / "docs/schemas/status.schema.json").read_text("utf-8"))
    part = {**schema["properties"]["deliveries"], "$defs": schema["$defs"]}
    shown = [one.as_json() for one in found]
    jsonschema.Draft202012Validator(part).validate(shown)
    assert sorted((one["channel"], one["state"]) for one in shown) == [
        ("chat", "sent"), ("ops", "given_up"),
    ]  # fmt: skip


def test_every_form_of_the_trial_says_first_that_it_is_a_test():
    one = made_up_digest(datetime(2026, 11, 1, tzinfo=UTC))
    assert digest_text(one, Links(), test=True).startswith(TEST)
    assert digest_subject(one, test=True).startswith("[test] ")
