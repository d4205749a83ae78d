"""Captures, payloads, readings and pictures: raw rows stand, derived ones are inserted anew."""

from dataclasses import replace
from datetime import timedelta, timezone

import pytest
from sqlalchemy import event

from monitor.domain.engine import (
    Citation,
    Cost,
    Outcome,
    Reading,
    Request,
    Retrieval,
    Retrieved,
    Role,
    Span,
    SpanKind,
    Usage,
)
from monitor.domain.score import Coverage
from monitor.domain.screenshot import Screenshot, ScreenshotKind
from monitor.domain.source import UrlFlag, UrlIdentity
from monitor.errors import StoreError
from monitor.store import captures, citations, evidence, runs, screenshots
from monitor.store.captures import StoredPayload

CITED = (
    Citation("https://a.example/1", "One", Role.DISPLAYED, 2,
             (Span(0, 4, SpanKind.CLAIM), Span(5, 8, SpanKind.MARKER)), "a snippet"),
    Citation("https://b.example/r?x=1", None, Role.LISTED, 0),
)  # fmt: skip
IDENTITIES = (
    UrlIdentity("https://a.example/1", "https://a.example/1", "a.example/1", "a.example",
                "unit", (UrlFlag.AMP, UrlFlag.REPAIRED)),
    UrlIdentity("https://b.example/r?x=1", "https://b.example/r?x=1", "b.example/r?x=1", None,
                flags=(UrlFlag.UNRESOLVED,)),
)  # fmt: skip
ANSWER = Reading(
    Outcome.ANSWERED,
    text="Yes. [1]",
    citations=CITED,
    retrieved=(Retrieved("https://b.example/r?x=1", "Searched"),),
    queries=("statins muscle", "statins pain"),
    retrieval=Retrieval.USED,
    requested_model="small",
    served_model="small-2026",
    usage=Usage(10, 20, None, 1),
    cost=Cost(1234, "USD", "priced"),
    warnings=("odd",),
    shopping=True,
)
VERSIONS = {"parse_version": 1, "urls_version": 4}


@pytest.fixture
def c(database, run):
    with database.write() as connection:
        yield connection


@pytest.fixture
def capture(c, run):
    return captures.load_captures(c, run.id)[0]


def save_answer(c, capture, at, reading=ANSWER, **changes):
    fields = {
        "identities": IDENTITIES[: len(reading.citations)],
        "retrieved_identities": IDENTITIES[1 : 1 + len(reading.retrieved)],
        "made_at": at,
        **VERSIONS,
    }
    return citations.save_reading(c, capture.id, reading, **(fields | changes))


def test_capture_is_planned_then_asked_then_stored(c, capture, at):
    captures.mark_asked(c, capture.id, at=at)
    captures.mark_asked(c, capture.id, at=at + timedelta(1))
    asked = captures.load_capture(c, capture.id)
    assert (asked.state.value, asked.asked_at) == ("asked", at)
    save_answer(c, capture, at)
    captures.mark_asked(c, capture.id, at=at)
    stored = captures.load_capture(c, capture.id)
    assert (stored.state.value, stored.stored_at) == ("stored", at)


def test_capture_whose_prompt_is_known_is_loaded_without_its_panel(c, capture, run):
    known = runs.load_run_prompts(c, run.id)
    assert captures.load_capture(c, capture.id, known=known) == capture
    asked = []
    event.listen(c, "before_cursor_execute", lambda *said: asked.append(said[2]))
    captures.load_capture(c, capture.id, known=known)
    assert [query for query in asked if "panel_version" in query] == []
    captures.load_capture(c, capture.id)
    assert [query for query in asked if "panel_version" in query] != []


def test_times_of_a_capture_are_checked_and_kept_in_utc(c, capture, at):
    with pytest.raises(StoreError, match="naive"):
        captures.mark_asked(c, capture.id, at=at.replace(tzinfo=None))
    captures.mark_asked(c, capture.id, at=at.astimezone(timezone(timedelta(hours=-8))))
    assert captures.load_capture(c, capture.id).asked_at == at


def test_open_captures_are_those_not_stored(c, capture, run, at):
    save_answer(c, capture, at)
    assert len(captures.load_open(c, run.id)) == 7
    assert len(captures.load_open(c, run.id, "openai")) == 3
    assert len(captures.load_open(c, run.id, "perplexity")) == 4


