import pytest

from monitor.engines.shapes.citing import shows, untracked
from monitor.engines.shapes.links import find_links
from monitor.engines.shapes.tokens import without_tokens


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("see https://a.example/x.", ["https://a.example/x"]),
        ("(https://a.example/x)", ["https://a.example/x"]),
        ("https://a.example/Ruby_(language), yes", ["https://a.example/Ruby_(language)"]),
        ("[A (b)](https://a.example/Ruby_(language))", ["https://a.example/Ruby_(language)"]),
        ('[a](https://a.example/ "title")', ["https://a.example/"]),
        ("<https://a.example/>", ["https://a.example/"]),
        ("**https://a.example/**", ["https://a.example/"]),
        ("见https://a.example/路径。好", ["https://a.example/路径"]),
        ("[a](/relative) https://", []),
        ("[[1]](https://a.example/) [2](https://b.example/)",
         ["https://a.example/", "https://b.example/"]),
    ],
)  # fmt: skip
def test_links_are_found_as_written(text, urls):
    assert [link.url for link in find_links(text)] == urls


@pytest.mark.parametrize(
    ("text", "covered"),
    [
        ("x ([a](https://a.example/)) y", "([a](https://a.example/))"),
        ("x [a](https://a.example/) y", "[a](https://a.example/)"),
        ("x ([a](https://a.example/), y)", "[a](https://a.example/)"),
    ],
)
def test_round_brackets_belong_to_a_link_only_in_pairs(text, covered):
    (link,) = find_links(text)
    assert text[link.start : link.end] == covered


def test_a_hundred_thousand_brackets_are_read_at_once():
    assert find_links("[" * 50_000 + "](" * 25_000) == ()


def test_closing_brackets_in_masses_are_trimmed_at_once():
    (link,) = find_links("https://a.example/" + ")" * 100_000)
    assert link.url == "https://a.example/"


def test_the_tracker_of_the_vendor_is_told_apart_from_the_address():
    assert untracked("https://a.example/?x=y&utm_source=openai") == "https://a.example/?x=y"
    assert shows("([a](https://a.example/))", "https://a.example/?utm_source=openai")
    assert not shows("oaks grow", "https://a.example/")


def test_offsets_survive_the_removal_of_tokens():
    raw = "ab\ue200cite\ue202turn0\ue201cd\ue203ef\ue204"
    rewrite = without_tokens(raw)
    assert rewrite.text == "abcdef"
    for letter in "abcdef":
        assert rewrite.text[rewrite.at(raw.index(letter, 0 if letter in "ab" else 14))] == letter


def test_a_broken_entity_token_leaves_no_token():
    assert without_tokens("a \ue200entity\ue202[1\ue201b").text == "a b"
