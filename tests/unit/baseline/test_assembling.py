"""Settled grades, what blocks a freezing, draws of annotators, and the file that comes of it."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.baseline import parse_baseline
from monitor.baseline.assembling import assemble, graded_sources
from monitor.baseline.differences import baseline_differences
from monitor.baseline.drawing import draw_annotators, position_of
from monitor.baseline.typed import typed_claim, typed_grade
from monitor.baseline.writing import write_baseline
from monitor.domain.baseline import (
    Baseline,
    BaselineClaim,
    BaselineSource,
    ClaimCategory,
    EvidenceType,
    Match,
    PromptBaseline,
    Relevance,
    RoleSaid,
    SourceRoles,
)
from monitor.domain.drafted import (
    DraftedClaim,
    PooledSource,
    PoolNote,
    SourceDetails,
    SourceLabel,
    SourceRuling,
    whole_key,
)
from monitor.domain.source import Grade
from monitor.urls import identify

AT = datetime(2026, 11, 2, 9, tzinfo=UTC)
R, A, B, X, U = Grade.REQUIRED, Grade.ACCEPTABLE, Grade.OPTIONAL, Grade.OUT_OF_SCOPE, Grade.UNGRADED


def source(name="a", prompt="p1", url=None, key=None):
    url = url or f"https://{name}.example/page"
    key = key or identify(url).page_key
    return PooledSource(prompt, 1, url, key, f"h{name}", None, None, None, PoolNote(()), ("r1",))


def label(number, who, grade, name="a", prompt="p1", **details):
    said = SourceDetails(**details)
    return SourceLabel(number, prompt, f"h{name}", grade, said, who, "1", True, 2.0, AT)


def ruling(grade, *originals, match=Match.PAGE):
    return SourceRuling("s", grade, match, "the rule says so", "lead", originals, AT, 9)


def graded(pool, labels, rulings=()):
    return graded_sources(pool, labels, dict(rulings))


def made(pool, labels, rulings=(), claims=()):
    return assemble(["p1"], graded(pool, labels, rulings), claims, identify)


def claim(number, name, text="Oaks grow.", **words):
    said = BaselineClaim(name, text, ClaimCategory.CORE_FACT, **words)
    return DraftedClaim(number, "p1", name, said, "r1", AT)


@pytest.mark.parametrize(
    ("labels", "rulings", "settled", "is_open"),
    [
        ([], [], None, False),
        ([(1, "r1", A)], [], A, False),  # the only one
        ([(1, "r1", A), (2, "r2", A)], [], A, False),  # agreed
        ([(1, "r1", A), (2, "r2", B)], [], None, True),  # open
        ([(1, "r1", A), (2, "r2", B)], [ruling(B, 1, 2)], B, False),  # adjudicated
        ([(1, "r1", A), (2, "r2", B)], [ruling(R, 1, 2)], R, False),  # a third grade
        # A ruling over label 2 says nothing of label 3, which replaced it.
        ([(1, "r1", A), (3, "r2", X)], [ruling(B, 1, 2)], None, True),
        # Both agree by now: the old ruling is void.
        ([(1, "r1", A), (3, "r2", A)], [ruling(B, 1, 2)], A, False),
        ([(1, "r1", A), (2, "r2", None)], [], A, False),  # the second was taken back
        ([(1, "r1", U), (2, "r2", A)], [], None, True),
        ([(1, "r1", U)], [], U, False),
    ],
)
def test_a_grade_is_adjudicated_or_agreed_or_the_only_one(labels, rulings, settled, is_open):
    by_source = {("p1", "ha"): rulings[0]} if rulings else {}
    (one,) = graded([source()], [label(*each) for each in labels], by_source)
    assert (one.settled, one.is_open) == (settled, is_open)


def test_labels_that_match_differently_disagree():
    labels = [label(1, "r1", A), label(2, "r2", A, match=Match.FAMILY)]
    (one,) = graded([source()], labels)
    assert one.is_open
    settled = made([source()], labels, {("p1", "ha"): ruling(A, 1, 2, match=Match.FAMILY)})
    (kept,) = settled.prompts["p1"].sources
    assert (kept.match, kept.key, kept.annotator) == (Match.FAMILY, "a.example", "r2")


def test_a_disagreement_blocks_and_what_nobody_could_tell_is_left_out():
    pool = [source("a"), source("b"), source("c")]
    labels = [label(1, "r1", A), label(2, "r2", R), label(3, "r1", U, "b", reason="paywalled")]
    found = made(pool, labels)
    assert found.blocks
    assert [one.source for one in found.open] == [pool[0]]
    assert (found.ungraded, found.unlabelled) == ((pool[1],), (pool[2],))
    assert found.prompts == {}


def test_details_come_from_the_label_that_gave_the_settled_grade():
    labels = [
        label(1, "r1", A, reason="fine", supports=("c1",)),
        label(2, "r2", R, reason="the law", supports=("c2",), jurisdiction="GB"),
    ]
    found = made(
        [source()], labels, {("p1", "ha"): ruling(R, 1, 2)}, [claim(1, "c1"), claim(2, "c2")]
    )
    (one,) = found.prompts["p1"].sources
    assert (one.annotator, one.reason, one.supports, one.jurisdiction) == (
        "r2", "the law", ("c2",), "GB",
    )  # fmt: skip
    assert one.adjudication == "lead: the rule says so [r1: acceptable (page), r2: required (page)]"


def test_a_ruling_that_nobody_had_given_has_its_own_reason_and_no_annotator():
    labels = [label(1, "r1", A, reason="fine"), label(2, "r2", R, reason="the law")]
    found = made([source()], labels, {("p1", "ha"): ruling(X, 1, 2)})
    (one,) = found.prompts["p1"].sources
    assert (one.grade, one.reason, one.annotator) == (X, "the rule says so", None)


def test_sources_that_meet_one_target_become_one_or_clash():
    pool = [source("a"), source("b", url="https://a.example/other")]
    family = {"match": Match.FAMILY}
    alike = [label(1, "r1", A, supports=("c1",), **family),
             label(2, "r1", A, "b", supports=("c2",), **family)]  # fmt: skip
    claims = [claim(1, "c1"), claim(2, "c2")]
    found = made(pool, alike, (), claims)
    (one,) = found.prompts["p1"].sources
    assert (one.supports, found.clashes) == (("c1", "c2"), ())
    assert found.remarks == ("p1: two sources grade the family 'a.example' alike; they became one",)
    other = made(pool, [alike[0], replace(alike[1], grade=X)], (), claims)
    assert other.blocks
    assert other.clashes == (
        "p1: two sources grade the family 'a.example', acceptable and out_of_scope",
    )


def test_a_removed_claim_is_supported_no_more_and_that_is_said():
    removed = replace(claim(2, "c2"), words=None)
    labels = [label(1, "r1", A, supports=("c1", "c2"))]
    found = made([source()], labels, (), [claim(1, "c1"), removed])
    assert found.prompts["p1"].sources[0].supports == ("c1",)
    assert found.remarks == ("p1: claim 'c2' was removed; no source supports it any more",)


def test_a_whole_family_is_met_by_its_name_and_an_address_without_unit_clashes():
    family = source("f", url="oaks.example", key=whole_key(Match.FAMILY, "oaks.example"))
    found = made([family], [label(1, "r1", R, "f", reason="all of it")])
    (one,) = found.prompts["p1"].sources
    assert (one.match, one.key, one.url) == (Match.FAMILY, "oaks.example", None)
    bad = made([source()], [label(1, "r1", A, match=Match.UNIT)])
    assert "has no unit of its own" in bad.clashes[0]


def test_who_grades_what_is_drawn_evenly_and_the_share_of_two_holds_over_all():
    keys = [("p", f"k{n}") for n in range(50)]
    who = draw_annotators(keys, ("r1", "r2", "r3"), double_share=0.2, seed=7)
    assert who == draw_annotators(keys[::-1], ("r1", "r2", "r3"), double_share=0.2, seed=7)
    # 50 sources, a fifth of them twice: 10 doubles, 60 labels, 20 of each annotator but for rests.
    assert Counter(map(len, who.values())) == {1: 40, 2: 10}
    load = Counter(name for names in who.values() for name in names)
    assert max(load.values()) - min(load.values()) <= 2
    # 4 more after 50 with 10 doubles: a fifth of 54 is 10.8, so one more.
    more = draw_annotators(
        [("p", f"m{n}") for n in range(4)], ("r1", "r2"), double_share=0.2, seed=7, known=(50, 10)
    )
    assert Counter(map(len, more.values())) == {1: 3, 2: 1}
    alone = draw_annotators(keys, ("r1",), double_share=0.5, seed=7)
    assert set(alone.values()) == {("r1",)}


def test_the_order_depends_on_seed_and_page_alone():
    places = [position_of(3, "p", f"k{n}") for n in range(20)]
    assert places == [position_of(3, "p", f"k{n}") for n in range(20)]
    assert places not in (sorted(places), [position_of(4, "p", f"k{n}") for n in range(20)])


def test_a_typed_grade_names_every_problem_at_once():
    fields = {
        "grade": "required", "match": "house", "published": "2024", "topical_fit": "0.7",
        "relevant": "maybe", "jurisdiction": "x" * 65, "known_limitation": "y" * 5000,
    }  # fmt: skip
    typed = typed_grade(fields, ["c9"], ["c1"])
    assert typed.grade is None
    told = "\n".join(typed.problems)
    for word in ("reason", "match", "published", "topical fit", "relevant", "c9", "5000"):
        assert word in told
    sound = typed_grade(
        {"grade": "ungraded", "reason": "behind a wall", "freshness": "0.5", "current": "no"},
        ["c1", "c1"], ["c1"],
    )  # fmt: skip
    assert (sound.grade, sound.problems) == (U, ())
    assert sound.details.relevance == Relevance(None, None, 0.5)
    assert sound.details.roles == SourceRoles(current=RoleSaid.NO)
    assert sound.details.supports == ("c1",)


def test_a_typed_claim_is_a_slug_and_a_sentence():
    bad = typed_claim({"claim": "no spaces", "text": "x", "category": "fun"})
    assert (bad.words, len(bad.problems)) == (None, 3)
    good = typed_claim({"claim": "c1", "text": "Oaks\x00 grow.", "category": "exception"})
    assert good.words == BaselineClaim("c1", "Oaks  grow.", ClaimCategory.EXCEPTION, required=False)


WORDS = st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), min_size=1, max_size=40
).filter(lambda one: one.strip() == one and one.strip())
SLUGS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,8}", fullmatch=True)
DAYS = st.none() | st.dates(date(1990, 1, 1), date(2030, 1, 1))
PARTS = st.none() | st.sampled_from([0.0, 0.5, 1.0])
SAID = st.none() | st.sampled_from(RoleSaid)
CLAIMS = st.builds(
    BaselineClaim, SLUGS, WORDS.filter(lambda one: len(one) > 2), st.sampled_from(ClaimCategory),
    st.booleans(), st.none() | st.sampled_from(EvidenceType), DAYS, DAYS, st.none() | WORDS,
    st.just("") | WORDS, st.just("") | WORDS,
)  # fmt: skip


def _placed(number, match):
    url = f"https://s{number}.example/a?b=\u00e9" if match is not Match.UNIT else None
    place = identify(url or "")
    key = {Match.PAGE: place.page_key, Match.FAMILY: place.family}.get(match, f"unit {number}")
    return url, key


@st.composite
def sources(draw, number, claims):
    match = draw(st.sampled_from(Match))
    url, key = _placed(number, match)
    if match is Match.FAMILY and draw(st.booleans()):
        url = None
    return BaselineSource(
        key, match, draw(st.sampled_from([R, A, B, X])), url,
        tuple(draw(st.sets(st.sampled_from(claims)))) if claims else (),
        draw(st.sampled_from(EvidenceType)), draw(DAYS), draw(DAYS), draw(st.none() | WORDS),
        draw(st.just("") | WORDS), draw(st.just("") | WORDS), draw(st.none() | WORDS),
        draw(st.just("") | WORDS),
        draw(st.none() | st.builds(Relevance, PARTS, PARTS, PARTS)),
        draw(st.none() | st.builds(SourceRoles, SAID, SAID, SAID, SAID)),
    )  # fmt: skip


@st.composite
def drawn_baselines(draw):
    prompts = {}
    for prompt_id in draw(st.lists(SLUGS, max_size=3, unique=True)):
        claims = draw(st.lists(CLAIMS, max_size=3, unique_by=lambda one: one.id))
        ids = [one.id for one in claims]
        made_of = tuple(draw(sources(n, ids)) for n in range(draw(st.integers(0, 3))))
        prompts[prompt_id] = PromptBaseline(prompt_id, made_of, tuple(claims))
    return Baseline(
        "tea", draw(st.sampled_from(["2026-11", "1.10", "7"])), ("r1", draw(WORDS)),
        draw(st.booleans()), draw(st.sampled_from([None, AT])), draw(SLUGS), prompts,
    )  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(drawn_baselines())
def test_what_is_written_reads_back_as_an_equal_baseline(baseline):
    text = write_baseline(baseline, note='not drawn blind: "so"\n{x: 1} # no')
    read = parse_baseline(text, "file", None, identify)
    assert read.baseline is not None, read.problems
    assert replace(read.baseline, content_key="") == baseline


CHANGED = (
    "page https://a.example/x: grade acceptable before, required now; "
    "supports nothing before, c1 now"
)


def test_differences_are_told_in_words():
    c1 = BaselineClaim("c1", "Oaks grow.", ClaimCategory.CORE_FACT)
    was = BaselineSource("https://a.example/x", Match.PAGE, A, "https://a.example/x")
    gone = replace(was, key="https://b.example/", url="https://b.example/")
    before = Baseline("t", "1", ("r1",), True, None, "1",
                      {"p1": PromptBaseline("p1", (was, gone), (c1,))})  # fmt: skip
    now = replace(was, grade=R, supports=("c1",))
    after = replace(before, version="2", frozen_at=AT, prompts={
        "p1": PromptBaseline("p1", (now,), (replace(c1, text="Oaks grow slowly."),)),
        "p2": PromptBaseline("p2", (), ()),
    })  # fmt: skip
    assert [(one.prompt, one.says) for one in baseline_differences(before, after)] == [
        ("", "is frozen now"),
        (
            "p1",
            CHANGED,
        ),
        ("p1", "page https://b.example/ is gone; it was acceptable"),
        ("p1", "claim c1: text Oaks grow. before, Oaks grow slowly. now"),
        ("p2", "is new, with 0 sources and 0 claims"),
    ]  # fmt: skip
    assert baseline_differences(after, after) == ()


def test_keys_that_came_later_leave_the_hash_of_older_files_alone():
    text = (
        'panel: t\nversion: "1"\nannotators: [r1]\ndrawn_blind: true\nfrozen_at: null\n'
        'guideline: "1"\nprompts:\n  p:\n    claims:\n'
        '      - {id: c1, text: "Oaks grow.", category: core_fact}\n'
        '    sources:\n      - {url: "https://a.example/", grade: optional}\n'
    )
    plain = parse_baseline(text, "f", None, identify).baseline
    # As the version before these keys hashed this very text.
    assert plain.content_key == "295b5a2d04da17e15164de4b5e70bba6914d27f4f3febc0e09154bdbd99665d7"
    more = text.replace("core_fact}", 'core_fact, reason: "so"}')
    assert parse_baseline(more, "f", None, identify).baseline.content_key != plain.content_key
