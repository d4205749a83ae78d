"""Tallies are taken over from the store only where they are what scoring anew would give."""

from dataclasses import replace
from functools import partial

import pytest
from sqlalchemy import insert, text

from monitor.domain.baseline import BaselineClaim, BaselineSource, ClaimCategory, Match
from monitor.domain.claim import Support, Verdict
from monitor.domain.panel import Prompt
from monitor.domain.source import Grade
from monitor.pipeline import samples, tallying
from monitor.pipeline.capturing import reparse_run
from monitor.pipeline.samples import run_samples
from monitor.pipeline.tallying import score_engines, score_run
from monitor.store import captures, citations, pages, panels
from monitor.store.codec import encode
from monitor.store.tables import baseline_version
from monitor.urls import family_map, identify
from tests.stored import (
    MADE_AT,
    PANEL,
    PROMPT,
    WordJudge,
    answer,
    keep_answers,
    keep_baseline,
    keep_page,
    planned,
)

OAK, COPY, SHORT = "https://oak.example/growth", "https://copy.example/oaks", "https://bit.ly/oak-1"
TEXT = "Oaks grow slowly."
SAID = answer("Oaks grow slowly [1][2][3].", ("[1]", OAK), ("[2]", COPY), ("[3]", SHORT))
CLAIMS = [BaselineClaim("c1", TEXT, ClaimCategory.CORE_FACT)]
TWO = replace(PANEL, prompts=(PROMPT, Prompt("p2", "Where do oaks live?", "en-GB")))


@pytest.fixture
def bench(any_bench):
    return any_bench


@pytest.fixture
def counted(monkeypatch):
    """Engines that were scored for a comparison, one entry for each time."""
    seen = []

    def scoring(bench, run, judge, engine):
        seen.append(engine)
        return tallying.score_engine(bench, run, judge, engine)

    monkeypatch.setattr(samples, "score_engine", scoring)
    return seen


def scored(bench, judge=None, panel=PANEL, said=(SAID,)):
    """A run with answers, pages and a baseline, scored as `monitor run` does."""
    run = planned(bench, panel=panel)
    keep_answers(bench, run, *said)
    keep_page(bench, run, OAK, TEXT)
    keep_page(bench, run, COPY, "Nothing about them.")
    graded = [BaselineSource(bench.identify(OAK).page_key, Match.PAGE, Grade.REQUIRED)]
    keep_baseline(bench, graded, CLAIMS)
    score_engines(bench, run, judge or WordJudge())
    return run


def tallies(bench, run, judge=None):
    """What a comparison takes, and the same scored anew."""
    taken = run_samples(bench, run, judge or WordJudge()).engines["openai"].sample.tallies
    return dict(taken), dict(score_run(bench, run, judge or WordJudge()).tallies)


def test_a_scored_run_is_not_scored_again(bench, counted):
    run = scored(bench)
    taken, anew = tallies(bench, run)
    assert taken == anew
    assert taken
    assert counted == []


def test_a_run_that_was_never_scored_is_scored_once(bench, counted):
    run = planned(bench)
    keep_answers(bench, run, SAID)
    for _ in range(2):
        run_samples(bench, run, WordJudge())
    assert counted == ["openai"]


def refetched(bench, run):
    keep_page(bench, run, OAK, "Elms.")


def grouped(bench, run):
    keys = tuple(bench.identify(url).page_key for url in (OAK, COPY))
    group = pages.EvidenceGroup(keys[0], keys)
    bench.write(lambda c: pages.save_groups(c, run.id, [group], version=1))


def reparsed(bench, run):
    reparse_run(bench, run)


def followed(bench, run):
    target = {bench.identify(SHORT).page_key: bench.identify("https://elm.example/")}
    bench.write(lambda c: citations.resolve_citations(c, run.id, target))


def baseline_written(bench, run):
    old = bench.read(lambda c: panels.load_baseline(c, run.panel))
    other = replace(old, version="2026-02", content_key="other", prompts={})
    bench.write(lambda c: panels.save_baseline(c, other, "", saved_at=MADE_AT))


def baseline_edited_in_place(bench, run):
    """The version says the same and the content does not: only a store written by hand does."""
    old = bench.read(lambda c: panels.load_baseline(c, run.panel))
    other = replace(old, content_key="other", prompts={})
    row = {
        "panel": old.panel, "version": old.version, "content_key": "other",
        "frozen_at": old.frozen_at, "source_text": "", "body": encode(type(old), other),
        "saved_at": MADE_AT,
    }  # fmt: skip
    bench.write(lambda c: c.execute(insert(baseline_version), [row]))


def unvouched(bench, run):
    """As a version of the monitor left it that did not note inputs."""
    bench.write(lambda c: c.execute(text("UPDATE tally_set SET inputs = NULL")))


CAUSES = [
    refetched, grouped, reparsed, followed, baseline_written, baseline_edited_in_place, unvouched,
]  # fmt: skip


