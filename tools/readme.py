"""Put a fresh demo into the README: `python -m tools.readme` (or `make readme`).

Runs the demo in a temporary folder, takes the picture of its report, and writes the excerpt and the
signature between their marks.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from monitor.capture.chromium import find_chromium
from monitor.cli.demo_app import stop_app

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "report.png"
WIDTH, HEIGHT = 1280, 900
COLUMNS = "108"
ENGINE = "perplexity"


def monitor(*words: str) -> str:
    """Standard output of one command, run in this folder."""
    told = subprocess.run(  # noqa: S603 - our own interpreter and fixed words
        [sys.executable, "-m", "monitor", *words],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": COLUMNS},
        capture_output=True,
        text=True,
        check=False,
    )
    if told.returncode != 0:
        raise SystemExit(f"monitor {' '.join(words)} ended with {told.returncode}:\n{told.stderr}")
    return told.stdout


def between(text: str, mark: str, inside: str) -> str:
    """The text with the block that follows a mark replaced."""
    pattern = rf"(<!-- {mark} -->\n```text\n).*?(\n```)"
    made, count = re.subn(
        pattern, lambda m: m[1] + inside.strip("\n") + m[2], text, flags=re.DOTALL
    )
    if count != 1:
        raise SystemExit(f"README.md: {count} blocks marked {mark!r}, expected one")
    return made


def excerpt(output: str, folder: Path) -> str:
    """What the demo printed, with its folder as a reader's would be called."""
    lines = [line.rstrip() for line in output.replace(str(folder), "demo").splitlines()]
    shown = [line for line in lines if not line.startswith(("next:", "        "))]
    text = "\n".join(re.sub(r"(\.\./)+\S*demo/", "demo/", line) for line in shown)
    return re.sub(r"^(app: .*:)\d+/$", r"\g<1>8750/", text, flags=re.MULTILINE)


def signature(folder: Path) -> str:
    """Signature of one engine's scorecard over all of the panel."""
    body = json.loads(monitor("export", "--config", str(folder / "config.yaml"), "--out", "-"))
    cards = {c["engine"]: c for c in body["scorecards"] if c["segment"] == "all"}
    line: str = cards[ENGINE]["signature"]
    return line


def take_picture(page: Path) -> None:
    """The first screen of a report."""
    found = find_chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found)
        view = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        view.goto(page.as_uri())
        view.screenshot(path=str(PICTURE))
        browser.close()


def main() -> None:
    """Run the demo once and write README.md and docs/report.png."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "demo"
        output = monitor("demo", "--folder", str(folder))
        stop_app(folder)
        text = between((ROOT / "README.md").read_text("utf-8"), "demo", excerpt(output, folder))
        text = between(text, "signature", signature(folder))
        take_picture(next(folder.glob("*.html")))
    (ROOT / "README.md").write_text(text, "utf-8")
    sys.stdout.write(f"README.md and docs/{PICTURE.name}: {PICTURE.stat().st_size} bytes\n")


if __name__ == "__main__":
    main()
