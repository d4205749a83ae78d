"""The checkpoint of evaluations: what is kept, what a crash leaves, who may write."""

import pytest

from monitor.domain.claim import Gap, GapKind, Question, Support, Verdict, Votes
from monitor.domain.engine import Usage
from monitor.errors import JudgeError, MonitorError
from monitor.pipeline.evaluation.checkpoint import Checkpoint, key_of
from tests.evaluated import TagJudge, run, table

WHOLE = Verdict(
    Support.PARTIAL, ("a", "é\ud800"), 0.25, "quote", (1, 6), 2, "llm@1", 1234,
    (Gap(GapKind.NUMBER, 1, 3, "5", "6"), Gap(GapKind.MISSING, 4, 4, "")), Votes(2, 3), Usage(10, None),
)  # fmt: skip
BARE = Verdict(Support.NOT_ASSESSABLE, ("judge_unclear",))
KEY = key_of(Question("c", ("e",)), "llm@1")
OTHER = key_of(Question("c", ("f",)), "llm@1")


def test_verdicts_come_back_as_they_were(tmp_path):
    first = Checkpoint(tmp_path / "checkpoint")
    first.add(KEY, WHOLE)
    first.add(OTHER, BARE)
    assert (first.get(KEY), first.get(OTHER)) == (WHOLE, BARE)
    first.close()
    second = Checkpoint(tmp_path / "checkpoint")
    assert (second.get(KEY), second.get(OTHER), len(second)) == (WHOLE, BARE, 2)
    assert second.get(b"x" * 16) is None
    second.close()


def test_claim_texts_order_and_judge_make_another_verdict():
    asked = Question("c", ("a", "b"))
    others = (
        key_of(Question("d", ("a", "b")), "j@1"),
        key_of(Question("c", ("b", "a")), "j@1"),
        key_of(Question("c", ("ab",)), "j@1"),
        key_of(asked, "j@2"),
    )
    assert len({key_of(asked, "j@1"), *others}) == 5
    assert key_of(Question("c", ("a", "b")), "j@1") == key_of(asked, "j@1")


@pytest.mark.parametrize("cut", [1, 10, 60])
def test_a_line_cut_by_a_crash_is_taken_off_and_written_again(tmp_path, cut):
    path = tmp_path / "checkpoint"
    first = Checkpoint(path)
    first.add(KEY, WHOLE)
    first.add(OTHER, BARE)
    first.close()
    path.write_bytes(path.read_bytes()[:-cut])
    second = Checkpoint(path)
    assert (KEY in second, OTHER in second) == (True, False)
    second.add(OTHER, BARE)
    second.close()
    third = Checkpoint(path)
    assert (third.get(KEY), third.get(OTHER)) == (WHOLE, BARE)
    third.close()


@pytest.mark.parametrize(
    "broken", [b"{}\n", b"nonsense\n", b'{"key": "zz", "verdict": {}}\n', b"\n"]
)
def test_a_broken_line_is_passed_over(tmp_path, broken):
    path = tmp_path / "checkpoint"
    first = Checkpoint(path)
    first.add(KEY, WHOLE)
    first.close()
    path.write_bytes(broken + path.read_bytes() + broken)
    second = Checkpoint(path)
    assert (second.get(KEY), len(second)) == (WHOLE, 1)
    second.close()


def test_two_evaluations_do_not_write_to_one_folder(tmp_path):
    first = Checkpoint(tmp_path / "checkpoint")
    with pytest.raises(MonitorError, match="another evaluation works in this folder"):
        Checkpoint(tmp_path / "checkpoint")
    first.close()
    Checkpoint(tmp_path / "checkpoint").close()


class Dying(TagJudge):
    """Raises after some verdicts."""

    def verdict(self, claim, evidence):
        if len(self.asked) == 3:
            raise JudgeError("the key was refused")
        return super().verdict(claim, evidence)


def test_what_was_judged_before_the_judge_failed_is_not_judged_again(tmp_path):
    content = table(*((f"Ann is {n}.", [f"[full] {n}"]) for n in range(5)))
    with pytest.raises(JudgeError):
        run(tmp_path, "t.csv", content, Dying())
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["checkpoint"]
    judge = TagJudge()
    done, told, _ = run(tmp_path, "t.csv", content, judge)
    assert (len(judge.asked), done.asked, done.micros) == (2, 2, 14)
    assert (told["totals"]["verdicts"], told["totals"]["cost"]) == (5, 35e-6)
    whole, _, _ = run(tmp_path / "whole", "t.csv", content, TagJudge())
    assert [one.read_bytes() for one in done.files] == [one.read_bytes() for one in whole.files]


def test_a_changed_file_asks_only_what_is_new(tmp_path):
    run(tmp_path, "t.csv", table(("Ann is 40.", ["[full] a"])), TagJudge())
    judge = TagJudge()
    content = table(("Bob is 50.", ["[full] b"]), ("Ann is 40.", ["[full] a"]))
    _, told, _ = run(tmp_path, "t.csv", content, judge)
    assert [claim for claim, _ in judge.asked] == ["Bob is 50."]
    assert [row["recall"] for row in told["rows"]] == [1.0, 1.0]


def test_another_judge_judges_everything_anew(tmp_path):
    content = table(("Ann is 40.", ["[full] a"]))
    run(tmp_path, "t.csv", content, TagJudge())
    judge = TagJudge(version="tag@2")
    _, told, _ = run(tmp_path, "t.csv", content, judge)
    assert (len(judge.asked), told["judge"]) == (1, "tag@2")


def test_verdicts_of_other_windows_are_found_again(tmp_path):
    rows = [("Ann is 40.", ["[full] a"]), *((f"Bob is {n}.", []) for n in range(200))]
    judge = TagJudge()
    _, told, made = run(tmp_path, "t.csv", table(*rows, rows[0]), judge)
    assert (len(judge.asked), made[-1]["recall"], made[-1]["cost"]) == (1, "1.0", "0.000000")
    assert [one["row"] for one in told["rows"]] == list(range(1, 203))
