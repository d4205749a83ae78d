"""Hostile files through the whole import: nothing runs, nothing is fetched, no secret stays."""

import json
import logging
import os

import pytest

from monitor.capture.imports.parts import ImportFileError
from monitor.engines import READERS
from monitor.pages.guard import SystemResolver
from monitor.pipeline.exporting import export_json
from monitor.pipeline.tallying import score_run
from monitor.store import captures, citations, runs
from tests.edges.importing import FIRST, OAKS, found_in, handed_in, kept_in
from tests.stored import WordJudge, bench_in
from tests.unit.engines import payloads_perplexity
from tests.unit.imports import handed
from tests.unit.imports.handed import conversation, entry, har

MINE = "someone.synthetic@mail.example"
SECRETS = ("SECRET", "someone.synthetic", "eyJhbGciOiJub25lIn0")


@pytest.fixture
def bench(tmp_path, monkeypatch, empty_store):
    (tmp_path / "monitor.db").write_bytes(empty_store)
    with bench_in(tmp_path, monkeypatch) as opened:
        yield opened


@pytest.fixture
def nobody_is_asked(monkeypatch):
    """Lookups and connections that anything tried."""
    asked = []

    async def resolve(self, host, port):
        asked.append((host, port))
        raise OSError("nobody may be asked")

    monkeypatch.setattr(SystemResolver, "resolve", resolve)
    monkeypatch.setattr("httpcore.AsyncConnectionPool.handle_async_request", resolve)
    monkeypatch.setattr("socket.socket.connect", lambda *a: asked.append(a[1:]))
    return asked


def test_a_page_full_of_scripts_and_refreshes_asks_nobody(bench, tmp_path, nobody_is_asked):
    hostile = (
        '<meta http-equiv="refresh" content="0;url=http://evil.example/">'
        '<script src="http://evil.example/x.js"></script><script>fetch("http://evil.example")'
        '</script><link rel=stylesheet href="http://evil.example/x.css">'
        '<style>@import url(http://evil.example/y.css);</style><base href="http://evil.example/">'
    )
    answer = (
        'Oaks lean east.<img src="http://evil.example/i.png" onerror="fetch(1)">'
        '<svg onload="fetch(2)"></svg><iframe src="http://evil.example/f"></iframe>'
        '<object data="http://evil.example/o"></object>'
    )
    page = handed.page(answer, head=hostile)
    whole = handed.mhtml(("text/html", "https://chatgpt.com/c/1", page, ""))
    for name, body in (("p.html", page), ("p.mhtml", whole)):
        run = handed_in(bench, kept_in(tmp_path, name, body)).run
        (one,) = bench.read(lambda c, run=run: captures.load_captures(c, run.id))
        assert one.prompt == FIRST
    assert nobody_is_asked == []


def test_no_secret_of_a_har_stays_anywhere(bench, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    told = handed.thread(
        OAKS.text, read_write_token="SECRETTOKEN", author_username="SECRETNAME",
        user_nextauth_id="SECRETID", email=MINE,
    )  # fmt: skip
    body = har(
        entry("https://www.perplexity.ai/rest/thread/x?token=SECRETQUERY&session=SECRETTOO", told),
        entry("https://www.perplexity.ai/api/auth/session",
              json.dumps({"accessToken": "SECRETACCESS", "user": {"email": MINE}}).encode()),
        entry("https://www.perplexity.ai/rest/sse/perplexity_ask?k=SECRETASK", None,
              "text/event-stream"),
        entry("https://bank.example/SECRETPATH", b'{"SECRET": 1}'),
    )  # fmt: skip
    path = kept_in(tmp_path, "x.har", body)
    found = found_in(path)
    run = handed_in(bench, path).run
    score_run(bench, run, WordJudge())
    written = [
        export_json(bench, run),
        caplog.text,
        json.dumps([list(found.notes), dict(found.dropped), repr(found.unmatched)]),
        (tmp_path / "monitor.db").read_bytes().decode("latin-1"),
        *((tmp_path / "monitor.db-wal").read_bytes().decode("latin-1"),),
        *(bench.artifacts.get(one).decode("latin-1") for one in bench.artifacts.hashes()),
    ]
    for secret in SECRETS:
        assert [text[:80] for text in written if secret in text] == []
    assert found.dropped["token"] == 1
    assert any("body_missing: entry 2" in note for note in found.notes)


def test_no_error_repeats_a_secret(tmp_path):
    broken = har(entry("https://www.perplexity.ai/rest/thread/x?t=SECRET",
                       b'{"entries": [{"read_write_token": "SECRET", "blocks": 3}]}'))  # fmt: skip
    with pytest.raises(ImportFileError) as error:
        found_in(kept_in(tmp_path, "x.har", broken))
    assert "SECRET" not in str(error.value)


@pytest.mark.parametrize("name", ["x.png", "x.zip", "x.har", "x", "x.exe", ".."])
def test_a_suffix_says_nothing(tmp_path, name):
    path = kept_in(tmp_path, name.replace("..", "a..b"), json.dumps(conversation()).encode())
    assert len(found_in(path).answers) == 1


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "body",
    [
        b"An oak is a tree. " * 600_000,
        b"[" * 50_000_000,
        b'{"mapping":' * 4_000_000,
        b'<div class="markdown">' * 400_000,
        b"<a href='x" * 500_000,
        b"data: {\n" * 900_000,
        b"# " * 4_000_000,
        b"[^1_1]" * 1_300_000,
        b"You said\n## Gemini said\n" * 80_000,
        b'<!--aaaaaa[["' * 400_000,
        b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n" + b"--b\n\n" * 900_000,
        b'{"log": {"entries": [' + b"{}," * 30_000 + b"{}]}}",
    ],
    ids=["pasted", "lists", "objects", "divs", "links", "stream", "headings", "notes", "gemini",
         "comments", "parts", "entries"],
)  # fmt: skip
def test_what_is_huge_or_endless_is_refused_in_time(tmp_path, body):
    path = kept_in(tmp_path, "huge", body)
    with pytest.raises(ImportFileError):
        found_in(path)


