"""`monitor evaluate` on answers: ALCE outcome files and JSON lines, in both profiles."""

import json

import pytest

from monitor.domain.assessment import Profile
from monitor.errors import MonitorError
from monitor.pipeline.evaluation import Choice, Format, open_source, plan
from monitor.pipeline.evaluation.records import MOST_ALCE_BYTES, alce_records
from tests.evaluated import TagJudge, run

ALCE = Choice(profile=Profile.ALCE)
MONITOR = Choice()


def doc(text, title="T"):
    return {"title": title, "text": text}


def outcome(output="", docs=(), question="Q?", **fields):
    return {"question": question, "output": output, "docs": list(docs), **fields}


def alce(*entries):
    return json.dumps({"args": {}, "data": list(entries)}, indent=1)


def lines(*rows):
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def rate(told, name):
    found = told["totals"]["measures"][name]
    return found["hits"], found["total"], found["not_assessable"]


# --- the seed example: s1 cites p1 (supports), s2 cites p2 (supports alone) and p3 (does not),
# s3 cites p4 (does not), s4 cites nothing. Recall: s1 and s2 of 4 statements. Precision: p1 and
# p2 of 4 citations (p3 is not needed, p4 supports nothing).

SEED = (
    "The ferry takes 45 minutes [1]. The museum opens at nine [2][3]. "
    "The tower is 90 metres high [4]. The market closes on Sundays."
)
SEED_TEXTS = ("[full] p1", "[full] p2", "p3", "p4")


def test_the_four_statement_example_in_profile_monitor(tmp_path):
    row = {"id": "seed", "question": "Q?", "answer": SEED,
           "citations": [{"url": f"https://oak.example/{n}", "text": text}
                         for n, text in enumerate(SEED_TEXTS)]}  # fmt: skip
    _, told, rows = run(tmp_path, "a.jsonl", lines(row), TagJudge(), MONITOR)
    assert rate(told, "citation_recall") == (2, 4, {})
    assert rate(told, "citation_precision") == (2, 4, {})
    assert rate(told, "uncited_needing") == (1, 1, {})
    assert (rows[0]["citation_recall"], rows[0]["citation_precision"]) == ("0.5", "0.5")
    assert (rows[0]["id"], rows[0]["output"]) == ("seed", SEED)
    # all four p together are asked for no statement; s2 asks both, p2, p3 and the rest without p3
    assert [s["citations"] for s in told["rows"][0]["statements"]] == [[1], [2, 3], [4], []]


def test_the_four_statement_example_in_both_profiles_of_an_alce_file(tmp_path):
    content = alce(outcome(SEED, [doc(text) for text in SEED_TEXTS]))
    _, told, _ = run(tmp_path / "m", "a.json", content, TagJudge(), MONITOR)
    assert rate(told, "citation_recall") == (2, 4, {})
    assert rate(told, "citation_precision") == (2, 4, {})
    _, told, _ = run(tmp_path / "a", "a.json", content, TagJudge(), ALCE)
    means = told["totals"]["answer_means"]
    # [2][3]: p2 entails alone; without p3 the rest (p2) entails, so p3 is irrelevant: 2 of 4.
    assert (means["citation_rec"]["percent"], means["citation_prec"]["percent"]) == (50.0, 50.0)
    assert means["citation_rec"]["answers"] == 1


def test_profile_alce_reads_titles_and_texts_joined_as_one_premise(tmp_path):
    judge = TagJudge()
    docs = [doc("One.", "A"), {"title": "B", "sent": "Two.", "text": "never read"}]
    run(tmp_path, "a.json", alce(outcome("It is so [1][2].", docs)), judge, ALCE)
    assert judge.asked == [("It is so.", ("Title: A\nOne.\nTitle: B\nTwo.",))]


def test_profile_monitor_keeps_pages_apart_and_expands_ranges(tmp_path):
    judge = TagJudge()
    docs = [doc("One."), doc("Two."), doc("Three.")]
    run(tmp_path, "a.json", alce(outcome("It is so.[1-3]", docs)), judge, MONITOR)
    assert judge.asked == [("It is so.", ("One.", "Two.", "Three."))]


