"""`monitor demo --stay`: a sandbox that other commands can ask, until it is told to stop."""

import os
import signal
import subprocess
import sys

import pytest

from tests.e2e.processes import ROOT, monitor

pytestmark = pytest.mark.e2e

PANEL = """
panel: sandbox
version: 1
repeats: 1
locale: en-GB
engines: [perplexity]
prompts:
  - {id: speed-limit, text: "How fast may a pedal-assist e-bike go in Velmora?"}
"""


@pytest.fixture
def staying(tmp_path):
    """A demo of one prompt that has said that its sandbox answers on."""
    (tmp_path / "panels").mkdir()
    (tmp_path / "panels" / "sandbox.yaml").write_text(PANEL)
    words = [
        "--folder",
        tmp_path / "demo",
        "--panels",
        tmp_path / "panels",
        "--no-browser",
        "--no-app",
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "monitor", "demo", "--stay", *map(str, words)],
        cwd=ROOT, env=dict(os.environ), stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    said = next((line for line in process.stdout if "answers until" in line), None)
    yield process, said
    process.kill()
    process.communicate()


def test_a_demo_that_stays_answers_other_commands_and_ends_when_told_to(staying, tmp_path):
    process, said = staying
    assert said is not None
    config = ("--config", tmp_path / "demo" / "config.yaml")
    done = monitor("schedule", "now", "sandbox", *config)
    assert done.returncode == 0, done.stdout + done.stderr
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=20) == 0
    refused = monitor("schedule", "now", "sandbox", *config)
    assert refused.returncode == 2
    assert "`monitor demo --stay`" in refused.stderr
