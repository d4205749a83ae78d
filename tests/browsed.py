"""A real Chromium that looks at pages and writes down all that no page may do."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Page,
    sync_playwright,
)

from monitor.capture.chromium import find_chromium
from monitor.cli.sandboxed import KEYS
from tests.house import ROOT

PROBE = "window.__ran = 1"
"""What hostile words would do, if anything ran them."""
WIDTHS = (1280, 390)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser for as long as the block runs."""
    path = find_chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def served(config: Path) -> Iterator[str]:
    """Address of a `monitor serve` of our own over some settings."""
    heard = config.parent / "served.txt"
    with heard.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "monitor", "serve", "--port", "0", "--config", str(config)],
            cwd=ROOT, env={**os.environ, **KEYS}, stdout=output, stderr=output,
        )  # fmt: skip
    try:
        deadline = time.monotonic() + 60
        while "listening on " not in (text := heard.read_text("utf-8")):
            assert process.poll() is None, text
            assert time.monotonic() < deadline, text
            time.sleep(0.05)
        line = next(one for one in text.splitlines() if one.startswith("listening on "))
        yield line.removeprefix("listening on ").rstrip("/")
    finally:
        process.terminate()
        process.wait(timeout=20)


@dataclass
class Seen:
    """What a browser context did beside showing pages."""

    base: str
    outside: list[str] = field(default_factory=list)
    """Requests that left the host."""
    complaints: list[str] = field(default_factory=list)
    """Dialogs, refusals by the policy, faults of scripts."""


@contextmanager
def looking(
    browser: Browser, base: str, *, width: int = 1280, script: bool = True, **more
) -> Iterator[tuple[Page, Seen]]:
    """A page in a context of its own at an address, and what it did."""
    context = browser.new_context(
        base_url=base, viewport={"width": width, "height": 900}, java_script_enabled=script, **more
    )
    context.set_default_timeout(30_000)
    seen = Seen(base)
    _listen(context, seen)
    try:
        yield context.new_page(), seen
    finally:
        context.close()


def _listen(context: BrowserContext, seen: Seen) -> None:
    host = urlsplit(seen.base).netloc

    def ask(route):
        if urlsplit(route.request.url).netloc == host:
            route.continue_()
        else:
            seen.outside.append(route.request.url)
            route.abort()

    def hear(message: ConsoleMessage) -> None:
        if message.type == "error":
            seen.complaints.append(message.text)

    def dismiss(dialog: Dialog) -> None:
        seen.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    context.route("**/*", ask)
    context.on("console", hear)
    context.on("dialog", dismiss)
    context.on("weberror", lambda error: seen.complaints.append(str(error.error)))


def overflow(page: Page) -> int:
    """Pixels by which the page is wider than the window."""
    return int(page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))


def too_wide(page: Page) -> list[str]:
    """Elements that reach beyond the window, for whoever looks for the reason."""
    return list(
        page.evaluate(
            "[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right >"
            " innerWidth + 1).slice(0, 5).map(e => e.outerHTML.slice(0, 120))"
        )
    )
