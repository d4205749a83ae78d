"""A run that is told to stop, and one on a disk that is full: whole, named, and resumable."""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time

import pytest

KEY = "made-up-key-that-must-stay-unseen"
PANEL = """
panel: small
version: 1
repeats: 1
locale: en-GB
engines: [perplexity]
prompts:
  - {id: one, text: "How hot?", intent: rule, topic: t, risk: standard, freshness_matters: false}
"""


@pytest.fixture
def silent_vendor():
    """A port that takes calls and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


@pytest.fixture
def start(tmp_path, silent_vendor):
    """Start one command in a folder with a panel and a vendor that never answers."""
    (tmp_path / "prompt_panels").mkdir()
    (tmp_path / "prompt_panels" / "small.yaml").write_text(PANEL)
    address = f"http://127.0.0.1:{silent_vendor.getsockname()[1]}"
    engine = {"base_url": address, "timeout_seconds": 60, "attempts": 1}
    (tmp_path / "config.yaml").write_text(json.dumps({"engines": {"perplexity": engine}}))
    started = []

    def call(*arguments, **more):
        process = subprocess.Popen(
            [sys.executable, "-m", "monitor", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PERPLEXITY_API_KEY": KEY},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **more,
        )
        started.append(process)
        return process

    yield call
    for process in started:
        process.kill()
        process.communicate()


def wait_until_asked(tmp_path):
    """Until the run has reserved its call."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if (tmp_path / "data" / "monitor.db").exists():
            with sqlite3.connect(tmp_path / "data" / "monitor.db") as store:
                tables = store.execute("SELECT 1 FROM sqlite_master WHERE name='spend'")
                if tables.fetchone() and store.execute("SELECT 1 FROM spend").fetchone():
                    return
        time.sleep(0.05)
    raise AssertionError("the run never asked")


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_told_to_stop_says_how_to_go_on(start, tmp_path, sign):
    process = start("run", "small")
    wait_until_asked(tmp_path)
    process.send_signal(sign)
    _, said = process.communicate(timeout=90)
    assert (process.returncode, "Traceback" in said) == (130, False)
    assert "stopped; `monitor resume` goes on where this ended" in said


def test_a_run_in_the_background_of_a_script_stops_when_it_is_told_to(start, tmp_path):
    process = start("run", "small", preexec_fn=_deaf_to_interrupts)
    wait_until_asked(tmp_path)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=90)
    assert (process.returncode, "Traceback" in said) == (130, False)


def _deaf_to_interrupts():
    """Start as a shell script starts what it puts behind `&`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def test_no_file_of_a_stopped_run_holds_its_key(start, tmp_path):
    process = start("run", "small")
    wait_until_asked(tmp_path)
    process.send_signal(signal.SIGTERM)
    said = "".join(process.communicate(timeout=90))
    left = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(left) > 3
    assert KEY not in said
    assert not any(KEY.encode() in content for content in left)


def test_a_full_disk_is_a_message_and_not_a_traceback(start):
    process = start("status", preexec_fn=_no_room)
    _, said = process.communicate(timeout=90)
    assert (process.returncode, "Traceback" in said) == (2, False)
    assert "error: " in said


def _no_room():
    """Let no file of this process grow beyond a few bytes; writing more fails, it does not kill."""
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))