def test_profile_monitor_scores_all_lines_and_counts_invented_markers_as_imprecise(tmp_path):
    # Line 1: [1] full, [9] maps to nothing: recall 1, precision 1 of 2. Line 2: [2] full.
    docs = [doc("[full] a"), doc("[full] b")]
    content = alce(outcome("Ann is 40 [1][9].\nBob is 50 [2].", docs))
    _, told, _ = run(tmp_path / "m", "a.json", content, TagJudge(), MONITOR)
    assert rate(told, "citation_recall") == (2, 2, {})
    assert rate(told, "citation_precision") == (2, 3, {})
    # The benchmark reads one line, and [9] spoils its statement: 0 of 1, no citation counted.
    _, told, _ = run(tmp_path / "a", "a.json", content, TagJudge(), ALCE)
    assert told["totals"]["answer_means"]["citation_rec"]["percent"] == 0.0
    assert told["totals"]["counts"]["citations"] == 0


def test_an_unclear_verdict_is_apart_in_profile_monitor_and_no_in_profile_alce(tmp_path):
    content = alce(outcome("Ann is 40 [1].", [doc("[unclear] a")]))
    _, told, _ = run(tmp_path / "m", "a.json", content, TagJudge(), MONITOR)
    assert rate(told, "citation_recall") == (0, 0, {"judge_unclear": 1})
    _, told, _ = run(tmp_path / "a", "a.json", content, TagJudge(), ALCE)
    assert rate(told, "citation_rec") == (0, 1, {})


def test_an_error_of_the_judge_is_no_zero_in_either_profile(tmp_path):
    content = alce(
        outcome("Ann is 40 [1].", [doc("[error] a")]), outcome("Bob is 50 [1].", [doc("[full] b")])
    )
    for name, choice in (("citation_recall", MONITOR), ("citation_rec", ALCE)):
        _, told, rows = run(tmp_path / name, "a.json", content, TagJudge(), choice)
        assert rate(told, name) == (1, 1, {"judge_error": 1})
        assert told["totals"]["failed"] == 1
        assert rows[0]["failure"] == "the judge gave no verdict (judge_error: no answer)"
        assert rows[1]["failure"] == ""


# --- answer-side measures


def test_short_answers_are_matched_in_the_text_without_markers(tmp_path):
    # Answer 1 has 1 of 2, answer 2 has 1 of 1: str_em (0.5 + 1) / 2, str_hit (0 + 1) / 2.
    entries = [
        outcome("It opened in 1889 [1].",
                qa_pairs=[{"short_answers": ["1889"]}, {"short_answers": ["Paris", "France"]}]),
        outcome("The Old [2] Mill.", qa_pairs=[{"short_answers": ["old mill"]}]),
        outcome("No pairs here."),
    ]  # fmt: skip
    _, told, rows = run(tmp_path, "asqa.json", alce(*entries), TagJudge(), ALCE)
    means = told["totals"]["answer_means"]
    assert means["str_em"] == {"percent": 75.0, "answers": 2}
    assert means["str_hit"] == {"percent": 50.0, "answers": 2}
    assert [row["str_em"] for row in rows] == ["0.5", "1.0", ""]
    assert "qampari_prec" not in rows[0]


