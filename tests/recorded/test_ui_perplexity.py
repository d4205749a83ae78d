"""Real documents of Perplexity's page, with counts that were taken by hand."""

import json

import pytest

from monitor.capture.imports.private import clean as clean_import
from monitor.domain.engine import Exchange, Outcome, Role
from monitor.domain.turn import Document, Turn
from monitor.engines.perplexity_web import parse, recognise, turns
from tests.corpora import corpora

pytestmark = pytest.mark.corpora

FOLDER = "ui/samples/perplexity"
COMPLETE = f"{FOLDER}/search-complete-2026-07-31.sse"
CUT = f"{FOLDER}/search-truncated-2026-07-31.sse"
CLARIFY = f"{FOLDER}/research-clarify-2026-08-01.json"
EXPORT = f"{FOLDER}/perplexity_export_markdown.md"


def body_of(name: str) -> bytes:
    return corpora(name).read_bytes()


def turns_of(body: bytes) -> tuple[Turn, ...]:
    form = recognise(body)
    assert form is not None
    return turns(Document(body, form))


def marks(turn: Turn) -> int:
    return sum(one.marks for one in turn.reading.displayed)


def counts(turn: Turn) -> dict[str, int]:
    """Marks by page; the last message puts marks that stand side by side in order."""
    return {one.url: one.marks for one in turn.reading.citations}


@pytest.mark.parametrize(
    ("name", "outcome", "characters", "markers", "distinct", "searched"),
    [
        (COMPLETE, Outcome.ANSWERED, 1679, 25, 11, 15),
        (CUT, Outcome.TRUNCATED, 851, 9, 9, 15),
    ],
)
def test_a_stream_has_the_counts_taken_by_hand(
    name, outcome, characters, markers, distinct, searched
):
    (turn,) = turns_of(body_of(name))
    reading = turn.reading
    assert (reading.outcome, len(reading.text)) == (outcome, characters)
    assert (marks(turn), len(reading.displayed)) == (markers, distinct)
    uncited = {one.url for one in reading.retrieved} - {one.url for one in reading.citations}
    assert (len(reading.retrieved), len(uncited)) == (searched, searched - distinct)
    assert {one.role for one in reading.citations} == {Role.DISPLAYED}


def test_the_changes_alone_give_what_the_last_message_repeats():
    body = body_of(COMPLETE)
    frames = body.split(b"\r\n\r\n")
    (whole,) = turns_of(body)
    (replayed,) = turns_of(b"\r\n\r\n".join(frames[:-3]) + b"\r\n\r\n")
    assert len(frames) == 136
    assert replayed.reading.outcome is Outcome.TRUNCATED
    assert len(replayed.reading.text) == 1679
    assert counts(replayed) == counts(whole)


def test_a_complete_stream_tells_its_models_queries_and_time():
    (turn,) = turns_of(body_of(COMPLETE))
    reading = turn.reading
    assert (reading.requested_model, reading.served_model) == ("pplx_pro", "pplx_pro")
    assert len(reading.queries) == 2
    assert turn.prompt == "what is the capital of Australia and why is it not Sydney"
    assert turn.answered_at is not None
    assert turn.answered_at.date().isoformat() == "2026-07-31"


def test_a_question_back_is_no_answer():
    body = body_of(CLARIFY)
    asked = json.dumps(json.loads(body)["asked"]).encode()
    frame = b"event: message\r\ndata: " + asked + b"\r\n\r\n"
    outcomes = [parse((Exchange(one),)).outcome for one in (body, asked, frame)]
    assert outcomes == [Outcome.NEEDS_INPUT] * 3


def test_a_page_of_spans_has_three_marks_of_two_pages():
    (turn,) = turns_of(body_of(f"{FOLDER}/perplexity_dom_spans_2026-08-11.html"))
    assert (marks(turn), len(turn.reading.citations)) == (3, 2)
    assert (turn.layout.in_document, turn.layout.shown, turn.layout.disagreements) == (3, 3, ())
    assert (turn.reading.outcome, turn.reading.hidden_citations) == (Outcome.ANSWERED, 0)
    assert turn.layout.coverage == 1.0
    words = turn.reading.text.split()
    assert [one for one in words if "boston" in one or "americashealth" in one] == []


def test_an_export_has_the_counts_of_each_turn():
    several = turns_of(body_of(EXPORT))
    shown = [marks(one) for one in several]
    defined = [len(one.reading.retrieved) for one in several]
    hidden = [n - len(one.reading.displayed) for n, one in zip(defined, several, strict=True)]
    assert (shown, sum(shown)) == ([6, 6, 4, 12], 28)
    assert (hidden, sum(hidden)) == ([24, 6, 11, 6], 47)
    assert (defined, sum(defined)) == ([30, 8, 15, 15], 68)
    assert {one.reading.outcome for one in several} == {Outcome.ANSWERED}
    assert all("display:none" not in one.reading.text for one in several)


@pytest.mark.parametrize(
    "name",
    [
        f"{FOLDER}/models-config-2026-08-01.json",
        f"{FOLDER}/rate-limit-status-2026-07-31.json",
        "ui/samples/other/sayswho_example_capture.json",
        "ui/samples/chatgpt/chatgpt_dom_2turns_2pills_2026-03.html",
        "ui/samples/gemini/gemini_copy_text_2026-07-27.md",
        "ui/samples/vendor/oxylabs_google_ai_mode_output.json",
        "ui/samples/grok/grok_dom_2turns_2026-03.html",
    ],
)
def test_what_is_no_answer_of_perplexity_is_not_read_as_one(name):
    assert recognise(body_of(name)) is None


@pytest.mark.parametrize("name", [COMPLETE, CUT, CLARIFY])
def test_documents_without_their_secrets_read_the_same(name):
    body = body_of(name)
    form = recognise(body)
    assert form is not None
    clean = clean_import(body, form)
    assert clean.dropped["token"] > 0
    assert b"read_write_token" not in clean.body
    assert b"author_" not in clean.body
    assert turns_of(clean.body) == turns_of(body)
    assert recognise(clean.body) is form
