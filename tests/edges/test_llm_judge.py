"""A judge that asks a model which behaves: votes, order, caps, resume, and three interfaces."""

import json
import threading
from collections import Counter

import pytest

from monitor.domain.claim import Gap, GapKind, Question, Support, Votes
from monitor.domain.engine import Usage
from monitor.errors import JudgeError, StoreError
from monitor.judge.llm.threads import in_order
from monitor.store.artifacts import open_artifacts
from tests import misbehaving
from tests.misbehaving import (
    CLAIM,
    PAGE,
    PAID,
    QUOTE,
    Ledger,
    desk,
    fails,
    judges,
    raw,
    says,
    slow,
)

NONE = ("unsupported", "", 0.1)


def asked(count):
    return [Question(f"{CLAIM} {n}", (PAGE,)) for n in range(count)]


def test_a_verdict_tells_quote_place_judge_cost_and_tokens():
    with desk(judges()) as at:
        verdict = at.judge.verdict(CLAIM, ("Something else.", PAGE))
    assert verdict.support is Support.FULL
    assert (verdict.quote, verdict.quote_span, verdict.evidence) == (QUOTE, (0, len(QUOTE)), 1)
    assert (verdict.judge, verdict.score, verdict.reasons) == (
        "llm/openai/m-1@1", 0.9, ("It is said there.",),
    )  # fmt: skip
    assert (verdict.cost_micros, verdict.usage) == (PAID, Usage(100, 20))
    assert verdict.votes is None


def test_parts_that_are_not_borne_out_become_gaps_where_the_claim_has_them():
    parts = [
        {"part": "90 degrees", "kind": "number", "evidence_says": "80 degrees"},
        {"part": "Green tea", "kind": "missing", "evidence_says": "Green tea"},
        {"part": "is always", "kind": "scope_widened", "evidence_says": "sometimes"},
        {"part": "words of no claim", "kind": "name", "evidence_says": ""},
        {"part": "brewed", "kind": "style", "evidence_says": ""},
    ]
    with desk(judges("partial", score=0.3, unsupported=parts)) as at:
        verdict = at.judge.verdict("Green tea is always brewed at 90 degrees.", (PAGE,))
    assert verdict.support is Support.PARTIAL
    assert verdict.gaps == (
        Gap(GapKind.MISSING, 0, 9, "Green tea"),
        Gap(GapKind.SCOPE_WIDENED, 10, 19, "is always"),
        Gap(GapKind.NUMBER, 30, 40, "90 degrees", "80 degrees"),
    )


@pytest.mark.parametrize(
    ("given", "support", "votes", "calls"),
    [
        # Two of three agree: the third is not asked.
        ([judges(), judges(score=0.7)], Support.FULL, Votes(2, 2), 2),
        ([judges(), judges(*NONE), judges(*NONE)], Support.UNSUPPORTED, Votes(2, 3), 3),
        ([judges(), judges(*NONE), judges("contradicted")], Support.NOT_ASSESSABLE, Votes(1, 3), 3),
    ],
)
def test_most_of_three_votes_count(given, support, votes, calls):
    with desk(*given, votes=3) as at:
        verdict = at.judge.verdict(CLAIM, (PAGE,))
        assert (verdict.support, verdict.votes, len(at.server.calls)) == (support, votes, calls)
        assert verdict.cost_micros == at.ledger.spent == calls * PAID
        assert verdict.judge == "llm/openai/m-1@1-k3"


def test_a_tie_is_disputed_and_scores_are_averaged():
    with desk(judges(score=0.9), judges(*NONE), votes=2) as at:
        verdict = at.judge.verdict(CLAIM, (PAGE,))
    assert verdict.reasons == ("disputed", "vote: full", "vote: unsupported")
    assert (verdict.score, verdict.votes, verdict.quote) == (0.5, Votes(1, 2), None)


def test_votes_that_failed_are_no_votes():
    bad = says("", stop="content_filter")
    with desk(bad, judges(), judges(), votes=3) as at:
        assert at.judge.verdict(CLAIM, (PAGE,)).votes == Votes(2, 2)
    with desk(bad, bad, judges(), votes=3) as at:
        verdict = at.judge.verdict(CLAIM, (PAGE,))
        # Two of three failed: no label can have most of them, and the third is not asked.
        assert verdict.reasons == ("judge_error", "refused")
        assert len(at.server.calls) == 2


def test_verdicts_keep_their_order_while_calls_are_made_at_once():
    def last_first(handler, said):
        number = int(said["messages"][1]["content"].split(CLAIM)[-1].split()[0])
        slow(0.03 * (3 - number % 4), judges(why=f"number {number}"))(handler, said)

    with desk(last_first, concurrency=4) as at:
        taken = []

        def questions():
            for one in asked(40):
                taken.append(one)
                yield one

        found = at.judge.verdicts(questions())
        first = next(found)
        assert len(taken) <= 9
        rest = list(found)
        assert [one.reasons[0] for one in [first, *rest]] == [f"number {n}" for n in range(40)]
        assert 2 <= at.server.most_at_once <= 4


