"""The Gemini app's page, modelled on notes where it cites, and copied words; all synthetic."""

from datetime import UTC, datetime

import pytest

from monitor.domain.engine import Outcome, Reach, Role
from monitor.domain.turn import Document, Form, Panel
from monitor.engines import READERS
from monitor.errors import PayloadError
from tests.unit.engines.chat_pages import A, B, C, gemini, turns_of

NAME = "gemini_app"
CHIP = (
    '<sources-carousel-inline><source-inline-chip{}><button aria-label="View source details for '
    'citation from Alpha Group. Opens a dialog.">{}</button></source-inline-chip>'
    "</sources-carousel-inline>"
)


def one(answer: str, *panels: Panel):
    (turn,) = turns_of(NAME, gemini(answer), Form.DOM, *panels)
    return turn


def copied(text: str):
    return turns_of(NAME, text, Form.TEXT)


def test_a_page_gives_questions_answers_and_the_name_of_the_answer():
    turn = one("<p>So it is.</p>")
    assert (turn.prompt, turn.id, turn.reading.text) == ("Question 0?", "m1", "So it is.")
    assert turn.reading.outcome is Outcome.ANSWERED


def test_a_chip_of_three_without_addresses_is_three_hidden_citations():
    turn = one(f"<p>So it is{CHIP.format('', 'Alpha Group + 2')}.</p>")
    assert (turn.reading.text, turn.reading.citations) == ("So it is.", ())
    assert (turn.reading.outcome, turn.reading.hidden_citations) == (Outcome.ANSWERED, 3)


def test_an_opened_chip_leads_to_its_pages():
    card = Panel("popover", f'<inline-source-card><a href="{A}">One</a><a href="{B}">Two</a>', "0")
    chip = CHIP.format(' data-monitor-pill="0"', "Alpha Group + 2")
    turn = one(f"<p>So it is{chip}.</p>", card)
    assert [(c.url, c.placement.group_size) for c in turn.reading.citations] == [(A, 3), (B, 3)]
    assert {c.placement.reach for c in turn.reading.citations} == {Reach.HOVER}
    assert turn.reading.citations[0].placement.publisher == "Alpha Group"
    assert turn.reading.hidden_citations == 1


def test_the_side_list_that_was_open_is_listed():
    side = f'<context-sidebar><inline-source-card><a href="{A}">One</a></inline-source-card>'
    (turn,) = turns_of(NAME, gemini("<p>So it is.</p>") + side)
    assert [(c.url, c.role) for c in turn.reading.citations] == [(A, Role.LISTED)]


def test_an_answer_that_still_grows_is_truncated_or_timed_out():
    growing = '<div class="response-footer"></div>'
    (half,) = turns_of(NAME, gemini("<p>Half</p>", end=growing))
    (none,) = turns_of(NAME, gemini("", end=growing))
    assert (half.reading.outcome, none.reading.outcome) == (Outcome.TRUNCATED, Outcome.TIMEOUT)


COPIED = f"""[Gemini](https://gemini.google.com/app/0123) 2026-03-01 23:30:00 (-07:00)

You said

What is so?

## Gemini said

It is so. See [a page]({C}).

## Sources & References

1. **Alpha:**
\t[One]({A})
\tand
\t[Two]({B})
* A name without an address

You have reached your limit until tomorrow.
Gemini is AI and can make mistakes.

You said

And then?

**Gemini**

Then that.
"""


def test_copied_words_give_turns_and_the_list_that_the_model_wrote():
    first, second = copied(COPIED)
    assert (first.prompt, first.reading.text) == ("What is so?", f"It is so. See [a page]({C}).")
    assert [(c.url, c.role, c.title) for c in first.reading.citations] == [
        (C, Role.LINK, "a page"),
        (A, Role.LISTED, "One"),
        (B, Role.LISTED, "Two"),
    ]
    assert first.answered_at == datetime(2026, 3, 2, 6, 30, tzinfo=UTC)
    assert (second.prompt, second.reading.text) == ("And then?", "Then that.")


def test_copied_words_cannot_tell_how_many_chips_there_were():
    first, _ = copied(COPIED)
    assert first.reading.hidden_citations is None
    assert not first.completeness.offsets_exact


def test_a_heading_like_that_of_a_list_within_an_answer_stays_words():
    (turn,) = copied("You said\n\nQ?\n\n## Gemini said\n\n## Sources\n\nRivers have sources.")
    assert turn.reading.text == "## Sources\n\nRivers have sources."
    assert turn.reading.citations == ()


def test_marks_of_citations_without_a_list_are_an_unknown_layout():
    (turn,) = copied("You said\nQ?\n## Gemini said\n[cite_start]So it is. [cite: 1, 2]")
    assert turn.reading.outcome is Outcome.LAYOUT_UNKNOWN
    assert turn.reading.text == "So it is."


def test_an_answer_without_words_is_an_error():
    (turn,) = copied("You said\n\nQ?\n\n## Gemini said\n\nGemini can make mistakes.\n")
    assert turn.reading.reason == "empty"


@pytest.mark.parametrize(
    ("body", "form"),
    [
        (gemini("x").encode(), Form.DOM),
        (COPIED.encode(), Form.TEXT),
        (COPIED.replace("\n", "\r\n").encode("utf-8-sig"), Form.TEXT),
        (b"You said\nQ?", None),
        (b"<p>You said</p>", None),
        (b"", None),
    ],
)
def test_forms_are_recognised_by_what_the_bytes_hold(body, form):
    assert READERS[NAME].recognise(body) is form


def test_a_document_of_another_form_is_unreadable():
    with pytest.raises(PayloadError, match="expected dom or text"):
        READERS[NAME].turns(Document(b"x", Form.STREAM))


def test_strange_times_and_endless_words_do_no_harm():
    (turn,) = copied(COPIED.split("You said", maxsplit=1)[0].replace("2026-03-01", "2026-13-41")
                     + "You said\nQ?\n## Gemini said\n" + "\n" * 50_000 + "[" * 50_000)  # fmt: skip
    assert turn.answered_at is None