def test_files_that_are_none_are_refused(bench, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    empty = kept_in(tmp_path, "empty", b"")
    for path, words in (
        (tmp_path, "Is a directory"),
        (tmp_path / "absent", "No such file"),
        (tmp_path / "loop", "symbolic links"),
        (tmp_path / "pipe", "not a plain file"),
        (empty, "the file is empty"),
    ):
        with pytest.raises(ImportFileError, match=words):
            found_in(path)
    assert bench.read(runs.list_runs) == ()


def test_a_name_of_a_file_steers_nothing(bench, tmp_path):
    path = kept_in(tmp_path, "a\x1b[2J\u202e.json", json.dumps(conversation()).encode())
    run = handed_in(bench, path).run
    assert run.slot.isascii()


def test_every_reader_leaves_foreign_bytes_alone():
    for reader in READERS.values():
        for body in (b"", b"\x00" * 100, b"{}", b"[]", b"<p>", b"\xff\xfe" * 50):
            assert reader.recognise(body) is None


def test_rows_of_memory_and_files_of_a_thread_leave_no_words_and_keep_their_numbers(
    bench, tmp_path
):
    rows = [
        payloads_perplexity.row(payloads_perplexity.OAK),
        payloads_perplexity.row("https://x.example/SECRET", "SECRET", is_memory=True),
        payloads_perplexity.row(payloads_perplexity.YEW),
    ]
    body = payloads_perplexity.thread(
        payloads_perplexity.message(
            payloads_perplexity.asked("Oaks live 300 years.[1] Yews too.[3]"),
            payloads_perplexity.table(*rows),
        )
    )
    done = handed_in(bench, kept_in(tmp_path, "t.json", body))
    (one,) = bench.read(lambda c: captures.load_captures(c, done.run.id))
    reading = bench.read(lambda c: citations.load_reading(c, one.id)).reading
    assert [cited.url for cited in reading.citations] == [
        payloads_perplexity.OAK, payloads_perplexity.YEW,
    ]  # fmt: skip
    for sha256 in bench.artifacts.hashes():
        assert b"SECRET" not in bench.artifacts.get(sha256)


def test_a_name_of_a_file_stays_on_its_line_of_an_error(tmp_path):
    path = kept_in(tmp_path, "a\nerror: forged\x1b[31m", b"%PDF-")
    with pytest.raises(ImportFileError) as refused:
        found_in(path)
    assert "\n" not in str(refused.value)
    assert "\x1b" not in str(refused.value)


@pytest.mark.parametrize("text", ["pipe", "/dev/zero"])
def test_the_text_of_a_picture_is_a_plain_file(tmp_path, text):
    os.mkfifo(tmp_path / "pipe")
    shot = kept_in(tmp_path, "shot.png", handed.png())
    with pytest.raises(ImportFileError, match=r"--text .*not a plain file"):
        found_in(shot, engine="gemini_app", prompt="oaks", text=tmp_path / text)
