"""Replies that nobody could use: named, remembered, and asked anew only where that is wanted."""

from dataclasses import replace

import pytest

from monitor.domain.claim import Question
from monitor.judge.llm import llm_judge
from tests.misbehaving import CLAIM, PAGE, PAID, desk, fails, judges, reply, says

ASKED = [Question(CLAIM, (PAGE,)), Question(f"{CLAIM} Always.", (PAGE,))]


def once_more(made, *, again):
    """Another command on the same store."""
    means = replace(made.means, again=again)
    return llm_judge(made.part, means, **made.paid)


def test_replies_that_led_to_errors_are_asked_anew_where_that_is_wanted():
    with desk(says("hello"), concurrency=1) as made:
        assert {one.reasons[0] for one in made.judge.verdicts(ASKED)} == {"judge_error"}
        spoilt, kept = len(made.server.calls), dict(made.artifacts.pointed)
        made.server.moves = [judges()]
        same = once_more(made, again=False)
        assert {one.reasons[0] for one in same.verdicts(ASKED)} == {"judge_error"}
        assert (len(made.server.calls), same.replayed) == (spoilt, 0)
        anew = once_more(made, again=True)
        assert [one.support.value for one in anew.verdicts(ASKED)] == ["full", "full"]
        assert (len(made.server.calls), anew.replayed) == (spoilt + 2, 0)
        assert kept.items() < made.artifacts.pointed.items()
        later = once_more(made, again=False)
        told = list(later.verdicts(ASKED))
        assert [(one.support.value, one.cost_micros) for one in told] == [("full", PAID)] * 2
        assert (len(made.server.calls), later.replayed) == (spoilt + 2, 2)
        list(once_more(made, again=True).verdicts(ASKED))
        assert len(made.server.calls) == spoilt + 2


def test_one_command_asks_anew_once():
    with desk(says("hello"), concurrency=1) as made:
        list(made.judge.verdicts(ASKED[:1]))
        anew = once_more(made, again=True)
        list(anew.verdicts(ASKED[:1]))
        calls = len(made.server.calls)
        list(anew.verdicts(ASKED[:1]))
        assert len(made.server.calls) == calls
        fresh = once_more(made, again=True)
        question = [Question("Spring water is used.", (PAGE,))]
        list(fresh.verdicts(question))
        calls = len(made.server.calls)
        list(fresh.verdicts(question))
        assert len(made.server.calls) == calls


def test_a_new_try_that_was_killed_is_gone_on_with():
    with desk(says("hello"), concurrency=1, votes=3) as made:
        list(made.judge.verdicts(ASKED[:1]))
        spoilt = len(made.server.calls)
        made.server.moves = [judges("unsupported", "")]
        made.ledger.calls = len(made.ledger.reserved) + 1
        (told,) = once_more(made, again=True).verdicts(ASKED[:1])
        assert (told.reasons, len(made.server.calls)) == (("pending",), spoilt + 1)
        made.ledger.calls = 10_000
        (told,) = once_more(made, again=True).verdicts(ASKED[:1])
        assert (told.support.value, len(made.server.calls)) == ("unsupported", spoilt + 2)


def test_an_endpoint_that_knows_no_form_is_asked_by_its_last_rung_from_then_on():
    with desk(says("hello"), concurrency=1, attempts=1) as made:
        list(made.judge.verdicts(ASKED))
        # Schema, object, text and one repair; then text and one repair.
        assert len(made.server.calls) == 4 + 2
        assert "response_format" not in made.server.calls[4]


def test_one_odd_reply_does_not_lower_an_endpoint_that_has_proved_itself():
    with desk(judges(), *[says("hello")] * 4, judges(), concurrency=1) as made:
        odd = Question("Growers use spring water.", (PAGE,))
        list(made.judge.verdicts([ASKED[0], odd, ASKED[1]]))
        assert "response_format" in made.server.calls[-1]


@pytest.mark.parametrize(
    ("said", "mismatch"),
    [
        (says(reply("may\x1bbe")), "label: got 'may be'; expected full, partial, unsupported, "),
        (says("hello"), "reply: got 'hello'; expected lines, the last of them LABEL: and a label"),
        (says("x" * 500), f"reply: got '{'x' * 80}'; expected lines"),
        (says(reply(score=87)), "score: got 87; expected a number from 0 to 1"),
        (says(reply(unsupported=[{"part": CLAIM, "kind": "missing", "evidence_says": ""}])),
         "unsupported: got 1 parts; expected none beside label full"),
        (says(reply(quote="Green\x00 tea is a marvel.")),
         "quote: got 'Green tea is a marvel.'; expected words of the evidence, letter for letter"),
    ],
)  # fmt: skip
def test_the_first_mismatch_of_a_reply_is_named(said, mismatch):
    with desk(said) as made:
        (told,) = made.judge.verdicts(ASKED[:1])
    assert told.reasons[2].startswith(mismatch)
    assert told.reasons[2].isprintable()


def test_a_call_that_failed_on_its_way_has_no_mismatch():
    with desk(fails(500)) as made:
        (told,) = made.judge.verdicts(ASKED[:1])
    assert told.reasons == ("judge_error", "server")
