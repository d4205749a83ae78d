"""The page that explains measures follows the table that makes them."""

import re
from pathlib import Path

import pytest

from monitor.scoring import MEASURES

PAGE = (Path(__file__).parents[3] / "docs" / "measures.md").read_text("utf-8")
SECTIONS = {
    name: (label, text)
    for label, name, text in re.findall(
        r"### ([^\n`]+) `(\w+)`\n\n(.*?)(?=\n##|\Z)", PAGE, re.DOTALL
    )
}


def test_every_measure_has_a_section_in_the_table_s_order():
    page_order = [name for name in SECTIONS if MEASURES[name].section == "claim"]
    table_order = [name for name, row in MEASURES.items() if row.section == "claim"]
    assert set(SECTIONS) == set(MEASURES)
    assert page_order == table_order


@pytest.mark.parametrize("name", MEASURES)
def test_section_says_what_the_table_says(name):
    label, text = SECTIONS[name]
    assert label == MEASURES[name].label
    assert text.startswith(f"> {MEASURES[name].meaning}\n")


@pytest.mark.parametrize("name", MEASURES)
def test_section_has_an_example(name):
    section = SECTIONS[name][1]
    assert "xample" in section or name in {"citation_recall", "citation_precision"}


@pytest.mark.parametrize("snippet", re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
def test_snippets_run(snippet):
    exec(compile(snippet, "docs/measures.md", "exec"), {})
