"""Log lines: JSON or text, with ids; addresses cut to hosts, errors to their class."""

import asyncio
import json
import logging

import pytest

from monitor.config.logs import about, configure_logs, log, scrubbed
from monitor.config.parts import HealthPart


@pytest.fixture
def lines(capsys):
    """Lines on standard error since the last look, as JSON."""
    configure_logs(HealthPart(log_format="json"), service=True)
    yield lambda: [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    root = logging.getLogger()
    root.handlers = [one for one in root.handlers if type(one).__name__ != "_StandardError"]
    logging.getLogger("monitor").setLevel(logging.NOTSET)


def test_a_line_holds_time_level_event_and_what_was_given(lines):
    log("capture_stored", engine="openai", outcome="answered", duration_ms=4012, micros=0)
    (line,) = lines()
    assert line.pop("time").endswith("+00:00")
    assert line == {
        "level": "info", "event": "capture_stored", "engine": "openai", "outcome": "answered",
        "duration_ms": 4012, "micros": 0,
    }  # fmt: skip


def test_lines_inside_are_about_a_run_and_a_capture(lines):
    with about(run="run:tea:2026-11"):
        with about(capture=7, engine="openai"):
            log("call_retried", attempt=2)
        log("run_ended", state="done")
    log("stopped")
    first, second, third = lines()
    assert (first["run"], first["capture"], first["engine"]) == ("run:tea:2026-11", 7, "openai")
    assert second["run"] == "run:tea:2026-11"
    assert "capture" not in second
    assert "run" not in third


async def test_tasks_do_not_mix_what_they_are_about(lines):
    async def work(number):
        with about(capture=number):
            await asyncio.sleep(0)
            await asyncio.to_thread(log, "capture_stored", count=number)

    await asyncio.gather(*map(work, range(20)))
    assert all(line["capture"] == line["count"] for line in lines())


def test_addresses_are_cut_to_their_host(lines):
    log(
        "delivery_failed",
        reason="POST https://me:pw@ping.example.org:8443/5ecret?key=5ecret failed",
    )
    (line,) = lines()
    assert line["reason"] == "POST https://ping.example.org:8443 failed"


def test_of_an_error_only_its_class_is_told(lines):
    log("run_failed", level="error", error=ValueError("prompt: 5ecret"))
    try:
        raise ValueError("5ecret")
    except ValueError:
        logging.getLogger("foreign.logger").exception("it broke")
    own, foreign = lines()
    assert own["error"] == foreign["error"] == "ValueError"
    assert "5ecret" not in json.dumps([own, foreign])
    assert (foreign["logger"], foreign["says"]) == ("foreign.logger", "it broke")


def test_libraries_tell_warnings_only_and_their_addresses_are_cut(lines):
    logging.getLogger("some.client").info("HTTP Request: GET https://api.example/5ecret")
    logging.getLogger("some.client").warning("odd https://api.example/5ecret")
    assert [line["says"] for line in lines()] == ["odd https://api.example"]


def test_a_field_that_could_hold_an_answer_does_not_exist(lines):
    with pytest.raises(TypeError):
        log("capture_stored", body="an answer")
    assert lines() == []


def test_no_field_is_long(lines):
    log("schedule_refused", reason="x" * 10_000, counts={str(n): n for n in range(1000)})
    (line,) = lines()
    assert (len(line["reason"]), len(line["counts"])) == (200, 50)


def test_text_lines_are_one_line_each_whatever_is_in_them(capsys, lines):
    configure_logs(HealthPart(), service=True)
    log("schedule_refused", panel="tea", reason='the run\nof "tea" is\x1b[31m on', count=2)
    text = capsys.readouterr().err
    assert text.count("\n") == 1
    assert text.endswith(
        ' info    schedule_refused panel=tea reason="the run of \\"tea\\" is\\u001b[31m on" count=2\n'
    )


@pytest.mark.parametrize(
    ("service", "level", "expected"),
    [
        (True, None, ["a", "b"]),
        (False, None, ["b"]),
        (False, "info", ["a", "b"]),
        (True, "error", []),
    ],
)
def test_a_service_tells_more_than_a_command_unless_settings_say(lines, service, level, expected):
    configure_logs(HealthPart(log_format="json", log_level=level), service=service)
    log("a")
    log("b", level="warning")
    assert [line["event"] for line in lines()] == expected


def test_nothing_is_written_before_a_door_asks_for_it(capsys, monkeypatch):
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    log("run_failed", level="error")
    assert capsys.readouterr().err == ""


def test_a_text_without_address_stays():
    assert scrubbed("a: b // c") == "a: b // c"
