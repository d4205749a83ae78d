"""`monitor evaluate` on tables of statements and snippets: cells, columns, measures, faults."""

import csv
import json

import pytest

from monitor.errors import MonitorError
from monitor.pipeline.evaluation import open_source, plan
from monitor.pipeline.evaluation.answers import Choice
from monitor.pipeline.evaluation.cells import RowError, texts_of
from monitor.pipeline.evaluation.tables import read_sheet, sheet_rows
from tests.evaluated import HEADER, TagJudge, run, table

OWN = [
    "recall", "recall_reason", "precision", "precision_reason", "f1", "citation_needed",
    "citation_needed_reason", "input_tokens", "output_tokens", "cost", "recall_support",
]  # fmt: skip
FERRY = "The ferry takes 45 minutes."


@pytest.mark.parametrize(
    ("cell", "texts"),
    [
        ("[]", ()),
        ("", ()),
        ("  ", ()),
        ("None", ()),
        ("NaN", ()),
        ('["a", "b"]', ("a", "b")),
        ("['a', 'it''s']", ("a", "its")),
        ("['it\\'s', \"b\"]", ("it's", "b")),
        ("('a',)", ("a",)),
        ('[["a"], ["b", "c"]]', ("a", "b", "c")),
        ('[{"text": "a"}, {"snippet": "b", "url": "u"}]', ("a", "b")),
        ("[{'content': 'a'}]", ("a",)),
        ('["\\u00e9"]', ("é",)),
    ],
)
def test_list_cells_are_json_or_python_lists(cell, texts):
    assert texts_of(cell, "snippets") == texts


@pytest.mark.parametrize(
    "cell",
    [
        "a text",
        "{'a': 1}",
        '"a"',
        "[1, 2]",
        "[None]",
        "__import__('os').system('true')",
        "[x for x in 'ab']",
        "[" * 5000,
        "['a'" + "+'b'" * 20_000 + "]",
        "[\x00]",
        "[b'bytes']",
        "['\ud800', 3]",
        "[" + "'a'," * 1001 + "]",
        "[" + "1" * 5_000 + "]",
    ],
)
def test_a_cell_that_is_no_list_of_texts_is_refused_and_never_run(cell):
    with pytest.raises(RowError, match="snippets"):
        texts_of(cell, "snippets")


def test_a_huge_cell_is_refused_with_its_size():
    with pytest.raises(RowError, match="4000003 characters"):
        texts_of('["' + "a" * 4_000_000 + '"', "snippets")


def test_other_readers_of_csv_keep_their_limit(tmp_path):
    before = csv.field_size_limit()
    snippet = "45 min " * 40_000
    path = tmp_path / "t.csv"
    path.write_text(table((FERRY, [snippet])))
    (row,) = sheet_rows(read_sheet(path))
    assert len(snippet) > before
    assert any(snippet in cell for cell in row.cells)
    assert csv.field_size_limit() == before


def test_measures_stand_behind_the_input_columns(tmp_path):
    # together full -> recall 1; of three snippets full and contradicted are about it: 2/3;
    # F1 = 2 * 1 * 2/3 / (5/3) = 0.8; four verdicts of 10 and 2 tokens and 7 micros each.
    content = table((FERRY, ["[full] 45 min", "bread", "[contradicted] never"]))
    _, told, rows = run(tmp_path, "t.csv", content, TagJudge())
    assert list(rows[0]) == [*HEADER, *OWN]
    row = rows[0]
    assert (row["recall"], row["f1"]) == ("1.0", "0.8")
    assert float(row["precision"]) == pytest.approx(2 / 3)
    assert (row["citation_needed"], row["input_tokens"], row["output_tokens"]) == (
        "true",
        "40",
        "8",
    )
    assert row["cost"] == "0.000028"
    assert row["recall_reason"].startswith("fully supported; read ")
    assert row["precision_reason"] == (
        "2 of 3 snippets are about the statement (1 full, 1 unsupported, 1 contradicted)"
    )
    one = told["rows"][0]
    assert one["input"]["statement"] == FERRY
    assert [v["support"] for v in one["verdicts"]["each"]] == [
        "full",
        "unsupported",
        "contradicted",
    ]
    assert one["usage"] == {"input_tokens": 40, "output_tokens": 8}
    assert (one["cost"], told["judge"], told["profile"]) == (28e-6, "tag@1", "monitor")


