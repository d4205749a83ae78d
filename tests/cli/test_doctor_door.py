"""`monitor doctor`: what it says of saved answers and of an installation; all made up here."""

import json
import os

import pytest

from monitor.domain.keys import canonical_json
from monitor.engines import READERS
from monitor.errors import MonitorError
from monitor.pipeline.doctoring import diagnose
from monitor.store import open_database, upgrade
from tests.corpora import corpora
from tests.unit.engines.payloads_perplexity import (
    ELM,
    OAK,
    asked,
    going_on,
    message,
    page,
    pill,
    stream,
    table,
    thread,
)

ANCHOR = f'<a class="citation" href="{ELM}">2</a>'
PAGE = page(f"<p>Oaks are old{pill(OAK, 'oak+2')}. Elms are not{ANCHOR}.</p>")


@pytest.fixture(autouse=True)
def _bare_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def saved(tmp_path):
    """Writes a document and gives its path."""

    def written(body, name="saved.html"):
        path = tmp_path / name
        path.write_bytes(body if isinstance(body, bytes) else body.encode())
        return path

    return written


def test_a_saved_page_is_told_by_its_surface_selectors_and_citations(call, saved):
    code, out, err = call("doctor", "--ui", saved(PAGE))
    assert (code, err) == (0, "")
    for words in (
        "surface     perplexity_web (Perplexity (browser)), form dom",
        "How old do oaks get?",
        "outcome   answered",
        "citations 2 in the document, 2 shown",
        "2 displayed, 0 listed, 0 link; 0 searched; 2 hidden (+N)",
        "disagree on pill: 2 elements",
        "100% of what is visible",
    ):
        assert words in out
    rows = [line.split() for line in out.splitlines() if line.startswith("pill ")]
    assert ["pill", "a.citation[href]", "2026-07-02", "low", "notes", "1"] in rows
    assert next(line for line in out.splitlines() if "#ask-input" in line).endswith("missed")


def test_the_same_is_there_for_programs(call, saved):
    code, out, _ = call("doctor", "--ui", saved(PAGE), "--json")
    told = json.loads(out)
    (document,) = told["documents"]
    (answer,) = document["answers"]
    assert (code, told["schema"], document["engine"], document["form"]) == (
        0, 1, "perplexity_web", "dom",
    )  # fmt: skip
    assert (answer["outcome"], answer["hidden_citations"]) == ("answered", 2)
    assert answer["urls"] == {"displayed": 2, "listed": 0, "link": 0, "retrieved": 0}
    assert answer["completeness"]["offsets_exact"] is True
    spans = next(
        row for row in document["selectors"]["rows"] if row["css"] == "[data-pplx-citation-url]"
    )
    assert (spans["hits"], spans["verified_on"], spans["confidence"]) == (1, "2026-08-11", "high")


def test_every_answer_of_a_thread_is_told_and_no_selector(call, saved):
    waiting = {"backend_uuid": "b", "status": "PENDING", "query_str": "And yews?"}
    code, out, _ = call("doctor", "--ui", saved(thread(message(asked(), table()), waiting)))
    assert code == 0
    assert "answer 1/2" in out
    assert "And yews?" in out
    assert "outcome   timeout" in out
    assert "selectors, version" not in out


def test_a_document_without_an_answer_says_why_and_ends_with_two(call, saved):
    code, out, _ = call("doctor", "--ui", saved(stream(going_on(asked("Oaks grow")))))
    assert (code, "outcome   truncated" in out) == (2, True)
    code, out, _ = call("doctor", "--ui", saved(stream(message(table()))))
    assert (code, "error (unreadable)" in out) == (2, True)
    assert "no block that holds an answer" in out


@pytest.mark.parametrize("body", [b'{"models": {}}', b"<html><p>Oaks</p></html>", b"Oaks.", b" "])
def test_a_file_that_nobody_knows_says_what_was_expected(call, saved, body):
    code, out, err = call("doctor", "--ui", saved(body))
    assert (code, out) == (2, "")
    assert "xpected" in err
    assert "saved.html" in err


def test_a_page_is_looked_at_by_the_surface_that_is_named(call, saved):
    code, out, _ = call("doctor", "--ui", saved("<p>Oaks</p>"), "--engine", "perplexity_web")
    assert code == 2
    assert "layout_unknown: no answer was found in the document" in out
    assert "div.prose" in out
    code, _, err = call("doctor", "--ui", saved("<p>Oaks</p>"), "--engine", "perplexity_wbe")
    assert (code, "perplexity_web" in err) == (2, True)