def test_list_answers_by_hand(tmp_path):
    # Parts ada, zed of the first line without markers: precision 1/2; found 1 of 6:
    # recall 1/6, recall-5 1/5; F1 2 * 1/2 * 1/6 / (2/3) = 1/4; F1-5 2 * 1/2 * 1/5 / (7/10) = 2/7.
    answers = [["Ada"], ["Bo", "Bob"], ["Cy"], ["Di"], ["Ed"], ["Flo"]]
    entry = outcome("Ada [1], Zed [2].\nBo", [doc("[full] a"), doc("b")], "Who?", answers=answers)
    choice = Choice(profile=Profile.ALCE, qampari=True)
    _, _, rows = run(tmp_path, "qampari.json", alce(entry), TagJudge(), choice)
    row = {name: float(rows[0][name]) for name in rows[0] if name.startswith("qampari")}
    assert row == pytest.approx(
        {"qampari_prec": 1 / 2, "qampari_rec": 1 / 6, "qampari_rec_top5": 1 / 5,
         "qampari_f1": 1 / 4, "qampari_f1_top5": 2 / 7}
    )  # fmt: skip
    # "Who? Ada" is entailed by document 1, "Who? Zed" not by 2.
    assert (rows[0]["citation_rec"], rows[0]["citation_prec"]) == ("0.5", "0.5")
    assert "str_em" not in rows[0]


CLAIMED = [
    outcome("It is {full} so [1].", claims=["a", "b"]),
    outcome("It is not.", claims=["a"]),
    outcome("Nobody {unclear} knows it.", claims=["a"]),
    outcome("", claims=["a"]),
    outcome("No claims."),
]


def test_claims_are_entailed_by_the_answer_without_its_markers(tmp_path):
    judge = TagJudge()
    only = Choice(profile=Profile.ALCE, groups=frozenset({"claims"}))
    _, told, _ = run(tmp_path, "eli5.json", alce(*CLAIMED), judge, only)
    # 2 of 2, 0 of 1, unclear is not entailed, an empty answer entails nothing: (1 + 0 + 0 + 0) / 4.
    assert told["totals"]["answer_means"]["claims_nli"] == {"percent": 25.0, "answers": 4}
    assert judge.asked[0] == ("a", ("It is {full} so.",))


def test_claims_nobody_could_check_are_apart_in_profile_monitor(tmp_path):
    only = Choice(groups=frozenset({"claims"}))
    _, told, rows = run(tmp_path, "eli5.json", alce(*CLAIMED), TagJudge(), only)
    assert rate(told, "claims_nli") == (1, 3, {"judge_unclear": 1})
    assert list(rows[0])[4:6] == ["claims_nli", "failure"]


def test_only_the_measures_asked_for_are_made(tmp_path):
    judge = TagJudge()
    entry = outcome("x [1].", [doc("a")], claims=["a"], qa_pairs=[{"short_answers": ["x"]}])
    only = Choice(profile=Profile.ALCE, groups=frozenset({"short_answers"}))
    _, told, _ = run(tmp_path, "a.json", alce(entry), judge, only)
    assert list(told["totals"]["measures"]) == ["str_em", "str_hit"]
    assert judge.asked == []


# --- JSON lines


def test_rows_of_claims_and_passages_are_statements_that_all_passages_stand_behind(tmp_path):
    rows = lines(
        {"id": 1, "claim": "Ann is 40.", "passages": ["[full] a", "b"]},
        {"id": 2, "claim": "Bob is 50.", "passages": []},
        {"id": 3, "claim": "Would you like more?", "passages": []},
    )
    _, told, made = run(tmp_path, "c.jsonl", rows, TagJudge(), MONITOR)
    # Statement 1 is supported, 2 has nothing, 3 is a question and not counted; b is not needed.
    assert rate(told, "citation_recall") == (1, 2, {})
    assert rate(told, "citation_precision") == (1, 2, {})
    assert [row["id"] for row in made] == ["1", "2", "3"]


def test_links_and_numbers_point_at_sources(tmp_path):
    row = {
        "question": "Q?",
        "answer": "Ann is 40 ([oak](https://oak.example/a)). Bob is 50 [2].",
        "citations": [{"url": "https://oak.example/a", "text": "[full] a"}, {"text": "b"}],
    }
    _, told, _ = run(tmp_path, "a.jsonl", lines(row), TagJudge(), MONITOR)
    assert [s["citations"] for s in told["rows"][0]["statements"]] == [[1], [2]]


