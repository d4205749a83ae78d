"""Whatever stands in a cell or a file, an evaluation reads it, or says what is wrong with it."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from monitor.errors import MonitorError
from monitor.pipeline.evaluation import Choice, Format
from monitor.pipeline.evaluation.cells import RowError, texts_of
from monitor.scoring.short_answers import list_answer, short_answers
from tests.evaluated import TagJudge, run, table

TEXTS = st.text(max_size=30)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
FIELDS = st.sampled_from(
    ["id", "question", "output", "docs", "qa_pairs", "answers", "claims", "answer", "citations",
     "claim", "passages"]
)  # fmt: skip
DOCS = st.lists(st.fixed_dictionaries({"text": TEXTS}, optional={"title": TEXTS, "url": TEXTS}))
RECORDS = st.fixed_dictionaries(
    {"answer": TEXTS, "output": TEXTS, "docs": DOCS, "citations": DOCS, "question": TEXTS},
    optional={"answers": st.lists(st.lists(TEXTS)), "claims": st.lists(TEXTS)},
)
FAST = settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@given(st.lists(TEXTS, max_size=5))
def test_lists_of_texts_come_back_from_both_notations(texts):
    assert texts_of(json.dumps(texts), "snippets") == tuple(texts)
    assert texts_of(repr(texts), "snippets") == tuple(texts)


@given(st.text(alphabet="[](){}'\",ab1:\\nf-+*. \x00", max_size=40) | TEXTS)
def test_any_cell_is_texts_or_a_fault(cell):
    try:
        found = texts_of(cell, "snippets")
    except RowError:
        return
    assert all(isinstance(one, str) for one in found)


@FAST
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4))
def test_any_table_is_evaluated_row_by_row(tmp_path, rows):
    content = table(*rows).encode("utf-8", "surrogatepass")
    _, told, made = run(tmp_path, "t.csv", content, TagJudge())
    assert len(told["rows"]) == len(made) == len(rows)
    assert all(row["recall_reason"] for row in made)


@FAST
@given(
    st.lists(RECORDS | st.dictionaries(FIELDS, JSON) | JSON, max_size=4),
    st.sampled_from(["alce", "monitor"]),
    st.booleans(),
)
def test_any_json_is_evaluated_or_refused(tmp_path, entries, profile, qampari):
    choice = Choice(profile=type(Choice().profile)(profile), qampari=qampari)
    whole = json.dumps({"data": entries})
    _, told, _ = run(tmp_path, "a.json", whole, TagJudge(), choice, wanted=Format.ALCE)
    assert len(told["rows"]) == len(entries)
    lines = "".join(f"{json.dumps(one)}\n" for one in entries)
    _, told, _ = run(tmp_path, "a.jsonl", lines, TagJudge(), choice, wanted=Format.JSONL)
    assert len(told["rows"]) == len(entries)


@FAST
@given(st.binary(max_size=200))
def test_any_bytes_are_a_table_or_refused(tmp_path, content):
    said = ""
    try:
        run(tmp_path, "t.csv", content, TagJudge(), wanted=Format.CSV)
    except MonitorError as error:
        said = str(error)
    assert said == "" or "is missing" in said


@given(st.lists(st.lists(TEXTS, max_size=3), max_size=6), TEXTS)
def test_measures_of_answers_are_shares(wanted, text):
    found = list_answer(wanted, text)
    values = (found.precision, found.recall, found.recall_top, found.f1, found.f1_top)
    match = short_answers(wanted, text)
    known = [one for one in (*values, match.exact_match, match.hit) if one is not None]
    assert all(0 <= one <= 1 for one in known)
    assert match.hit != 1 or match.exact_match == pytest.approx(1)
