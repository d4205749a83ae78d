"""Agreement of a judge with labels, on rows whose figures can be counted by hand."""

import json
import tracemalloc

import jsonschema
import pytest

from monitor.domain.claim import Question, Support, Verdict
from monitor.errors import JudgeError
from monitor.judge.flagging import suite_figures
from monitor.judge.report import judge_report
from monitor.judge.report.as_json import report_json, suite_json
from monitor.judge.report.as_text import report_lines, suite_lines
from monitor.judge.report.resampled import METHOD
from monitor.judge.report.rows import (
    Judged,
    judged_before,
    judged_now,
    read_labelled,
    read_verdicts,
)
from monitor.judge.suite import suite_rows
from tests.house import ROOT

FULL, PARTIAL, NONE, AGAINST, OPEN = Support


def judged(label, support, score, source="a", question="q"):
    return Judged(label, source, question, support, score)


ROWS = [
    judged("full", FULL, 0.9, question="1"),
    judged("full", FULL, 0.8, question="2"),
    judged("full", OPEN, 0.5, question="3"),
    judged("partial", PARTIAL, 0.3, question="3"),
    judged("unsupported", FULL, 0.7, question="4"),
    judged("unsupported", NONE, 0.1, question="5"),
    judged("contradicted", NONE, 0.2, question="6"),
    judged("full", FULL, 0.95, source="b", question="7"),
    judged("not_full", NONE, 0.05, source="b", question="8"),
]


@pytest.fixture(scope="module")
def report():
    return judge_report(ROWS, "told@1", seed=1)


def test_counts_of_rows(report):
    overall = report.overall
    assert (overall.rows, overall.questions, overall.scored, overall.decided) == (9, 8, 9, 8)
    assert {name: one.rows for name, one in report.sources.items()} == {"a": 7, "b": 2}


def test_macro_f1_by_score_is_the_mean_over_sources(report):
    # a: full truth 3, told 4, hits 3 -> 6/7; rest truth 4, told 3, hits 3 -> 6/7. b: 1.
    assert report.sources["a"].macro_f1.value == pytest.approx(6 / 7)
    assert report.sources["b"].macro_f1.value == 1
    assert report.overall.macro_f1.value == pytest.approx((6 / 7 + 1) / 2)


def test_full_or_not_on_decided_rows(report):
    # 8 decided, 7 right (one unsupported was called full). Truth full 3, told full 4.
    found = report.overall.binary
    assert (found.right, found.share.value, found.share.rows) == (7, 0.875, 8)
    # chance = 3/8 * 4/8 + 5/8 * 4/8 = 1/2: kappa = (7/8 - 1/2) / (1/2).
    assert found.kappa.value == pytest.approx(0.75)
    # alpha: 1 - observed / expected disagreement, pooled full 7 of 16: 1 - (1/8) (15) / (2*7*9/16).
    assert found.alpha.value == pytest.approx(1 - (1 / 8) * 15 * 16 / (2 * 7 * 9))


def test_gwets_coefficient_holds_where_a_label_is_rare(report):
    # Observed 7/8; full 7 of 16: chance 2 * 7/16 * 9/16 = 63/128.
    assert report.overall.binary.ac1.value == pytest.approx((7 / 8 - 63 / 128) / (65 / 128))


def test_a_field_that_names_no_set_is_no_source():
    rows = [judged("full", FULL, 0.9, source=str(n)) for n in range(101)]
    with pytest.raises(JudgeError, match="101 different sources; expected at most 100"):
        judge_report(rows, "told@1", seed=1)


def test_many_rows_of_few_questions_take_little_memory():
    rows = [judged("full", FULL, 0.9), judged("unsupported", NONE, 0.2, question="r")] * 5_000
    tracemalloc.start()
    report = judge_report(rows, "told@1", seed=1)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert report.overall.rows == 10_000
    assert most < 100_000_000


