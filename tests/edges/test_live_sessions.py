"""Browsers of a capture: contexts closed, crashes survived, what belongs to a person left alone."""

import asyncio
import os
import signal
import socket
import stat
import subprocess
import time
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpx
import pytest

from monitor.capture.chromium import find_chromium
from monitor.capture.live.own import held_profile, open_by_hand, refuse_daily_profile
from monitor.capture.live.record import Record
from monitor.config.settings import Settings
from monitor.config.surfaces import SurfacePart
from monitor.domain.engine import Outcome
from monitor.errors import BrowserError
from tests.capturing import MemoryArtifacts
from tests.live import LiveReplica
from tests.replica.server import Replica
from tests.working import until

CHROMIUM = find_chromium()
browser = pytest.mark.browser
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")


@pytest.fixture(scope="module")
def replica():
    with Replica() as server:
        yield server


@asynccontextmanager
async def live(**options):
    one = LiveReplica(**options)
    try:
        yield one
    finally:
        await one.close()


def main_processes():
    """Ids of the Chromium processes that this process had Playwright start, one each."""
    parents, found = {}, set()
    for folder in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            words = (folder / "cmdline").read_bytes().split(b"\0")
            status = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            parents[int(folder.name)] = int(status[1])
            if b"--remote-debugging-pipe" in words:
                found.add(int(folder.name))
    return {one for one in found if os.getpid() in _ancestors(one, parents)}


def _ancestors(process, parents):
    while process in parents:
        process = parents[process]
        yield process


@browser
@needs_chromium
async def test_crash_under_way_loses_that_capture_alone_and_nothing_is_sent_again(
    replica, monkeypatch
):
    submitted, submit = asyncio.Event(), Record.submit
    async with live() as one:
        before = main_processes()
        first = await one.capture(replica.at("normal"))
        (chromium,) = main_processes() - before
        asked = len(replica.asked)
        monkeypatch.setattr(Record, "submit", lambda record: (submit(record), submitted.set()))
        under_way = asyncio.create_task(one.capture(replica.at("never_ends")))
        async with asyncio.timeout(30):
            await submitted.wait()
        await asyncio.sleep(0.2)
        os.kill(chromium, signal.SIGKILL)
        lost = await under_way
        pages = [path for path in replica.asked[asked:] if path.startswith("/?mode=")]
        last = await one.capture(replica.at("normal"))
    assert first.reading.outcome is last.reading.outcome is Outcome.ANSWERED
    assert (lost.reading.outcome, lost.reading.reason) == (Outcome.ERROR, "network")
    assert lost.payload["times"]["submitted_at"] is not None
    assert len(pages) == 1


@browser
@needs_chromium
async def test_crash_between_captures_loses_none(replica):
    async with live() as one:
        before = main_processes()
        await one.capture(replica.at("login_wall"))
        (chromium,) = main_processes() - before
        os.kill(chromium, signal.SIGKILL)
        await asyncio.sleep(0.2)
        after = await one.capture(replica.at("login_wall"))
    assert after.reading.outcome is Outcome.LOGIN_REQUIRED


@browser
@needs_chromium
async def test_no_context_is_left_and_the_browser_is_started_anew_after_so_many_captures(replica):
    async with live() as one:
        session = one.surface.session
        session._most = 2
        seen = []
        for _ in range(3):
            await one.capture(replica.at("geo"))
            seen.append(session._browser)
            assert session._browser.contexts == []
    assert seen[0] is seen[1] is not seen[2]
    assert not seen[0].is_connected()


