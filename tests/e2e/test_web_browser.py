"""The application in a real Chromium, over the demo's two months and over a hostile store."""

import asyncio
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browsed import PROBE, WIDTHS, chromium, looking, overflow, served, too_wide
from tests.crawled import crawled, named
from tests.enriched import add_draft, add_labels, newest
from tests.hostile import keep_hostile
from tests.stored import bench_in
from tests.web.conftest import AFTER, asking, copied, demo_of_all, over

pytestmark = [pytest.mark.e2e, pytest.mark.browser]

GRAVE = {"serious", "critical"}
RULES = ["wcag2a", "wcag2aa", "wcag21aa", "best-practice"]


@pytest.fixture(scope="module")
def browser():
    with chromium() as one:
        yield one


@pytest.fixture(scope="module")
def config(tmp_path_factory, worker_id):
    path = copied(demo_of_all(tmp_path_factory, worker_id), tmp_path_factory.mktemp("looked-at"))
    with over(path) as (bench, _):
        add_labels(bench, newest(bench))
        add_draft(bench, newest(bench))
    return path


@pytest.fixture(scope="module")
def at(config):
    with served(config) as address:
        yield address


@pytest.fixture(scope="module")
def screens(config):
    """Route -> one address of each page that links lead to."""
    return pages_of(config)


def pages_of(config):
    """Route -> one address of each page over a store."""

    async def find():
        with over(config) as (_, app):
            async with asking(app) as client:
                await named(client)
                return await crawled(client, app)

    found = {}
    with ThreadPoolExecutor(1) as other:  # the browser's own loop runs in this thread
        crawl = other.submit(lambda: asyncio.run(find())).result()
    for one in crawl.pages():
        found.setdefault(one.route, one.address)
    return found


PAPER = {16.0, 11.5, 9.5, 9.0, 8.0, 7.2}
"""Sizes of type in print, in points: headings, text, tables, what is small."""
_ON_PAPER = """() => {
  const shown = [...document.querySelectorAll('main *, footer *')].filter(e => e.checkVisibility())
  const worded = e => !e.closest('svg, .unseen') &&
    [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())
  const size = e => (parseFloat(getComputedStyle(e).fontSize) * 0.75).toFixed(2)
  return {
    fields: shown.filter(e => e.matches('form, input, select, textarea, button')).length,
    sizes: shown.filter(worded).map(e => [size(e), e.tagName + '.' + e.className]),
  }
}"""


def printed(page, address):
    """What a page should not print: fields, sizes off the scale, what is wider than the paper."""
    page.goto(address)
    found = page.evaluate(_ON_PAPER)
    off = {f"{name} {size}" for size, name in found["sizes"] if float(size) not in PAPER}
    fields = {f"{found['fields']} fields"} if found["fields"] else set()
    wide = {f"{overflow(page)} px too wide"} if overflow(page) > 0 else set()
    return off | fields | wide


def give_name(page, name):
    page.goto("/who")
    page.fill("main input[name=name]", name)
    with page.expect_navigation():
        page.press("main input[name=name]", "Enter")


def kept(tmp_path_factory):
    """Folder of the pictures of this test run."""
    folder = Path(os.environ.get("SCREENS", tmp_path_factory.getbasetemp() / "screens"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def grave(page, rules):
    """What axe finds on a page that keeps somebody from reading it."""
    options = {"resultTypes": ["violations"], "runOnly": rules}
    return [
        (page.url, one["id"], [node["html"][:120] for node in one["nodes"]][:3])
        for one in Axe().run(page, options=options).response["violations"]
        if one["impact"] in GRAVE
    ]


def picture(page, folder, route, ending):
    name = re.sub(r"\W+", "-", route).strip("-") or "overview"
    page.screenshot(path=folder / f"{name}-{ending}.png")


def test_every_page_holds_at_both_widths_and_reads_without_eyes(
    browser, at, screens, tmp_path_factory
):
    folder, wrong = kept(tmp_path_factory), []
    with looking(browser, at) as (page, seen):
        give_name(page, "ana")
        for route, address in screens.items():
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 900})
                page.goto(address)
                if overflow(page) > 0:
                    wrong.append((width, address, too_wide(page)))
                picture(page, folder, route, width)
            wrong += grave(page, RULES)
    assert wrong == []
    assert (seen.outside, seen.complaints) == ([], [])
    assert len(screens) > 15


def test_every_page_has_its_contrast_in_the_dark(browser, at, screens, tmp_path_factory):
    folder, wrong = kept(tmp_path_factory), []
    with looking(browser, at, color_scheme="dark") as (page, _):
        give_name(page, "ana")
        for route, address in screens.items():
            page.goto(address)
            picture(page, folder, route, "dark")
            wrong += grave(page, ["color-contrast"])  # of all rules, colours alone change
    assert wrong == []


def test_a_newcomer_learns_in_two_clicks_why_a_number_is_what_it_is(browser, at):
    with looking(browser, at) as (page, seen):
        page.goto(f"/runs/{AFTER}")
        number = page.locator("a.number", has_text="114 of 147").first
        assert "78 %" in number.inner_text()
        number.click()
        page.wait_for_url("**/rows?**")
        assert "114" in page.locator("main").inner_text()
        page.locator("main a[href^='/captures/']").first.click()
        page.wait_for_url("**/captures/**")
        assert page.locator("main mark").first.inner_text().strip()
        assert seen.complaints == []


def test_pages_are_whole_without_script(browser, at, screens):
    with looking(browser, at, script=False) as (page, _):
        for address, *_ in screens.values():
            page.goto(address)
            assert page.locator("main h1").inner_text().strip(), address
        page.goto(f"/runs/{AFTER}")
        page.locator("a.number").first.click()
        page.locator("main a[href^='/captures/']").first.click()
        assert page.locator("main h1").count() == 1


def test_a_run_prints_whole(browser, at):
    with looking(browser, at) as (page, _):
        page.goto(f"/runs/{AFTER}")
        page.emulate_media(media="print")
        assert overflow(page) <= 0
        assert page.locator("nav").first.is_hidden()
        paper = page.pdf(format="A4")
    assert paper.startswith(b"%PDF-")
    assert paper.count(b"/Type /Page\n") + paper.count(b"/Type /Page ") >= 1


def test_paper_has_no_forms_and_one_scale_of_type(browser, at, screens):
    with looking(browser, at, width=718) as (page, _):
        page.emulate_media(media="print")
        wrong = {
            address: found for address in screens.values() if (found := printed(page, address))
        }
    assert wrong == {}
    assert len(screens) > 20


def test_nothing_from_outside_ever_runs(browser, tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch) as bench:
        keep_hostile(bench)
    config = tmp_path / "config.yaml"
    config.write_text(
        f"store: {{database: 'sqlite:///{tmp_path}/monitor.db', artifacts: '{tmp_path}/artifacts'}}\n"
        f"panels: '{tmp_path}'\nreports: '{tmp_path}'\n"
    )
    found = pages_of(config)
    assert {"/captures/{capture}", "/adjudicate", "/label/{plan}/{position}"} <= found.keys()
    assert "/baselines/drafts/{draft}/prompts/{prompt}" in found
    with served(config) as at, looking(browser, at) as (page, seen):
        give_name(page, "ana")
        for address in found.values():
            page.goto(address)
            page.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
            page.mouse.move(300, 300)
            assert page.evaluate("window.__ran") is None, address
            assert (
                page.evaluate("document.querySelectorAll('main script, main iframe').length") == 0
            )
        assert (seen.outside, seen.complaints) == ([], [])
    assert PROBE