def test_a_live_capture_is_told_too(call, saved):
    capture = {
        "contract": "browser-capture-2", "surface": "perplexity_web", "state": "complete",
        "prompt": "How old?", "user_turn": "How old?", "turn_id": None, "html": PAGE, "panels": [],
    }  # fmt: skip
    code, out, _ = call("doctor", "--ui", saved(canonical_json(capture), "live.json"))
    assert (code, "form live" in out, "outcome   answered" in out) == (0, True, True)
    walled = capture | {"state": "blocked", "reason": "challenge", "detail": "a wall", "html": None}
    code, out, _ = call("doctor", "--ui", saved(canonical_json(walled), "wall.json"))
    assert (code, "blocked (challenge)" in out, "why       a wall" in out) == (2, True, True)


def test_words_of_strangers_cannot_steer_a_terminal(call, saved):
    _, out, _ = call("doctor", "--ui", saved(thread(message(asked("a"), query_str="\x1b[31mred"))))
    assert "\x1b" not in out


def test_a_file_that_is_not_there_is_the_users_to_mend(call, tmp_path):
    code, _, err = call("doctor", "--ui", tmp_path / "none.html")
    assert (code, "cannot be read" in err) == (2, True)
    code, _, err = call("doctor", "--engine", "perplexity_web")
    assert (code, "--ui FILE" in err) == (2, True)


SETTINGS = """
store: {database: "sqlite:///monitor.db", artifacts: "s3://bucket/prefix"}
engines: {openai: {base_url: "http://10.0.0.5:8080"}}
judge: {llm: {base_url: "http://127.0.0.1:11434/v1"}}
health: {ping_url: "https://ping.example.org/s3cret"}
alerts:
  channels:
    inside: {kind: webhook, url: "http://10.0.0.6/s3cret", private: true}
    outside: {kind: webhook, url: "https://hooks.example.org/s3cret"}
"""


@pytest.fixture
def _no_browser(monkeypatch):
    monkeypatch.setattr("monitor.cli.doctoring.find_chromium", lambda _: None)


@pytest.mark.usefixtures("_no_browser")
def test_addresses_that_skip_the_check_are_listed_without_secrets(call, saved):
    config = saved(SETTINGS, "settings.yaml")
    with_tables = open_database("sqlite:///monitor.db")
    upgrade(with_tables)
    with_tables.close()
    code, out, _ = call("doctor", "--config", config)
    assert code == 0
    for words in ("engines.openai.base_url", "10.0.0.5", "judge.llm.base_url", "s3://bucket/prefix",
                  "health.ping_url", "alerts.channels.inside", "store       up to date"):  # fmt: skip
        assert words in out
    assert "alerts.channels.outside" not in out
    assert "s3cret" not in out
    code, out, _ = call("doctor", "--config", config, "--json")
    told = json.loads(out)
    assert (code, told["browser"], told["store"]) == (0, None, None)
    assert {"setting": "health.ping_url", "address": None} in told["endpoints"]
    assert told["surfaces"] == sorted(READERS)


@pytest.mark.usefixtures("_no_browser")
def test_a_store_that_cannot_be_used_ends_with_two(call, tmp_path):
    code, out, _ = call("doctor")
    assert (code, "no store yet" in out, "endpoints" in out) == (2, True, True)
    assert list(tmp_path.iterdir()) == []


def test_a_long_export_is_looked_at_in_part(tmp_path):
    rows = [{"a": 1}] * 60
    path = tmp_path / "many.json"
    path.write_text(json.dumps(rows))
    with path.open("rb") as opened, pytest.raises(MonitorError, match=r"50 document\(s\) looked"):
        diagnose(opened)


@pytest.mark.corpora
@pytest.mark.parametrize(
    ("name", "engine", "words"),
    [
        ("perplexity/perplexity_dom_spans_2026-08-11.html", "perplexity_web", "3 in the document"),
        ("perplexity/perplexity_export_markdown.md", "perplexity_web", "answer 4/4"),
        ("google/aio_sky_2026-01-20.trim.html", "google_ai_overview_web",
         "4 in the document, 3 shown"),
    ],
)  # fmt: skip
def test_real_documents_are_told(call, name, engine, words):
    code, out, _ = call("doctor", "--ui", corpora(f"ui/samples/{name}"))
    assert (code, engine in out, words in out) == (0, True, True)


def test_a_pipe_is_not_waited_for(call, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    code, _, err = call("doctor", "--ui", "pipe")
    assert (code, "pipe: not a plain file" in err) == (2, True)