def test_the_input_columns_come_back_unchanged_whatever_else_is_there(tmp_path):
    header = ("note", *HEADER, "Cost")
    content = table(
        {"statement": FERRY, "snippets": "['[full] a']", "note": " x ", "cost": "12"}, header=header
    )
    _, _, rows = run(tmp_path, "t.csv", content, TagJudge())
    assert list(rows[0]) == ["note", *HEADER, "input_Cost", *OWN]
    assert (rows[0]["note"], rows[0]["snippets"], rows[0]["input_Cost"]) == (
        " x ", "['[full] a']", "12",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("snippets", "recall", "precision", "f1"),
    [
        (["[partial] a"], "0.5", "1.0", str(2 / 3)),  # 2 * .5 * 1 / 1.5
        (["[contradicted] a"], "0.0", "1.0", "0.0"),
        (["a"], "0.0", "0.0", "0.0"),
        (["[unclear] a"], "", "", ""),
        ([], "", "", ""),
    ],
)
def test_each_class_has_its_worth(tmp_path, snippets, recall, precision, f1):
    done, told, rows = run(tmp_path, "t.csv", table((FERRY, snippets)), TagJudge())
    assert (rows[0]["recall"], rows[0]["precision"]) == (recall, precision)
    assert rows[0]["f1"] == f1
    assert rows[0]["citation_needed"] == "true"
    assert (told["rows"][0]["failure"], done.failures) == (None, ())


def test_reasons_say_why_a_row_has_no_recall(tmp_path):
    content = table((FERRY, ["[unclear] a"]), (FERRY, []))
    _, told, rows = run(tmp_path, "t.csv", content, TagJudge())
    assert rows[0]["recall_reason"] == "not assessable (judge_unclear)"
    assert rows[1]["recall_reason"] == "no snippets"
    assert told["totals"]["measures"]["recall"] == {
        "value": None, "hits": 0, "total": 0,
        "not_assessable": {"judge_unclear": 1, "no_citations": 1},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("statement", "needed"),
    [
        (FERRY, "true"),
        ("In summary, ferries are fine.", "false"),
        ("Would you like to know more?", "false"),
        ("I think it is pretty.", "false"),
        ("Always check the timetable before you leave.", "false"),
        ("Here are the details:", "false"),
        ("Would you like more? The ferry takes 45 minutes.", "true"),
    ],
)
def test_only_statements_of_fact_need_a_citation(tmp_path, statement, needed):
    _, told, rows = run(tmp_path, "t.csv", table((statement, [])), TagJudge())
    assert rows[0]["citation_needed"] == needed
    assert len(rows[0]["citation_needed_reason"].split()) >= 3
    assert told["totals"]["citation_needed"][needed] == 1


def test_one_snippet_is_judged_once_and_the_same_row_twice_pays_once(tmp_path):
    judge = TagJudge()
    content = table((FERRY, ["[full] a"]), (FERRY, ["[full] a"]))
    done, told, rows = run(tmp_path, "t.csv", content, judge)
    assert len(judge.asked) == done.asked == told["totals"]["verdicts"] == 1
    assert [row["cost"] for row in rows] == ["0.000007", "0.000000"]
    assert [row["recall"] for row in rows] == ["1.0", "1.0"]
    assert told["totals"]["cost"] == 7e-6


def test_the_verdict_stands_in_a_word_behind_the_other_columns(tmp_path):
    content = table((FERRY, ["[partial] a"]), (FERRY, ["[unclear] a"]), (FERRY, []), (FERRY, "no"))
    _, told, rows = run(tmp_path, "t.csv", content, TagJudge())
    assert [row["recall_support"] for row in rows] == ["partial", "not_assessable", "", ""]
    assert [row["recall_support"] for row in told["rows"]] == [
        "partial", "not_assessable", None, None,
    ]  # fmt: skip


