"""The JSON lines door of a judge."""

import json
import sys
from itertools import islice

import pytest

from monitor.domain.claim import Gap, GapKind, Support, Verdict, Votes
from monitor.domain.engine import Usage
from monitor.errors import JudgeError
from monitor.judge import judge_rows, make_judge


class Told:
    """A judge that repeats the claim as its quote, and works ahead on a few rows."""

    version = "told@1"
    held = None

    def __init__(self, ahead=1):
        self.ahead = ahead

    def verdict(self, claim, evidence):
        return Verdict(
            Support.FULL, ("covered",), 0.9, claim, (0, len(claim)), 0, self.version, 1_500_000
        )

    def verdicts(self, asked):
        waiting = iter(asked)
        while held := tuple(islice(waiting, self.ahead)):
            yield from (self.verdict(one.claim, one.evidence) for one in held)


def row(number, claim="Ann is 40.", **extra):
    return json.dumps({"id": number, "claim": claim, "passages": ["Ann is 40."], **extra})


def test_rows_keep_their_order_and_fields():
    made = [json.loads(line) for line in judge_rows([row("b"), "", row("a", question="q")], Told())]
    assert [one["id"] for one in made] == ["b", "a"]
    assert made[0] == {
        "id": "b", "label": "full", "score": 0.9, "quote": "Ann is 40.", "quote_span": [0, 10],
        "reasons": ["covered"], "judge": "told@1", "cost": 1.5, "evidence": 0,
        "gaps": [], "votes": None, "usage": None,
    }  # fmt: skip


def test_gaps_votes_and_usage_are_told():
    class Counted(Told):
        def verdict(self, claim, evidence):
            gap = Gap(GapKind.NUMBER, 7, 9, "40", "41")
            return Verdict(
                Support.PARTIAL, gaps=(gap,), votes=Votes(2, 3), usage=Usage(120, 8), judge="c@1"
            )

    made = json.loads(next(judge_rows([row(1)], Counted())))
    assert made["gaps"] == [
        {"kind": "number", "start": 7, "end": 9, "claimed": "40", "source": "41"}
    ]
    assert made["votes"] == {"agreeing": 2, "total": 3}
    assert made["usage"] == {"input_tokens": 120, "output_tokens": 8, "reasoning_tokens": None}


def test_lines_are_ascii():
    line = next(judge_rows([row(1, "Zoë is 40 歳.")], Told()))
    assert line.isascii()
    assert json.loads(line)["quote"] == "Zoë is 40 歳."


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("{", "not JSON"),
        ("[1]", "list"),
        ('{"claim": "c", "passages": []}', "id"),
        ('{"id": 1, "passages": []}', "claim"),
        ('{"id": 1, "claim": "c", "passages": "p"}', "passages"),
        ('{"id": 1, "claim": "c", "passages": [1]}', "passages"),
        ('{"id": 1, "claim": "c", "passages": [], "question": 1}', "question"),
    ],
)
def test_a_bad_line_is_named_by_its_number(line, named):
    with pytest.raises(JudgeError, match=rf"rows\.jsonl line 2.*{named}"):
        list(judge_rows([row(1), line], Told(), source="rows.jsonl"))


@pytest.mark.parametrize("ahead", [1, 8])
def test_rows_before_a_bad_line_are_judged(ahead):
    made = judge_rows([row(1), row(2), "{", row(4)], Told(ahead))
    assert [json.loads(next(made))["id"] for _ in range(2)] == [1, 2]
    with pytest.raises(JudgeError, match="line 3"):
        next(made)


@pytest.mark.parametrize(
    ("judge", "ahead"), [(Told(), 1), (Told(3), 3), (make_judge("embedded"), 1)]
)
def test_no_more_lines_are_read_than_the_judge_works_on(judge, ahead):
    read = []

    def lines():
        for number in range(10):
            read.append(number)
            yield row(number)

    next(judge_rows(lines(), judge))
    assert len(read) == ahead


def test_memory_stays_flat_over_many_rows():
    rows = judge_rows((row(number) for number in range(100_000)), Told(8))
    for _ in islice(rows, 100):
        pass
    held = sys.getallocatedblocks()
    for _ in islice(rows, 99_000):
        pass
    assert sys.getallocatedblocks() - held < 2_000


def test_an_unknown_judge_is_refused_with_the_known_names():
    with pytest.raises(JudgeError, match="embedded"):
        make_judge("oracle")
