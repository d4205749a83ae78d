"""A real Chromium finds with our selectors what our parsers find with them, on synthetic pages."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from monitor.domain.engine import Surface
from monitor.engines import ENGINES
from monitor.engines.surfaces.selectors import load_selectors
from monitor.markup.select import select_all
from monitor.markup.trees import parse_html
from tests.unit.engines.chat_pages import A, B, chatgpt, copilot, gemini, pill

sync_api = pytest.importorskip("playwright.sync_api")
CHROMIUM = Path("/usr/bin/chromium")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason="no Chromium at /usr/bin/chromium"),
]
SURFACES = [name for name, one in ENGINES.items() if one.surface is Surface.BROWSER]
COUNT = """selectors => selectors.map(css => {
  try { return document.querySelectorAll(css).length; } catch (error) { return String(error); }
})"""
CARD = '<div data-radix-popper-content-wrapper><a href="https://x.example/">1</a></div>'
PAGES = (
    chatgpt(f"<p>So{pill(A, 'Alpha', more='+2')}.</p>", f"<p>Then{pill(B, 'Beta')}.</p>") + CARD,
    copilot(f'<p>So<button aria-expanded="false" aria-label="Citation 1">1</button>'
            f'<span data-url="{A}">B</span></p>'),
    gemini("<p>So<source-inline-chip><button>Alpha + 2</button></source-inline-chip></p>")
    + "<context-sidebar><inline-source-card></inline-source-card></context-sidebar>",
)  # fmt: skip


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    with sync_api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(CHROMIUM))
        yield browser.new_page()
        browser.close()


def test_a_browser_and_a_parser_find_the_same_by_every_selector(page: Any):
    selectors = [one.css for name in SURFACES for one in load_selectors(name).selectors]
    assert len(selectors) > 100
    hits = 0
    for markup in PAGES:
        page.set_content(f"<!doctype html><body>{markup}")
        tree = parse_html(f"<!doctype html><body>{markup}", full=True)
        assert tree is not None
        expected = [len(select_all(tree, css)) for css in selectors]
        found = page.evaluate(COUNT, selectors)
        assert dict(zip(selectors, found, strict=True)) == dict(
            zip(selectors, expected, strict=True)
        )
        hits += sum(expected)
    assert hits > 20
