"""What is private leaves a document; what is not stays byte for byte."""

import json

import pytest

from monitor.capture.imports.parts import ImportFileError
from monitor.capture.imports.private import clean
from monitor.capture.imports.private_words import said_in
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
    kept = clean(body, form, said=said_in(body.decode()))
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
    kept = cleaned({"a": "Ask Info@Oak.Example", "b": MINE}, said=said_in("Ask info@oak.example."))
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


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "piece",
    [b"eyJ", b"<script ", b"<input name=token ", b"a@b.co ", b"<script>token</script>", b"%40",
     b"\\", b"QUJD", b'"email","', b"<textarea name=token>", b"data-", b"data-auth", b"?token=",
     b"https://a:", b"://", b"-----BEGIN PRIVATE KEY-----", b"&#64;", b"\ndata:", b"data: 1\r"],
)  # fmt: skip
def test_no_repeated_piece_costs_the_square_of_its_number(piece):
    body = b'<script>streamController.enqueue("' + piece * (500_000 // len(piece))
    clean(body, Form.SHARE)


def test_json_that_nests_too_deep_is_refused():
    with pytest.raises(ImportFileError, match="nests deeper"):
        clean(b'{"a":' * 200_000 + b"1" + b"}" * 200_000, Form.THREAD)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("indent", [None, 1])
def test_an_event_is_cleaned_whatever_ends_its_lines_and_however_many_it_has(end, indent):
    said = json.dumps({"read_write_token": "SECRET", "a": "Oaks"}, indent=indent)
    lines = "".join(f"data: {line}{end}" for line in said.split("\n"))
    body = f"\ufeffevent: m{end}{lines}{end}{lines}{end}".encode()
    kept = clean(body, Form.STREAM)
    assert b"SECRET" not in kept.body
    assert kept.body.count(b"Oaks") == 2
    assert kept.dropped == {"token": 2}


def test_lines_of_an_event_that_are_json_by_themselves_are_cleaned_by_themselves():
    line = b'data: {"read_write_token": "SECRET"}\n'
    assert clean(line * 2, Form.STREAM).body == b"data: {}\n" * 2


@pytest.mark.parametrize("at", ["@", "%40", "\\u0040", "&#64;", "&#064;", "&#x40;", "&commat;"])
def test_an_address_is_known_however_its_sign_is_written(at):
    kept = clean(f'"someone.synthetic{at}mail.example"'.encode(), Form.TEXT)
    assert kept.body.decode() == f'"{"*" * 17}{at}{"*" * 12}"'
    said = said_in("Ask someone.synthetic@mail.example")
    assert clean(f"someone.synthetic{at}mail.example".encode(), Form.TEXT, said=said).dropped == {}


@pytest.mark.parametrize("mark", ["?", "?a=1&", "?a=1&amp;", "?a=1\\u0026", "#", "%3Fa%3D1%26"])
@pytest.mark.parametrize(
    "name", ["token", "access_token", "sig", "X-Amz-Signature", "session", "api_key", "auth"]
)
def test_secrets_in_the_query_of_an_address_are_starred(mark, name):
    body = f'"https://files.example/a{mark}{name}=SECRET0123%2F4&b=2"'.encode()
    kept = clean(body, Form.TEXT)
    assert kept.body == body.replace(b"SECRET0123%2F4", b"*" * 14)
    assert kept.dropped == {"secret in an address": 1}


def test_the_login_of_an_address_is_starred():
    kept = clean(b"<!-- from https://someone:SECRET!@oak.example/x -->", Form.DOM)
    assert kept.body == b"<!-- from https://***************@oak.example/x -->"


@pytest.mark.parametrize(
    "url", ["https://oak.example/age?token=public-0123", "https://a:public@oak.example/age"]
)
def test_addresses_that_an_answer_shows_stay_whole(url):
    body = json.dumps({"cited": url, "own": "https://me.example/?token=SECRET-0123"}).encode()
    kept = clean(body, Form.TEXT, said=said_in(url))
    assert url.encode() in kept.body
    assert b"SECRET" not in kept.body


@pytest.mark.parametrize(
    "token",
    [
        "github_pat_" + "SECRET0123" * 4, "gho_" + "SECRET0123" * 4, "pplx-" + "SECRET0123" * 4,
        "xai-" + "SECRET0123" * 4, "glpat-" + "SECRET0123" * 2, "AKIA" + "SECRET012345ABCD",
        "-----BEGIN RSA PRIVATE KEY-----\\nSECRET0123+/=\\n",
    ],
)  # fmt: skip
def test_keys_of_well_known_makers_are_starred(token):
    kept = clean(f'{{"a": "my key {token}", "b": "pplx-full-logo-primary-dark.png"}}'.encode(),
                 Form.TEXT)  # fmt: skip
    assert "SECRET" not in json.loads(kept.body)["a"]
    assert b"pplx-full-logo-primary-dark" in kept.body
    assert kept.dropped == {"token": 1}


@pytest.mark.parametrize(
    "markup",
    [
        '<div data-access-token="SECRET0123">', "<div data-csrf='SECRET0123'>",
        '<p DATA-user-id="SECRET0123">', "<i data-session=SECRET0123>",
        '<meta http-equiv="set-cookie" content="SECRET0123">',
        '<button name="csrf" value="SECRET0123">', "<textarea name=token>SECRET0123</textarea>",
        '<script>boot({"sessionId": "SECRET0123"})</script>', '<script>jwt = "SECRET0123"</script>',
        '<script>window.oauth = "SECRET0123"</script>',
        '<script>streamController.enqueue("[\\"cookie\\",\\"SECRET0123\\"]")</script>',
    ],
)  # fmt: skip
def test_secrets_in_odd_places_of_a_page_leave_it(markup):
    kept = clean(handed.page(beside=markup), Form.DOM)
    assert b"SECRET" not in kept.body
    assert sum(kept.dropped.values()) == 1
    (turn,) = chat_pages.turns_of("chatgpt_web", kept.body)
    assert turn.reading.text == "Oaks lean east."


def test_attributes_that_only_sound_secret_stay():
    body = handed.page(beside='<b data-message-author="assistant-0" data-auth="true"></b>')
    assert clean(body, Form.DOM).body == body


def test_fields_of_json_are_known_by_how_their_names_end():
    names = ("sessionId", "jwt", "x-api-key", "private_key", "userPassword", "client_secret",
             "collection_info", "visitor_id", "session_cookie", "Set-Cookie")  # fmt: skip
    kept = cleaned({name: f"SECRET {name}" for name in names} | {"a": 1}, Form.THREAD)
    assert json.loads(kept.body) == {"a": 1}
    assert sum(kept.dropped.values()) == len(names)
