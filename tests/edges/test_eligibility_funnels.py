"""Retrieval logs and the four stages of a run, against counts made by hand; all is synthetic."""

import json
import os
from datetime import UTC, datetime, timedelta

import jsonschema
import pytest

from monitor.domain.baseline import BaselineClaim, BaselineSource, ClaimCategory, Match
from monitor.domain.eligibility import (
    Because,
    PageFacts,
    RobotsState,
    Ruling,
    SourceCheck,
    Told,
)
from monitor.domain.page import FetchStatus
from monitor.domain.score import Undefined, UndefinedReason
from monitor.domain.source import Grade
from monitor.errors import EvidenceError
from monitor.pages.eligibility_crawlers import load_crawlers
from monitor.pipeline.exporting import export_json
from monitor.pipeline.funnels import run_funnels
from monitor.pipeline.reporting import build_report
from monitor.pipeline.retrieval_logs import import_log
from monitor.pipeline.tallying import score_run
from monitor.report.funnel import funnel_rows
from monitor.report.page import render_report
from monitor.store import eligibility as checks
from monitor.store import panels, retrieval_logs, scores
from tests.house import ROOT
from tests.stored import (
    PANEL,
    PROMPT,
    WordJudge,
    bench_in,
    keep_answers,
    keep_baseline,
    planned,
)
from tests.unit.engines.payloads_a import message, output_text, responses, search

A, B, C = (f"https://oaks-{name}.com/x" for name in "abc")
JUDGE = WordJudge()
EXPORT = json.loads((ROOT / "docs/schemas/export.schema.json").read_text("utf-8"))
PANEL_FILE = f"""panel: trees
version: 1
repeats: 1
locale: en-GB
engines: [openai]
prompts:
  - {{id: {PROMPT.id}, text: "{PROMPT.text}"}}
"""


def told(text, *cited):
    """A payload that cites A, and says that A, B and C were searched."""
    found = responses(search("oaks", sources=(A, B, C)), message(output_text(text, *cited)))
    return json.dumps(found).encode()


@pytest.fixture
def scored(tmp_path, monkeypatch):
    """A run with one answer that cites A; the baseline requires A and B, and C is optional."""
    with bench_in(tmp_path, monkeypatch) as bench:
        keys = {url: bench.identify(url).page_key for url in (A, B, C)}
        graded = {A: Grade.REQUIRED, B: Grade.REQUIRED, C: Grade.OPTIONAL}
        sources = [BaselineSource(keys[u], Match.PAGE, g, url=u) for u, g in graded.items()]
        sources.append(BaselineSource("elms.com", Match.FAMILY, Grade.ACCEPTABLE))
        keep_baseline(bench, sources, [BaselineClaim("c1", "Oaks grow.", ClaimCategory.CORE_FACT)])
        run = planned(bench)
        keep_answers(bench, run, told("Oaks grow slowly.", ("Oaks grow", A)))
        score_run(bench, run, JUDGE)
        yield bench, run


def keep_checks(bench, *shut):
    """A check of each page; to the crawlers of OpenAI those of `shut` are closed."""
    tokens = [one.token for one in load_crawlers().every]
    made = []
    for url in (A, B, C):
        barred = Because.RULE if url in shut else Because.NO_RULE
        rulings = tuple(Ruling(t, url not in shut, barred, url) for t in tokens)
        made.append(
            SourceCheck(
                url, bench.identify(url).page_key, datetime(2026, 1, 2, tzinfo=UTC), "us/1",
                FetchStatus.OK, 200, (url,), None, RobotsState.READ, rulings, PageFacts(words=9),
            )
        )  # fmt: skip
    bench.write(lambda c: checks.save_checks(c, PANEL.name, made, baseline="2026-01", version=1))


def cards(bench, run):
    return bench.read(lambda c: scores.load_scorecards(c, run.id))


def funnel(bench, run):
    (one,) = run_funnels(bench, run, cards(bench, run))
    return one


def counts(rate):
    return rate.hits, rate.total, dict(rate.not_assessable)


def test_without_a_check_there_is_no_funnel_and_the_report_is_as_it_was(scored):
    bench, run = scored
    assert run_funnels(bench, run, cards(bench, run)) == ()
    view = build_report(bench, run, JUDGE)
    assert view.funnels == ()
    assert 'id="funnel"' not in render_report(view)


