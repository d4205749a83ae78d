"""The chat page in a real Chromium: the selectors, the end of an answer, the capture payload."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from monitor.domain.engine import Exchange, Outcome, Role
from monitor.domain.keys import canonical_json
from monitor.engines.sandbox_chat import CONTRACT, EXTRACT, EXTRACT_PANEL, SELECTORS, parse
from tests.sandbox_calls import WORLD

sync_api = pytest.importorskip("playwright.sync_api")
CHROMIUM = Path("/usr/bin/chromium")
ROOT = Path(__file__).resolve().parents[2]
PROMPT = WORLD.questions["battery-charging"].text
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason="no Chromium at /usr/bin/chromium"),
]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    ready = tmp_path_factory.mktemp("chat") / "ready.json"
    command = [sys.executable, "-m", "monitor.sandbox", "--ready-file", str(ready)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 30
    while not ready.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    port = json.loads(ready.read_text())["http_port"]
    rules = f"MAP *.example:80 127.0.0.1:{port}, MAP * ~NOTFOUND"
    with sync_api.sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=str(CHROMIUM), args=[f"--host-resolver-rules={rules}"]
        )
        yield browser.new_page()
        browser.close()
    process.terminate()
    process.wait(timeout=10)


def finished(page: Any, mode: str = "") -> Any:
    page.goto(f"http://chat.sandbox.example/{mode}")
    page.fill(SELECTORS["prompt"], PROMPT)
    page.click(SELECTORS["send"])
    turn = page.locator(SELECTORS["turn"])
    turn.locator(SELECTORS["copy"]).wait_for(timeout=10_000)
    return turn


def captured(page: Any) -> dict[str, Any]:
    turn = finished(page)
    payload = {"contract": CONTRACT, "state": "complete", "prompt": PROMPT, "model": None}
    payload |= {"url": page.url, "title": page.title()}
    payload |= {"user_turn": page.locator(SELECTORS["user_turn"]).last.inner_text()}
    payload |= turn.evaluate(EXTRACT)
    turn.locator(SELECTORS["sources_button"]).click()
    opened = page.locator(SELECTORS["sources_panel"]).evaluate(EXTRACT_PANEL)
    pills = payload["visible_citations"]
    return payload | opened | {"visible_citations": [*pills, *opened["visible_citations"]]}


def test_capture_of_the_real_page_parses_with_its_hidden_pill_left_out(page: Any):
    payload = captured(page)
    reading = parse([Exchange(canonical_json(payload), 200)])
    assert reading.outcome is Outcome.ANSWERED
    assert {c.role for c in reading.citations} == {Role.DISPLAYED, Role.LISTED}
    assert reading.warnings == ("1 citation(s) in the DOM are not shown and not counted",)
    assert all(c.spans for c in reading.displayed)
    assert not any("cheap-batteries" in c.url for c in reading.displayed)


def test_text_of_the_capture_holds_no_pill_labels(page: Any):
    text = captured(page)["text"]
    assert ".example" not in text
    assert text.endswith((".", ":"))


WATCH = """
() => new MutationObserver(() => {
  const turn = document.querySelector("[data-role=assistant]");
  const answer = turn?.querySelector("[data-testid=answer]");
  if (answer && !turn.querySelector("[data-testid=stop]")) window.early ??= answer.textContent;
}).observe(document.body, {childList: true, subtree: true})
"""


def test_stop_button_goes_before_the_last_sentence_is_drawn(page: Any):
    page.goto("http://chat.sandbox.example/")
    page.evaluate(WATCH)
    page.fill(SELECTORS["prompt"], PROMPT)
    page.click(SELECTORS["send"])
    page.locator(SELECTORS["copy"]).wait_for()
    whole = page.locator(SELECTORS["answer"]).evaluate("(node) => node.textContent")
    early = page.evaluate("window.early")
    assert whole.startswith(early)
    assert 0 < len(early) < len(whole)


@pytest.mark.parametrize(
    ("mode", "selector"),
    [("login", "login_wall"), ("consent", "consent"), ("captcha", "captcha")],
)
def test_traps_show_their_wall_and_no_composer(page: Any, mode: str, selector: str):
    page.goto(f"http://chat.sandbox.example/?mode={mode}")
    assert page.locator(SELECTORS[selector]).is_visible()
    assert page.locator(SELECTORS["prompt"]).count() == 0


def test_moved_layout_finishes_without_an_answer_element(page: Any):
    assert finished(page, "?mode=layout").locator(SELECTORS["answer"]).count() == 0


def test_answer_scrolls_inside_the_page(page: Any):
    finished(page)
    style = "(node) => getComputedStyle(node).overflowY"
    assert page.locator(SELECTORS["scroller"]).evaluate(style) == "auto"
