"""The measured figures that ship, and that they are those of the judge that ships."""

import json
import re

import pytest

from benchmarks import judge_figures
from monitor.config.settings import load_settings
from monitor.domain.measured import Fitted, FlaggedFigures, MeasuredFigures, PeopleFigures
from monitor.judge import make_judge
from monitor.judge.measured import measured_figures, shipped_figures
from monitor.pipeline.judges_at_hand import NAMES
from tests.corpora import ROOT, corpora, corpora_root

AGAIN = "run `python -m benchmarks.judge_figures --write`"
PEOPLE = PeopleFigures("a", "0" * 64, 10, Fitted.NO, "own", 0.7, 8, 6, 0.5, 0.4, {"not_full": 0.8})


def test_shares_are_made_from_counts():
    assert (PEOPLE.decided_share, PEOPLE.right_share) == (0.8, 0.75)
    none = PeopleFigures("a", "", 10, Fitted.NO, "own", 0.7, 0, 0, None, None, {})
    assert none.right_share is None


def test_changed_and_unchanged_pairs_are_summed_apart():
    suite = (
        FlaggedFigures("open", "number", changed=True, pairs=10, flagged=9, accused=8),
        FlaggedFigures("blind", "date", changed=True, pairs=10, flagged=7, accused=7),
        FlaggedFigures("blind", "copied", changed=False, pairs=20, flagged=3, accused=1),
    )
    figures = MeasuredFigures("a@1", "2026-01-01", PEOPLE, (PEOPLE,), suite)
    assert (figures.flagged(), figures.flagged("blind")) == ((16, 20), (7, 10))
    assert (figures.false_alarms(), figures.false_alarms("open")) == ((1, 20), (0, 0))
    assert suite[0].share == 0.9


@pytest.mark.parametrize("version", ["nli-tiny@1.abc", "embedded@0", ""])
def test_a_judge_that_was_not_measured_has_no_figures(version):
    assert measured_figures(version) is None


def test_the_figures_that_ship_are_those_of_the_judge_that_ships():
    """Figures of another version would flatter or slander this one."""
    assert shipped_figures().judge == make_judge("embedded").version, AGAIN


def test_the_figures_that_ship_hold_together():
    figures = shipped_figures()
    assert figures.headline in figures.people
    assert {one.corpus for one in figures.people} == set(judge_figures.LICENCES)
    assert all(0 < one.right <= one.decided <= one.rows for one in figures.people)
    assert all(one.accused <= one.flagged <= one.pairs for one in figures.suite)
    assert {one.half for one in figures.suite} == {"open", "blind"}


def test_figures_of_the_suite_are_what_the_judge_makes_of_it():
    kept = json.loads(judge_figures.FIGURES.read_text("utf-8"))
    assert kept["suite"] == judge_figures.suite(make_judge("embedded")), AGAIN


@pytest.mark.corpora
@pytest.mark.parametrize("corpus", judge_figures.LICENCES)
def test_figures_of_a_set_are_what_the_judge_makes_of_it(corpus):
    corpora(f"judge/{corpus}.jsonl")
    kept = json.loads(judge_figures.FIGURES.read_text("utf-8"))
    (told,) = [one for one in kept["people"] if one["corpus"] == corpus]
    made = judge_figures.people(corpus, make_judge("embedded"), corpora_root() / "judge")
    assert told == made, AGAIN


def test_every_setting_shown_on_the_page_of_judges_is_one(tmp_path):
    page = (ROOT / "docs" / "judges.md").read_text("utf-8")
    blocks = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    names = []
    for place, block in enumerate(blocks):
        path = tmp_path / f"{place}.yaml"
        path.write_text(block)
        names.append(load_settings(path).judge.name)
    assert names == ["embedded", "nli", "nli", "llm", "llm"]


def test_the_page_of_judges_names_every_judge_and_what_was_measured():
    page = (ROOT / "docs" / "judges.md").read_text("utf-8")
    assert [name for name in NAMES if f"| `{name}` |" not in page] == []
    assert f"Measured of `{shipped_figures().judge}`" in page
