"""Careless and hostile words on the command line: a clear message, an exit code, no traceback."""

import os
import threading

import pytest

from monitor.cli import complain
from monitor.errors import StoreError
from monitor.pipeline.exporting import write_text

LONG = "x" * 5000

PANEL = """
panel: small
version: 1
repeats: 1
locale: en-GB
engines: [perplexity]
prompts:
  - {id: one, text: "How hot?", intent: rule, topic: t, risk: standard, freshness_matters: false}
"""


@pytest.fixture(autouse=True)
def _bare_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PERPLEXITY_API_KEY", "made-up-key-of-a-test")
    (tmp_path / "prompt_panels").mkdir()
    (tmp_path / "prompt_panels" / "small.yaml").write_text(PANEL)


def runs_in_store(call):
    return call("status")[2]


@pytest.mark.parametrize("amount", ["inf", "1e400", "nan", "-1", "1e18", "abc"])
def test_no_amount_of_money_is_a_fault_of_ours(call, amount):
    code, _, said = call("run", "small", "--budget", amount)
    assert code == 2
    assert "--budget" in said
    assert "Traceback" not in said


def test_calls_beyond_what_the_store_can_count_are_refused(call):
    code, _, said = call("run", "small", "--budget-calls", "9" * 30)
    assert (code, "Traceback" in said) == (2, False)


def test_an_unknown_judge_stops_a_run_before_anything_is_stored(call):
    code, _, said = call("run", "small", "--judge", "nobody")
    assert (code, "no judge is called 'nobody'" in said) == (2, True)
    assert "none yet" in runs_in_store(call)


@pytest.mark.parametrize(
    "slot", ["", "..", "a/b", "a\nb", "\u202eabc", LONG, "-1", "\x00", "a b", "\udcff"]
)
def test_a_slot_that_nobody_could_type_again_is_refused_and_nothing_is_stored(call, slot):
    code, _, said = call("run", "small", f"--slot={slot}")
    assert code == 2
    assert "as in 2026-10" in said
    assert len(said) < 400
    assert "none yet" in runs_in_store(call)


@pytest.mark.parametrize("command", [["status"], ["check"], ["engines"], ["db", "check"]])
@pytest.mark.parametrize("path", [LONG, ".", "prompt_panels/small.yaml/x.yaml"])
def test_a_settings_path_that_cannot_be_opened_is_told(call, command, path):
    code, out, said = call(*command, "--config", path)
    assert (code, "Traceback" in said) == (2, False)
    assert "cannot be read" in out + said or "no such file" in out + said


@pytest.mark.parametrize("folder", [LONG, "/proc/self/nowhere", "prompt_panels/small.yaml"])
def test_a_folder_of_panels_that_is_none_is_told(call, tmp_path, folder):
    (tmp_path / "config.yaml").write_text(f"panels: {folder}\n")
    code, _, said = call("run", "small", "--dry-run")
    assert (code, "Traceback" in said) == (2, False)


@pytest.mark.parametrize("name", ["nobody", "", "a\x00b", "\udcff", LONG, "/etc", "../x"])
def test_an_unknown_run_is_named_short_and_on_one_line(call, name):
    code, _, said = call("status", name)
    assert (code, said.count("\n")) == (2, 1)
    assert said.startswith("error: no run ")
    assert len(said) < 300


@pytest.mark.parametrize("url", ["postgresql://u:hidden-word@127.0.0.1:port/x", "nonsense"])
def test_a_database_address_that_cannot_be_read_keeps_its_password(call, monkeypatch, url):
    monkeypatch.setenv("MONITOR_STORE__DATABASE", url)
    code, _, said = call("status")
    assert (code, "cannot be read" in said) == (2, True)
    assert "hidden-word" not in said


@pytest.mark.parametrize("saved", ["[" * 100_000, "[1]", '{"artifacts": [1]}', "\x00"])
def test_a_file_that_is_no_manifest_is_told(call, tmp_path, saved):
    call("run", "small", "--budget-calls", "0")
    (tmp_path / "saved.json").write_text(saved)
    code, _, said = call("verify", "--manifest", "saved.json")
    assert (code, "no manifest that can be read" in said) == (2, True)


def test_what_steers_a_terminal_is_shown_by_its_number(capsys):
    complain("a\x1b[31mb\u202ec\x00d")
    assert capsys.readouterr().err == "a\\x1b[31mb\\u202ec\\x00d\n"


# --- files written ---


def leftovers(folder):
    return [path.name for path in folder.glob(".*.part")]


def test_a_folder_is_never_replaced_by_a_file(tmp_path):
    (tmp_path / "taken").mkdir()
    with pytest.raises(Exception, match="not a plain file, nothing was written"):
        write_text(tmp_path / "taken", "x")
    assert ((tmp_path / "taken").is_dir(), leftovers(tmp_path)) == (True, [])


