"""Baseline files: bound to their panel, read with every problem at its line."""

from datetime import UTC, date, datetime

import pytest

from monitor.baseline import parse_baseline
from monitor.domain.baseline import Match
from monitor.domain.panel import Panel, PanelOutline, Prompt
from monitor.urls import family_map, identify

PANEL = Panel(
    name="tea",
    version=1,
    repeats=1,
    locale="en-GB",
    engines=("openai",),
    prompts=(Prompt("black", "How hot?", "en-GB"), Prompt("green", "How long?", "en-GB")),
    client_domains=("shop.example",),
)

OUTLINE = PanelOutline("tea", ("shop.example",), ("black", "green"))

SOUND = """\
panel: tea
version: 1.10
annotators: [r1, r2]
drawn_blind: true
frozen_at: 2026-10-28T09:00:00+02:00
guideline: 3
prompts:
  black:
    sources:
      - {url: "https://www.leaf.example/hot", grade: required, supports: [c1], annotator: r1, published: 2024-03-01, updated: null, jurisdiction: NO}
      - {family: brew.example, grade: acceptable}
      - {unit: tube.example/@tea, grade: optional, match: unit}
    claims:
      - {id: c1, text: "Black tea wants boiling water.", category: core_fact}
  green: {}
"""


def read(text, panel=PANEL, **more):
    return parse_baseline(
        text, "t.yaml", panel, lambda u: identify(u, families=family_map({})), **more
    )


def told(text, panel=PANEL, **more):
    parsed = read(text, panel, **more)
    assert parsed.baseline is None
    return [str(p) for p in parsed.problems]


def changed(old, new):
    assert old in SOUND
    return SOUND.replace(old, new)


def test_a_sound_file_becomes_a_baseline_bound_to_its_prompts():
    parsed = read(SOUND)
    assert parsed.problems == ()
    assert dict(parsed.baseline.bound) == {p.id: p.version_key for p in PANEL.prompts}
    page, family, unit = parsed.baseline.prompts["black"].sources
    assert (page.match, family.match, unit.match) == (Match.PAGE, Match.FAMILY, Match.UNIT)
    assert (family.key, unit.key) == ("brew.example", "tube.example/@tea")
    assert (page.jurisdiction, page.published, page.updated) == ("NO", date(2024, 3, 1), None)


def test_a_version_keeps_its_digits_and_a_moment_its_zone():
    baseline = read(SOUND).baseline
    assert (baseline.version, baseline.guideline) == ("1.10", "3")
    # 09:00 at two hours east of Greenwich is 07:00 in UTC.
    assert baseline.frozen_at == datetime(2026, 10, 28, 7, tzinfo=UTC)


@pytest.mark.parametrize("frozen", ["2026-10-28T07:00:00Z", "2026-10-28 07:00:00"])
def test_a_moment_without_a_zone_is_utc(frozen):
    baseline = read(changed("2026-10-28T09:00:00+02:00", frozen)).baseline
    assert baseline.frozen_at == datetime(2026, 10, 28, 7, tzinfo=UTC)


def test_a_draft_says_so_in_its_label():
    assert read(changed("2026-10-28T09:00:00+02:00", "null")).baseline.label == "1.10-draft"


def test_typos_twins_and_unknown_names_are_told_together():
    text = (
        changed("grade: acceptable", "grade: acceptible")
        .replace("supports: [c1]", "supports: [c9]")
        .replace("  green: {}", "  gren: {}")
        .replace("[r1, r2]", "[]")
        .replace("2024-03-01", "2024-02-30")
    )
    assert sorted(int(p.split(":")[1]) for p in told(text)) == [3, 7, 10, 10, 11, 14, 15]


