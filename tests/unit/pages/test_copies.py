"""Copies and groups over a synthetic set: seeded articles, edited, cut, shuffled, with furniture."""

import random
import time
from datetime import date

import pytest

from monitor.domain.page import Copy
from monitor.pages.copies import GroupMember, evidence_groups, find_copies, known_original

BASES = 48
SYLLABLES = [
    "ta",
    "ri",
    "mo",
    "lek",
    "sun",
    "var",
    "pel",
    "dor",
    "ni",
    "ka",
    "sho",
    "wen",
    "bri",
    "ul",
]


def vocabulary(dice: random.Random) -> list[str]:
    return ["".join(dice.choices(SYLLABLES, k=dice.randint(1, 4))) for _ in range(4000)]


def article(dice: random.Random, words: list[str]) -> list[list[str]]:
    """Sentences of an article; frequent words come often, as in a language."""
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    lengths = [dice.randint(6, 24) for _ in range(dice.randint(20, 60))]
    return [dice.choices(words, weights, k=length) for length in lengths]


def edited(dice: random.Random, words: list[str], sentences: list[list[str]], share: float):
    return [
        [dice.choice(words) if dice.random() < share else word for word in sentence]
        for sentence in sentences
    ]


def variants(dice: random.Random, words: list[str], sentences: list[list[str]]) -> dict[str, list]:
    shuffled = dice.sample(sentences, len(sentences))
    start = dice.randint(0, len(sentences) // 2)
    return {
        "base": sentences,
        "verbatim": sentences,
        "edit3": edited(dice, words, sentences, 0.03),
        "edit10": edited(dice, words, sentences, 0.10),
        "cut50": sentences[start : start + len(sentences) // 2],
        "cut25": sentences[: max(len(sentences) // 4, 6)],
        "shuffled": shuffled,
    }


def text_of(sentences: list[list[str]]) -> str:
    return " ".join(" ".join(sentence).capitalize() + "." for sentence in sentences)


@pytest.fixture(scope="module")
def corpus() -> dict[str, tuple[str, str]]:
    """Key `base/variant` -> (family, text); each family has 150 words of furniture on every page."""
    dice = random.Random(20261101)
    words = vocabulary(dice)
    furniture = [text_of([dice.choices(words, k=150)]) for _ in range(7)]
    pages = {}
    for number in range(BASES):
        made = variants(dice, words, article(dice, words))
        for at, (variant, sentences) in enumerate(made.items()):
            text = f"{text_of(sentences)} {furniture[at]}"
            pages[f"{number:02}/{variant}"] = (f"family{at}.com", text)
    return pages


def test_copies_are_found_and_no_two_articles_are_joined(corpus):
    copies = find_copies(corpus)
    found = {(copy.a, copy.b) for copy in copies}
    with_base = {f"{n:02}/base" for n in range(BASES)}
    wanted = {
        tuple(sorted((base, f"{base[:2]}/{variant}")))
        for base in with_base
        for variant in ("verbatim", "edit3", "edit10", "cut50", "cut25", "shuffled")
    }
    assert len(wanted) == 288
    assert len(wanted & found) / len(wanted) >= 0.97
    assert [pair for pair in found if pair[0][:2] != pair[1][:2]] == []


def test_groups_are_the_articles(corpus):
    groups = evidence_groups(corpus, find_copies(corpus))
    # Each article's smallest key is its `base`; every page of it should carry that key.
    right = sum(group == f"{key[:2]}/base" for key, group in groups.items())
    assert right / len(groups) >= 0.97


def test_furniture_of_one_family_makes_no_copy_of_another():
    shared = "all rights of this house are kept and no part may be used again without our word " * 8
    dice = random.Random(5)
    words = vocabulary(dice)
    pages = {
        f"{family}/{n}": (family, text_of([dice.choices(words, k=40)]) + shared)
        for family in ("one.com", "two.com")
        for n in range(20)
    }
    assert find_copies(pages) == ()


def test_pages_of_one_family_are_never_copies_of_each_other():
    text = text_of(article(random.Random(1), vocabulary(random.Random(1))))
    assert find_copies({"a": ("one.com", text), "b": ("one.com", text)}) == ()
    (copy,) = find_copies({"a": ("one.com", text), "b": ("two.com", text)})
    assert (copy.a, copy.b, copy.containment) == ("a", "b", 1.0)


def test_short_texts_use_every_shingle():
    text = "Surveyors measured the old sea wall again on Monday and found it sound at every gate"
    (copy,) = find_copies({"a": ("one.com", text), "b": ("two.com", text.upper() + "!")})
    # 16 words give 13 shingles of four words.
    assert (copy.shared, copy.containment) == (13, 1.0)
    assert find_copies({"a": ("one.com", "too short"), "b": ("two.com", "too short")}) == ()


def test_scripts_without_spaces_are_compared_by_characters():
    line = "测量员周一再次测量了旧海堤并发现每一个闸门都完好无损随后他们把报告交给了市政厅"
    other = "今年春天的苹果收成比去年好得多因为雨水充足而且没有霜冻农民们对此感到非常高兴"
    pages = {"a": ("one.cn", line), "b": ("two.cn", "头条" + line), "c": ("three.cn", other)}
    assert [(copy.a, copy.b) for copy in find_copies(pages)] == [("a", "b")]


def test_a_quote_inside_a_longer_text_of_its_own_is_no_copy():
    dice = random.Random(9)
    words = vocabulary(dice)
    first, second = article(dice, words), article(dice, words)
    mixed = second + first[: len(second) // 5]
    assert (
        find_copies({"a": ("one.com", text_of(first * 2)), "b": ("two.com", text_of(mixed))}) == ()
    )


def test_one_text_on_very_many_families_is_one_group_in_near_linear_time():
    dice = random.Random(3)
    words = vocabulary(dice)
    release = article(dice, words)
    pages = {
        f"{n:04}": (f"f{n}.com", text_of(edited(dice, words, release, 0.02))) for n in range(600)
    }
    started = time.process_time()
    groups = evidence_groups(pages, find_copies(pages))
    assert set(groups.values()) == {"0000"}
    assert time.process_time() - started < 10


def test_groups_are_connected_components_named_by_their_smallest_key():
    copies = [Copy("b", "c", 0.6, 9), Copy("c", "d", 0.7, 9)]
    assert evidence_groups("dcba", copies) == {"d": "b", "c": "b", "b": "b", "a": "a"}
    assert evidence_groups([], []) == {}


def member(key, day=None, source=None) -> GroupMember:
    return GroupMember(key, None if day is None else date(2026, 1, day), source)


@pytest.mark.parametrize(
    ("members", "original"),
    [
        ([member("a", 3), member("b", 1), member("c", 2)], "b"),
        ([member("a", 1), member("b", 2, "c"), member("c", 3)], "c"),
        ([member("a", source="b"), member("b", source="c"), member("c")], "c"),
        ([member("a", 1), member("b", 1)], None),
        ([member("a", 1), member("b")], None),
        ([member("a"), member("b")], None),
        ([member("a", source="b"), member("b", source="a")], None),
        ([member("a", source="c"), member("b", source="d"), member("c"), member("d")], None),
        ([member("a", 1, "elsewhere"), member("b", 2)], None),
    ],
)  # fmt: skip
def test_the_original_is_known_from_canonical_or_dates_and_never_guessed(members, original):
    assert known_original(members) == original