def test_sources_that_no_marker_points_at_are_unmapped(tmp_path):
    row = {"question": "Q?", "answer": "Ann is 40.", "citations": [{"text": "[full] a"}]}
    _, told, _ = run(tmp_path, "a.jsonl", lines(row), TagJudge(), MONITOR)
    assert rate(told, "citation_recall") == (0, 0, {"unmapped": 1})


def test_a_source_without_text_is_not_assessable_and_never_imprecise(tmp_path):
    row = {
        "question": "Q?",
        "answer": "Ann is 40 [1].",
        "citations": [{"url": "https://a.example"}],
    }
    _, told, _ = run(tmp_path, "a.jsonl", lines(row), TagJudge(), MONITOR)
    assert rate(told, "citation_recall") == (0, 0, {"no_text": 1})
    assert rate(told, "citation_precision") == (0, 0, {"no_text": 1})


def test_broken_lines_are_reported_and_the_rest_goes_on(tmp_path):
    good = json.dumps({"id": "g", "claim": "Ann is 40.", "passages": ["[full] a"]})
    content = "\ufeff" + "\n".join(
        ["{", "[1]", '{"id": 1}', '{"claim": 3, "passages": []}', '{"claim": "c", "passages": [1]}',
         "", good, "[" * 100_000]
    )  # fmt: skip
    _, told, rows = run(tmp_path, "c.jsonl", content, TagJudge(), MONITOR, wanted=Format.JSONL)
    assert [row["failure"] == "" for row in rows] == [False] * 5 + [True, False]
    assert (told["totals"]["rows"], told["totals"]["unread"]) == (7, 6)
    assert "answer is NoneType; expected text" in rows[2]["failure"]


def test_an_endless_line_is_passed_over(tmp_path):
    good = json.dumps({"claim": "Ann is 40.", "passages": ["[full] a"]})
    content = '{"claim": "' + "a" * 17_000_000 + '"}\n' + good
    _, told, _ = run(tmp_path, "c.jsonl", content, TagJudge(), MONITOR, wanted=Format.JSONL)
    assert [one["failure"] is None for one in told["rows"]] == [False, True]


# --- formats


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("question,statement,snippets\n", Format.CSV),
        ('{"data": [], "args": {}}', Format.ALCE),
        ('{"args": {},\n "data": []}', Format.ALCE),
        ("[]", Format.ALCE),
        ('\ufeff{"id": 1, "claim": "c", "passages": []}\n', Format.JSONL),
        ('{"id": 1, "answer": "' + "a" * 70_000 + '"}\n', Format.JSONL),
        ('{"data": ["' + "a" * 70_000 + '"]}', Format.ALCE),
    ],
)
def test_the_format_is_told_from_the_first_bytes(tmp_path, content, found):
    path = tmp_path / "file"
    path.write_text(content, "utf-8")
    assert open_source(path, None, MONITOR).format is found


@pytest.mark.parametrize("content", ["{", '{"data": 3}', "3", "\xff"])
def test_a_file_that_is_no_alce_file_says_what_was_expected(tmp_path, content):
    path = tmp_path / "a.json"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(MonitorError, match="expected"):
        alce_records(path)


def test_a_file_that_is_too_large_to_be_read_whole_says_so(tmp_path):
    path = tmp_path / "a.json"
    with path.open("wb") as file:
        file.truncate(MOST_ALCE_BYTES + 1)
    with pytest.raises(MonitorError, match="read whole"):
        alce_records(path)


def test_a_record_with_strange_fields_is_a_fault_of_that_record(tmp_path):
    entries = [3, outcome(docs=[3]), outcome(docs="x"), outcome(qa_pairs=3), outcome(claims=[1]),
               {"question": "Q?"}, outcome(answers=3)]  # fmt: skip
    _, told, _ = run(tmp_path, "a.json", alce(*entries), TagJudge(), ALCE)
    assert [one["failure"] is None for one in told["rows"]] == [False] * 6 + [True]
    assert [one["question"] for one in told["by_question"]] == ["Q?"]
    listed = Choice(profile=Profile.ALCE, qampari=True)
    _, told, _ = run(tmp_path, "a.json", alce(*entries), TagJudge(), listed)
    assert told["rows"][-1]["failure"] == "answers is int; expected a list of lists of texts"


