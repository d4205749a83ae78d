"""Pairs drawn for people, their labels stored, and what these make of the judge and its rates."""

import csv
import io
import json
from dataclasses import replace

import jsonschema
import numpy as np
import pytest

from monitor.domain.claim import Support
from monitor.errors import StoreError
from monitor.pipeline.cited_pairs import cited_frame
from monitor.pipeline.exporting import export_json
from monitor.pipeline.label_files import read_filled
from monitor.pipeline.label_list import list_json, list_labels
from monitor.pipeline.label_sheets import COLUMNS, sheets_csv, sheets_jsonl
from monitor.pipeline.labelling import draw_pairs, in_random_order
from monitor.pipeline.reporting import build_report
from monitor.pipeline.tallying import score_run
from monitor.pipeline.trusting import run_trust
from monitor.report.page import render_report
from monitor.statistics.correction import LabelledCounts, corrected_rate
from monitor.store import scores, support_labels
from tests.house import ROOT
from tests.labelled import CLAIMS, JUDGE, TREES, keep_oaks, number_of, truth
from tests.stored import MADE_AT, answer, bench_in, keep_answers, keep_page, planned

EXPORT = json.loads((ROOT / "docs/schemas/export.schema.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A scored run: 40 answers of 3 claims, the last claim's page of each fourth unreadable."""
    folder = tmp_path_factory.mktemp("labels")
    with pytest.MonkeyPatch.context() as patch, bench_in(folder, patch) as bench:
        run = planned(bench, panel=TREES)
        keep_oaks(bench, run)
        score_run(bench, run, JUDGE)
        yield bench, run


@pytest.fixture(autouse=True)
def without_labels(store):
    """Each test begins without draws and labels."""
    bench, _ = store
    yield
    for table in (support_labels.label, support_labels.label_draw):
        bench.write(lambda c, table=table: c.execute(table.delete()))


def cards(bench, run):
    return bench.read(lambda c: scores.load_scorecards(c, run.id))


def drawn(bench, run, pairs=60, **fields):
    return draw_pairs(
        bench, run, engine=fields.pop("engine", None), pairs=pairs, seed=fields.pop("seed", None)
    )


def label(bench, run, draw, supports, annotator="ann"):
    """Labels of the first pairs of a draw, as a filled file gives them; how many were new."""
    rows = [
        {"pair": one.name, "support": s.value if s else "", "annotator": annotator}
        for one, s in zip(draw.pairs, supports, strict=False)
    ]
    content = "\n".join(json.dumps(row) for row in rows).encode()
    filled = read_filled(content, [draw], source="f", guideline="g1", annotator=None)
    return bench.write(
        lambda c: support_labels.save_labels(c, run.panel, filled.labels, at=MADE_AT)
    )


def true_supports(draw, count=None):
    return [truth(one.claim) for one in draw.pairs[:count]]


def test_a_sheet_has_what_a_person_needs_and_nothing_of_the_judge(store):
    bench, run = store
    made = drawn(bench, run)
    rows = list(csv.DictReader(io.StringIO(sheets_csv(made.sheets), newline="")))
    assert (len(rows), tuple(rows[0])) == (60, COLUMNS)
    first = rows[0]
    n = number_of(first["claim"])
    assert first["urls"] == f"https://oak{n}.example/growth"
    assert f"Oak {n} is a tree." in first["passages"]
    assert len(first["passages"].split()) < 260
    assert made.texts[first["texts"]].startswith(f"Page {n}.")
    assert (first["support"], first["annotator"], first["note"]) == ("", "", "")
    told = sheets_csv(made.sheets) + sheets_jsonl(made.sheets)
    assert not [word for word in ("oak@1", "judge", "unclear", "score", "rule") if word in told]
    assert json.loads(sheets_jsonl(made.sheets).splitlines()[0])["pair"] == first["pair"]


def test_only_claims_whose_pages_can_be_read_are_drawn_each_at_most_once(store):
    bench, run = store
    everything = drawn(bench, run, pairs=5_000).draw
    # 120 claims, of which every twelfth cites a page that is gone.
    assert (len(everything.pairs), everything.frame_pairs) == (110, 110)
    assert len({one.pair for one in everything.pairs}) == 110
    assert not [one for one in everything.pairs if number_of(one.claim) % 12 == 11]


def test_a_draw_is_random_repeatable_and_a_larger_one_begins_with_it(store):
    bench, run = store
    first, again, larger = drawn(bench, run), drawn(bench, run), drawn(bench, run, pairs=90)
    assert again.draw == first.draw
    assert (first.is_new, again.is_new) == (True, False)
    assert [p.pair for p in larger.draw.pairs[:60]] == [p.pair for p in first.draw.pairs]
    other = drawn(bench, run, seed=1)
    assert {p.pair for p in other.draw.pairs} != {p.pair for p in first.draw.pairs}
    # Every pair has the same chance: over 200 seeds each of 110 is among 11 drawn about 20 times.
    frame = cited_frame(bench, run)
    times = dict.fromkeys(frame.pairs, 0)
    for seed in range(200):
        for one in in_random_order(frame.of(None), seed)[:11]:
            times[one.key.identity] += 1
    spread = np.array(list(times.values()))
    expected = 200 * 11 / 110
    statistic = ((spread - expected) ** 2 / (expected * (1 - 11 / 110))).sum()
    assert statistic < 160  # chi-square with 109 degrees of freedom: 99.9 % lie below 159


def test_a_draw_wants_a_scored_run_a_known_engine_and_a_sensible_number(store):
    bench, run = store
    with pytest.raises(StoreError, match="pairs: got 0; expected 1 to 5000"):
        drawn(bench, run, pairs=0)
    with pytest.raises(StoreError, match="no scorecard of engine 'gemini'; expected one of openai"):
        drawn(bench, run, engine="gemini")
    later = planned(bench, slot="2026-02", panel=TREES)
    with pytest.raises(StoreError, match="has no scorecards yet"):
        drawn(bench, later)


def test_labels_are_stored_once_and_the_latest_of_a_person_counts(store):
    bench, run = store
    draw = drawn(bench, run).draw
    supports = true_supports(draw)
    assert label(bench, run, draw, supports) == 60
    assert label(bench, run, draw, supports) == 0
    changed = [Support.CONTRADICTED, *supports[1:]]
    fresh = 1 if supports[0] is not Support.CONTRADICTED else 0
    assert label(bench, run, draw, changed) == fresh
    stored = bench.read(lambda c: support_labels.load_labels(c, run.panel))
    assert len(stored) == 60
    first = next(one for one in stored if one.pair == draw.pairs[0].pair)
    assert first.support is Support.CONTRADICTED


def test_too_few_labels_say_how_many_there_are_and_nothing_else(store):
    bench, run = store
    draw = drawn(bench, run).draw
    label(bench, run, draw, true_supports(draw, 25))
    trust = run_trust(bench, run, cards(bench, run))
    assert trust.here.agreement is None
    assert trust.here.both == sum(number_of(p.claim) % 5 != 0 for p in draw.pairs[:25])
    assert {(one.labelled, one.value, one.interval) for one in trust.corrected} == {
        (25, None, None)
    }


def test_agreement_of_the_judge_is_counted_over_pairs_that_both_decided(store):
    bench, run = store
    draw = drawn(bench, run).draw
    label(bench, run, draw, true_supports(draw))
    here = run_trust(bench, run, cards(bench, run)).here
    decided = [p for p in draw.pairs if number_of(p.claim) % 5 != 0]
    same = [p for p in decided if JUDGE.verdict(p.claim, ()).support is truth(p.claim)]
    assert (here.labelled, here.both, here.left_open) == (60, len(decided), 60 - len(decided))
    assert (here.agreement.pairs, here.agreement.agreeing) == (len(decided), len(same))
    assert here.agreement.raw.value == pytest.approx(len(same) / len(decided))
    assert here.agreement.raw.interval.low < here.agreement.raw.value
    assert sum(map(sum, here.agreement.confusion)) == len(decided)
    assert sum(row[n] for n, row in enumerate(here.agreement.confusion)) == len(same)
    assert 0 < here.agreement.kappa.value < here.agreement.raw.value
    # Nominal alpha and kappa differ by the sample's size alone where both margins are alike.
    assert here.agreement.alpha.value == pytest.approx(here.agreement.kappa.value, abs=0.05)


WORTH = {Support.FULL: 1.0, Support.PARTIAL: 0.5}


def by_hand(run_draw, frame):
    """Counts for claim citation precision, made without the code under test."""
    drawn_claims = {one.claim for one in run_draw.pairs}
    claims = sorted((p.claim for p in frame.pairs.values()), key=number_of)
    judged = []
    for claim in claims:
        said = JUDGE.verdict(claim, ())
        unclear = said.support is Support.NOT_ASSESSABLE
        judged.append(said.score if unclear else WORTH.get(said.support, 0.0))
    human = [WORTH.get(truth(c), 0.0) if c in drawn_claims else np.nan for c in claims]
    total = [1.0 if c in drawn_claims else np.nan for c in claims]
    prompt = [number_of(c) // CLAIMS for c in claims]
    ones = np.ones(len(claims))
    return LabelledCounts(prompt, ones, judged, ones, human, total)


def test_labels_correct_the_rate_and_leave_the_judges_own_as_it_was(store):
    bench, run = store
    before = cards(bench, run)
    draw = drawn(bench, run).draw
    label(bench, run, draw, true_supports(draw))
    trust = run_trust(bench, run, cards(bench, run))
    found = {one.measure: one for one in trust.corrected}
    assert set(found) == {"claim_citation_precision", "contradiction_rate"}
    one = found["claim_citation_precision"]
    expected = corrected_rate(by_hand(draw, cited_frame(bench, run)))
    assert (one.value, one.weight) == pytest.approx((expected.value, expected.weight))
    assert (one.interval.low, one.interval.high) == pytest.approx(
        (expected.interval.low, expected.interval.high)
    )
    assert (one.labelled, one.pairs) == (60, 110)
    # Labels are counted nowhere else: scoring anew gives every number that stood there before.
    score_run(bench, run, JUDGE)
    assert cards(bench, run) == before
    whole = next(c for c in before if c.segment == "all")
    assert one.judged == whole.measures["claim_citation_precision"].rate
    assert one.judged_interval == whole.measures["claim_citation_precision"].interval


def test_the_frame_holds_exactly_the_claims_that_the_judged_rate_counts(store):
    bench, run = store
    whole = next(c for c in cards(bench, run) if c.segment == "all")
    rate = whole.measures["claim_citation_precision"].rate
    claims = [p.claim for p in cited_frame(bench, run).pairs.values()]
    verdicts = [JUDGE.verdict(claim, ()).support for claim in claims]
    assert rate.total == sum(one is not Support.NOT_ASSESSABLE for one in verdicts)
    assert rate.hits == sum(WORTH.get(one, 0.0) for one in verdicts)


def test_who_passes_over_pairs_has_no_random_sample(store):
    bench, run = store
    draw = drawn(bench, run).draw
    supports = [s if n % 3 else None for n, s in enumerate(true_supports(draw))]
    label(bench, run, draw, supports)
    trust = run_trust(bench, run, cards(bench, run))
    assert trust.corrected == ()
    assert "40 of its first 60 pairs are labelled" in trust.notes[0]
    assert trust.here.labelled == 40


def test_a_draw_that_was_given_up_says_nothing_beside_one_that_is_used(store):
    bench, run = store
    draw = drawn(bench, run).draw
    drawn(bench, run, seed=1)
    label(bench, run, draw, true_supports(draw))
    trust = run_trust(bench, run, cards(bench, run))
    assert (trust.notes, len(trust.corrected)) == ((), 2)


def test_who_stops_early_still_has_one(store):
    bench, run = store
    draw = drawn(bench, run).draw
    label(bench, run, draw, true_supports(draw, 40))
    trust = run_trust(bench, run, cards(bench, run))
    assert {one.labelled for one in trust.corrected} == {40}
    assert all(one.value is not None for one in trust.corrected)


def test_annotators_at_a_tie_settle_nothing(store):
    bench, run = store
    draw = drawn(bench, run).draw
    supports = true_supports(draw)
    label(bench, run, draw, supports)
    against = Support.PARTIAL if supports[0] is not Support.PARTIAL else Support.FULL
    label(bench, run, draw, [against], "ben")
    trust = run_trust(bench, run, cards(bench, run))
    assert trust.here.disputed == 1
    assert {one.labelled for one in trust.corrected} == {59}
    label(bench, run, draw, supports[:1], "cem")
    assert run_trust(bench, run, cards(bench, run)).here.disputed == 0
    told = list_json(list_labels(bench, run.panel))
    assert told["annotators"]["ben"][against.value] == 1
    assert told["between_annotators"]["measures"]["raw_agreement"]["subjects"] == 1


def test_labels_of_pairs_that_nobody_drew_from_this_run_correct_nothing(store):
    bench, run = store
    draw = drawn(bench, run).draw
    label(bench, run, draw, true_supports(draw))
    bench.write(lambda c: c.execute(support_labels.label_draw.delete()))
    trust = run_trust(bench, run, cards(bench, run))
    assert (trust.corrected, trust.here.labelled) == ((), 60)
    assert trust.notes == (f"no labelled pair was drawn from {run.public_id}",)


def test_a_draw_from_pages_that_are_others_by_now_corrects_nothing(store):
    bench, run = store
    draw = drawn(bench, run).draw
    label(bench, run, draw, true_supports(draw))
    bench.write(lambda c: c.execute(support_labels.label_draw.update().values(frame="another")))
    trust = run_trust(bench, run, cards(bench, run))
    assert trust.corrected == ()
    assert "claims or pages of the run are others since" in trust.notes[0]


def test_report_and_export_tell_both_rates(store):
    bench, run = store
    draw = drawn(bench, run).draw
    label(bench, run, draw, true_supports(draw))
    told = json.loads(export_json(bench, run))
    jsonschema.validate(told, EXPORT)
    card = next(c for c in told["scorecards"] if c["segment"] == "all")
    both = card["measures"]["claim_citation_precision"]
    assert card["judge"] == "oak@1"
    assert card["judge_agreement"]["panel"]["pairs"] == told["trust"]["labels"]["both_decided"]
    assert both["corrected"]["labels"] == 60
    assert both["corrected"]["value"] != both["value"]
    page = render_report(build_report(bench, run, JUDGE)).replace("\u00a0", " ")
    assert "Judge: oak@1; here: " in page
    assert "Corrected by people" in page
    assert "by 60 labels of 110 pairs" in page


def test_markers_without_a_page_are_misses_that_need_no_label(tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch) as bench:
        run = planned(bench)
        url = "https://oak1.example/growth"
        text = "Oak 4 grows by 2 metres [1].\n\nElm 9 grows by 3 metres [7]."
        keep_answers(bench, run, answer(text, ("[1]", url)))
        keep_page(bench, run, url, "Of oaks.")
        scored = score_run(bench, run, JUDGE)
        frame = cited_frame(bench, run)
    rate = scored.cards[0].measures["claim_citation_precision"].rate
    assert [one.claim for one in frame.of("openai")] == ["Oak 4 grows by 2 metres."]
    assert frame.broken == {("openai", "p1"): 1}
    assert (rate.hits, rate.total) == (1, 2)


def test_the_same_claim_with_the_same_page_is_one_pair_of_several_claims(tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch) as bench:
        run = planned(bench, panel=replace(TREES, prompts=TREES.prompts[:2]))
        url = "https://oak1.example/growth"
        body = answer("Oak 4 grows by 2 metres [1].", ("[1]", url))
        keep_answers(bench, run, body, body)
        keep_page(bench, run, url, "Of oaks.")
        score_run(bench, run, JUDGE)
        (pair,) = cited_frame(bench, run).of(None)
    assert [one.prompt for one in pair.claims] == ["p00", "p01"]
