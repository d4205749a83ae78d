"""One question, one number: every door tells the same counts, values and intervals."""

import csv
import io
import json
from collections import Counter
from dataclasses import replace
from functools import partial

import lxml.html
import pytest

from monitor.cli import main
from monitor.domain.baseline import Baseline, BaselineSource, Match, PromptBaseline
from monitor.domain.score import Rate
from monitor.domain.source import Grade
from monitor.pipeline.exporting import export_csv, export_json
from monitor.pipeline.reporting import build_report
from monitor.pipeline.tallying import score_engines
from monitor.report.numbers import rate_text
from monitor.report.page import render_report
from monitor.store import alerts, panels, runs, scores
from monitor.urls import family_map, identify
from tests.edges.test_alerting import JUDGE, PROMPTS, TREES, cites, told
from tests.stored import MADE_AT, bench_in

FAMILY, MEASURE = "oaks.example", "required_source_recall"
REPEATS = 5
PANEL = replace(TREES, repeats=REPEATS)
SHARE = {"2026-01": Rate(120, 480), "2026-02": Rate(314, 480)}
"""24 prompts x 5 answers x 4 citations; then 97 answers cite 3 oaks of 4, 23 cite 1."""


def baseline(bench):
    """Oaks are required for every prompt; so are elms, which one answer in five cites, and yews."""
    wanted = tuple(
        BaselineSource(name, Match.FAMILY, Grade.REQUIRED)
        for name in (FAMILY, "elms.example", "yews.example")
    )
    made = Baseline(
        PANEL.name, "2026-01", ("r1",), True, MADE_AT, "1",
        {p.id: PromptBaseline(p.id, wanted, ()) for p in PROMPTS},
        content_key="k", bound={p.id: p.version_key for p in PROMPTS},
    )  # fmt: skip
    bench.write(lambda c: panels.save_baseline(c, made, "synthetic", saved_at=MADE_AT))