def test_payload_comes_back_in_order_with_its_request(c, capture, at):
    request = Request("POST", "https://api.example/v1", {"b": {"z": 1, "a": [None]}}, (("q", "1"),))
    stored = [
        StoredPayload(capture.id, seq, attempt, f"{seq}{attempt}", request, "h", 200,
                      (("x-a", "1"), ("x-a", "2")), at, 4321)
        for seq, attempt in ((0, 0), (0, 1), (1, 0))
    ]  # fmt: skip
    for one in reversed(stored):
        captures.save_payload(c, one)
    assert list(captures.load_payloads(c, capture.id)) == stored
    assert captures.load_run_payloads(c, capture.run_id) == {capture.id: tuple(stored)}
    assert stored[0].exchange(b"x").header("X-A") == "1"


def test_payload_of_a_file_has_neither_request_nor_status(c, capture):
    bare = StoredPayload(capture.id, 0, 0, "abc")
    captures.save_payload(c, bare)
    assert captures.load_payloads(c, capture.id) == (bare,)


def test_payload_is_never_replaced(c, capture):
    first = StoredPayload(capture.id, 0, 0, "abc")
    captures.save_payload(c, first)
    captures.save_payload(c, first)
    with pytest.raises(StoreError, match="payloads never change"):
        captures.save_payload(c, replace(first, sha256="def"))
    assert captures.load_payloads(c, capture.id) == (first,)


def test_reading_comes_back_as_it_went_in(c, capture, at):
    reading_id = save_answer(c, capture, at, locale_confirmed="en-US")
    found = citations.load_reading(c, capture.id)
    assert found.reading == ANSWER
    assert found.identities == IDENTITIES
    assert found.retrieved_identities == IDENTITIES[1:]
    assert (found.id, found.capture_id, found.made_at) == (reading_id, capture.id, at)
    assert (found.parse_version, found.urls_version) == ("1", "4")
    assert found.locale_confirmed == "en-US"


def test_reading_of_a_failure_has_no_parts(c, capture, at):
    failed = Reading(Outcome.ERROR, "quota")
    save_answer(c, capture, at, failed)
    assert citations.load_reading(c, capture.id).reading == failed
    assert citations.load_reading(c, capture.id + 1) is None


def test_reparse_inserts_and_the_newest_counts(c, capture, run, at):
    save_answer(c, capture, at)
    second = replace(ANSWER, text="Perhaps.", citations=(), queries=())
    save_answer(c, capture, at + timedelta(1), second, parse_version=2)
    assert citations.load_reading(c, capture.id).reading == second
    assert [one[1] for one in citations.reading_versions(c, capture.id)] == ["1", "2"]
    assert captures.load_capture(c, capture.id).stored_at == at
    assert captures.coverage(c, run.id)["openai"].answered == 1


def test_readings_stored_together_keep_their_own_parts(c, run, at):
    planned = captures.load_captures(c, run.id)[:3]
    readings = [ANSWER, Reading(Outcome.TIMEOUT), replace(ANSWER, text="No.", queries=("one",))]
    fresh = [
        citations.FreshReading(
            capture.id, reading, IDENTITIES[: len(reading.citations)],
            IDENTITIES[1 : 1 + len(reading.retrieved)],
        )
        for capture, reading in zip(reversed(planned), readings, strict=True)
    ]  # fmt: skip
    ids = citations.save_readings(c, fresh, made_at=at, **VERSIONS)
    stored = citations.load_readings(c, run.id)
    assert [stored[one.capture_id].reading for one in fresh] == readings
    assert [stored[one.capture_id].id for one in fresh] == list(ids)


def test_payloads_stored_together_refuse_other_bytes_in_one_place(c, capture):
    first, second = (StoredPayload(capture.id, 0, n, str(n) * 64) for n in (0, 1))
    captures.save_payloads(c, [first])
    captures.save_payloads(c, [first, second])
    assert captures.load_payloads(c, capture.id) == (first, second)
    with pytest.raises(StoreError, match="attempt 1 is stored"):
        captures.save_payloads(c, [first, replace(second, sha256="f" * 64)])


def test_unequal_identities_are_refused(c, capture, at):
    with pytest.raises(StoreError, match="2 citations came with 1 URL identities"):
        save_answer(c, capture, at, identities=IDENTITIES[:1])


