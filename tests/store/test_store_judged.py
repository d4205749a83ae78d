"""Statements, verdicts, tallies, scorecards and comparisons: derived, by version and recipe."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import text

from monitor.domain.claim import (
    AnswerFormat,
    Claim,
    Statement,
    StatementKind,
    Support,
    Verdict,
)
from monitor.domain.engine import Outcome, Reading
from monitor.domain.score import (
    Bounds,
    Concentration,
    Coverage,
    FamilyShare,
    Interval,
    Measure,
    Rate,
    Scorecard,
    Tally,
    Undefined,
    UndefinedReason,
)
from monitor.errors import StoreError
from monitor.store import captures, citations, claims, scores, tally_sets, verdicts
from monitor.store.scores import ComparisonKey
from monitor.store.verdicts import VerdictKey


@pytest.fixture
def c(database, run):
    with database.write() as connection:
        yield connection


@pytest.fixture
def ids(c, run):
    return [one.id for one in captures.load_captures(c, run.id)]


def read(c, capture_id, at, text="Yes."):
    reading = Reading(Outcome.ANSWERED, text=text)
    return citations.save_reading(
        c, capture_id, reading, identities=(), parse_version=1, urls_version=1, made_at=at
    )


STATEMENTS = (
    Statement(0, "Head", 0, 4, StatementKind.HEADING, ()),
    Statement(1, "A and b.", 5, 13, StatementKind.CLAIM, (0, 2), 1,
              (Claim(0, 1, "A.", 5, 7), Claim(1, 1, "B.", 11, 13))),
)  # fmt: skip


def save(c, reading_id, at, statements=STATEMENTS, version=2):
    return claims.save_statements(
        c, reading_id, statements,
        answer_format=AnswerFormat.LIST, claims_version=version, made_at=at,
    )  # fmt: skip


def test_statements_come_back_with_their_claims(c, ids, run, at):
    reading_id = read(c, ids[0], at)
    save(c, reading_id, at)
    found = claims.load_statements(c, ids[0])
    assert found.statements == STATEMENTS
    assert (found.reading_id, found.claims_version) == (reading_id, "2")
    assert found.answer_format is AnswerFormat.LIST
    assert claims.load_run_statements(c, run.id) == {ids[0]: found}


def test_same_rules_on_the_same_reading_change_nothing(c, ids, at):
    reading_id = read(c, ids[0], at)
    assert save(c, reading_id, at) == save(c, reading_id, at, STATEMENTS[:1])
    assert claims.load_statements(c, ids[0]).statements == STATEMENTS


def test_newer_rules_count_and_no_statements_is_a_finding(c, ids, at):
    reading_id = read(c, ids[0], at)
    save(c, reading_id, at)
    save(c, reading_id, at, (), version=3)
    assert claims.load_statements(c, ids[0]).statements == ()
    assert claims.load_statements(c, ids[1]) is None


def test_statements_of_an_older_reading_do_not_count(c, ids, at):
    save(c, read(c, ids[0], at), at)
    read(c, ids[0], at, "Other.")
    assert claims.load_statements(c, ids[0]) is None


def test_statements_of_no_reading_are_refused(c, at):
    with pytest.raises(StoreError, match="no reading with id 99"):
        save(c, 99, at)


FULL = Verdict(Support.FULL, ("entailed",), 0.93, "verbatim", (3, 11), 1, "embedded@1", 7)


def test_verdict_is_found_whatever_the_order_of_its_evidence(c, at):
    verdicts.save_verdicts(c, {VerdictKey("c", ("x", "y"), "embedded@1"): FULL}, made_at=at)
    forth, back = (
        VerdictKey("c", ("x", "y"), "embedded@1"),
        VerdictKey("c", ("y", "x"), "embedded@1"),
    )
    found = verdicts.load_verdicts(c, [forth, back])
    assert found[forth] == FULL
    # The quote lies in text y, which the second caller lists first.
    assert found[back] == replace(FULL, evidence=0)


def test_verdict_of_other_claim_evidence_or_judge_is_another(c, at):
    verdicts.save_verdicts(c, {VerdictKey("c", ("x", "y"), "embedded@1"): FULL}, made_at=at)
    others = [
        VerdictKey("d", ("x", "y"), "embedded@1"),
        VerdictKey("c", ("x",), "embedded@1"),
        VerdictKey("c", ("x", "y"), "embedded@2"),
    ]
    assert verdicts.load_verdicts(c, others) == {}


def test_first_verdict_stays_and_an_error_gives_way(c, at):
    key, failed = VerdictKey("c", ("x", "y"), "llm@1"), VerdictKey("e", ("x",), "llm@1")
    error = Verdict(Support.NOT_ASSESSABLE, ("judge_error",), judge="llm@1")
    unclear = Verdict(Support.NOT_ASSESSABLE, ("judge_unclear",), 0.4, judge="llm@1")
    assert verdicts.save_verdicts(c, {key: FULL, failed: error}, made_at=at) == 2
    assert verdicts.load_verdicts(c, [key, failed]) == {key: FULL}
    assert verdicts.save_verdicts(c, {key: unclear, failed: unclear}, made_at=at) == 1
    assert verdicts.load_verdicts(c, [key, failed]) == {key: FULL, failed: unclear}


def test_thousands_of_verdicts_are_kept_apart(c, at):
    made = {VerdictKey(f"c{n}", (f"e{n % 7}",), "j"): Verdict(Support.PARTIAL, score=n / 3000, judge="j")
            for n in range(3000)}  # fmt: skip
    verdicts.save_verdicts(c, made, made_at=at)
    assert verdicts.load_verdicts(c, made) == made


def tallies(ids):
    rate = Rate(1.5, 3, {"ungraded": 2.0})
    absent = Undefined(UndefinedReason.NO_BASELINE)
    full = Tally(
        "muscle", 1, {"precision": rate, "recall": absent},
        {("recall", "limitation"): Rate(1, 2), ("recall", "core_fact"): absent},
        {"a.example": 3, "?": 1}, {"a.example": 2, "b.example": 1},
        {"nhs.example": Rate(1, 1), "who.example/x": Rate(0, 0, {"unresolved": 1})},
    )  # fmt: skip
    return {ids[0]: full, ids[1]: Tally("dose", 1, {})}


def test_tallies_come_back_even_where_nothing_was_counted(c, ids, run, at):
    made = tallies(ids)
    tally_sets.save_tallies(c, run.id, "r1", made, made_at=at)
    assert tally_sets.load_tallies(c, run.id, "r1") == made
    assert tally_sets.load_tallies(c, run.id, "r2") == {}


def test_tallies_come_back_in_an_order_that_is_no_servers_own(c, ids, run, at):
    # Sums of fractions depend on their order, in the last digit.
    names = ["b.example", "Z.example", "a.example", "é.example"]
    given = Tally("dose", 1, {name: Rate(1, 2) for name in names}, families=dict.fromkeys(names, 1))
    tally_sets.save_tallies(c, run.id, "recipe", {ids[0]: given}, made_at=at)
    found = tally_sets.load_tallies(c, run.id, "recipe")[ids[0]]
    ordered = ["Z.example", "a.example", "b.example", "é.example"]
    assert list(found.measures) == list(found.families) == ordered


def test_scoring_again_inserts_and_the_newest_set_counts(c, ids, run, at):
    made = tallies(ids)
    tally_sets.save_tallies(c, run.id, "r1", made, made_at=at)
    second = {ids[1]: made[ids[1]]}
    tally_sets.save_tallies(c, run.id, "r1", second, made_at=at)
    assert tally_sets.load_tallies(c, run.id, "r1") == second


def card(engine="openai", recipe="r1", segment="all", hits=3.0):
    rate = Rate(hits, 4, {"ungraded": 1})
    interval = Interval(0.5, 0.9, 0.95, "wilson")
    return Scorecard(
        panel="clinical", run="run:clinical:1", engine=engine, segment=segment,
        coverage=Coverage(8, 8, 7, 6, {"answered": 6, "error/quota": 1}),
        measures={
            "z_first": Measure("z_first", rate, interval, 2),
            "a_second": Measure("a_second", Undefined(UndefinedReason.NO_REQUIRED)),
        },
        families=(FamilyShare("a.example", rate, interval, rate, 2, Bounds(0.1, 0.2)),),
        concentration=Concentration(0.625, 1.6, Bounds(0.5, 0.7), 8, 2, 0.6, interval),
        independent_concentration=Concentration(None, None, None, 0, 0),
        signature="panel:clinical@3||n:8", recipe=recipe,
    )  # fmt: skip


def test_scorecard_comes_back_in_full_and_in_order(c, run, at):
    assert scores.save_scorecards(c, run.id, [card()], made_at=at) == 1
    (found,) = scores.load_scorecards(c, run.id)
    assert found == card()
    assert list(found.measures) == ["z_first", "a_second"]


def test_each_engine_shows_its_newest_recipe_and_its_newest_card(c, run, at):
    old = [card(), card(segment="risk=ymyl"), card("perplexity", "p1")]
    scores.save_scorecards(c, run.id, old, made_at=at)
    new = card(recipe="r2")
    scores.save_scorecards(c, run.id, [card(recipe="r2", hits=1.0), new], made_at=at)
    assert scores.load_scorecards(c, run.id) == (new, card("perplexity", "p1"))
    assert scores.load_scorecards(c, run.id, "r1") == tuple(old[:2])
    assert scores.load_scorecards(c, run.id + 1) == ()


def test_a_segment_that_the_last_scoring_lacks_is_gone(c, run, at):
    before = [card(), card(segment="answer_format=list"), card("perplexity", "p1")]
    scores.save_scorecards(c, run.id, before, made_at=at)
    after = (card(), card(segment="answer_format=prose"))
    scores.save_scorecards(c, run.id, after, made_at=at + timedelta(seconds=1))
    assert scores.load_scorecards(c, run.id) == (*after, card("perplexity", "p1"))


def rows_of(c, table):
    return c.execute(text(f"SELECT count(*) FROM {table}")).scalar()


def test_the_same_tallies_again_are_not_stored_again(c, ids, run, at):
    made = tallies(ids)
    first = tally_sets.save_tallies(c, run.id, "r1", made, made_at=at)
    stored = rows_of(c, "tally"), rows_of(c, "family_tally"), rows_of(c, "tally_set")
    assert tally_sets.save_tallies(c, run.id, "r1", dict(made), made_at=at) == first
    assert (rows_of(c, "tally"), rows_of(c, "family_tally"), rows_of(c, "tally_set")) == stored
    fewer = made | {ids[0]: replace(made[ids[0]], families={})}
    assert tally_sets.save_tallies(c, run.id, "r1", fewer, made_at=at) != first
    assert tally_sets.load_tallies(c, run.id, "r1") == fewer


def test_the_same_scorecards_again_are_not_stored_again(c, run, at):
    cards = [card(), card(segment="topic:a")]
    assert scores.save_scorecards(c, run.id, cards, made_at=at) == 2
    assert scores.save_scorecards(c, run.id, cards, made_at=at + timedelta(seconds=1)) == 0
    other = [card(recipe="r2"), card(recipe="r2", segment="topic:a")]
    assert scores.save_scorecards(c, run.id, other, made_at=at + timedelta(seconds=2)) == 2
    # Back under the first recipe: these count again, so they are stored again.
    assert scores.save_scorecards(c, run.id, cards, made_at=at + timedelta(seconds=3)) == 2
    assert {one.recipe for one in scores.load_scorecards(c, run.id)} == {"r1"}


def test_comparison_is_kept_by_its_key_and_the_newest_counts(c, run, at):
    key = ComparisonKey("clinical", "openai", run.id, run.id, "r1")
    other = ComparisonKey("clinical", "openai", run.id, run.id, "r2")
    scores.save_comparison(c, key, {"n": 1}, made_at=at)
    scores.save_comparison(c, key, {"n": 2, "deep": [None, {"x": 0.5}]}, made_at=at)
    scores.save_comparison(c, other, {"n": 3}, made_at=at)
    newest = {"n": 2, "deep": [None, {"x": 0.5}]}
    assert scores.load_comparison(c, key) == newest
    assert scores.list_comparisons(c, "clinical") == ((other, {"n": 3}), (key, newest))
    assert scores.load_comparison(c, ComparisonKey("x", "openai", run.id, run.id, "r1")) is None
