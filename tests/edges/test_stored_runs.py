"""Stages again over a stored run: what was found out once stays known."""

from dataclasses import replace

import pytest

from monitor.domain.baseline import BaselineClaim, BaselineSource, ClaimCategory, Match
from monitor.domain.claim import Support
from monitor.domain.engine import Cost
from monitor.domain.page import FetchStatus
from monitor.domain.panel import Risk
from monitor.domain.source import Grade
from monitor.pipeline.capturing import reparse_run, save_readings
from monitor.pipeline.comparing import compare_runs
from monitor.pipeline.reporting import build_report
from monitor.pipeline.tallying import score_run
from monitor.store import citations
from tests.stored import (
    PANEL,
    PROMPT,
    WordJudge,
    answer,
    bench_in,
    captured,
    keep_answers,
    keep_baseline,
    keep_page,
    planned,
)

SHORT = "https://bit.ly/oak-1"
OAK = "https://oak.example/growth"


@pytest.fixture
def bench(any_bench):
    return any_bench


def identities(bench, run):
    (stored,) = bench.read(lambda c: citations.load_readings(c, run.id)).values()
    return stored.identities


def test_a_redirect_that_was_followed_stays_followed_when_payloads_are_read_again(bench):
    run = planned(bench)
    keep_answers(bench, run, answer("Oaks grow slowly [1].", ("[1]", SHORT)))
    (opaque,) = identities(bench, run)
    target = {opaque.page_key: bench.identify(OAK)}
    bench.write(lambda c: citations.resolve_citations(c, run.id, target))
    for _ in range(2):
        reparse_run(bench, run)
        (again,) = identities(bench, run)
        assert (again.raw, again.family) == (SHORT, "oak.example")


def test_a_report_made_twice_tells_the_same_events(bench):
    before, after = planned(bench, "2026-01"), planned(bench, "2026-02")
    for run in (before, after):
        keep_answers(bench, run, answer("Oaks grow slowly [1].", ("[1]", OAK)))
    score_run(bench, before, WordJudge("words@1"))
    told = [
        compare_runs(bench, before, after, WordJudge("words@2")).comparisons["openai"].events
        for _ in range(2)
    ]
    assert told[0] == told[1]
    assert [(e.before, e.after) for e in told[0]] == [("words@1", "words@2")]


def test_a_page_cited_by_two_addresses_is_shown_with_the_text_that_was_judged(bench):
    run = planned(bench)
    moved = "https://oak.example/old-growth"
    text = "Oaks grow slowly."
    keep_answers(
        bench, run, answer("Oaks grow slowly [1] and long [2].", ("[1]", OAK), ("[2]", moved))
    )
    keep_page(bench, run, OAK, "", status=FetchStatus.TIMEOUT_TOTAL)
    keep_page(bench, run, moved, text, canonical=bench.identify(OAK).page_key)
    (page,) = build_report(bench, run, WordJudge()).captures[0].pages
    assert page.fetch_status == "ok"
    assert page.title == f"About {moved}"
    assert bench.artifacts.get(page.text_sha256) == text.encode()


@pytest.mark.parametrize(("currency", "shown"), [("USD", 4_000), ("EUR", None)])
def test_a_report_shows_money_in_usd_and_no_other_as_if_it_were(bench, currency, shown):
    run = planned(bench)
    keep_answers(bench, run, answer("Oaks grow slowly."))
    ((capture_id, stored),) = bench.read(lambda c: citations.load_readings(c, run.id)).items()
    paid = replace(stored.reading, cost=Cost(4_000, currency))
    bench.write(lambda c: save_readings(bench, c, {capture_id: paid}))
    assert build_report(bench, run, WordJudge()).captures[0].cost_micros == shown


def claims_shown(bench, *fetched):
    """The one baseline claim of a report on an answer that cites these (url, grade, text) pages."""
    text = "Oaks grow slowly."
    urls = [url for url, _, _ in fetched]
    run = planned(bench, panel=replace(PANEL, prompts=(replace(PROMPT, risk=Risk.YMYL),)))
    cited = [(f"[{n}]", url) for n, url in enumerate(urls, start=1)]
    keep_answers(bench, run, answer(text + "".join(f" {mark}" for mark, _ in cited), *cited))
    for url, _, page in fetched:
        status = FetchStatus.OK if page else FetchStatus.TIMEOUT_TOTAL
        keep_page(bench, run, url, page, status=status)
    graded = [
        BaselineSource(bench.identify(url).page_key, Match.PAGE, grade)
        for url, grade, _ in fetched
        if grade is not None
    ]
    keep_baseline(bench, graded, [BaselineClaim("c1", text, ClaimCategory.CORE_FACT)])
    view = build_report(bench, run, WordJudge())
    (claim,) = view.captures[0].claims
    return claim, view.engines[0].card.measures["claim_evidence_recall"].rate


def test_evidence_that_may_not_count_is_shown_as_missing_as_it_is_counted(bench):
    claim, rate = claims_shown(bench, (OAK, None, "Oaks grow slowly."))
    assert (claim.evidence, claim.evidence_page) == (None, None)
    assert (rate.hits, rate.total) == (0, 1)


def test_evidence_on_a_page_nobody_could_read_is_shown_as_unresolved(bench):
    elm = "https://elm.example/trees"
    claim, rate = claims_shown(bench, (OAK, Grade.REQUIRED, "Elms."), (elm, Grade.ACCEPTABLE, ""))
    assert (claim.evidence, claim.evidence_page) == (Support.NOT_ASSESSABLE, 2)
    assert (rate.hits, rate.total, rate.unresolved) == (0, 0, 1)


def test_evidence_is_shown_with_the_adequate_page_that_holds_it(bench):
    elm = "https://elm.example/trees"
    claim, rate = claims_shown(
        bench,
        (elm, None, "Oaks grow slowly."),
        (OAK, Grade.REQUIRED, "Oaks grow slowly."),
    )
    assert (claim.evidence, claim.evidence_page) == (Support.FULL, 2)
    assert (rate.hits, rate.total) == (1, 1)


async def test_two_databases_on_one_artifact_folder_never_take_over_each_others_answers(
    tmp_path, monkeypatch
):
    first = answer("Oaks grow slowly.")
    other = replace(PANEL, prompts=(replace(PROMPT, text="How do elms grow?"),))
    with bench_in(tmp_path, monkeypatch, database="first") as bench:
        await captured(bench, planned(bench), first)
    with bench_in(tmp_path, monkeypatch, database="second") as bench:
        run = planned(bench, panel=other)
        await captured(bench, run, answer("Elms grow fast."))
        (stored,) = bench.read(lambda c: citations.load_readings(c, run.id)).values()
    assert stored.reading.text == "Elms grow fast."