def test_hostile_text_is_stored_with_its_offsets(c, capture, at):
    text = "a\x00b\udfffc \U0001f600"
    hostile = replace(
        ANSWER, text=text, queries=("\x00",), warnings=("\ud800",), retrieved=(),
        citations=(replace(CITED[0], title="\x00", snippet="\udc00"),),
    )  # fmt: skip
    save_answer(c, capture, at, hostile)
    found = citations.load_reading(c, capture.id).reading
    assert found.text == "a�b�c \U0001f600"
    assert len(found.text) == len(text)
    assert (found.queries, found.warnings) == (("�",), ("�",))
    assert (found.citations[0].title, found.citations[0].snippet) == ("�", "�")


def test_readings_of_a_run_take_four_queries(database, c, run, at):
    for capture in captures.load_captures(c, run.id):
        save_answer(c, capture, at)
    statements = []
    event.listen(database._engine, "before_cursor_execute", lambda *a: statements.append(a[2]))
    found = citations.load_readings(c, run.id)
    assert len(statements) == 4
    assert len(found) == 8
    assert all(one.reading == ANSWER for one in found.values())


def test_opaque_redirect_takes_the_identity_it_led_to(c, capture, run, at):
    save_answer(c, capture, at)
    target = UrlIdentity("https://c.example/x", "https://c.example/x", "c.example/x", "c.example")
    changed = citations.resolve_citations(c, run.id, {"b.example/r?x=1": target, "absent": target})
    assert changed == 2
    found = citations.load_reading(c, capture.id)
    assert found.identities == (IDENTITIES[0], replace(target, raw="https://b.example/r?x=1"))
    assert found.retrieved_identities[0].family == "c.example"
    assert found.reading == ANSWER


def test_coverage_counts_states_and_outcomes_by_engine(c, run, at):
    openai = captures.load_open(c, run.id, "openai")
    save_answer(c, openai[0], at)
    save_answer(c, openai[1], at, Reading(Outcome.NO_ANSWER, "declined"))
    captures.mark_asked(c, openai[2].id, at=at)
    perplexity = captures.load_open(c, run.id, "perplexity")
    save_answer(c, perplexity[0], at, Reading(Outcome.TIMEOUT))
    assert captures.coverage(c, run.id) == {
        "openai": Coverage(4, 3, 2, 1, {"answered": 1, "no_answer/declined": 1}),
        "perplexity": Coverage(4, 1, 0, 0, {"timeout": 1}),
    }


def test_served_models_are_those_of_the_readings_that_count(c, run, at):
    first, second, third, *_ = captures.load_open(c, run.id, "openai")
    for one, model in ((first, "old"), (first, "b-2"), (second, "a-1"), (third, None)):
        save_answer(c, one, at, replace(ANSWER, served_model=model))
    assert citations.served_models(c, run.id) == {"openai": ("a-1", "b-2")}


def test_unknown_capture_is_named(c, capture):
    with pytest.raises(StoreError, match="no capture with id 999"):
        captures.load_capture(c, 999)


def test_screenshot_comes_back_and_is_stored_once(c, capture, run, at):
    shot = Screenshot(
        ScreenshotKind.FULL, "f" * 64, "https://a.example/", at, "chromium 156",
        (1280, 900), (1280, 8295), "en-GB",
    )  # fmt: skip
    screenshots.save_screenshot(c, capture.id, shot)
    screenshots.save_screenshot(c, capture.id, shot)
    assert screenshots.load_screenshots(c, capture.id) == (shot,)
    assert screenshots.load_run_screenshots(c, run.id) == {capture.id: (shot,)}


def test_manifest_lists_payloads_and_pictures_of_the_run(c, capture, run, at):
    captures.save_payload(c, StoredPayload(capture.id, 0, 1, "a" * 64))
    shot = Screenshot(ScreenshotKind.CARD, "b" * 64, "u", at, "x", (1, 1), (1, 1), "en-GB")
    screenshots.save_screenshot(c, capture.id, shot)
    listed = [
        (one.kind.value, one.sha256[0], one.name) for one in evidence.load_run_evidence(c, run.id)
    ]
    assert listed == [
        ("payload", "a", f"capture/{capture.id}/0/1"),
        ("screenshot", "b", f"capture/{capture.id}/card"),
    ]
