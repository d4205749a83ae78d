"""The sandbox's own chat page in a real Chromium, captured as every surface is."""

import asyncio
import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from monitor.capture.browser import BrowserCapture
from monitor.capture.chromium import find_chromium
from monitor.capture.clock import SystemClock
from monitor.capture.http import Asking
from monitor.capture.limits import EngineGate
from monitor.capture.live.surfaces import LiveSurfaces
from monitor.config.parts import SandboxPart
from monitor.config.settings import Settings
from monitor.domain.engine import EngineSettings, Outcome, Request, Role
from monitor.domain.panel import Prompt
from monitor.domain.screenshot import ScreenshotKind, SnapshotKind
from monitor.engines.sandbox_chat import ENGINE
from tests.capturing import FakeClock, MemoryArtifacts, MemoryPace
from tests.live import PATIENCE, OpenGate
from tests.sandbox_calls import WORLD

ROOT = Path(__file__).resolve().parents[2]
PROMPT = Prompt("battery", WORLD.questions["battery-charging"].text, "en-GB")
MODES = ("", "login", "consent", "captcha", "layout", "stall")
pytestmark = pytest.mark.browser


def asking(mode):
    request = Request("GET", f"https://chat.sandbox.example/?mode={mode}")
    gate = EngineGate(1, MemoryPace(FakeClock()))
    engine = replace(ENGINE, request=lambda *_: request)
    return Asking(engine, EngineSettings(), gate, (), attempts=1, timeout_seconds=1, call_micros=0)


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory):
    ready = tmp_path_factory.mktemp("chat") / "ready.json"
    command = [sys.executable, "-m", "monitor.sandbox", "--ready-file", str(ready)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 30
    while not ready.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    told = json.loads(ready.read_text())
    ports = ("127.0.0.1", told["http_port"], told["https_port"])
    yield SandboxPart(hosts=dict.fromkeys(told["hosts"], ports), ca_file=told["cert_pem"])
    process.terminate()
    process.wait(timeout=10)


@pytest.fixture(scope="module")
def captured(sandbox):
    """Every mode of the page, captured side by side: (reading, payload, evidence) by mode."""
    if find_chromium() is None:
        pytest.skip("no Chromium here")

    async def capture_all():
        surfaces = LiveSurfaces(Settings(sandbox=sandbox), lambda _: OpenGate(), patience=PATIENCE)
        artifacts = MemoryArtifacts()
        capture = BrowserCapture(
            surfaces, artifacts, SystemClock(), read=lambda engine, e: engine.parse(e)
        )

        async def one(number, mode):
            made, evidence = await capture.capture(number, PROMPT, asking(mode), begin=nothing)
            payload = json.loads(artifacts.get(made.envelopes[-1].body_sha256))
            return made.reading, payload, evidence

        try:
            return await asyncio.gather(*(one(n, mode) for n, mode in enumerate(MODES)))
        finally:
            await surfaces.close()

    return dict(zip(MODES, asyncio.run(capture_all()), strict=True))


async def nothing():
    """Nobody has to know that a capture begins."""


def test_capture_of_the_real_page_parses_with_its_hidden_pill_left_out(captured):
    reading, payload, _ = captured[""]
    assert reading.outcome is Outcome.ANSWERED
    assert {c.role for c in reading.citations} == {Role.DISPLAYED, Role.LISTED}
    assert reading.warnings == ("1 citation(s) in the document are not shown and not counted",)
    assert all(c.spans for c in reading.displayed)
    assert not any("cheap-batteries" in c.url for c in reading.displayed)
    assert (payload["contract"], payload["surface"]) == ("browser-capture-2", "sandbox_chat")


def test_text_of_the_capture_holds_no_pill_labels(captured):
    text = captured[""][0].text
    assert ".example" not in text
    assert text.endswith((".", ":"))


def test_the_whole_answer_is_read_though_the_stop_button_goes_before_its_last_sentence(captured):
    reading, payload, _ = captured[""]
    assert payload["text"].split() != []
    assert reading.text.split(" ")[-1] in payload["text"]
    assert payload["times"]["wait_ms"] >= 300 + 1000 * PATIENCE.stable


def test_queries_are_those_that_the_page_shows(captured):
    reading = captured[""][0]
    assert reading.queries == tuple(captured[""][1]["searched"][0].split(" · "))


def test_pictures_and_snapshots_are_kept_of_an_answer(captured):
    evidence = captured[""][2]
    kinds = [one.kind for one in evidence.screenshots]
    assert kinds == [ScreenshotKind.VIEWPORT, ScreenshotKind.FULL, ScreenshotKind.PANEL]
    assert {one.kind for one in evidence.snapshots} == {SnapshotKind.DOM, SnapshotKind.TEXT}


@pytest.mark.parametrize(
    ("mode", "outcome", "reason"),
    [
        ("login", Outcome.LOGIN_REQUIRED, None),
        ("consent", Outcome.CONSENT_REQUIRED, None),
        ("captcha", Outcome.BLOCKED, "captcha"),
        ("layout", Outcome.LAYOUT_UNKNOWN, None),
        ("stall", Outcome.TIMEOUT, None),
    ],
)
def test_a_trap_is_its_own_outcome_with_a_picture_of_it(captured, mode, outcome, reason):
    reading, payload, evidence = captured[mode]
    assert (reading.outcome, reading.reason) == (outcome, reason)
    assert [one.kind for one in evidence.screenshots] == [ScreenshotKind.BARRIER]
    assert payload["html"] is None