def test_totals_tell_how_many_statements_need_a_citation_and_have_no_snippet(tmp_path):
    # Needing one: two with and one without a snippet; a question without any needs none, and a
    # row that cannot be read counts nowhere.
    content = table(
        {"question": "A", "statement": FERRY, "snippets": ["[full] a"]},
        {"question": "B", "statement": FERRY, "snippets": []},
        {"question": "B", "statement": "Would you like to know more?", "snippets": []},
        {"question": "B", "statement": FERRY, "snippets": ["a"]},
        {"question": "B", "statement": FERRY, "snippets": "no list"},
    )
    _, told, _ = run(tmp_path, "t.csv", content, TagJudge())
    assert told["totals"]["needed_without_snippets"] == 1
    assert [one["needed_without_snippets"] for one in told["by_question"]] == [0, 1]


def test_a_snippet_that_is_plain_text_is_told_how_to_be_written():
    with pytest.raises(RowError) as raised:
        texts_of("The ferry takes 45 minutes.", "snippets")
    assert 'expected texts in a list, as in ["a text", "another"]' in str(raised.value)


def test_totals_have_counts_beside_means_for_all_and_for_each_question(tmp_path):
    # recall 1, 0.5 and 0 over three rows: 1.5 of 3; question B has 0.5 and 0.
    content = table(
        {"question": "A", "statement": FERRY, "snippets": ["[full] a"]},
        {"question": "B", "statement": FERRY, "snippets": ["[partial] a"]},
        {"question": "B", "statement": FERRY, "snippets": ["a"]},
        {"question": "B", "statement": FERRY, "snippets": []},
    )
    _, told, _ = run(tmp_path, "t.csv", content, TagJudge())
    assert told["totals"]["measures"]["recall"] == {
        "value": 0.5, "hits": 1.5, "total": 3, "not_assessable": {"no_citations": 1},
    }  # fmt: skip
    named = {one["question"]: one for one in told["by_question"]}
    assert named["B"]["measures"]["recall"]["value"] == 0.25
    assert (named["A"]["rows"], named["B"]["rows"]) == (1, 3)


def test_a_row_that_cannot_be_read_says_so_and_the_rest_goes_on(tmp_path):
    content = table(
        (FERRY, "no list"), ("", ["a"]), (FERRY, ["[error] a"]), (FERRY, ["[full] a"])
    ) + "only,three,cells\r\n"  # fmt: skip
    done, told, rows = run(tmp_path, "t.csv", content, TagJudge())
    assert [row["recall"] for row in rows] == ["", "", "", "1.0", ""]
    assert "neither a JSON nor a Python list" in rows[0]["recall_reason"]
    assert rows[0]["citation_needed"] == "true"
    assert rows[1]["recall_reason"] == "not evaluated: statement is empty"
    assert rows[2]["recall_reason"] == "not assessable (judge_error): no answer"
    assert rows[4]["recall_reason"] == "not evaluated: the row has 3 cells, the header 8"
    assert rows[4]["question"] == "only"
    assert [one["failure"] is None for one in told["rows"]] == [False, False, False, True, False]
    assert (told["totals"]["failed"], told["totals"]["unread"]) == (4, 3)
    assert [number for number, _ in done.failures] == [1, 2, 3, 5]


def test_an_open_quote_ends_the_rows_with_a_reason(tmp_path):
    rest = '"' + "a" * 17_000_000
    content = table((FERRY, ["[full] a"])) + rest
    _, told, _ = run(tmp_path, "t.csv", content, TagJudge())
    assert told["totals"]["rows"] == 2
    assert "is a quote left open?" in told["rows"][1]["failure"]


def test_a_row_of_other_bytes_is_a_fault_of_that_row(tmp_path):
    content = table((FERRY, ["[full] a"])).encode() + b"q,r,c,1,caf\xe9,[],[],[]\r\n"
    _, told, rows = run(tmp_path, "t.csv", content, TagJudge())
    assert told["rows"][1]["failure"] == "the row is not UTF-8; save the file as UTF-8"
    assert rows[1]["statement"] == "caf�"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_tables_of_other_programs_are_read(tmp_path, delimiter, encoding):
    content = table(("Der Fährmann fährt.", ["[full] ö"]), delimiter=delimiter)
    for ends in ("\r\n", "\n"):
        made = content.replace("\r\n", ends).encode(encoding)
        _, told, rows = run(tmp_path, "t.csv", made, TagJudge())
        assert rows[0]["statement"] == "Der Fährmann fährt."
        assert told["rows"][0]["recall"] == 1.0