def test_a_pipe_or_device_is_never_replaced_by_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Exception, match="not a plain file, nothing was written"):
        write_text(tmp_path / "pipe", "x")
    assert ((tmp_path / "pipe").is_fifo(), leftovers(tmp_path)) == (True, [])


def test_a_link_stays_and_the_file_it_leads_to_is_written(tmp_path):
    (tmp_path / "real.html").write_text("old")
    (tmp_path / "newest.html").symlink_to("real.html")
    write_text(tmp_path / "newest.html", "new")
    assert (tmp_path / "newest.html").is_symlink()
    assert (tmp_path / "real.html").read_text() == "new"


@pytest.mark.parametrize("place", [LONG, "file/x.html", "-", ""])
def test_a_place_that_cannot_be_written_is_told_and_left_clean(tmp_path, place):
    (tmp_path / "file").write_text("old")
    with pytest.raises(Exception, match="written"):
        write_text(tmp_path / place if place not in {"-", ""} else type(tmp_path)(place), "x")
    assert ((tmp_path / "file").read_text(), leftovers(tmp_path)) == ("old", [])


def test_a_disk_that_fills_up_leaves_the_old_file_whole(tmp_path, monkeypatch):
    (tmp_path / "report.html").write_text("old")

    def full(self, content, *_, **__):
        with self.open("wb") as file:
            file.write(content[:1])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(type(tmp_path), "write_bytes", full)
    with pytest.raises(Exception, match="No space left on device"):
        write_text(tmp_path / "report.html", "new")
    assert ((tmp_path / "report.html").read_text(), leftovers(tmp_path)) == ("old", [])


@pytest.mark.parametrize("out", ["-", "prompt_panels/small.yaml"])
def test_several_csv_files_need_a_folder(call, out):
    call("run", "small", "--budget-calls", "0")
    code, _, said = call("export", "--format", "csv", "--out", out)
    assert (code, "Traceback" in said) == (2, False)


def test_two_writers_of_one_file_never_mix(tmp_path):
    texts = ["a" * 300_000, "b" * 300_000]
    writers = [threading.Thread(target=write_text, args=(tmp_path / "one.html", t)) for t in texts]
    for one in writers:
        one.start()
    for one in writers:
        one.join()
    assert (tmp_path / "one.html").read_text() in texts


# --- judge ---

ROW = '{"id": 1, "claim": "Tea is hot.", "passages": ["Tea is hot."]}'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xfe" + ROW.encode("utf-16-le"), "byte 0 is not UTF-8"),
        (b"\n" + ROW.encode() + b"\n{}", "line 3: id is None"),
        (b"[" * 100_000, "line 1: not JSON"),
        (b'{"id": 1, "claim": "x", "passages": "x"}', "passages is str; expected a list"),
        (b'{"id": ' + b"9" * 6000 + b"}", "line 1: not JSON"),
    ],
)
def test_a_row_that_cannot_be_judged_is_named(call, tmp_path, content, words):
    (tmp_path / "rows.jsonl").write_bytes(content)
    code, _, said = call("judge", "rows.jsonl")
    assert (code, words in said) == (2, True)


def test_a_missing_file_is_not_called_unreadable_text(call):
    code, _, said = call("judge", "nowhere.jsonl")
    assert (code, said) == (
        2, "error: nowhere.jsonl: cannot be read (No such file or directory)\n"
    )  # fmt: skip


def test_a_byte_order_mark_and_windows_line_ends_are_no_part_of_a_row(call, tmp_path):
    (tmp_path / "rows.jsonl").write_bytes(b"\xef\xbb\xbf" + ROW.encode() + b"\r\n")
    code, out, said = call("judge", "rows.jsonl")
    assert (code, out.count("\n"), said) == (0, 1, "")


def test_a_file_error_that_nobody_foresaw_is_told_without_a_traceback(call, monkeypatch):
    def denied(_):
        raise PermissionError(13, "Permission denied", "/somewhere/" + LONG)

    monkeypatch.setattr("monitor.cli.running.load_settings", denied)
    code, _, said = call("status")
    assert (code, "Permission denied" in said, "Traceback" in said) == (2, True, False)


def test_other_errors_stay_faults_of_ours(call, monkeypatch):
    def broken(_):
        raise FileNotFoundError(2, "No such file or directory", "weights.json")

    monkeypatch.setattr("monitor.cli.running.load_settings", broken)
    code, _, said = call("status")
    assert (code, "Traceback" in said) == (70, True)


def test_a_store_error_keeps_its_own_words(call, monkeypatch):
    def broken(_):
        raise StoreError("the store is elsewhere")

    monkeypatch.setattr("monitor.cli.running.load_settings", broken)
    assert call("status")[:2] == (2, "")