def test_whoever_stops_asking_has_paid_for_nothing_that_is_lost():
    with desk(judges(), concurrency=2) as at:
        found = at.judge.verdicts(asked(30))
        next(found)
        found.close()
        made = len(at.server.calls)
        assert made <= 5
        assert (at.ledger.open, at.ledger.spent) == (0, made * PAID)
        assert len(at.artifacts.pointed) == made


def test_a_cap_leaves_the_rest_pending_and_says_so():
    with desk(judges(), concurrency=1, ledger=Ledger(calls=3)) as at:
        found = list(at.judge.verdicts(asked(6)))
        assert [one.support for one in found[:3]] == [Support.FULL] * 3
        assert [one.reason for one in found[3:]] == ["pending"] * 3
        assert [one.cost_micros for one in found] == [PAID] * 3 + [0] * 3
        assert "cap on calls" in at.judge.held
        assert len(at.server.calls) == 3
        # With more money the same judge goes on: what was answered is not paid again.
        at.ledger.calls = 100
        assert [one.support for one in at.judge.verdicts(asked(6))] == [Support.FULL] * 6
        assert (at.judge.held, len(at.server.calls)) == (None, 6)


def test_a_cap_in_the_middle_of_votes_gives_no_label():
    with desk(judges(), votes=3, ledger=Ledger(calls=1)) as at:
        assert at.judge.verdict(CLAIM, (PAGE,)).reason == "pending"
        at.ledger.calls = 2
        more = misbehaving.Desk(at.server, artifacts=at.artifacts, votes=3)
        with more.client:
            verdict = more.judge.verdict(CLAIM, (PAGE,))
        assert (verdict.votes, verdict.cost_micros, more.ledger.spent) == (
            Votes(2, 2), 2 * PAID, PAID,
        )  # fmt: skip


def test_killed_and_resumed_pays_nothing_twice():
    class Killed(BaseException):
        pass

    refused = fails(400, "json_schema is not supported")

    def server(handler, said):
        kind = said["response_format"]["type"]
        (refused if kind == "json_schema" else judges())(handler, said)

    with desk(server, concurrency=1) as at:
        settle = at.ledger.settle

        def killing(reservation, micros):
            if len(at.ledger.settled) == 4:
                raise Killed
            settle(reservation, micros)

        at.ledger.settle = killing
        with pytest.raises(Killed):
            list(at.judge.verdicts(asked(8)))
        answered = [call for call in at.server.calls if "json_object" in json.dumps(call)]
        assert at.ledger.open >= 1
        # The new process does not know yet what the endpoint refuses, and begins in the middle.
        again = misbehaving.Desk(at.server, artifacts=at.artifacts, concurrency=1)
        with again.client:
            found = list(again.judge.verdicts(reversed(asked(8))))
        assert [one.support for one in found] == [Support.FULL] * 8
        assert [one.cost_micros for one in found] == [PAID] * 8
        assert again.ledger.spent == (8 - len(answered)) * PAID
    claims = [call["messages"][1]["content"] for call in at.server.calls
              if call["response_format"]["type"] == "json_object"]  # fmt: skip
    assert set(Counter(claims).values()) == {1}


def test_bytes_that_cannot_be_kept_are_not_paid_for():
    with desk(judges()) as at:
        at.artifacts.full = True
        with pytest.raises(StoreError, match="No space left"):
            at.judge.verdict(CLAIM, (PAGE,))
        assert (at.server.calls, at.ledger.reserved) == ([], [])


def test_a_stored_call_that_was_lost_is_asked_again():
    with desk(judges()) as at:
        at.judge.verdict(CLAIM, (PAGE,))
        at.artifacts.blobs.clear()
        assert at.judge.verdict(CLAIM, (PAGE,)).support is Support.FULL
        assert len(at.server.calls) == 2
        assert [name.rpartition("-")[2] for name in at.artifacts.pointed] == ["0", "1"]


def test_a_retry_waits_as_the_vendor_asks_or_longer_each_time():
    moves = [fails(503, retry_after="4"), fails(503), fails(503), judges()]
    with desk(*moves, attempts=4) as at:
        assert at.judge.verdict(CLAIM, (PAGE,)).support is Support.FULL
        assert at.clock.slept == [4, 2, 4]


def test_calls_keep_to_their_pace():
    with desk(judges(), per_minute=60, concurrency=1) as at:
        list(at.judge.verdicts(asked(4)))
        # One a second, no burst: three waits of nearly a second after the first call.
        assert len(at.clock.slept) == 3
        assert all(0.5 < seconds <= 1 for seconds in at.clock.slept)


def test_nothing_to_read_and_nothing_claimed_cost_no_call():
    with desk(judges()) as at:
        assert at.judge.verdict(CLAIM, ()).reason == "no_text"
        assert at.judge.verdict(CLAIM, (" \n",)).reason == "no_text"
        assert at.judge.verdict("  ", (PAGE,)).reason == "judge_unclear"
        assert at.server.calls == []


