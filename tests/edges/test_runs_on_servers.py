"""Every stage of a run does the same on SQLite and a folder as on PostgreSQL and S3."""

import json

import pytest

from monitor.domain.baseline import BaselineClaim, BaselineSource, ClaimCategory, Match
from monitor.domain.page import FetchStatus
from monitor.domain.source import Grade
from monitor.pipeline.capturing import reparse_run
from monitor.pipeline.comparing import compare_runs
from monitor.pipeline.exporting import export_json
from monitor.pipeline.paging import fetch_run
from monitor.pipeline.reporting import build_report
from monitor.pipeline.tallying import score_run
from monitor.pipeline.verifying import verify_run
from monitor.store import captures, pages, runs, spend
from tests.stored import (
    WordJudge,
    answer,
    captured,
    keep_answers,
    keep_baseline,
    keep_page,
    planned,
)

OAK = "https://oak.example/growth"
HOSTILE = "Oaks\x00 grow \ud800 slowly [1]."
"""What neither PostgreSQL nor UTF-8 can hold."""


@pytest.fixture
def bench(any_bench):
    return any_bench


@pytest.fixture
def scored(bench):
    """A run with an answer, its page, a baseline and scores."""
    run = planned(bench)
    keep_answers(bench, run, answer("Oaks grow slowly [1].", ("[1]", OAK)))
    keep_page(bench, run, OAK, "Oaks grow slowly.")
    source = BaselineSource(bench.identify(OAK).page_key, Match.PAGE, Grade.REQUIRED)
    keep_baseline(
        bench, [source], [BaselineClaim("c1", "Oaks grow slowly.", ClaimCategory.CORE_FACT)]
    )
    score_run(bench, run, WordJudge())
    return run


async def test_captures_are_asked_stored_settled_and_not_asked_again(bench):
    run = planned(bench)
    body = answer("Oaks grow slowly [1].", ("[1]", OAK))
    assert await captured(bench, run, body) == ()
    assert bench.read(lambda c: captures.load_open(c, run.id)) == ()
    (payload,) = bench.read(lambda c: captures.load_run_payloads(c, run.id)).values()
    assert bench.artifacts.get(payload[0].sha256) == body
    spent = bench.read(lambda c: spend.totals(c, run.id))
    assert (spent.calls, spent.unsettled) == (1, 0)
    await captured(bench, run, b"never sent")
    assert bench.read(lambda c: spend.totals(c, run.id)) == spent


async def test_pages_are_fetched_refused_and_kept(bench):
    run = planned(bench)
    keep_answers(bench, run, answer("Oaks grow slowly [1].", ("[1]", "http://127.0.0.1/oak")))
    await fetch_run(bench, run)
    (fetch,) = bench.read(lambda c: pages.load_fetches(c, run.id)).values()
    assert fetch.fetched.status is not FetchStatus.OK


def test_scores_report_and_export_are_made_from_what_is_stored(bench, scored):
    view = build_report(bench, scored, WordJudge())
    (engine,) = view.engines
    rate = engine.card.measures["claim_evidence_recall"].rate
    assert (rate.hits, rate.total) == (1, 1)
    told = json.loads(export_json(bench, scored))
    assert [row["raw_url"] for row in told["citations"]] == [OAK]
    assert verify_run(bench, scored).sound


def test_two_runs_are_compared(bench, scored):
    later = planned(bench, "2026-02")
    keep_answers(bench, later, answer("Oaks grow fast.", ("fast", "https://elm.example/")))
    compared = compare_runs(bench, scored, later, WordJudge())
    assert list(compared.comparisons) == ["openai"]
    newest = bench.read(runs.list_runs)
    assert [one.slot for one in newest] == ["2026-02", "2026-01"]


def test_hostile_words_of_an_answer_are_kept_and_read_again(bench):
    run = planned(bench)
    keep_answers(bench, run, answer(HOSTILE, ("[1]", OAK)))
    score_run(bench, run, WordJudge())
    first = json.loads(export_json(bench, run))
    reparse_run(bench, run)
    assert json.loads(export_json(bench, run)) == first
    assert verify_run(bench, run).sound