def elm(body):
    """The same payload with elms in the place of its last site."""
    return body.replace(b"site0.example", b"elms.example")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Two months of one engine, of which the second cites oaks far more."""
    folder = tmp_path_factory.mktemp("one-number")
    with pytest.MonkeyPatch.context() as patch, bench_in(folder, patch) as bench:
        baseline(bench)
        once = [elm(cites(1, 3)), *[cites(1, 3)] * 4]
        told(bench, "2026-01", once * 24, PANEL)
        more = [elm(cites(3, 1)), *[cites(3, 1)] * 4]
        told(bench, "2026-02", (more * 24)[:97] + [cites(1, 3)] * 23, PANEL)
        yield bench, folder


def newest(bench):
    return bench.read(runs.list_runs)[0]


def card(bench):
    (whole,) = (
        c
        for c in bench.read(lambda c: scores.load_scorecards(c, newest(bench).id))
        if c.segment == "all"
    )
    return whole


def share_of(found):
    return next(f for f in found if f["family"] == FAMILY)


def printed(capsys, bench, folder, *arguments):
    config = folder / "config.yaml"
    stored = bench.settings.store
    config.write_text(
        f"store: {{database: '{stored.database}', artifacts: '{stored.artifacts}'}}\n"
    )
    with pytest.raises(SystemExit):
        main([*arguments, "--config", str(config)])
    return capsys.readouterr().out


def counts(side):
    return side["hits"], side["total"]


def test_a_share_is_the_same_at_every_door(store, capsys):
    bench, folder = store
    stored = next(f for f in card(bench).families if f.family == FAMILY)
    assert stored.rate == SHARE["2026-02"]
    ends = (stored.interval.low, stored.interval.high)
    run = newest(bench)

    body = json.loads(export_json(bench, run))
    exported = share_of(next(c for c in body["scorecards"] if c["segment"] == "all")["families"])
    assert (counts(exported), exported["value"]) == ((314, 480), stored.rate.value)
    assert (exported["interval"]["low"], exported["interval"]["high"]) == ends

    export_csv(bench, run, folder / "csv")
    rows = csv.DictReader(io.StringIO((folder / "csv" / "families.csv").read_text("utf-8-sig")))
    row = next(r for r in rows if (r["segment"], r["family"]) == ("all", FAMILY))
    assert (float(row["hits"]), float(row["total"])) == (314, 480)
    assert (float(row["low"]), float(row["high"])) == pytest.approx(ends, abs=1e-12)

    (open_one,) = (a for a in bench.read(alerts.open_alerts) if a.alert.entity == FAMILY)
    sides = (open_one.alert.change.before.pooled, open_one.alert.change.after.pooled)
    assert sides == (SHARE["2026-01"], SHARE["2026-02"])
    listed = json.loads(printed(capsys, bench, folder, "alerts", "list", "--json"))["alerts"]
    shown = next(a for a in listed if a["entity"] == FAMILY)["change"]
    assert (counts(shown["before"]), counts(shown["after"])) == ((120, 480), (314, 480))

    said = printed(capsys, bench, folder, "compare", "2026-01", "2026-02")
    assert rate_text(SHARE["2026-01"]) in said
    assert rate_text(SHARE["2026-02"]) in said
    html = lxml.html.document_fromstring(render_report(build_report(bench, run, JUDGE)))
    (cell,) = html.xpath(f"//section[@id='families']//tr[th[contains(., '{FAMILY}')]]")[:1]
    assert rate_text(stored.rate) in " ".join(cell.text_content().split())


def test_one_of_five_repeats_is_a_fifth_at_every_door(store):
    # Of the three required sources oaks are cited by all 120 answers, elms by one in five of the
    # first 97 (20 answers: repeats 1 of 19 whole prompts and of the twentieth), yews by none.
    bench, folder = store
    rate = card(bench).measures[MEASURE].rate
    assert (rate.hits, rate.total) == (140, 360)
    run = newest(bench)
    body = json.loads(export_json(bench, run))
    whole = next(c for c in body["scorecards"] if c["segment"] == "all")
    assert counts(whole["measures"][MEASURE]) == (140, 360)
    export_csv(bench, run, folder / "csv")
    text = (folder / "csv" / "scorecards.csv").read_text("utf-8-sig")
    row = next(
        r
        for r in csv.DictReader(io.StringIO(text))
        if (r["segment"], r["measure"]) == ("all", MEASURE)
    )
    assert (float(row["hits"]), float(row["total"])) == (140, 360)
    page = render_report(build_report(bench, run, JUDGE))
    assert "140 of 360" in words(page)


def words(page):
    """Text of a page with single plain spaces."""
    return " ".join(lxml.html.document_fromstring(page).text_content().split())


def test_none_of_many_has_an_upper_end_above_zero_at_every_door(tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch) as bench:
        baseline(bench)
        told(bench, "2026-01", [cites(0, 4)] * 120, PANEL)
        measure = card(bench).measures[MEASURE]
        assert (measure.rate.hits, measure.rate.total) == (0, 360)
        # Wilson with 24 prompt clusters: z = t(0.975, 23) = 2.069, z^2 / (24 + z^2) = 0.1513
        assert measure.interval.high == pytest.approx(0.1513, abs=1e-4)
        run = newest(bench)
        body = json.loads(export_json(bench, run))
        whole = next(c for c in body["scorecards"] if c["segment"] == "all")
        shown = whole["measures"][MEASURE]
        assert (shown["value"], shown["interval"]["high"]) == (0, measure.interval.high)
        said = words(render_report(build_report(bench, run, JUDGE)))
        assert "0 of 360 (0 %, 0.0-15.1)" in said.replace("\N{EN DASH}", "-")


def test_exported_citations_have_the_families_that_the_scorecards_count(tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch) as bench:
        told(bench, "2026-01", [cites(1, 3)] * 24)
        families = family_map({"site0.example": FAMILY})
        edited = replace(bench, families=families, identify=partial(identify, families=families))
        run = newest(bench)
        score_engines(edited, run, JUDGE)
        body = json.loads(export_json(edited, run))
        whole = next(c for c in body["scorecards"] if c["segment"] == "all")
        counted = {one["family"]: one["hits"] for one in whole["families"]}
        listed = Counter(c["family"] for c in body["citations"])
        assert counted == dict(listed)
        assert counted[FAMILY] == 48
