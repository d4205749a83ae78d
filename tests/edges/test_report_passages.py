"""Passages of a report: where an answer states a claim, where a page evidences it, what lacks both."""

import json

import pytest

from monitor.domain.baseline import BaselineClaim, BaselineSource, ClaimCategory, Match
from monitor.domain.claim import Gap, GapKind, Support, Verdict, Votes
from monitor.domain.source import Grade
from monitor.pipeline.reporting import build_report
from monitor.report.evidence import STATEMENTS_SHOWN
from tests.stored import (
    WordJudge,
    answer,
    keep_answers,
    keep_baseline,
    keep_page,
    planned,
)
from tests.unit.engines.payloads_a import message, output_text, responses, search

OAK = "https://oak.example/growth"
SLOW = "Oaks grow slowly."


@pytest.fixture
def bench(any_bench):
    return any_bench


def capture_shown(bench, text, page):
    """The one capture of a report on this answer, which cites a page of this text at `[1]`."""
    run = planned(bench)
    keep_answers(bench, run, answer(text, ("[1]", OAK)))
    keep_page(bench, run, OAK, page)
    source = BaselineSource(bench.identify(OAK).page_key, Match.PAGE, Grade.REQUIRED)
    keep_baseline(bench, [source], [BaselineClaim("c1", SLOW, ClaimCategory.CORE_FACT)])
    return build_report(bench, run, WordJudge()).captures[0]


def marked(quote):
    return quote.excerpt[quote.start : quote.end]


class GapJudge(WordJudge):
    """Finds one made-up gap in every claim, by two of three votes."""

    def verdict(self, claim, evidence):
        return Verdict(
            Support.PARTIAL, ("words",), 0.5, judge=self.version,
            gaps=(Gap(GapKind.NUMBER, 0, 3, claim[:3], "54"),), votes=Votes(2, 3),
        )  # fmt: skip

    def verdicts(self, asked):
        return (self.verdict(one.claim, one.evidence) for one in asked)


def test_gaps_and_votes_of_stored_verdicts_stand_with_their_statement_and_each_of_its_claims(bench):
    said = "Oaks are slow to grow, and the elms are fast to grow [1]."
    run = planned(bench)
    keep_answers(bench, run, answer(said, ("[1]", OAK)))
    keep_page(bench, run, OAK, "Of trees.")
    keep_baseline(bench, [], [BaselineClaim("c1", SLOW, ClaimCategory.CORE_FACT)])
    shown = build_report(bench, run, GapJudge()).captures[0]
    (statement,) = shown.statements
    assert (statement.gaps[0].source, statement.votes, shown.judges) == (
        "54", Votes(2, 3), ("words@1",),
    )  # fmt: skip
    assert [(one.text[:3], one.gaps[0].claimed) for one in statement.claims] == [
        ("Oak", "Oak"), ("the", "the"),
    ]  # fmt: skip
    expected = (Gap(GapKind.NUMBER, 0, 3, "Oak", "54"),)
    assert [shown.claims[0].stated_gaps, shown.claims[0].evidence_gaps] == [expected, expected]


def test_a_baseline_claim_shows_where_the_page_evidences_it_and_where_the_answer_states_it(bench):
    capture = capture_shown(bench, f"Trees differ. {SLOW} [1]", f"Of trees. {SLOW} They last.")
    (claim,) = capture.claims
    assert (marked(claim.evidence_quote), claim.evidence_quote.page) == (SLOW, 1)
    assert (marked(claim.stated_quote), claim.stated_quote.page) == (SLOW, None)
    assert claim.stated_quote.excerpt.startswith("Trees differ.")


def test_a_claim_that_is_neither_stated_nor_evidenced_has_no_passage(bench):
    (claim,) = capture_shown(bench, "Elms grow fast. [1]", "Elms grow fast.").claims
    assert (claim.stated_quote, claim.evidence_quote) == (None, None)


def test_an_uncited_statement_shows_what_the_baseline_says_of_it(bench):
    capture = capture_shown(bench, f"Elms reach 30 metres. {SLOW} Pines burn [1].", "Pines burn")
    told = [[line.support for line in s.by_baseline] for s in capture.statements]
    assert told == [[Support.UNSUPPORTED], [Support.FULL], []]


def test_passages_are_cut_out_for_the_statements_that_are_shown(bench):
    lines = [f"Oak {n} grows by 4 metres [1]." for n in range(STATEMENTS_SHOWN + 5)]
    cited = [("[1]", OAK)]
    run = planned(bench)
    keep_answers(bench, run, answer("\n\n".join(lines), *cited))
    keep_page(bench, run, OAK, "\n".join(lines))
    statements = build_report(bench, run, WordJudge()).captures[0].statements
    assert len(statements) == STATEMENTS_SHOWN + 5
    assert not any(s.quote for s in statements[STATEMENTS_SHOWN:])


@pytest.mark.parametrize("searched", [(OAK,), ("https://elm.example/trees",)])
def test_a_source_says_whether_the_search_found_it_where_the_engine_tells(bench, searched):
    run = planned(bench)
    said = responses(search("oaks", sources=searched), message(output_text(SLOW)))
    keep_answers(bench, run, json.dumps(said).encode())
    source = BaselineSource(bench.identify(OAK).page_key, Match.PAGE, Grade.REQUIRED)
    keep_baseline(bench, [source], [BaselineClaim("c1", SLOW, ClaimCategory.CORE_FACT)])
    (shown,) = build_report(bench, run, WordJudge()).captures[0].sources
    assert (shown.cited, shown.retrieved) == (False, OAK in searched)
