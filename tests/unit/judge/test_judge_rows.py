"""The JSON lines door of a judge."""

import json

import pytest

from monitor.domain.claim import Support, Verdict
from monitor.errors import JudgeError
from monitor.judge import judge_rows, make_judge


class Told:
    """A judge that repeats the claim as its quote."""

    version = "told@1"

    def verdict(self, claim, evidence):
        return Verdict(
            Support.FULL, ("covered",), 0.9, claim, (0, len(claim)), 0, self.version, 1_500_000
        )


def row(number, claim="Ann is 40.", **extra):
    return json.dumps({"id": number, "claim": claim, "passages": ["Ann is 40."], **extra})


def test_rows_keep_their_order_and_fields():
    made = [json.loads(line) for line in judge_rows([row("b"), "", row("a", question="q")], Told())]
    assert [one["id"] for one in made] == ["b", "a"]
    assert made[0] == {
        "id": "b", "label": "full", "score": 0.9, "quote": "Ann is 40.", "quote_span": [0, 10],
        "reasons": ["covered"], "judge": "told@1", "cost": 1.5, "evidence": 0,
    }  # fmt: skip


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
    ],
)
def test_a_bad_line_is_named_by_its_number(line, named):
    with pytest.raises(JudgeError, match=rf"rows\.jsonl line 2.*{named}"):
        list(judge_rows([row(1), line], Told(), source="rows.jsonl"))


def test_rows_before_a_bad_line_are_already_out():
    made = judge_rows([row(1), "{"], Told())
    assert json.loads(next(made))["id"] == 1


def test_an_unknown_judge_is_refused_with_the_known_names():
    with pytest.raises(JudgeError, match="embedded"):
        make_judge("oracle")
