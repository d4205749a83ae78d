"""`monitor parse` and `monitor urls`: what they print, their exit codes, and what they load."""

import io
import json
import subprocess
import sys

import pytest

from monitor import cli
from monitor.cli import main
from monitor.cli.reading import lines_of
from tests.corpora import ROOT, corpora
from tests.unit.engines.payloads_a import SONAR


@pytest.fixture(autouse=True)
def _bare_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def standard_input(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


@pytest.fixture
def payload(tmp_path):
    path = tmp_path / "sonar.json"
    path.write_text(json.dumps(SONAR))
    return path


# --- parse ---


def test_a_payload_is_one_json_object(call, payload):
    code, out, err = call("parse", "--engine", "perplexity", payload, "--json")
    read = json.loads(out)
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert list(read) == [
        "engine", "outcome", "reason", "text", "served_model", "requested_model", "retrieval",
        "queries", "citations", "retrieved", "usage", "cost", "warnings",
    ]  # fmt: skip
    assert (read["engine"], read["outcome"], read["requested_model"]) == (
        "perplexity",
        "answered",
        None,
    )


def test_a_payload_for_people_has_its_outcome_and_text(call, payload):
    code, out, _ = call("parse", "--engine", "perplexity", payload)
    assert code == 0
    assert "outcome    answered" in out
    assert "Elms grow." in out


def test_a_payload_may_come_from_standard_input(call, monkeypatch):
    standard_input(monkeypatch, json.dumps(SONAR).encode())
    code, out, _ = call("parse", "--engine", "perplexity", "-", "--json")
    assert (code, json.loads(out)["outcome"]) == (0, "answered")


def test_what_lies_beside_a_payload_tells_its_status_and_the_model_asked_for(
    call, payload, tmp_path
):
    payload.write_text('{"error": {"message": "slow down"}}')
    meta = {
        "method": "post",
        "uri": "https://api.example",
        "status": 429,
        "request_body": {"model": "m1"},
    }
    (tmp_path / "sonar.meta.json").write_text(json.dumps(meta))
    read = json.loads(call("parse", "--engine", "perplexity", payload, "--json")[1])
    assert (read["outcome"], read["reason"], read["requested_model"]) == (
        "blocked",
        "rate_limit",
        "m1",
    )


def test_a_status_asked_for_wins_over_the_recorded_one(call, payload, tmp_path):
    payload.write_text("{}")
    (tmp_path / "sonar.meta.json").write_text('{"status": 429}')
    read = json.loads(
        call("parse", "--engine", "perplexity", payload, "--status", "401", "--json")[1]
    )
    assert (read["outcome"], read["reason"]) == ("error", "auth")


def test_the_model_may_stand_in_the_recorded_address_only(call, tmp_path):
    (tmp_path / "g.json").write_text(
        '{"candidates": [{"finishReason": "STOP", "content": {"parts": [{"text": "Hot."}]}}]}'
    )
    (tmp_path / "g.meta.json").write_text(
        '{"uri": "https://g.example/v1beta/models/gemini-made-up:generateContent"}'
    )
    read = json.loads(call("parse", "--engine", "gemini", tmp_path / "g.json", "--json")[1])
    assert read["requested_model"] == "gemini-made-up"


@pytest.mark.parametrize(
    "meta",
    [b"{broken", b"[1, 2]", b"\xff\xfe", b'{"status": "fine"}', b'{"status": true}',
     b'{"status": 99999}', b"[" * 100_000],
)  # fmt: skip
def test_a_broken_file_beside_a_payload_is_ignored_with_a_warning(call, payload, tmp_path, meta):
    (tmp_path / "sonar.meta.json").write_bytes(meta)
    code, out, err = call("parse", "--engine", "perplexity", payload, "--json")
    assert (code, json.loads(out)["outcome"]) == (0, "answered")
    assert err.startswith("warning: ")
    assert "sonar.meta.json" in err


@pytest.mark.parametrize(
    "meta", ["{}", '{"status": null, "request_body": [1], "uri": 5, "method": 7}']
)
def test_missing_and_strange_keys_beside_a_payload_do_no_harm(call, payload, tmp_path, meta):
    (tmp_path / "sonar.meta.json").write_text(meta)
    code, out, err = call("parse", "--engine", "perplexity", payload, "--json")
    assert (code, json.loads(out)["outcome"], err) == (0, "answered", "")


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff\xfe\x00", b"[" * 50_000, b"<html>hello</html>", b"null", b'{"choices": 3}'],
)
def test_unreadable_bytes_are_one_object_and_exit_two(call, payload, content):
    payload.write_bytes(content)
    code, out, err = call("parse", "--engine", "perplexity", payload, "--json")
    read = json.loads(out)
    assert (code, read["outcome"], read["reason"]) == (2, "error", "unreadable")
    assert err.startswith("error: perplexity: cannot read payload at ")


def test_text_from_strangers_cannot_drive_the_terminal(call, payload):
    said = "Hot\x1b[2J\x07 \ud800 tea"
    answer = {**SONAR, "choices": [{"message": {"role": "assistant", "content": said}}]}
    payload.write_text(json.dumps(answer))
    code, out, _ = call("parse", "--engine", "perplexity", payload)
    assert code == 0
    assert not set("\x1b\x07") & set(out)


# --- urls ---


def rows(call, monkeypatch, content, *options):
    standard_input(monkeypatch, content)
    code, out, _ = call("urls", "-", "--json", *options)
    assert code == 0
    assert out.isascii()
    return [json.loads(line) for line in out.splitlines()]


def test_one_line_in_is_one_object_out_in_order(call, monkeypatch):
    found = rows(call, monkeypatch, b"https://b.example/2\r\nhttps://a.example/1\n")
    assert [r["raw"] for r in found] == ["https://b.example/2", "https://a.example/1"]
    assert list(found[0]) == ["raw", "clean_url", "page_key", "family", "unit", "flags"]


HOSTILE = [
    b"https://x.example/\xff\xfe",
    b"https://x.example/\xed\xa0\x80",
    b"https://x.example/\x00nul",
    b"https://x.example/" + b"a" * 3000,
    b"https://x.example/" + b"%61" * 40_000,
    b"https://x.example/\xe2\x80\xa8b",
    b"https://x.example/\x0cform\x1b[31m",
    b"   https://x.example/   ",
    b"",
    b"not an address",
    b"https://[",
    b"https://x.example:99999/",
    b"javascript:alert(1)",
    "https://пример.example/путь".encode(),
]


@pytest.mark.parametrize("options", [(), ("--field",)])
def test_hostile_lines_come_back_unchanged_one_row_each(call, monkeypatch, options):
    found = rows(call, monkeypatch, b"\n".join(HOSTILE) + b"\n", *options)
    assert len(found) == len(HOSTILE)
    assert [r["raw"].encode("utf-8", "surrogateescape") for r in found] == HOSTILE


def test_a_url_of_3000_characters_is_kept_and_one_of_100000_is_rejected(call, monkeypatch):
    long, endless = HOSTILE[3], HOSTILE[4]
    kept, refused = rows(call, monkeypatch, long + b"\n" + endless + b"\n")
    assert kept["page_key"] == "https://x.example/" + "a" * 3000
    assert (refused["page_key"], refused["flags"]) == (None, ["rejected"])


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_hostile_lines_can_be_printed_for_people_too(monkeypatch, capsysbinary, encoding):
    standard_input(monkeypatch, b"\n".join(HOSTILE))
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    out = sys.stdout
    with pytest.raises(SystemExit) as stop:
        main(["urls", "-"])
    printed = out.buffer.getvalue()
    assert stop.value.code == 0
    assert printed.count(b"\n") >= len(HOSTILE)
    assert b"\x1b" not in printed


def test_lines_end_at_line_feeds_only():
    assert lines_of(b"a\x0bb\x0cc\x1dd\nb\r\n\nc") == ["a\x0bb\x0cc\x1dd", "b", "", "c"]
    assert lines_of(b"\xef\xbb\xbfa\n") == ["a"]
    assert lines_of(b"") == []


def test_the_users_own_families_are_used(call, monkeypatch, tmp_path):
    (tmp_path / "config.yaml").write_text("families: {x.example: y.example}\n")
    assert rows(call, monkeypatch, b"https://x.example/1\n")[0]["family"] == "y.example"


# --- exit codes ---


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("parse", "--engine", "perplexty", "x"),
            "unknown engine 'perplexty'; did you mean 'perplexity'?",
        ),
        (("parse", "--engine", "perplexity", "none.json"), "none.json: cannot be read"),
        (("parse", "--engine", "perplexity", "."), "cannot be read"),
        (("parse",), "Missing argument"),
        (("parse", "--engin", "x"), "No such option"),
        (("parse", "--engine", "openai", "--status", "x", "f"), "--status"),
        (("urls", "none.txt"), "none.txt: cannot be read"),
        (("urls", "-", "--config", "none.yaml"), "none.yaml: no such file"),
    ],
)
def test_a_mistake_of_the_user_is_exit_two_without_a_traceback(call, arguments, words):
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert "Traceback" not in err