@pytest.mark.parametrize("cause", CAUSES)
def test_tallies_are_counted_anew_once_what_they_rest_on_changed(bench, counted, cause):
    run = scored(bench)
    cause(bench, run)
    taken, anew = tallies(bench, run)
    assert counted == ["openai"]
    assert taken == anew
    # And what was counted anew is vouched for again.
    run_samples(bench, run, WordJudge())
    assert counted == ["openai"]


@pytest.mark.parametrize("cause", [refetched, grouped, followed, baseline_edited_in_place])
def test_these_changes_are_seen_in_the_numbers(bench, cause):
    """Without it the test above could pass on stale tallies."""
    run = scored(bench)
    stale, _ = tallies(bench, run)
    cause(bench, run)
    assert tallies(bench, run)[0] != stale


def test_a_run_that_was_resumed_since_is_counted_anew(bench, counted):
    run = planned(bench, panel=TWO)
    first, second = bench.read(lambda c: captures.load_captures(c, run.id))
    bodies = {one.id: bench.artifacts.put(SAID) for one in (first, second)}

    def hear(one):
        payload = captures.StoredPayload(one.id, 0, 0, bodies[one.id], status=200)
        bench.write(lambda c: captures.save_payload(c, payload))
        reparse_run(bench, run)

    hear(first)
    score_engines(bench, run, WordJudge())
    assert len(run_samples(bench, run, WordJudge()).engines["openai"].sample.tallies) == 1
    assert counted == []
    hear(second)
    taken, anew = tallies(bench, run)
    assert (len(taken), taken) == (2, anew)
    assert counted == ["openai"]


class TiredJudge(WordJudge):
    """A judge that fails until it is rested; its version stays."""

    rested = False

    def verdict(self, claim, evidence):
        if not self.rested:
            return Verdict(Support.NOT_ASSESSABLE, ("judge_error",), judge=self.version)
        return super().verdict(claim, evidence)


def test_verdicts_that_a_later_one_replaces_are_never_vouched_for(bench, counted):
    judge = TiredJudge()
    run = scored(bench, judge)
    failed = dict(run_samples(bench, run, judge).engines["openai"].sample.tallies)
    assert counted == ["openai"]
    judge.rested = True
    taken, anew = tallies(bench, run, judge)
    assert taken == anew != failed
    assert counted == ["openai"] * 2
    run_samples(bench, run, judge)
    assert counted == ["openai"] * 2


def test_tallies_of_another_judge_are_not_taken_over(bench, counted):
    run = scored(bench, WordJudge("words@1"))
    run_samples(bench, run, WordJudge("words@2"))
    assert counted == ["openai"]


def test_inputs_that_change_while_a_run_is_scored_vouch_for_nothing(bench, counted, monkeypatch):
    run = scored(bench)
    reparse_run(bench, run)
    whole = tallying.assess_run

    def disturbed(*args, **more):
        made = whole(*args, **more)
        keep_page(bench, run, OAK, "Elms.")
        return made

    monkeypatch.setattr(tallying, "assess_run", disturbed)
    score_engines(bench, run, WordJudge())
    monkeypatch.setattr(tallying, "assess_run", whole)
    taken, anew = tallies(bench, run)
    assert counted == ["openai"]
    assert taken == anew


def with_families(bench, labels):
    """The same installation after somebody edited its family map."""
    families = family_map(labels)
    return replace(bench, families=families, identify=partial(identify, families=families))


def test_families_are_those_of_the_map_of_now_without_reading_payloads_again(bench, counted):
    run = scored(bench)
    now = with_families(bench, {"copy.example": "oak.example"})
    (tally,) = run_samples(now, run, WordJudge()).engines["openai"].sample.tallies.values()
    # Oak and its copy are one publisher now; the short link was never followed.
    assert dict(tally.families) == {"oak.example": 2, "?": 1}
    assert counted == ["openai"]
    (before,) = run_samples(bench, run, WordJudge()).engines["openai"].sample.tallies.values()
    assert dict(before.families) == {"oak.example": 1, "copy.example": 1, "?": 1}


def outdated(bench):
    bench.write(lambda c: c.execute(text("UPDATE reading SET parse_version = '0'")))


def test_answers_read_by_other_rules_are_read_again(bench):
    run = scored(bench)
    outdated(bench)
    assert run_samples(bench, run, WordJudge()).unread == ""
    (stored,) = bench.read(lambda c: citations.load_readings(c, run.id)).values()
    assert stored.parse_version == "1"


def test_answers_without_a_payload_cannot_be_read_by_the_rules_of_now(bench):
    run = scored(bench)
    outdated(bench)
    bench.write(lambda c: c.execute(text("DELETE FROM payload")))
    assert run_samples(bench, run, WordJudge()).unread == (
        f"{run.public_id}: 1 of its answers have no payload to be read again"
    )


def test_only_the_engines_asked_for_are_scored(bench, counted, monkeypatch):
    monkeypatch.setenv("XAI_API_KEY", "made-up")
    run = planned(bench, panel=replace(PANEL, engines=("openai", "xai")))
    made = run_samples(bench, run, WordJudge(), engines={"xai", "nobody"})
    assert tuple(made.engines) == ("xai",)
    assert counted == ["xai"]
