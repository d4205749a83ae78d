"""Panels, prompts and baselines: one content per version, round trips without loss."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from monitor.domain.baseline import (
    Baseline,
    BaselineClaim,
    BaselineSource,
    ClaimCategory,
    EvidenceType,
    Match,
    PromptBaseline,
    Relevance,
)
from monitor.domain.panel import Prompt, Schedule
from monitor.domain.source import Grade
from monitor.errors import StoreError
from monitor.store import panels

FROZEN = datetime(2026, 10, 28, 9, 0, tzinfo=UTC)


def build_baseline(**changes):
    source = BaselineSource(
        key="nhs.uk/statins",
        match=Match.PAGE,
        grade=Grade.REQUIRED,
        url="https://www.nhs.uk/statins/",
        supports=("c1", "c2"),
        evidence_type=EvidenceType.PRIMARY_OFFICIAL,
        published=date(2024, 3, 1),
        jurisdiction="GB",
        relevance=Relevance(topical_fit=1.0, authority=0.5),
    )
    claim = BaselineClaim("c1", "Muscle pain is recognised.", ClaimCategory.CORE_FACT)
    fields = {
        "panel": "clinical",
        "version": "2026-11",
        "annotators": ("r1", "r2"),
        "drawn_blind": True,
        "frozen_at": FROZEN,
        "guideline": "3",
        "prompts": {"muscle": PromptBaseline("muscle", (source,), (claim,))},
        "content_key": "k1",
    }
    return Baseline(**(fields | changes))


@pytest.fixture
def c(database):
    with database.write() as connection:
        yield connection


def test_panel_comes_back_as_it_went_in(c, panel, at):
    panels.save_panel(c, panel, saved_at=at)
    assert panels.load_panel(c, "clinical") == panel
    assert panels.load_panel(c, "clinical", 3) == panel


def test_same_version_with_other_content_is_refused_with_advice(c, panel, make_panel, at):
    first = panels.save_panel(c, panel, saved_at=at)
    assert panels.save_panel(c, panel, saved_at=at) == first
    with pytest.raises(StoreError, match="raise `version` to 4"):
        panels.save_panel(c, make_panel(repeats=5), saved_at=at)
    assert panels.load_panel(c, "clinical") == panel


def test_the_refusal_of_an_edited_version_tells_what_changed_and_what_to_do(c, panel, at):
    panels.save_panel(c, panel, saved_at=at)
    panels.save_panel(c, replace(panel, version=11), saved_at=at)
    muscle = panel.prompts[0]
    edited = replace(panel, repeats=5, prompts=(replace(muscle, text="Do statins hurt?"),))
    with pytest.raises(StoreError) as told:
        panels.save_panel(c, edited, saved_at=at)
    assert str(told.value) == (
        "panel clinical version 3 is stored with other content: prompt 'muscle': text "
        "'Do statins cause muscle pain?' -> 'Do statins hurt?'; prompt 'dose' removed; "
        "repeats '2' -> '5'. Answers belong to the version they were asked under, so it never "
        "changes: raise `version` to 12 in the file (what was answered stays with its version, "
        "and comparisons keep to unchanged prompts), or undo the edit"
    )


def test_a_refusal_names_some_changes_and_counts_the_rest(c, panel, at):
    panels.save_panel(c, panel, saved_at=at)
    more = tuple(Prompt(f"p{n}", f"Question {n}?", "en-GB") for n in range(20))
    with pytest.raises(StoreError, match="prompt 'p7' added; and 12 more"):
        panels.save_panel(c, replace(panel, prompts=(*panel.prompts, *more)), saved_at=at)


def test_another_order_is_the_same_version_and_changes_nothing(c, panel, at):
    first = panels.save_panel(c, panel, saved_at=at)
    turned = replace(panel, prompts=panel.prompts[::-1], engines=panel.engines[::-1])
    assert turned.content_key != panel.content_key
    assert panels.save_panel(c, turned, saved_at=at) == first
    assert panels.load_panel(c, "clinical") == panel


def test_another_order_with_a_new_schedule_takes_over_the_schedule_alone(c, panel, at):
    first = panels.save_panel(c, panel, saved_at=at)
    weekly = Schedule("0 6 * * mon", "UTC")
    turned = replace(panel, prompts=panel.prompts[::-1], schedule=weekly)
    assert panels.save_panel(c, turned, saved_at=at) == first
    assert panels.load_panel(c, "clinical") == replace(panel, schedule=weekly)


def test_new_schedule_is_taken_over_without_a_new_version(c, panel, make_panel, at):
    first = panels.save_panel(c, panel, saved_at=at)
    weekly = make_panel(schedule=Schedule("0 6 * * mon", "UTC"))
    assert panels.save_panel(c, weekly, saved_at=at) == first
    assert panels.load_panel_by_id(c, first).schedule == weekly.schedule


def test_list_shows_the_highest_version_of_each_panel(c, make_panel, at):
    for version in (3, 11, 9):
        panels.save_panel(c, make_panel(version=version), saved_at=at)
    panels.save_panel(c, make_panel(name="another"), saved_at=at)
    shown = [(one.name, one.version) for one in panels.list_panels(c)]
    assert shown == [("another", 3), ("clinical", 11)]


def test_unknown_panel_is_named(c):
    with pytest.raises(StoreError, match="no panel nowhere version 2"):
        panels.load_panel(c, "nowhere", 2)


def test_edited_prompt_is_another_version_and_an_equal_one_is_the_same(c):
    old, new = Prompt("p", "Old?", "en-GB"), Prompt("p", "New?", "en-GB")
    persona = Prompt("p", "Old?", "en-GB", persona="a nurse")
    first = panels.save_prompts(c, [old, new, persona, old])
    assert len(set(first.values())) == 3
    assert panels.save_prompts(c, [old]) == {("p", old.version_key): first["p", old.version_key]}


def test_thousands_of_prompts_are_saved_at_once(c):
    prompts = [Prompt(f"p{n}", f"Question {n}?", "en-GB") for n in range(3000)]
    assert len(panels.save_prompts(c, prompts)) == 3000


def test_baseline_comes_back_with_its_file(c, at):
    baseline = build_baseline()
    panels.save_baseline(c, baseline, "panel: clinical\n", saved_at=at)
    assert panels.load_baseline(c, "clinical") == baseline
    assert panels.baseline_source_text(c, "clinical", "2026-11") == "panel: clinical\n"
    assert panels.latest_baselines(c) == {"clinical": baseline}


def test_absent_baseline_is_none(c):
    assert panels.load_baseline(c, "clinical") is None
    assert panels.baseline_source_text(c, "clinical") is None
    assert panels.latest_baselines(c) == {}


@pytest.mark.parametrize("frozen_at", [FROZEN, None])
def test_same_baseline_version_with_other_content_is_refused(c, at, frozen_at):
    baseline = build_baseline(frozen_at=frozen_at)
    first = panels.save_baseline(c, baseline, "a", saved_at=at)
    assert panels.save_baseline(c, baseline, "a", saved_at=at) == first
    other = replace(baseline, guideline="4", content_key="k2")
    with pytest.raises(StoreError, match="write a new `version`"):
        panels.save_baseline(c, other, "b", saved_at=at)
    assert panels.load_baseline(c, "clinical") == baseline


def test_draft_may_be_frozen_and_never_thawed(c, at):
    draft = build_baseline(frozen_at=None)
    frozen = replace(draft, frozen_at=FROZEN, content_key="k2")
    panels.save_baseline(c, draft, "a", saved_at=at)
    panels.save_baseline(c, frozen, "b", saved_at=at)
    assert panels.load_baseline(c, "clinical", "2026-11") == frozen
    with pytest.raises(StoreError, match="other content"):
        panels.save_baseline(c, draft, "a", saved_at=at)


def test_draft_is_not_changed_under_cover_of_freezing(c, at):
    draft = build_baseline(frozen_at=None)
    panels.save_baseline(c, draft, "a", saved_at=at)
    sneaky = replace(draft, frozen_at=FROZEN, annotators=("r3",), content_key="k2")
    with pytest.raises(StoreError, match="other content"):
        panels.save_baseline(c, sneaky, "b", saved_at=at)


def test_latest_baseline_is_the_one_saved_last(c, at):
    panels.save_baseline(c, build_baseline(version="2026-9"), "a", saved_at=at)
    panels.save_baseline(c, build_baseline(version="2026-10"), "b", saved_at=at)
    assert panels.load_baseline(c, "clinical").version == "2026-10"