def test_the_stages_are_counted_each_by_itself(scored):
    bench, run = scored
    keep_checks(bench, B)
    one = funnel(bench, run)
    # A and C are open, B is shut, and of the publisher no page is named.
    assert counts(one.eligibility) == (2, 3, {"family_item": 1})
    assert one.barred == {"robots": 1}
    # Searched: A, B and C. Both that are required; of the open ones A and C, A is shown.
    assert (one.told_by, one.retrievals) == (Told.PAYLOAD, 1)
    assert counts(one.retrieval) == (2, 2, {})
    assert counts(one.selection) == (1, 2, {})
    # Shown: A, one of the two that are required, and the one page that is graded.
    assert counts(one.visibility["required_source_recall"]) == (1, 2, {})
    assert counts(one.visibility["source_precision"]) == (1, 1, {})


def test_checks_and_logs_are_kept_alike_on_every_store(any_bench):
    bench = any_bench
    keep_checks(bench, B)
    keep_checks(bench)
    kept = bench.read(lambda c: checks.load_checks(c, PANEL.name))
    assert len(kept) == 3
    assert all(one.ruling("OAI-SearchBot").allowed for one in kept.values())
    assert bench.read(lambda c: checks.load_checks(c, "elms")) == {}
    ids = bench.write(lambda c: panels.save_prompts(c, [PROMPT]))
    at = datetime(2026, 1, 3, tzinfo=UTC)
    lines = [
        retrieval_logs.LogLine(n, *ids.values(), "openai", at, bench.identify(url), n)
        for n, url in enumerate((A, B), start=1)
    ]

    def save(panel):
        return bench.write(lambda c: retrieval_logs.save_log(c, panel, lines, file_sha256="0" * 64))

    # The same file may speak of two panels, and of one panel once.
    assert [save("trees"), save("trees"), save("elms")] == [2, 0, 2]
    found = bench.read(lambda c: retrieval_logs.load_log(c, "trees", since=at, until=at))
    assert [(one.prompt_id, one.engine, one.rank) for one in found] == [
        (PROMPT.id, "openai", 1), (PROMPT.id, "openai", 2),
    ]  # fmt: skip


def test_a_funnel_adds_nothing_to_scorecards_and_so_to_no_comparison(scored):
    bench, run = scored
    before = [set(card.measures) for card in cards(bench, run)]
    keep_checks(bench)
    score_run(bench, run, JUDGE)
    assert [set(card.measures) for card in cards(bench, run)] == before
    assert not any(name in before[0] for name in ("eligibility", "selection"))


def write_log(path, *rows, times=1):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) * times)
    return path


def row(url, *, prompt=PROMPT.id, engine="openai", time=None, **more):
    moment = (time or datetime.now(UTC)).isoformat()
    return {"prompt": prompt, "engine": engine, "time": moment, "url": url, **more}


@pytest.fixture
def logging(scored, tmp_path, monkeypatch):
    """A panel's file beside the store, and what imports a log."""
    bench, run = scored
    folder = tmp_path / "prompt_panels"
    folder.mkdir()
    (folder / "trees.yaml").write_text(PANEL_FILE)
    monkeypatch.chdir(tmp_path)
    return bench, run, lambda path: import_log(bench, "trees", path)


def test_a_log_is_stored_once_and_prompts_are_named_by_id_or_text(logging, tmp_path):
    bench, _, add = logging
    log = write_log(tmp_path / "log.jsonl", row(A, rank=1), row(C, prompt=PROMPT.text))
    told = add(log)
    assert (told.lines, told.new, told.prompts, told.engines) == (2, 2, 1, ("openai",))
    assert add(log).new == 0
    now = datetime.now(UTC)
    kept = bench.read(
        lambda c: retrieval_logs.load_log(
            c, "trees", since=now - timedelta(hours=1), until=now + timedelta(hours=1)
        )
    )
    assert [(one.prompt_id, one.rank) for one in kept] == [(PROMPT.id, 1), (PROMPT.id, None)]


