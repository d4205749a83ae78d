"""Which Chromium to drive: Playwright's own, a system one, or Debian's, in this order."""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from playwright.async_api import Browser, Error, Playwright, async_playwright

from monitor.errors import BrowserError

SYSTEM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DOWNLOAD_SECONDS = 240
PACKAGE_SECONDS = 900

FLAGS = (
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-gpu",
)
"""Flags that keep a browser from asking for anything but the page."""


def find_chromium(configured: str | None = None) -> str | None:
    """Path of a Chromium that is there, or None."""
    return chromium_path(configured, asyncio.run(_playwright_path()))


def chromium_path(configured: str | None, own: str) -> str | None:
    """Path of a Chromium: the configured one, Playwright's `own`, or a system one; else None."""
    if configured:
        return configured if Path(configured).exists() else None
    if Path(own).exists():
        return own
    return next((path for name in SYSTEM_NAMES if (path := shutil.which(name))), None)


async def _playwright_path() -> str:
    """Where Playwright would keep its own Chromium."""
    async with async_playwright() as playwright:
        return playwright.chromium.executable_path


async def launch_chromium(
    playwright: Playwright, configured: str | None, arguments: Sequence[str] = (), *, instead: str
) -> Browser:
    """A Chromium that asks for nothing but its pages; BrowserError says what to do `instead`."""
    path = chromium_path(configured, playwright.chromium.executable_path)
    if path is None:
        raise BrowserError(
            "no Chromium found: run `monitor browser install`, set browser.executable, "
            f"or {instead}"
        )
    try:
        return await playwright.chromium.launch(
            executable_path=path,
            args=[*FLAGS, *arguments],
            chromium_sandbox=os.geteuid() != 0,
        )
    except Error as error:
        raise BrowserError(
            f"{path} did not start ({str(error).splitlines()[0]}); {instead}"
        ) from error


def install_chromium() -> str:
    """Path of a usable Chromium, fetched where there is none; BrowserError says what was tried."""
    found = find_chromium()
    if found:
        return found
    tried = [_download()]
    found = find_chromium()
    if found:
        return found
    tried.append(_debian_package())
    found = find_chromium()
    if found:
        return found
    raise BrowserError(
        "no browser: "
        + "; ".join(tried)
        + ". Install Chromium, or go on without browser surfaces: --no-browser "
        "(with make: BROWSER_FLAGS=--no-browser DEMO_FLAGS=--no-browser)"
    )


def _download() -> str:
    """Try Playwright's own download; returns what became of it."""
    command = [sys.executable, "-m", "playwright", "install", "chromium"]
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter and fixed words
            command, capture_output=True, timeout=DOWNLOAD_SECONDS, check=False
        )
    except (subprocess.TimeoutExpired, OSError) as error:
        return f"Playwright's download did not end ({error.__class__.__name__})"
    return f"Playwright's download ended with {done.returncode}"


def _debian_package() -> str:
    """Try Debian's package as root; returns what became of it."""
    apt = shutil.which("apt-get")
    if apt is None:
        return "there is no apt-get here"
    if os.geteuid() != 0:
        return "installing Debian's chromium needs root"
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for words in (
        ["update", "-qq"],
        ["install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-liberation"],
    ):
        try:
            done = subprocess.run(  # noqa: S603 - a fixed program with fixed words
                [apt, *words],
                capture_output=True,
                timeout=PACKAGE_SECONDS,
                check=False,
                env=environment,
            )
        except (subprocess.TimeoutExpired, OSError) as error:
            return f"apt-get {words[0]} did not end ({error.__class__.__name__})"
        if done.returncode != 0:
            return f"apt-get {words[0]} ended with {done.returncode}"
    return "Debian's chromium was installed but not found"
