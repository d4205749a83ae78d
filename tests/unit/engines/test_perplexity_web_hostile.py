"""Documents that want to break the reader of Perplexity's forms; every one is synthetic."""

import json

import pytest

from monitor.domain.engine import Exchange, Outcome
from monitor.domain.turn import Form
from monitor.engines import read as read_engine
from monitor.engines.perplexity_web import recognise
from monitor.engines.surfaces.perplexity_patches import patched
from tests.growth import grows_in_proportion
from tests.unit.engines.payloads_perplexity import (
    OAK,
    asked,
    change,
    going_on,
    message,
    only,
    page,
    pill,
    row,
    stream,
    table,
    thread,
    workflow,
)


@pytest.mark.parametrize(
    "patch",
    [
        ("add", "/chunks/999999999", "x"),
        ("add", "/chunks/-1", "x"),
        ("replace", "/chunks/7", "x"),
        ("remove", "/chunks/0/0/0", None),
        ("add", "/answer/x/y", "x"),
        ("add", "chunks", "x"),
        ("add", "/a" * 65, "x"),
        ("move", "/chunks/0", "x"),
        ("add", "/chunks/²", "x"),
    ],
)
def test_a_change_outside_of_what_is_known_is_left_out_and_counted(patch):
    begun = change(
        "ask_text", "markdown_block", ("replace", "", {"chunks": ["Oaks."], "answer": ""})
    )
    body = stream(going_on(begun, change("ask_text", "markdown_block", patch)))
    reading = only(body, Form.STREAM).reading
    assert (reading.outcome, reading.text) == (Outcome.TRUNCATED, "Oaks.")
    assert reading.warnings == ("1 change(s) of the stream fitted nowhere; text may be missing",)


@pytest.mark.parametrize(
    "patch",
    [None, [], "x", {}, {"op": "add"}, {"path": 3}, {"path": "/a"}, {"op": ["add"], "path": "/a"}],
)
def test_what_is_no_change_changes_nothing(patch):
    assert patched({"a": 1}, patch) == ({"a": 1}, False)


def test_a_pointer_is_unescaped_as_the_standard_says():
    assert patched({}, {"op": "add", "path": "/a~1b~0", "value": 1}) == ({"a/b~": 1}, True)


@pytest.mark.parametrize("wrong", [None, 3, "x", [], [None, 3], {"a": []}, [[]], True])
def test_fields_of_any_shape_are_read_or_refused(wrong):
    shapes = [
        message(asked("Oaks.")) | {"blocks": wrong},
        message({"intended_usage": "ask_text", "markdown_block": wrong}, asked("Oaks.")),
        message(asked("Oaks."), table(), workflow()) | {"status": wrong},
        message(asked("Oaks.", chunks=wrong, answer=wrong)),
        message(asked("Oaks.[1]"), {"intended_usage": "web_results", "web_result_block": wrong}),
        message(asked("Oaks.[1]"), table(row(OAK) | {"url": wrong, "meta_data": wrong})),
        message(asked("Oaks."), {"intended_usage": "workflow_root", "workflow_block": wrong}),
        message(asked("Oaks."), change("ask_text", "markdown_block", ("add", "/chunks", wrong))),
    ]
    bodies = [*map(stream, shapes), *map(thread, shapes), thread(wrong)]
    outcomes = {read_engine("perplexity_web", (Exchange(one),)).outcome for one in bodies}
    known = {Outcome.ANSWERED, Outcome.ERROR, Outcome.TRUNCATED, Outcome.TIMEOUT,
             Outcome.LAYOUT_UNKNOWN}  # fmt: skip
    assert outcomes <= known


def test_json_nested_without_end_is_refused():
    deep = b"[" * 100_000
    body = b'{"intended_usage": ' + deep
    assert recognise(body) is None
    reading = read_engine("perplexity_web", (Exchange(b"data: " + body + b"\r\n\r\n"),))
    assert reading.outcome in {Outcome.ERROR, Outcome.LAYOUT_UNKNOWN}


def test_very_many_marks_take_time_in_proportion():
    def read(many):
        body = stream(message(asked("Oaks.[1][2] " * many), table()))
        cited = only(body, Form.STREAM).reading.citations
        assert sum(one.marks for one in cited) == 2 * many

    assert grows_in_proportion(read, 50)


def test_very_many_changes_take_time_in_proportion():
    def read(many):
        patches = [("add", "/chunks/-", "word ")] * many + [("add", "/chunks/0", "x")] * many
        block = change("ask_text", "markdown_block", ("replace", "", {"chunks": []}), *patches)
        reading = only(stream(going_on(block)), Form.STREAM).reading
        assert reading.text.count("word") == many

    assert grows_in_proportion(read, 50)


def test_very_many_pills_take_time_in_proportion():
    def read(many):
        body = page(f"<p>Oaks live long{pill(OAK)}.</p>" * many)
        assert [one.marks for one in only(body, Form.DOM).reading.citations] == [many]

    assert grows_in_proportion(read, 50)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "body",
    [
        "# q\n" + "[^1_1]" * 30_000 + '\n<div align="center">⁂</div>\n[^1_1]: https://a.example/',
        "# q\n" + "---\n" * 30_000 + "[^1_1]: https://a.example/\n⁂",
        "Citations:\n" * 10_000 + "[1] x " * 10_000,
        '<span style="display:none">' * 20_000,
        "[^1_1]: " * 30_000,
        "`" * 50_000 + "```\n" * 10_000,
    ],
)  # fmt: skip
def test_exports_that_repeat_one_sign_are_read_in_time(body):
    logo = '<img src="https://cdn.example/pplx-full-logo.png"/>\n'
    assert only(logo + body, Form.MARKDOWN).index == 0


@pytest.mark.timeout(60)
def test_a_page_of_one_tag_is_read_in_time():
    body = page("<span class='citation'>" * 5_000 + "Oaks" + pill(OAK))
    assert only(body, Form.DOM).reading.outcome in set(Outcome)


def test_addresses_that_are_none_of_the_web_are_no_citations():
    rows = [row("javascript:alert(1)"), row("file:///etc/passwd"), row("https://"), row(OAK)]
    body = stream(message(asked("A.[1][2][3][4]"), table(*rows)))
    assert [one.url for one in only(body, Form.STREAM).reading.citations] == [OAK]
    shown = page(f"<p>Oaks{pill('javascript:alert(1)')} live{pill(OAK)}.</p>")
    assert [one.url for one in only(shown, Form.DOM).reading.citations] == [OAK]


def test_lone_surrogates_and_private_characters_are_in_no_text():
    body = json.dumps(message(asked("Oaks\ud800 \ue200grow\ue201."), table())).encode()
    assert only(body, Form.THREAD).reading.text == "Oaks\ufffd grow."