def test_a_fault_of_ours_keeps_its_traceback_and_is_exit_seventy(call, payload, monkeypatch):
    def broken(engine, exchanges):
        raise RuntimeError("planted")

    monkeypatch.setattr("monitor.engines.read", broken)
    code, _, err = call("parse", "--engine", "perplexity", payload)
    assert code == 70
    assert "RuntimeError: planted" in err
    assert "a fault of the program" in err


@pytest.mark.parametrize(
    ("command", "seam", "hint"),
    [("run", "running.load_settings", True), ("urls", "reading._overrides", False)],
)
def test_an_interrupted_run_says_how_to_go_on(call, monkeypatch, command, seam, hint):
    def interrupted(config):
        raise KeyboardInterrupt

    monkeypatch.setattr(f"monitor.cli.{seam}", interrupted)
    code, _, err = call(command, "x")
    assert (code, "stopped" in err, "monitor resume" in err) == (cli.STOPPED, True, hint)


def test_help_is_no_mistake(call):
    code, out, _ = call("urls", "--help")
    assert code == 0
    assert "--field" in out


# --- start-up ---

HEAVY = ("trafilatura", "sqlalchemy", "playwright", "numpy", "httpx", "pydantic", "ruamel",
         "monitor.config.settings", "monitor.store", "monitor.judge", "monitor.pages", "rich.console")  # fmt: skip


def loaded(code):
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return set(done.stdout.split())


def test_the_reading_doors_load_nothing_heavy():
    modules = loaded("import monitor.cli.reading")
    assert "monitor.engines" in modules
    assert [name for name in HEAVY if name in modules] == []


# --- outside truth ---


@pytest.mark.corpora
def test_every_recorded_request_tells_the_model_it_asked_for(call):
    folder = corpora("engines/recordings/perplexity")
    metas = sorted(folder.glob("*.meta.json"))
    told = []
    for meta in metas:
        body = next(p for p in folder.glob(f"{meta.name[:-10]}.*") if p != meta)
        read = json.loads(call("parse", "--engine", "perplexity", body, "--json")[1])
        told.append(read["requested_model"])
    assert told == [json.loads(m.read_text())["request_body"]["model"] for m in metas]
    assert len(told) > 3
