"""A real Chromium agrees with what is told from the markup of the same synthetic pages."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.unit.markup.hidden_pages import PAGES

sync_api = pytest.importorskip("playwright.sync_api")
CHROMIUM = Path("/usr/bin/chromium")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason="no Chromium at /usr/bin/chromium"),
]
LOOK = """names => Object.fromEntries(names.map(name => [name, document.getElementById(name)
  .checkVisibility({visibilityProperty: true, opacityProperty: true})]))"""


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    with sync_api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(CHROMIUM))
        yield browser.new_page(viewport={"width": 1280, "height": 1600})
        browser.close()


def test_a_browser_sees_what_the_markup_tells(page: Any):
    found, expected = {}, {}
    for name, (markup, seen) in PAGES.items():
        page.set_content(f"<!doctype html><body>{markup}")
        expected[name] = seen
        found[name] = page.evaluate(LOOK, list(seen))
    assert found == expected