def test_an_unknown_prompt_is_told_even_where_the_panel_itself_is_broken():
    problems = told(changed("  green: {}", "  gren: {}"), None, outline=OUTLINE)
    assert any("unknown prompt 'gren'" in p and "'green'" in p for p in problems)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("panel: tea", "panel: coffee", 1, "this baseline is for 'coffee'"),
        ("annotators: [r1, r2]", "annotators: []", 3, "a frozen baseline names its annotators"),
        ("2026-10-28T09:00:00+02:00", "2026-13-01T00:00:00Z", 5, "no calendar or clock"),
        ("2026-10-28T09:00:00+02:00", "soon", 5, "expected a moment"),
        ("2026-10-28T09:00:00+02:00", "12", 5, "expected a moment"),
        ("2024-03-01", "2024-02-30", 10, "no calendar has this day"),
        ("2024-03-01", "2024", 10, "expected a day such as"),
        ("2024-03-01", "86400", 10, "expected a day such as"),
        ("2024-03-01", "01.03.2024", 10, "expected a day such as"),
        ("grade: required", "grade: requird", 10, "did you mean 'required'?"),
        ("grade: required", "grade: ungraded", 10, "leave a source out"),
        ("supports: [c1]", "supports: [c9]", 10, "unknown claim 'c9'; known: c1"),
        ("https://www.leaf.example/hot", "no address", 10, "is no web address"),
        ("{family: brew.example,", "{family: 'no host',", 11, "is not a host name"),
        ("{family: brew.example,", "{", 11, "give exactly one of url, family or unit"),
        ("match: unit", "match: page", 12, "does not go with unit"),
        ("category: core_fact", "category: core_fat", 14, "did you mean 'core_fact'?"),
        ("  green: {}", "  green: []", 15, "expected keys with values, found a list of 0"),
        ("jurisdiction: NO", "jurisdiction: 5", 10, "expected text, found 5"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_told_at_its_line(old, new, line, words):
    problems = told(changed(old, new))
    assert any(p.startswith(f"t.yaml:{line}: ") and words in p for p in problems), problems


def test_two_items_for_one_page_are_told_even_where_the_urls_differ():
    twin = '      - {url: "https://leaf.example/hot?utm_source=x#top", grade: optional}\n'
    problems = told(changed("      - {family", f"{twin}      - {{family"))
    assert problems[0].startswith("t.yaml:11: two items of prompt 'black' grade the same page")
    assert "first on line 10" in problems[0]


def test_a_claim_id_used_twice_is_told():
    twin = '      - {id: c1, text: "Again.", category: other}\n'
    assert any(
        "claim id 'c1' is used twice" in p for p in told(SOUND.replace("  green", twin + "  green"))
    )


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("annotator: r1", "annotator: r7", "annotator 'r7' is not among"),
        ("updated: null", "updated: 2020-01-01", "lies before published"),
        ("  green: {}\n", "", "1 prompts have no baseline"),
    ],
)
def test_a_doubtful_thing_is_a_warning_and_the_baseline_stands(old, new, words):
    parsed = read(changed(old, new))
    assert parsed.baseline is not None
    assert [p.warning for p in parsed.problems] == [True]
    assert words in parsed.problems[0].message


@pytest.mark.parametrize("host", ["shop.example", "www.shop.example", "blog.shop.example"])
def test_the_clients_own_page_required_for_nothing_is_a_wish(host):
    own = f'      - {{url: "https://{host}/tea", grade: required}}\n'
    parsed = read(SOUND.replace("    claims", f"{own}    claims"))
    assert "not a wish list" in parsed.problems[0].message


def test_a_host_that_only_looks_like_the_clients_is_no_wish():
    other = '      - {url: "https://shop.example.org/?to=//shop.example", grade: required}\n'
    assert read(SOUND.replace("    claims", f"{other}    claims")).problems == ()


def test_a_family_that_the_users_own_map_made_stands_for_itself():
    text = changed("family: brew.example", "family: House of Brew")
    parsed = read(text, labels=("House of Brew",))
    assert parsed.baseline.prompts["black"].sources[1].key == "House of Brew"


@pytest.mark.parametrize("text", ["", "- a\n", "panel: [", "\x00"])
def test_a_file_that_is_no_baseline_is_told(text):
    assert len(told(text)) >= 1