def test_four_labels_on_the_sources_that_tell_them_apart(report):
    # Source a, 6 decided: full 2 of 2, partial 1 of 1, unsupported 1 of 2, contradicted 0 of 1.
    found = report.overall.four_way
    assert (found.right, found.share.rows, found.share.value) == (4, 6, pytest.approx(4 / 6))
    # F1: full 4/5, partial 1, unsupported 2/4, contradicted 0.
    assert found.macro_f1.value == pytest.approx((0.8 + 1 + 0.5 + 0) / 4)
    assert report.sources["b"].four_way is None


def test_ranking_against_each_other_label(report):
    ranked = {one.other: one for one in report.overall.ranked}
    assert list(ranked) == ["partial", "unsupported", "contradicted", "not_full"]
    # Full .9 .8 .5 .95 against .7 and .1: 7 of 8.
    assert ranked["unsupported"].probability.value == pytest.approx(7 / 8)
    assert (ranked["unsupported"].full, ranked["unsupported"].others) == (4, 2)


def test_confusion_keeps_what_was_left_open(report):
    told = report.overall.confusion["full"]
    assert (told["full"], told["not_assessable"], sum(told.values())) == (3, 1, 4)
    assert sum(sum(one.values()) for one in report.overall.confusion.values()) == 9


def test_coverage_takes_the_surest_rows_first(report):
    # Distance from a half: .45 .45 .4 .4 .3 .3 .2 (wrong, .7) .2 (.3) .0 (.5, right).
    shares = [(one.rows, one.right) for one in report.overall.coverage]
    assert shares[0] == (1, 1.0)
    assert shares[-1] == (9, 8.0)
    assert shares[7] == (7, 6.5)


def test_intervals_are_over_questions_and_repeatable(report):
    again = judge_report(ROWS, "told@1", seed=1)
    assert report == again
    interval = report.overall.binary.share.interval
    assert interval.method == METHOD
    assert interval.low <= 0.875 <= interval.high


def test_rows_of_one_question_have_no_interval():
    one = judge_report([judged("full", FULL, 0.9)] * 3, "told@1", seed=1).overall
    assert (one.binary.share.value, one.binary.share.interval) == (1.0, None)
    assert (one.macro_f1.value, one.binary.kappa.value, one.ranked) == (None, None, ())


def test_a_judge_that_scores_and_decides_nothing_has_no_figures():
    rows = [judged("full", OPEN, None), judged("not_full", OPEN, None, question="2")]
    one = judge_report(rows, "told@1", seed=1).overall
    assert (one.scored, one.decided, one.macro_f1.value) == (0, 0, None)
    assert (one.binary.share.value, one.calibration_error, one.coverage) == (None, None, ())
    assert one.ranked[0].probability.value is None
    assert "not measured" in "\n".join(report_lines(judge_report(rows, "told@1", seed=1)))