BAD = [
    (b"not json", "no JSON in UTF-8"),
    (b'{"prompt": "\xff"}', "no JSON in UTF-8"),
    (b"[1]", "not an object"),
    (json.dumps(row(A) | {"urls": A}).encode(), "unknown key 'urls'"),
    (json.dumps(row(A) | {"prompt": "p2"}).encode(), "prompt 'p2'"),
    (json.dumps(row(A) | {"prompt": 1}).encode(), "prompt: expected text, got 1"),
    (json.dumps(row(A, engine="open_ai")).encode(), "engine 'open_ai'"),
    (json.dumps(row(A) | {"time": "2026-11-01"}).encode(), "with a zone"),
    (json.dumps(row(A) | {"time": "soon"}).encode(), "time 'soon'"),
    (json.dumps(row("ftp://x.com/a")).encode(), "url 'ftp://x.com/a'"),
    (json.dumps(row("https://x.com/" + "a" * 9000)).encode(), "at most 8000 characters"),
    (json.dumps(row(A, rank=0)).encode(), "rank 0"),
    (json.dumps(row(A, rank=True)).encode(), "rank True"),
    (json.dumps(row(A, rank="1")).encode(), "rank '1'"),
    (json.dumps(row(A) | {"time": "9999-12-31T23:59:59-23:59"}).encode(), "time '9999"),
    (json.dumps(row("https://me:SECRET@tea.example/")).encode(), "without a login"),
    (json.dumps(row("https://[tea.example/")).encode(), "url 'https://[tea"),
    (json.dumps(row("https:///tea")).encode(), "url 'https:///tea"),
]


def test_every_bad_line_is_named_and_nothing_is_stored(logging, tmp_path):
    bench, _, add = logging
    log = tmp_path / "bad.jsonl"
    good = json.dumps(row(A)).encode()
    log.write_bytes(b"\n".join([good, b"", *(bad for bad, _ in BAD)]))
    with pytest.raises(EvidenceError) as told:
        add(log)
    said = str(told.value).splitlines()
    assert len(said) == len(BAD) + 1
    for number, (line, (_, expected)) in enumerate(zip(said, BAD, strict=False), start=3):
        assert f"bad.jsonl:{number}: " in line
        assert expected in line
        assert "expected" in line
        assert "SECRET" not in line
    assert "Nothing was stored" in said[-1]
    assert not bench.read(lambda c: c.execute(retrieval_logs.retrieval_log.select()).all())


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf"])
def test_an_empty_log_says_what_was_expected(logging, tmp_path, content):
    _, _, add = logging
    log = tmp_path / "empty.jsonl"
    log.write_bytes(content)
    with pytest.raises(EvidenceError, match="no line in it; expected an object"):
        add(log)
    with pytest.raises(EvidenceError, match="cannot be read"):
        add(tmp_path / "absent.jsonl")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(EvidenceError, match="not a plain file"):
        add(tmp_path / "pipe")


def silent(monkeypatch):
    """OpenAI as an engine whose payloads do not tell what was searched."""
    monkeypatch.setattr("monitor.pipeline.funnels.exposes", lambda _: False)


def test_an_engine_that_tells_nothing_has_no_retrieval_and_no_selection(scored, monkeypatch):
    bench, run = scored
    silent(monkeypatch)
    keep_checks(bench)
    one = funnel(bench, run)
    assert one.told_by is Told.NOBODY
    assert one.retrieval == one.selection == Undefined(UndefinedReason.NOT_EXPOSED)


def test_a_log_gives_recall_and_selection_of_the_answers_around_it(logging, tmp_path, monkeypatch):
    bench, run, add = logging
    silent(monkeypatch)
    keep_checks(bench, B)
    first, second = datetime.now(UTC), datetime.now(UTC) + timedelta(minutes=1)
    old = datetime.now(UTC) - timedelta(days=40)
    add(
        write_log(
            tmp_path / "log.jsonl",
            row(A, time=first), row(C, time=first), row(A, time=first),
            row(B, time=second), row("https://other.com/", time=second),
            row(B, time=old),
            row(A, engine="perplexity", time=first),
        )
    )  # fmt: skip
    one = funnel(bench, run)
    assert (one.told_by, one.retrievals) == (Told.LOG, 2)
    # Two searches, two required sources: A in the first, B in the second.
    assert counts(one.retrieval) == (2, 4, {})
    # B is shut, so eligible and searched are A and C, once each; A alone is shown.
    assert counts(one.selection) == (1, 2, {})


def test_report_and_export_tell_the_same_funnel(scored):
    bench, run = scored
    keep_checks(bench, B)
    view = build_report(bench, run, JUDGE)
    (line,) = funnel_rows(view)
    assert line.eligible.text.startswith("2 of 3 (67 %")
    assert line.eligible.beside == "not assessable: 1 a publisher, no page of it is named"
    assert line.barred == "1 robots.txt keeps its crawler out"
    html = render_report(view)
    assert 'id="funnel"' in html
    assert "2 of 3 (67 %" in html
    told = json.loads(export_json(bench, run))
    jsonschema.Draft202012Validator(EXPORT).validate(told)
    (exported,) = told["funnels"]
    assert (exported["eligibility"]["hits"], exported["eligibility"]["total"]) == (2, 3)
    assert exported["not_eligible"] == {"robots": 1}