def test_a_record_without_documents_is_a_fault_of_it_and_an_empty_list_is_none(tmp_path):
    entries = [outcome("Ann is 40.", []), {"question": "Q?", "output": "Ann is 40 [1]."},
               {"question": "Q?", "output": "Ann is 40 [1].", "docs": None}]  # fmt: skip
    for choice in (ALCE, MONITOR):
        done, told, _ = run(tmp_path, "a.json", alce(*entries), TagJudge(), choice)
        missing = (
            "docs missing; expected a list of objects with title and text, [] where there is none"
        )
        assert [one["failure"] for one in told["rows"]] == [None, missing, missing]
        assert done.failures == ((2, missing), (3, missing))
    short = Choice(groups=frozenset({"short_answers"}))
    _, told, _ = run(tmp_path, "a.json", alce(*entries[1:]), TagJudge(), short)
    assert [one["failure"] for one in told["rows"]] == [None, None]


def test_a_line_without_its_list_of_sources_is_a_fault_and_an_empty_list_is_a_miss(tmp_path):
    rows = [{"claim": "Ann is 40."}, {"answer": "Ann is 40."},
            {"claim": "Ann is 40.", "passages": []}, {"answer": "Ann is 40.", "citations": []}]  # fmt: skip
    _, told, _ = run(tmp_path, "a.jsonl", lines(*rows), TagJudge(), MONITOR)
    assert [one["failure"] for one in told["rows"]] == [
        "passages missing; expected a list of texts, [] where there is none",
        "citations missing; expected a list of objects with text, [] where there is none",
        None, None,
    ]  # fmt: skip
    assert rate(told, "citation_recall") == (0, 2, {})
    assert rate(told, "uncited_claims") == (2, 2, {})


def test_measures_without_a_value_say_why_in_both_outputs(tmp_path):
    # Sources that no marker points at: nothing about citations can be told. The second answer
    # cites, and has no claim without a citation to count.
    source = [{"text": "[full] a"}]
    rows = [{"answer": "Ann is 40.", "citations": source},
            {"answer": "Ann is 40 [1].", "citations": source}]  # fmt: skip
    _, told, table = run(tmp_path, "a.jsonl", lines(*rows), TagJudge(), MONITOR)
    assert list(table[0])[-1] == "empty_reason"
    assert told["rows"][0]["empty_reasons"]["citation_recall"] == "unmapped"
    assert told["rows"][1]["empty_reasons"] == {
        "str_em": "no qa_pairs", "str_hit": "no qa_pairs", "claims_nli": "no claims",
        "uncited_needing": "nothing to count",
    }  # fmt: skip
    assert table[1]["empty_reason"] == (
        "no qa_pairs: str_em, str_hit; no claims: claims_nli; nothing to count: uncited_needing"
    )


def test_an_answer_that_the_benchmark_skips_says_so(tmp_path):
    _, told, table = run(tmp_path, "a.json", alce(outcome("")), TagJudge(), ALCE)
    skipped = "skipped by the benchmark"
    assert told["rows"][0]["empty_reasons"]["citation_rec"] == skipped
    assert table[0]["empty_reason"].startswith(f"{skipped}: citation_rec, citation_prec")


def test_a_dry_run_gives_bounds_where_later_questions_depend_on_verdicts(tmp_path):
    # Two citations: at least the joint verdict; at most that, each alone and each without.
    # For two documents "without one" is the other one alone, so 1 to 3 distinct questions.
    content = alce(outcome("Ann is 40 [1][2].", [doc("a"), doc("b")]))
    path = tmp_path / "a.json"
    path.write_text(content)
    for choice in (MONITOR, ALCE):
        planned = plan(open_source(path, None, choice), tmp_path / "o", "tag@1", lambda _: 5)
        assert (planned.least, planned.most) == (1, 3)
        assert (planned.least_micros, planned.most_micros) == (5, 15)
