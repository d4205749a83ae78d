"""The support matrix from stored evidence to tallies: what is asked, when, and what it says."""

from dataclasses import replace

import pytest

from monitor.domain.claim import Support, Verdict
from monitor.domain.page import FetchStatus
from monitor.domain.score import MATRIX_MEASURES, Rate, Undefined, UndefinedReason
from monitor.pipeline import run_pages
from monitor.pipeline.reporting import build_report
from monitor.pipeline.samples import run_samples
from monitor.pipeline.tallying import score_engines, score_run
from monitor.report.page import render_report
from tests.stored import PANEL, WordJudge, answer, keep_answers, keep_page, planned

OAK, ELM, GONE = "https://oak.example/a", "https://elm.example/b", "https://gone.example/c"
SAID = answer(
    "Oaks grow slowly [1]. Elms grow fast [1][2]. Pines burn well [3].",
    ("[1]", OAK), ("[2]", ELM), ("[3]", GONE),
)  # fmt: skip
TEXTS = {OAK: "Oaks grow slowly. Elms grow fast.", ELM: "Of elms: Elms grow fast."}


class Asked(WordJudge):
    """Remembers each claim with the texts it was held against, in order."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def verdict(self, claim, evidence):
        self.seen.append((claim, evidence))
        # Words of a statement, without the full stop that a page may not have.
        return super().verdict(claim.rstrip("."), evidence)

    def verdicts(self, asked):
        return (self.verdict(one.claim, one.evidence) for one in asked)


class Poor(Asked):
    """Gives so many verdicts; what is asked beyond is pending."""

    def __init__(self, most):
        super().__init__()
        self.most = most

    def verdict(self, claim, evidence):
        given = super().verdict(claim, evidence)
        if len(self.seen) > self.most:
            return Verdict(Support.NOT_ASSESSABLE, ("pending",), judge=self.version)
        return given


@pytest.fixture
def bench(bench_in_a_folder):
    return bench_in_a_folder


def with_matrix(bench, *, on=True):
    """The same bench under settings that want the matrix, or do not."""
    judge = bench.settings.judge.model_copy(update={"matrix": on})
    return replace(bench, settings=bench.settings.model_copy(update={"judge": judge}))


def answered(bench, *bodies, panel=PANEL):
    run = planned(bench, panel=panel)
    keep_answers(bench, run, *(bodies or (SAID,)))
    for url, text in TEXTS.items():
        keep_page(bench, run, url, text)
    keep_page(bench, run, GONE, "", status=FetchStatus.NOT_FOUND)
    return run


def measures(scored):
    (tally,) = scored.tallies.values()
    return {name: tally.measures[name] for name in MATRIX_MEASURES}


def test_the_matrix_of_a_stored_answer_by_hand(bench):
    run = answered(bench)
    got = measures(score_run(with_matrix(bench), run, Asked()))
    # Rows: oaks, elms, pines. Page 1 supports oaks and elms, page 2 elms, page 3 cannot be read.
    # Cited: (oaks, 1) yes, (elms, 1) yes, (elms, 2) yes, (pines, 3) unknown.
    assert got["matrix_citation_accuracy"] == Rate(3, 3, {"not_found": 1})
    # All three supporting pairs are cited; three pairs with page 3 are unknown.
    assert got["matrix_thoroughness"] == Rate(3, 3, {"not_found": 3})
    # Pines: pages 1 and 2 do not, page 3 is unknown.
    assert got["matrix_unsupported_statements"] == Rate(0, 2, {"not_found": 1})
    # The engine lists nothing beside what its text cites.
    assert got["uncited_sources"] == Undefined(UndefinedReason.NOT_EXPOSED)
    # Page 1 supports both supported statements; page 3 may be needed for the third: 1 to 2 of 3.
    assert got["source_necessity"] == Rate(1, 2, {"not_found": 1})


def test_asked_are_all_pairs_but_those_that_were_there(bench):
    run, judge = answered(bench), Asked()
    score_run(bench, run, judge)
    before = set(judge.seen)
    score_run(with_matrix(bench), run, judge)
    after = judge.seen[len(before) :]
    alone = {pair for pair in before if len(pair[1]) == 1}
    pairs = {
        (said, (text,))
        for said in ("Oaks grow slowly.", "Elms grow fast.", "Pines burn well.")
        for text in TEXTS.values()
    }
    assert sorted(after) == sorted(pairs - alone)
    # Three statements by two readable pages, and oaks by page 1 and elms by both were there.
    assert len(after) == 3
    score_run(with_matrix(bench), run, judge)
    assert len(judge.seen) == len(before) + 3


def test_without_the_matrix_nothing_more_is_asked_and_nothing_is_measured(bench):
    run, judge = answered(bench), Asked()
    assert set(measures(score_run(bench, run, judge)).values()) == {
        Undefined(UndefinedReason.NOT_JUDGED)
    }
    assert ("Pines burn well.", (TEXTS[OAK],)) not in judge.seen


def test_all_other_numbers_are_the_same_with_and_without_it(bench):
    run = answered(bench)
    (without,) = score_run(bench, run, Asked()).tallies.values()
    (beside,) = score_run(with_matrix(bench), run, Asked()).tallies.values()
    others = [name for name in without.measures if name not in MATRIX_MEASURES]
    assert [without.measures[n] for n in others] == [beside.measures[n] for n in others]


def test_the_matrix_is_asked_for_after_the_other_verdicts_of_every_engine(bench, monkeypatch):
    monkeypatch.setenv("XAI_API_KEY", "xai-made-up-one")
    other = answer("Ashes bend [1]. Firs stand [2].", ("[1]", OAK), ("[2]", ELM))
    run, judge = (
        answered(bench, SAID, other, panel=replace(PANEL, engines=("openai", "xai"))),
        Asked(),
    )
    score_engines(bench, run, judge)
    assert {claim for claim, _ in judge.seen} > {"Ashes bend.", "Oaks grow slowly."}
    anew = Asked()
    anew.version = "words@2"
    score_engines(with_matrix(bench), run, anew)
    # Three rounds an engine, then the matrix of the one and of the other: three pairs, and two.
    assert anew.seen[: len(judge.seen)] == judge.seen
    assert len(anew.seen) == len(judge.seen) + 3 + 2


def test_what_the_money_does_not_reach_stays_not_assessable_and_the_rest_is_there(bench):
    run, judge = answered(bench), Asked()
    score_run(bench, run, judge)
    poor = Poor(most=0)
    got = measures(score_run(with_matrix(bench), run, poor))
    # Known before: (oaks, 1), (elms, 1), (elms, 2). Pending: (oaks, 2), (pines, 1), (pines, 2).
    assert got["matrix_citation_accuracy"] == Rate(3, 3, {"not_found": 1})
    assert got["matrix_thoroughness"] == Rate(3, 3, {"not_found": 3, "pending": 3})
    assert got["matrix_unsupported_statements"] == Rate(0, 2, {"pending": 1})


def test_texts_that_were_removed_leave_their_pairs_pending_and_refuse_nothing(bench, monkeypatch):
    run = answered(bench)
    (was,) = score_run(bench, run, Asked()).tallies.values()
    monkeypatch.setattr(run_pages, "text_of", lambda *_: None)
    scored = score_run(with_matrix(bench), run, Asked())
    (now,) = scored.tallies.values()
    assert scored.missing == 0
    assert now.measures["citation_recall"] == was.measures["citation_recall"]
    assert now.measures["matrix_thoroughness"] == Rate(3, 3, {"not_found": 3, "pending": 3})


def test_tallies_without_the_matrix_are_not_taken_for_ones_with_it(bench):
    run = answered(bench)
    score_engines(bench, run, Asked())

    def taken(at):
        (tally,) = run_samples(at, run, Asked()).engines["openai"].sample.tallies.values()
        return tally.measures["matrix_thoroughness"]

    assert taken(bench) == Undefined(UndefinedReason.NOT_JUDGED)
    assert taken(with_matrix(bench)) == Rate(3, 3, {"not_found": 3})
    assert taken(bench) == Undefined(UndefinedReason.NOT_JUDGED)


def test_a_report_has_the_matrix_in_a_section_of_its_own(bench):
    run = answered(bench)
    view = build_report(with_matrix(bench), run, Asked())
    html = render_report(view)
    assert "Statements by sources: does each visible page support each statement?" in html
    assert "3 of 3" in html
    assert 'id="rows-openai-matrix_thoroughness"' in html
    shown = view.captures[0]
    assert [one.elsewhere for one in shown.statements] == [(), (), ()]
    assert shown.statements[1].alone == ((1, Support.FULL), (2, Support.FULL))
    assert shown.judges == ("words@1",)


def test_a_report_without_the_matrix_says_once_that_it_was_not_asked_for(bench):
    run = answered(bench)
    html = render_report(build_report(bench, run, Asked()))
    assert "the support matrix was not asked for" in html
    assert "rows-openai-matrix_thoroughness" not in html
    gaps = html[html.index('<section id="gaps">') :]
    assert gaps.count("the support matrix was not asked for") == 1