@browser
@needs_chromium
async def test_page_that_does_not_open_is_tried_once_more_and_leaves_no_picture():
    """WebSearcher PR 170: a navigation that fails must not keep the page before it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/"
    async with live() as one:
        failed = await one.capture(address)
    assert (failed.reading.outcome, failed.reading.reason) == (Outcome.ERROR, "network")
    assert "CONNECTION_REFUSED" in failed.payload["detail"]
    assert failed.payload["times"]["submitted_at"] is None
    assert failed.evidence.screenshots == failed.evidence.snapshots == ()


@browser
@needs_chromium
async def test_stored_capture_is_replayed_and_no_page_is_opened(replica):
    artifacts = MemoryArtifacts()
    async with live() as one:
        first = await one.capture(replica.at("sorry_429"), artifacts=artifacts)
        asked = list(replica.asked)
        one.count = 0
        again = await one.capture(replica.at("sorry_429"), artifacts=artifacts)
    assert replica.asked == asked
    assert (again.reading, again.evidence) == (first.reading, first.evidence)


@browser
@needs_chromium
async def test_profile_is_kept_private_and_says_that_answers_may_be_personal(replica, tmp_path):
    folder = tmp_path / "profiles" / "replica"
    part = SurfacePart(session="profile", profile=str(folder), headed=False)
    async with live(surface=part) as one:
        made = await one.capture(replica.at("geo"))
        with pytest.raises(BrowserError, match="in use by another monitor process"):
            held_profile(folder)
    environment = made.payload["environment"]
    assert (environment["session"], environment["personalised"]) == ("profile", "possible")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert (folder / "Default").is_dir()
    held_profile(folder).close()


@browser
@needs_chromium
async def test_window_to_sign_in_by_hand_opens_the_surface_and_ends_as_it_is_closed(
    replica, tmp_path
):
    before, asked = main_processes(), len(replica.asked)
    opened = asyncio.create_task(
        open_by_hand(
            Settings(), SurfacePart(), tmp_path / "own", url=replica.at("login_wall"), headed=False
        )
    )
    async with asyncio.timeout(30):
        await until(lambda: len(replica.asked) > asked)
        (window,) = main_processes() - before
        os.kill(window, signal.SIGTERM)
        await opened
    held_profile(tmp_path / "own").close()


@pytest.fixture
def own_browser(tmp_path):
    """A Chromium that a person started, with a page of theirs; (process, address)."""
    folder = tmp_path / "own"
    process = subprocess.Popen(
        [
            CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--remote-debugging-port=0", f"--user-data-dir={folder}", "about:blank",
        ],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    told, deadline = folder / "DevToolsActivePort", time.monotonic() + 20
    while not told.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.1)
    yield process, f"http://127.0.0.1:{told.read_text().split()[0]}"
    process.terminate()
    process.wait(timeout=10)


def open_pages(address):
    """Ids of the pages that a browser has open."""
    with httpx.Client(trust_env=False) as client:
        return [one["id"] for one in client.get(f"{address}/json").json() if one["type"] == "page"]


@browser
@needs_chromium
async def test_browser_of_a_person_is_used_and_left_as_it_was(replica, own_browser):
    process, address = own_browser
    before = await asyncio.to_thread(open_pages, address)
    async with live(surface=SurfacePart(session="attached", cdp=address)) as one:
        made = await one.capture(replica.at("normal"))
        # Windows that the page opens are no pages of the person.
        async with one.surface.session.opened("en-GB") as opened:
            await opened.page.set_content("<button onclick='window.open(), window.open()'>")
            async with opened.page.expect_popup():
                await opened.page.click("button")
            async with asyncio.timeout(10):
                await until(lambda: len(open_pages(address)) == len(before) + 1)
    assert made.reading.outcome is Outcome.ANSWERED
    assert made.payload["environment"]["session"] == "attached"
    assert process.poll() is None
    assert len(before) == 1
    assert await asyncio.to_thread(open_pages, address) == before


@browser
@needs_chromium
async def test_browser_that_does_not_answer_is_an_error_that_says_what_to_start():
    async with live(surface=SurfacePart(session="attached", cdp="http://127.0.0.1:9")) as one:
        with pytest.raises(BrowserError, match="--remote-debugging-port"):
            await one.capture("http://127.0.0.1:9/")


@pytest.mark.parametrize(
    "name", [".config/google-chrome", ".config/chromium/Default", ".config", "snap"]
)
def test_profile_that_a_person_uses_every_day_is_refused(name, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(BrowserError, match="name a folder that serves this surface alone"):
        refuse_daily_profile(tmp_path / name)
    refuse_daily_profile(tmp_path / "monitor" / "profiles" / "chatgpt_web")


def test_folder_that_is_none_of_a_profile_is_refused_and_left_as_it_is(tmp_path):
    letters = tmp_path / "letters"
    letters.mkdir(mode=0o755)
    (letters / "to-a-friend.txt").write_text("made up")
    linked = tmp_path / "linked"
    linked.symlink_to(letters)
    for folder in (letters, linked):
        with pytest.raises(BrowserError, match="no profile of a browser and holds other files"):
            held_profile(folder)
    assert stat.S_IMODE(letters.stat().st_mode) == 0o755
    assert [one.name for one in letters.iterdir()] == ["to-a-friend.txt"]
    # A profile that a browser made before it was named here.
    (letters / "Local State").write_text("{}")
    held_profile(linked).close()


def test_folder_that_cannot_be_made_or_held_is_an_error_that_a_person_can_mend(tmp_path):
    (tmp_path / "file").write_text("made up")
    (tmp_path / "own" / "monitor.lock").mkdir(parents=True)
    (tmp_path / "nowhere").symlink_to(tmp_path / "absent" / "deeper")
    for name in ("file", "file/inside", "own", "n" * 300, "nowhere"):
        with pytest.raises(BrowserError, match="cannot be the folder of a profile"):
            held_profile(tmp_path / name)
