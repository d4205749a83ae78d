"""Put pictures of the application into docs/: `python -m tools.screens`.

Runs the demo in a temporary folder, adds a plan of labelling, and takes the first screen of the
pages that docs/web.md shows.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page

from monitor.config.settings import load_settings
from monitor.pipeline.bench import open_bench
from monitor.pipeline.label_plans import PlanWish, plan_labels
from monitor.store import runs
from tests.browsed import chromium, looking, served

ROOT = Path(__file__).resolve().parent.parent
RUN = "run:sandbox:2026-10"
MOST_BYTES = 250_000
HEIGHT = 860


def main() -> None:
    """Make the demo and write docs/web-*.png."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "demo"
        words = ["demo", "--no-app", "--folder", str(folder)]
        subprocess.run([sys.executable, "-m", "monitor", *words], cwd=ROOT, check=True)  # noqa: S603
        config = folder / "config.yaml"
        _plan(config)
        with served(config) as at, chromium() as browser, looking(browser, at) as (page, _):
            page.set_viewport_size({"width": 1280, "height": HEIGHT})
            _take(page)


def _plan(config: Path) -> None:
    """A plan of labelling over the newest run."""
    with open_bench(load_settings(config)) as bench:
        newest = bench.read(lambda c: runs.list_runs(c, limit=1))[0]
        wish = PlanWish(("ana", "ben"), "2026-12", 0.2, 60)
        plan_labels(bench, newest, wish, made_by="lead")


def _take(page: Page) -> None:
    """The pictures, one page after another."""
    page.goto("/who")
    page.fill("main input[name=name]", "ana")
    page.press("main input[name=name]", "Enter")
    page.wait_for_load_state()
    page.goto("/")
    _keep(page, "overview")
    page.goto(f"/runs/{RUN}")
    _keep(page, "run")
    page.goto(f"/runs/{RUN}/rows?engine=perplexity&measure=source_precision&only=misses")
    page.locator("main a[href^='/captures/']").first.click()
    page.wait_for_load_state()
    page.locator(".as-seen .said-here a").nth(1).click()
    page.wait_for_selector("#proof mark")
    _keep(page, "answer")
    page.goto("/label")
    page.locator("a.go").first.click()
    page.wait_for_selector("form.give")
    _keep(page, "label")


def _keep(page: Page, name: str) -> None:
    path = ROOT / "docs" / f"web-{name}.png"
    page.screenshot(path=path)
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise SystemExit(f"{path}: {size} bytes, at most {MOST_BYTES}")
    sys.stdout.write(f"docs/{path.name}: {size} bytes\n")


if __name__ == "__main__":
    main()
