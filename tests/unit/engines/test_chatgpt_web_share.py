"""Shared pages of ChatGPT: a conversation in the page's data; all input is synthetic."""

import json

import pytest

from monitor.domain.engine import Outcome
from monitor.domain.turn import Form
from monitor.engines import READERS
from monitor.engines.surfaces.chatgpt_share import revived
from monitor.errors import PayloadError
from tests.unit.engines.chat_pages import A, answer, chatgpt, conversation, grouped, message, token
from tests.unit.engines.chat_pages import turns_of as all_turns

CITE = token("cite", "turn0search0")
TEXT = f"It is so.{CITE}"
ONE = conversation(message("user", "Q?"), answer(TEXT, grouped(TEXT, CITE, A)))
ROUTE = "routes/share.$shareId.($action)"


def table(value) -> list:
    """A value as a table of values, each text and object once: what a stream's first line holds."""
    rows: list = []
    known: dict[str, int] = {}

    def place(one) -> int:
        key = json.dumps(one, sort_keys=True)
        if one is None:
            return -5
        if key in known:
            return known[key]
        known[key] = number = len(rows)
        rows.append(None)
        if isinstance(one, dict):
            rows[number] = {f"_{place(k)}": place(v) for k, v in one.items()}
        else:
            rows[number] = [place(v) for v in one] if isinstance(one, list) else one
        return number

    place(value)
    return rows


def page(*lines: str) -> bytes:
    calls = "".join(
        f"<script>window.__reactRouterContext.streamController.enqueue({json.dumps(one)});</script>"
        for one in lines
    )
    return f"<!DOCTYPE html><title>serverResponse</title>{calls}".encode()


def loader(value) -> dict:
    return {"loaderData": {"root": {"a": 1}, ROUTE: value}}


def turns(body: bytes):
    assert READERS["chatgpt_web"].recognise(body) is Form.SHARE
    return all_turns("chatgpt_web", body, Form.SHARE)


def cited(body: bytes):
    (turn,) = turns(body)
    assert (turn.prompt, turn.reading.text) == ("Q?", "It is so.")
    return [one.url for one in turn.reading.citations]


def test_a_page_gives_the_conversation_that_its_stream_holds():
    value = loader({"serverResponse": {"type": "data", "data": ONE}})
    assert cited(page(json.dumps(table(value)) + "\n")) == [A]


def test_a_promise_is_kept_by_a_later_line():
    inner = table({"serverResponse": {"data": ONE}})
    outer = [{"_1": 2}, "loaderData", {"_3": 4}, ROUTE, ["P", 21]]

    def moved(one):
        """A row whose places lie behind those of the first line."""
        if isinstance(one, dict):
            return {
                f"_{int(k[1:]) + len(outer)}": v + len(outer) if v >= 0 else v
                for k, v in one.items()
            }
        return [v + len(outer) if v >= 0 else v for v in one] if isinstance(one, list) else one

    rest = json.dumps([moved(one) for one in inner])
    assert cited(page(json.dumps(outer) + "\n", f"P21:{rest}\n")) == [A]


def test_an_older_page_has_plain_json():
    props = {"props": {"pageProps": {"serverResponse": {"data": ONE}}}}
    script = f'<script id="__NEXT_DATA__" type="application/json">{json.dumps(props)}</script>'
    assert cited(f"<html>{script}</html>".encode()) == [A]


def test_an_older_page_may_have_the_shown_line_alone():
    line = {"linear_conversation": list(ONE["mapping"].values())}
    props = {"props": {"pageProps": {"serverResponse": {"data": line}}}}
    script = f'<script id="__NEXT_DATA__" type="application/json">{json.dumps(props)}</script>'
    assert cited(f"<html>{script}</html>".encode()) == [A]


def test_a_page_that_was_drawn_is_read_from_its_data_where_it_has_some():
    drawn = chatgpt("Drawn words.").encode()
    value = loader({"serverResponse": {"data": ONE}})
    assert cited(drawn + page(json.dumps(table(value)))) == [A]
    without = drawn + page(json.dumps(table(loader({"serverResponse": None}))))
    assert READERS["chatgpt_web"].recognise(without) is Form.DOM


def test_constants_dates_and_shared_places_are_revived():
    rows = [{"_1": 2, "_3": -5, "_4": 5, "_6": 2, "_7": -2}, "a", ["D", 5], "b", "c", [2, 1, -1],
            "d", "e"]  # fmt: skip
    assert revived([json.dumps(rows)]) == {
        "a": 5,
        "b": None,
        "c": [5, "a", None],
        "d": 5,
        "e": None,
    }


def test_a_table_that_leads_back_to_itself_ends():
    root = revived(['[{"_1":0,"_2":3},"self","list",[3,0,99,true]]'])
    assert root["self"] is root
    assert root["list"][0] is root["list"]
    assert root["list"][2:] == [None, None]


@pytest.mark.parametrize(
    "lines",
    [
        ("not json",),
        ("[" * 90_000,),
        ('{"a":1}',),
        ("[]",),
        ('[{"_1":2},"loaderData",{"_1":0}]',),
        ('[["P",[1]]]',),
        ('[[0],{"_x":7}]', "P1:nonsense"),
    ],
)
def test_a_stream_that_cannot_be_read_is_unreadable(lines):
    with pytest.raises(PayloadError):
        turns(page(*lines))


def test_a_conversation_without_answers_gives_no_turn():
    value = loader({"serverResponse": {"data": conversation(message("user", "Q?"))}})
    assert turns(page(json.dumps(table(value)))) == ()


def test_an_answer_in_a_shared_page_tells_all_addresses():
    value = loader({"serverResponse": {"data": ONE}})
    (turn,) = turns(page(json.dumps(table(value))))
    assert turn.reading.outcome is Outcome.ANSWERED
    assert turn.completeness.hidden_citations == 0