def schema():
    path = ROOT / "docs" / "schemas" / "judge-report.schema.json"
    whole = json.loads(path.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(whole)
    return jsonschema.Draft202012Validator(whole)


def test_the_report_fits_its_schema(report):
    schema().validate(json.loads(json.dumps(report_json(report))))


def test_the_report_for_people_names_counts(report):
    text = "\n".join(report_lines(report))
    assert text.startswith("told@1: 9 rows, 8 questions, 8 decided\n")
    assert "full or not, decided rows: 7 of 8 right, accuracy 0.875 [" in text
    assert "AUROC full over unsupported   0.875" in text
    assert "F1 by label " in text
    assert "mean F1 of the four labels " in text


def test_few_rows_are_told_in_counts_and_without_tables_of_shares(report):
    text = "\n".join(report_lines(report))
    assert "fewer than 30 rows say little of a judge" in text
    assert "6 of 7" in text  # decided of source a
    assert "%" not in text
    assert "calibration error" not in text
    assert "surest of" not in text


def test_thirty_rows_are_told_in_shares(report):
    text = "\n".join(report_lines(judge_report(ROWS * 4, "told@1", seed=1)))
    assert text.startswith("told@1: 36 rows, 8 questions, 32 decided (89%)\n")
    assert "say little" not in text
    assert "calibration error" in text
    # 28 rows of source a: 24 decided; 8 rows of source b.
    assert "24 of 28" in text


# --- rows ---


def line(number, label="full", **extra):
    return json.dumps(
        {"id": number, "claim": f"c{number}", "passages": ["p"], "label": label, **extra}
    )


class Copies:
    """A judge that calls a claim full where its passage starts with it."""

    version, held = "copies@1", None

    def verdict(self, claim, evidence):
        full = evidence[0].startswith(claim[:12])
        return Verdict(Support.FULL if full else Support.UNSUPPORTED, (), float(full))

    def verdicts(self, asked):
        return (self.verdict(one.claim, one.evidence) for one in asked)


def test_rows_without_source_or_question_use_their_file_and_claim():
    rows = list(read_labelled([line(1), "", line(2, source="s", question="q")], "f.jsonl"))
    assert [one.source for one in rows] == ["f.jsonl", "s"]
    told = list(judged_now(rows, Copies()))
    assert [(one.question, one.support) for one in told] == [("c1", NONE), ("q", NONE)]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (line(1, label="maybe"), "label is 'maybe'; expected one of: full, partial"),
        (line(1, label=None), "label is None"),
        (line(1, source=3), "source is int"),
        ("{", "not JSON"),
        ("[]", "expected an object with id, claim, passages, label"),
    ],
)
def test_a_labelled_line_that_is_wrong_is_named(wrong, words):
    with pytest.raises(JudgeError, match=rf"f\.jsonl line 2: .*{words}"):
        list(read_labelled([line(1), wrong], "f.jsonl"))


def given(number, label="full", score=0.9, **extra):
    return json.dumps({"id": number, "label": label, "score": score, "judge": "other@2", **extra})


def test_verdicts_of_before_are_laid_beside_labels_by_id():
    taken = read_verdicts([given(2, "not_assessable", None), "", given(1)], "v.jsonl")
    told = list(judged_before(read_labelled([line(1), line(2)], "f"), taken, "v.jsonl"))
    assert [(one.support, one.score) for one in told] == [(FULL, 0.9), (OPEN, None)]
    assert {one.judge for one in taken.values()} == {"other@2"}


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([given(1), given(1)], "line 2: a second verdict on 1"),
        ([given(1), given(2, judge="x@1")], r"verdicts of other@2, x@1; expected those of one"),
        ([given(1, "good")], "label is 'good'"),
        ([given(1, score="high")], "score is 'high'"),
        ([given(1, score=1.5)], "score is 1.5"),
        ([given(1, score=True)], "score is True"),
        (['{"label": "full"}'], "line 1: id is None"),
    ],
)
def test_a_verdict_that_is_wrong_is_named(lines, words):
    with pytest.raises(JudgeError, match=words):
        read_verdicts(lines, "v.jsonl")


def test_rows_without_a_verdict_and_ids_that_come_twice_are_named():
    taken = read_verdicts([given(1)], "v.jsonl")
    with pytest.raises(JudgeError, match=r"v\.jsonl: no verdict on 2"):
        list(judged_before(read_labelled([line(1), line(2)], "f"), taken, "v.jsonl"))
    with pytest.raises(JudgeError, match="two labelled rows have the id 1"):
        list(judged_before(read_labelled([line(1), line(1)], "f"), taken, "v.jsonl"))


# --- the suite that ships ---


def test_the_suite_is_counted_by_half_and_kind():
    figures = suite_figures(Copies())
    rows = [row for half in ("open", "blind") for row in suite_rows(half)]
    assert sum(one.pairs for one in figures) == len(rows)
    copies = Copies()
    told = [next(copies.verdicts([Question(row.claim, row.passages)])).support for row in rows]
    assert sum(one.flagged for one in figures) == sum(one is not FULL for one in told)
    assert all(one.accused == one.flagged for one in figures)
    assert {one.kind for one in figures if not one.changed} == {"reworded", "copied", "summary"}
    schema().validate(json.loads(json.dumps(suite_json("copies@1", figures))))
    text = "\n".join(suite_lines("copies@1", figures))
    assert text.count("= all changed") == text.count("= unchanged") == 2
