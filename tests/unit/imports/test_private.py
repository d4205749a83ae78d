"""What is private leaves a document; what is not stays byte for byte."""

import json
import time

import pytest

from monitor.capture.imports.parts import ImportFileError
from monitor.capture.imports.private import clean, emails_of
from monitor.domain.turn import Form
from tests.unit.engines import chat_pages
from tests.unit.imports import handed

SESSION = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJzeW50aGV0aWMifQ.c3ludGhldGlj"
MINE = "someone.synthetic@mail.example"


def cleaned(value, form=Form.CONVERSATION, **more):
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return clean(body, form, **more)


@pytest.mark.parametrize(
    ("body", "form"),
    [
        (json.dumps(handed.conversation(), indent=3).encode(), Form.CONVERSATION),
        (handed.thread(), Form.THREAD),
        (handed.page(head="<script>draw()</script>"), Form.DOM),
        (b'<img src="https://x.example/logo%402x.png"> lib@3.min.js', Form.MARKDOWN),
        (b"# Oaks\n\nWrite to trees@oak.example [^1]", Form.MARKDOWN),
        (b'event: message\r\ndata: {"a": 1}\r\n\r\n', Form.STREAM),
    ],
)  # fmt: skip
def test_a_document_with_nothing_private_is_kept_as_it_is(body, form):
    kept = clean(body, form, said=emails_of(body.decode()))
    assert (kept.body, kept.dropped) == (body, {})


def test_fields_that_are_secret_or_of_the_account_leave_json():
    document = {
        "entries": [{"read_write_token": "SECRET1", "author_id": "SECRET2", "query_str": "Oaks?"}],
        "email": MINE, "phone_number": "SECRET3", "authorization": "SECRET4",
        "cookies": ["SECRET5"], "user_id": "SECRET6", "author": {"role": "user"},
        "about_user_message": "SECRET7", "accessToken": "SECRET8", "max_tokens": 5,
        "is_token": True, "resume_token": None,
    }  # fmt: skip
    kept = cleaned(document, Form.THREAD)
    assert b"SECRET" not in kept.body
    assert MINE.encode() not in kept.body
    assert json.loads(kept.body) == {
        "entries": [{"query_str": "Oaks?"}], "author": {"role": "user"}, "max_tokens": 5,
        "is_token": True, "resume_token": None,
    }  # fmt: skip
    assert kept.dropped == {
        "account field": 1, "author field": 1, "cookie": 1, "custom instructions": 1, "e-mail": 1,
        "phone number": 1, "secret": 1, "token": 2,
    }  # fmt: skip


def test_rows_of_memory_become_nothing_and_the_thread_stays_whole():
    memory = chat_pages.message("user", "x") | {
        "content": {"content_type": "user_editable_context", "user_profile": "SECRET"}
    }
    asked = chat_pages.message("user", handed.QUESTION)
    whole = chat_pages.conversation(memory, asked, chat_pages.answer("East."))
    kept = cleaned(whole)
    assert b"SECRET" not in kept.body
    assert kept.dropped == {"memory row": 1}
    (turn,) = chat_pages.turns_of("chatgpt_web", kept.body, Form.CONVERSATION)
    assert (turn.prompt, turn.reading.text) == (handed.QUESTION, "East.")


def test_json_within_a_text_is_cleaned_too():
    kept = cleaned({"text": json.dumps({"email": MINE, "answer": "Oaks"})}, Form.THREAD)
    assert json.loads(json.loads(kept.body)["text"]) == {"answer": "Oaks"}


def test_each_event_of_a_stream_is_cleaned_by_itself():
    body = b'event: m\r\ndata: {"read_write_token": "SECRET", "a": 1}\r\n\r\ndata: [DONE]\r\n'
    kept = clean(body, Form.STREAM)
    assert kept.body == b'event: m\r\ndata: {"a":1}\r\n\r\ndata: [DONE]\r\n'


@pytest.mark.parametrize("before", ["", "\\n", "\\u00e9", "mailto:", "(", "%3A"])
def test_addresses_and_tokens_are_starred_at_their_length(before):
    body = f'{{"a": "{before}{MINE} or {SESSION} or Bearer abcdefghij0123456789"}}'.encode()
    kept = clean(body, Form.TEXT)
    assert len(kept.body) == len(body)
    json.loads(kept.body)
    for secret in (MINE, "someone", SESSION, "abcdefghij0123456789"):
        assert secret.encode() not in kept.body
    assert kept.dropped == {"e-mail": 1, "token": 2}


def test_what_an_answer_says_stays():
    kept = cleaned(
        {"a": "Ask Info@Oak.Example", "b": MINE}, said=emails_of("Ask info@oak.example.")
    )
    assert b"Ask Info@Oak.Example" in kept.body
    assert MINE.encode() not in kept.body


def test_scripts_with_a_session_are_emptied_and_others_stay():
    head = (
        f'<script>var s = {{"accessToken": "{SESSION}"}}</script><script>draw()</script>'
        f'<script>boot("{MINE}")</script><meta name="csrf-token" content="SECRET">'
        '<meta name="description" content="Oaks"><input type="hidden" name="auth" value="SECRET">'
    )
    kept = clean(handed.page(head=head), Form.DOM)
    assert b"<script></script><script>draw()</script><script></script>" in kept.body
    assert b"SECRET" not in kept.body
    assert b'content="Oaks"' in kept.body
    assert kept.dropped == {"form secret": 2, "script": 2}


def test_the_script_of_a_share_page_stays_with_its_offsets():
    said = '["email","' + MINE + '","phone_number","SECRET","text","Oaks lean east."]'
    quoted = json.dumps(said)
    body = f"<script>window.streamController.enqueue({quoted})</script>".encode()
    kept = clean(body, Form.SHARE)
    assert len(kept.body) == len(body)
    assert b"Oaks lean east." in kept.body
    assert b"SECRET" not in kept.body
    assert b"someone" not in kept.body


def test_areas_of_the_account_and_other_conversations_leave_a_page():
    beside = (
        f'<div id="me">Someone {MINE}</div><nav><a href="/c/1">SECRET plans</a></nav>'
        '<nav aria-label="Chat history"><p>SECRET too</p></nav>'
    )
    kept = clean(handed.page(beside=beside), Form.DOM, areas=("#me",))
    assert b"SECRET" not in kept.body
    assert b"Someone" not in kept.body
    assert kept.dropped == {"account area": 3}
    (turn,) = chat_pages.turns_of("chatgpt_web", kept.body)
    assert turn.reading.text == "Oaks lean east."


@pytest.mark.parametrize(
    "piece",
    [b"eyJ", b"<script ", b"<input name=token ", b"a@b.co ", b"<script>token</script>", b"%40",
     b"\\", b"QUJD", b'"email","'],
)  # fmt: skip
def test_no_repeated_piece_costs_the_square_of_its_number(piece):
    begun = time.monotonic()
    body = b'<script>streamController.enqueue("' + piece * (500_000 // len(piece))
    clean(body, Form.SHARE)
    assert time.monotonic() - begun < 3


def test_json_that_nests_too_deep_is_refused():
    with pytest.raises(ImportFileError, match="nests deeper"):
        clean(b'{"a":' * 200_000 + b"1" + b"}" * 200_000, Form.THREAD)