def test_an_estimate_is_never_below_the_price_and_is_what_is_reserved():
    with desk(judges(), votes=3) as at:
        question = Question(CLAIM, (PAGE,))
        estimate = at.judge.estimate(question)
        assert at.server.calls == []
        at.judge.verdict(*(question.claim, question.evidence))
        assert at.ledger.reserved[0] * 3 == estimate
        # The longest reply alone costs 2,048 tokens of 2 micros.
        assert estimate > 3 * 4096 > at.ledger.spent


def test_long_pages_are_cut_to_what_is_nearest_and_quotes_keep_their_place():
    filler = "The valley has many roads and each of them leads to a mill. " * 300
    page = filler + QUOTE + " " + filler
    with desk(judges(), evidence_words=200) as at:
        verdict = at.judge.verdict(CLAIM, (page, PAGE))
        sent = at.server.calls[0]["messages"][1]["content"]
        assert len(sent.split()) < 400
        assert QUOTE in sent
        assert "[...]" in sent
        assert verdict.quote_span == (len(filler), len(filler) + len(QUOTE))
        assert at.judge.version == "llm/openai/m-1@1-w200"


def test_the_request_is_the_same_every_time_and_holds_the_material_between_marks():
    with desk(judges()) as at, desk(judges()) as other:
        at.judge.verdict(CLAIM, (PAGE,))
        other.judge.verdict(CLAIM, (PAGE,))
        assert at.server.calls == other.server.calls
        call = at.server.calls[0]
        assert (call["temperature"], call["model"]) == (0, "m-1")
        lines = call["messages"][1]["content"].splitlines()
        nonce = lines[0].split()[-1]
        assert lines[0] == f"<<<EVIDENCE 1 {nonce}"
        assert lines.index(f"END EVIDENCE 1 {nonce}>>>") < lines.index(f"<<<CLAIM {nonce}")
        assert nonce not in PAGE


@pytest.mark.parametrize(
    ("part", "key", "says_what"),
    [
        ({"model": " "}, "k", "judge.llm.model is empty"),
        ({"base_url": None}, None, "OPENAI_API_KEY"),
        ({}, "sk-ключ-of-mine", "characters that no key has"),
        ({}, "sk-one\nsk-two", "characters that no key has"),
    ],
)
def test_a_judge_without_model_or_key_is_not_made(part, key, says_what):
    with desk(judges()) as at, pytest.raises(JudgeError, match=says_what):
        misbehaving.Desk(at.server, key=key, **part)


def test_a_server_of_ones_own_needs_no_key():
    with desk(judges()) as at:
        own = misbehaving.Desk(at.server, key=None)
        with own.client:
            assert own.judge.verdict(CLAIM, (PAGE,)).support is Support.FULL
        assert "authorization" not in {name.lower() for name in at.server.headers[0]}


def test_the_key_never_leaves_by_a_redirect_or_an_error():
    with desk(judges()) as other:
        away = raw(b"", 308, location=other.server.url + "/chat/completions")
        with desk(away) as at:
            assert at.judge.verdict(CLAIM, (PAGE,)).reasons == ("judge_error", "redirected")
        assert other.server.calls == []


def test_a_ledger_that_ends_ends_paid_calls_only():
    with desk(judges(), concurrency=1) as at:
        at.judge.verdict(f"{CLAIM} 4", (PAGE,))
        poor = misbehaving.Desk(at.server, artifacts=at.artifacts, concurrency=1,
                                ledger=Ledger(calls=0))  # fmt: skip
        with poor.client:
            found = [one.reason for one in poor.judge.verdicts(asked(6))]
        # The fifth was answered before and is replayed for nothing.
        assert found == ["pending"] * 4 + [None, "pending"]
        assert len(at.server.calls) == 1


def test_two_runs_that_ask_the_same_at_once_keep_both_calls(tmp_path):
    artifacts = open_artifacts(tmp_path / "bytes")
    both_are_there = threading.Barrier(2, timeout=60)

    def together(handler, said):
        both_are_there.wait()
        judges(why=f"said at port {handler.client_address[1]}")(handler, said)

    with desk(together, artifacts=artifacts) as at:
        other = misbehaving.Desk(at.server, artifacts=artifacts)
        question = Question(CLAIM, (PAGE,))
        with other.client:
            first, second = at.judge.verdicts([question]), other.judge.verdicts([question])
            both = list(in_order(next, [first, second], threads=2))
        assert [one.support for one in both] == [Support.FULL] * 2
        assert len(at.server.calls) == 2
        names = artifacts.names("verdicts")
        assert [name.rpartition("/")[2] for name in names] == ["0-0-0", "0-0-1"]
        # Whoever comes later takes the call from there.
        assert at.judge.verdict(CLAIM, (PAGE,)).support is Support.FULL
        assert len(at.server.calls) == 2
