"""Perplexity's Markdown export, what is told from what, and what is taken out; all synthetic."""

import json

import pytest

from monitor.capture.imports.private import clean as clean_import
from monitor.domain.engine import EngineSettings, Outcome, Role, SpanKind
from monitor.domain.panel import Prompt
from monitor.domain.turn import Form
from monitor.engines import ENGINES, READERS
from monitor.engines.perplexity_web import recognise, request
from monitor.engines.surfaces.selectors import load_selectors
from monitor.errors import ConfigError
from tests.unit.engines.payloads_perplexity import (
    ELM,
    OAK,
    YEW,
    asked,
    message,
    only,
    page,
    read,
    row,
    stream,
    table,
    thread,
)

LOGO = '<img src="https://cdn.example/pplx-full-logo-dark.png" style="height:64px"/>\n\n'
SIGN = '<div align="center">⁂</div>\n\n'
FIRST = (
    "# How old do oaks get?\n\nOaks are old.[^1_1][^1_2] Elms too.[^1_1]\n\n---\n\nMore.\n"
    f'<span style="display:none">[^1_3]</span>\n\n{SIGN}'
    f"[^1_1]: {OAK}\n\n[^1_2]: {ELM}\n\n[^1_3]: {YEW}\n"
)
SECOND = f"\n\n---\n\n# And yews?\n\nOlder.[^2_1]\n\n{SIGN}[^2_1]: {YEW}\n"
PRIVATE = {"read_write_token": "s3cret", "author_id": "s3cret", "user_email": "s3cret"}


def test_each_turn_of_an_export_has_its_own_sources():
    one, two = read(LOGO + FIRST + SECOND, Form.MARKDOWN)
    assert (one.prompt, two.prompt) == ("How old do oaks get?", "And yews?")
    assert one.reading.text == "Oaks are old.[^1_1][^1_2] Elms too.[^1_1]\n\n---\n\nMore."
    assert [(c.url, c.marks) for c in one.reading.displayed] == [(OAK, 2), (ELM, 1)]
    assert [(c.url, c.marks) for c in two.reading.displayed] == [(YEW, 1)]
    assert two.reading.text == "Older.[^2_1]"


def test_what_the_export_hides_was_searched_and_not_cited():
    (turn,) = read(LOGO + FIRST, Form.MARKDOWN)
    assert [one.url for one in turn.reading.retrieved] == [OAK, ELM, YEW]
    assert "[^1_3]" not in turn.reading.text
    spans = [s for c in turn.reading.citations for s in c.spans]
    assert {s.kind for s in spans} == {SpanKind.MARKER}
    assert [turn.reading.text[s.start : s.end] for s in spans] == ["[^1_1]", "[^1_1]", "[^1_2]"]


@pytest.mark.parametrize(
    "body",
    [
        f"# Oaks?\n\nOld.[^3]\n\n{SIGN}[^3]: {OAK}\n",
        f"# Oaks?\r\n\r\nOld.[3]\r\n\r\nCitations:\r\n[3] {OAK}\r\n[4] {ELM}\r\n",
        f"# Oaks?\n\nOld.[3]\n\n**Citations:**\n- [3] [All of oaks]({OAK})\n",
    ],
)
def test_older_exports_are_read(body):
    assert recognise(body.encode()) is Form.MARKDOWN
    reading = only(body, Form.MARKDOWN).reading
    assert [(one.url, one.role) for one in reading.citations] == [(OAK, Role.DISPLAYED)]
    assert reading.text.startswith("Old.[")
    assert "Citations" not in reading.text


def test_footnotes_without_a_page_are_told():
    body = f"# Oaks?\n\nOld.[^1_1][^1_8]\n\n{SIGN}[^1_1]: notes.pdf\n"
    reading = only(LOGO + body, Form.MARKDOWN).reading
    assert reading.citations == ()
    assert reading.warnings == (
        "markers [1_8] point at none of the 1 sources; no citation",
        "markers [1_1] point at the asker's own files or memory, not at a page; no citation",
    )


def test_a_question_of_several_lines_is_told_as_one_that_may_go_on():
    body = f"# Explain this:\n\nOaks grow.\n\nThey do.[^1_1]\n\n{SIGN}[^1_1]: {OAK}\n"
    reading = only(LOGO + body, Form.MARKDOWN).reading
    assert reading.warnings == (
        "the question may go on in the text: the export marks only its first line",
    )


def test_a_question_without_an_answer_is_an_error():
    reading = only(LOGO + "# Oaks?\n", Form.MARKDOWN).reading
    assert (reading.outcome, reading.reason) == (Outcome.ERROR, "empty")


SEARCHED = b"<html><head><title>Oaks - Perplexity</title></head><p>x</p></html>"
SHARED = b"<html><p>See https://www.perplexity.ai/search/x and oaks.</p></html>"


@pytest.mark.parametrize(
    ("body", "form"),
    [
        (stream(message(asked())), Form.STREAM),
        (thread(message(asked())), Form.THREAD),
        (json.dumps(message(asked())).encode(), Form.THREAD),
        (page("<p>Old.</p>").encode(), None),
        (b'<div id="ask-input"></div>', Form.DOM),
        (SEARCHED, Form.DOM),
        (
            b"<!-- Page saved with SingleFile\n url: https://www.perplexity.ai/search/x -->",
            Form.DOM,
        ),
        (SHARED, None),
        ((LOGO + FIRST).encode(), Form.MARKDOWN),
        (b"# A note\n\nOf my own [1], without a list.", None),
        (b'{"modes": {"research": {"available": true}}}', None),
        (b'{"models": {"turbo": {"label": "Best"}}}', None),
        (b'{"query_str": "x", "entries": 3}', None),
        (b'data: {"object": "chat.completion.chunk"}\n\n', None),
        (b'{"contract":"browser-capture-2","surface":"perplexity_web"}', Form.LIVE),
        (b'{"contract":"browser-capture-2","surface":"chatgpt_web"}', None),
        (b"", None),
    ],
)
def test_a_form_is_told_by_its_bytes(body, form):
    assert recognise(body) is form


def test_secrets_and_the_askers_own_rows_are_taken_out_of_what_is_kept():
    mine = row("https://mine.example/", "My s3cret", is_memory=True)
    inner = json.dumps([{"web_results": [mine], "keep": 1}])
    told = message(asked("A.[1] B.[2]"), table(mine, row(OAK))) | PRIVATE | {"text": inner}
    clean = clean_import(stream(told), Form.STREAM)
    assert b"s3cret" not in clean.body
    assert clean.dropped["memory row"] == 2
    assert read(clean.body, Form.STREAM) == read(stream(told), Form.STREAM)
    assert clean_import(clean.body, Form.STREAM).body == clean.body


def test_the_page_is_opened_where_the_operator_says():
    prompt = Prompt("p", "How old do oaks get?", "en-GB")
    assert request(prompt, EngineSettings()).url == "https://www.perplexity.ai/"
    at = EngineSettings(base_url="http://127.0.0.1:9")
    assert (request(prompt, at).method, request(prompt, at).url) == ("GET", "http://127.0.0.1:9/")
    with pytest.raises(ConfigError, match="unknown option"):
        request(prompt, EngineSettings(options={"model": "x"}))


def test_the_surface_is_known_and_names_its_terms():
    engine = ENGINES["perplexity_web"]
    assert (engine.access, engine.auth, engine.call_micros) == ("browser", None, 0)
    assert READERS["perplexity_web"].recognise is recognise
    terms = load_selectors("perplexity_web").terms
    assert terms is not None
    assert terms.url.startswith("https://www.perplexity.ai/")
