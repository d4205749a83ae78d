"""Perplexity's streams and threads; every document is synthetic."""

import json

import pytest

from monitor.domain.engine import Exchange, Outcome, Placement, Retrieval, Role
from monitor.domain.turn import Form
from monitor.engines import read as read_engine
from monitor.engines.perplexity_web import parse
from monitor.errors import PayloadError
from tests.unit.engines.payloads_perplexity import (
    ELM,
    OAK,
    TEXT,
    TURN,
    YEW,
    asked,
    change,
    going_on,
    message,
    only,
    part,
    read,
    row,
    stream,
    table,
    thread,
    workflow,
)

FINAL = message(asked(), table(), user_selected_model="turbo")
QUESTIONS = part("USER_QUESTIONS", "user_questions", title="Which oaks?")
ANSWER = part("TEXT", "text", variant="answer", text=TEXT, chunks=[])


def test_marks_are_citations_and_the_rest_of_the_table_was_only_searched():
    reading = only(stream(FINAL), Form.STREAM).reading
    assert (reading.outcome, reading.text) == (Outcome.ANSWERED, TEXT)
    cited = [(c.url, c.role, c.marks, [TEXT[s.start : s.end] for s in c.spans]) for c in
             reading.citations]  # fmt: skip
    assert cited == [
        (OAK, Role.DISPLAYED, 1, ["[1]"]),
        (ELM, Role.DISPLAYED, 2, ["[2]", "[2]"]),
    ]
    assert [one.url for one in reading.retrieved] == [OAK, ELM, YEW]
    assert (reading.retrieval, reading.hidden_citations) == (Retrieval.USED, 0)
    assert reading.citations[1].placement == Placement(group=0, group_size=2, place_in_group=1)


@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_both_line_ends_comments_and_ends_of_streams_are_understood(end):
    said = f": hello{end}{end}".encode() + stream(FINAL, end=end)
    body = said.replace(b"data: ", b"data:") + f"event: end_of_stream{end}data: {{}}{end}".encode()
    assert only(body, Form.STREAM).reading.text == TEXT


def test_what_a_message_says_of_the_turn_is_kept():
    told = FINAL | {"entry_updated_datetime": "2026-08-01T10:00:00"}
    turn = only(stream(told), Form.STREAM)
    assert (turn.id, turn.prompt) == (TURN, "How old do oaks get?")
    assert turn.answered_at is not None
    assert turn.answered_at.isoformat() == "2026-08-01T10:00:00+00:00"
    assert (turn.completeness.retrieved_known, turn.completeness.locale_known) == (True, False)


def test_an_answer_that_moved_to_the_workflow_is_found_there():
    # Bug report 2: a complete answer was stored without its text.
    whole = workflow(ANSWER, part("QUERIES", "queries", queries=["oak age", "oak age", "oaks"]))
    reading = only(stream(message(whole, table())), Form.STREAM).reading
    assert (reading.outcome, reading.text) == (Outcome.ANSWERED, TEXT)
    assert reading.queries == ("oak age", "oaks")


def test_pieces_are_joined_where_the_whole_is_not_there_yet():
    pieces = part("TEXT", "text", variant="answer", text="", chunks=["Oaks ", "are old."])
    aside = part("TEXT", "text", variant="thought", text="Let me think.", chunks=[])
    assert only(stream(message(workflow(aside, pieces))), Form.STREAM).reading.text == (
        "Oaks are old."
    )
    bare = message(asked(answer="", chunks=["Oaks", " grow."]))
    assert only(stream(bare), Form.STREAM).reading.text == "Oaks grow."


def test_the_same_text_cut_up_is_not_counted_again():
    cut = {"intended_usage": "ask_text_0_markdown", "markdown_block": {"answer": TEXT}}
    reading = only(stream(message(cut, asked(), table())), Form.STREAM).reading
    assert (reading.text, sum(one.marks for one in reading.displayed)) == (TEXT, 3)


def test_a_finished_answer_without_words_is_an_error_and_not_an_empty_answer():
    # Bug report 2: what is complete and empty is not an answer.
    reading = only(stream(message(asked(""), table())), Form.STREAM).reading
    assert (reading.outcome, reading.reason) == (Outcome.ERROR, "empty")


def test_a_finished_answer_in_no_known_place_is_unreadable():
    body = stream(message(table()))
    with pytest.raises(PayloadError, match="no block that holds an answer"):
        read(body, Form.STREAM)
    assert read_engine("perplexity_web", (Exchange(body),)).reason == "unreadable"


def test_a_stream_that_broke_off_is_truncated_with_what_it_had():
    begun = change("ask_text", "markdown_block", ("replace", "", {"chunks": ["Oaks "]}))
    goes_on = change("ask_text", "markdown_block", ("add", "/chunks/1", "live 300 years.[1]"))
    said = stream(going_on(table(), begun), going_on(goes_on, text_completed=True))
    reading = only(said + b'event: message\r\ndata: {"blo', Form.STREAM).reading
    assert (reading.outcome, reading.text) == (Outcome.TRUNCATED, "Oaks live 300 years.[1]")
    assert [one.url for one in reading.displayed] == [OAK]


def test_a_stream_that_broke_off_before_any_word_is_a_timeout():
    assert only(stream(going_on(table())), Form.STREAM).reading.outcome is Outcome.TIMEOUT