def test_missing_columns_are_named_beside_those_that_are_there(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("question,claim,text\nq,c,t\n")
    with pytest.raises(MonitorError) as error:
        open_source(path, None, Choice())
    assert str(error.value).endswith(
        "column statement, snippets is missing; needed are question, statement, snippets; "
        "found: question, claim, text"
    )


def test_columns_in_another_order_and_case_are_found_and_the_rest_may_lack(tmp_path):
    content = f'Snippets, STATEMENT ,question\r\n"[""[full] a""]",{FERRY},q\r\n'
    _, told, rows = run(tmp_path, "t.csv", content, TagJudge())
    assert rows[0]["recall"] == "1.0"
    assert open_source(tmp_path / "t.csv", None, Choice()).sheet.absent == (
        "response", "context_id", "statement_index", "citations", "documents",
    )  # fmt: skip
    assert list(told["rows"][0]["input"]) == ["Snippets", "STATEMENT", "question"]


@pytest.mark.parametrize("formula", ["=1+1", "+1", "-1+1", "@SUM(A1)", "=cmd|' /C calc'!A0"])
def test_a_spreadsheet_runs_nothing_and_programs_have_the_json(tmp_path, formula):
    content = table({"statement": formula, "question": formula, "snippets": [f"[full] {formula}"]})
    _, told, rows = run(tmp_path, "t.csv", content, TagJudge())
    assert (rows[0]["statement"], rows[0]["question"]) == (f"'{formula}", f"'{formula}")
    assert not any(str(cell).startswith(("=", "+", "-", "@")) for cell in rows[0].values())
    assert told["rows"][0]["input"]["statement"] == formula


def test_the_same_file_twice_gives_the_same_bytes_and_asks_nothing(tmp_path):
    content = table((FERRY, ["[full] a", "b"]), ("Ann is 40.", ["[partial] c"]), (FERRY, "no"))
    judge = TagJudge()
    first, _, _ = run(tmp_path, "t.csv", content, judge)
    before = [path.read_bytes() for path in first.files]
    asked = len(judge.asked)
    second, _, _ = run(tmp_path, "t.csv", content, judge)
    assert [path.read_bytes() for path in second.files] == before
    assert (asked, len(judge.asked), second.asked) == (4, 4, 0)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "checkpoint", "output_data_with_usage.json", "output_data_with_usage_and_metrics.csv",
    ]  # fmt: skip


def test_a_dry_run_counts_what_is_left_to_ask(tmp_path):
    content = table((FERRY, ["[full] a", "b"]), (FERRY, ["b"]), ("Ann is 40.", []))
    path = tmp_path / "t.csv"
    path.write_text(content)
    source = open_source(path, None, Choice())
    planned = plan(source, tmp_path / "out", "tag@1", lambda _: 5)
    assert (planned.rows, planned.kept, planned.least, planned.most) == (3, 0, 3, 3)
    assert (planned.least_micros, planned.most_micros) == (15, 15)
    assert not (tmp_path / "out").exists()
    run(tmp_path, "t.csv", content, TagJudge())
    planned = plan(source, tmp_path / "out", "tag@1", lambda _: None)
    assert (planned.kept, planned.least, planned.least_micros) == (3, 0, 0)


def test_verdicts_after_a_cap_are_pending_and_asked_another_time(tmp_path):
    content = table((FERRY, ["[full] a"]), (FERRY, ["[full] b"]), (FERRY, ["[full] c"]))
    judge = TagJudge(most=1)
    done, told, rows = run(tmp_path, "t.csv", content, judge)
    assert done.held == "the cap of the test"
    assert [row["recall"] for row in rows] == ["1.0", "", ""]
    assert rows[1]["recall_reason"] == "not assessable (pending)"
    assert told["totals"]["failed"] == 2
    again = TagJudge()
    done, told, rows = run(tmp_path, "t.csv", content, again)
    assert (len(again.asked), told["totals"]["failed"]) == (2, 0)
    assert [row["recall"] for row in rows] == ["1.0", "1.0", "1.0"]


def test_json_output_is_ascii_with_one_row_a_line(tmp_path):
    done, _, _ = run(tmp_path, "t.csv", table(("Käse hilft.", ["[full] é\u2028"])), TagJudge())
    text = done.files[0].read_bytes().decode("ascii")
    assert [json.loads(line)["row"] for line in text.splitlines() if line.startswith('{"row"')] == [
        1
    ]