def test_broken_data_within_a_stream_is_unreadable():
    body = b"data: {broken\r\n\r\n" + stream(FINAL)
    with pytest.raises(PayloadError, match="event 0"):
        read(body, Form.STREAM)


def test_a_failed_answer_is_the_servers_fault():
    reading = only(stream(message(asked(), status="failed")), Form.STREAM).reading
    assert (reading.outcome, reading.reason, reading.text) == (Outcome.ERROR, "server", "")


def test_a_question_back_needs_input_until_somebody_answers():
    reading = only(stream(going_on(workflow(QUESTIONS))), Form.STREAM).reading
    assert reading.outcome is Outcome.NEEDS_INPUT
    assert reading.warnings == ("the page asks back: Which oaks?",)
    let_go = workflow(QUESTIONS, part("USER_RESPONSE", "user_response", responses=[]))
    assert only(stream(going_on(let_go)), Form.STREAM).reading.outcome is Outcome.NEEDS_INPUT
    told = workflow(QUESTIONS, part("USER_RESPONSE", "user_response", responses=["all"]), ANSWER)
    reading = only(stream(message(told, table())), Form.STREAM).reading
    assert (reading.outcome, reading.warnings) == (Outcome.ANSWERED, ())


def test_a_stream_from_its_middle_makes_the_places_its_changes_need():
    late = change("workflow_root", "workflow_block", ("add", "/steps/0/items/0", QUESTIONS))
    assert only(stream(going_on(late)), Form.STREAM).reading.outcome is Outcome.NEEDS_INPUT


def test_marks_that_lead_nowhere_are_told_and_stay_in_the_text():
    reading = only(stream(message(asked("Oaks.[1][9]"), table())), Form.STREAM).reading
    assert reading.text == "Oaks.[1][9]"
    assert reading.warnings == ("markers [9] point at none of the 3 sources; no citation",)


def test_rows_that_are_the_askers_own_keep_their_number_and_are_no_sources():
    rows = (row("https://mine.example/", "My note", is_memory=True), row(OAK, "Oaks"))
    reading = only(stream(message(asked("A.[1] B.[2]"), table(*rows))), Form.STREAM).reading
    assert [one.url for one in reading.citations] == [OAK]
    assert [one.url for one in reading.retrieved] == [OAK]
    assert reading.warnings == (
        "markers [1] point at the asker's own files or memory, not at a page; no citation",
    )


def test_code_and_links_hold_no_marks():
    text = "Use `a[1]`.[2]\n```\nb[1]\n```\nSee [1](https://link.example/x)."
    reading = only(stream(message(asked(text), table())), Form.STREAM).reading
    assert [(one.url, one.role) for one in reading.citations] == [
        (ELM, Role.DISPLAYED),
        ("https://link.example/x", Role.LINK),
    ]


def test_another_model_than_the_one_asked_for_is_told():
    told = FINAL | {"user_selected_model": "experimental"}
    reading = only(stream(told), Form.STREAM).reading
    assert (reading.requested_model, reading.served_model) == ("experimental", "turbo")
    assert reading.warnings == ("asked for the model experimental, answered by turbo",)


def test_numbers_begin_anew_with_each_entry_of_a_thread():
    second = message(asked("Yews.[1]"), table(row(YEW)), backend_uuid="b", status="completed")
    waiting = {"backend_uuid": "c", "status": "PENDING", "query_str": "And now?"}
    several = read(thread(FINAL, second, waiting), Form.THREAD)
    assert [[c.url for c in one.reading.displayed] for one in several] == [[OAK, ELM], [YEW], []]
    outcomes = [one.reading.outcome for one in several]
    assert outcomes == [Outcome.ANSWERED, Outcome.ANSWERED, Outcome.TIMEOUT]
    assert [one.index for one in several] == [0, 1, 2]


def test_one_entry_that_cannot_be_read_does_not_hide_the_others():
    broken, whole = read(thread(message(table()), FINAL), Form.THREAD)
    assert (broken.reading.outcome, broken.reading.reason) == (Outcome.ERROR, "unreadable")
    assert whole.reading.text == TEXT


def test_the_wanted_entry_of_a_thread_is_read():
    second = message(asked("Yews."), backend_uuid="b")
    headers = (("monitor-turn", "0"),)
    assert parse((Exchange(thread(FINAL, second), headers=headers),)).text == TEXT
    assert parse((Exchange(thread(FINAL, second)),)).text == "Yews."


def test_the_older_text_field_is_read_twice():
    answer = {"answer": "Oaks.[1]", "web_results": [row(OAK)]}
    steps = [
        {"step_type": "INITIAL_QUERY", "content": {}},
        {"step_type": "FINAL", "content": {"answer": json.dumps(answer)}},
    ]
    reading = only(thread(message(text=json.dumps(steps))), Form.THREAD).reading
    assert (reading.text, [one.url for one in reading.displayed]) == ("Oaks.[1]", [OAK])


def test_a_search_that_was_left_out_is_told_and_never_inferred():
    left_out = message(asked("Four."), classifier_results={"skip_search": True})
    assert only(stream(left_out), Form.STREAM).reading.retrieval is Retrieval.NOT_USED
    silent = only(stream(message(asked("Four."))), Form.STREAM).reading
    assert silent.retrieval is Retrieval.UNKNOWN


def test_secrets_of_a_document_are_in_no_reading():
    private = FINAL | {"read_write_token": "s3cret-token", "author_username": "s3cret-name"}
    assert "s3cret" not in repr(read(stream(private), Form.STREAM))
