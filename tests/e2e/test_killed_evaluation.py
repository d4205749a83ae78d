"""An evaluation by a paid judge, killed and gone on with: nothing that was paid is paid again."""

import csv
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from tests.evaluated import table
from tests.house import ROOT
from tests.misbehaving import PAGE, QUOTE, Server, reply, says, slow

pytestmark = pytest.mark.e2e

ROWS = 40
CONCURRENCY = 3


def settings(folder, server):
    path = folder / "config.yaml"
    path.write_text(
        json.dumps(
            {
                "store": {
                    "database": f"sqlite:///{folder}/monitor.db",
                    "artifacts": str(folder / "artifacts"),
                },
                "judge": {
                    "name": "llm",
                    "llm": {
                        "model": "made-up", "base_url": server.url, "per_minute": 100_000,
                        "concurrency": CONCURRENCY, "input_micros": 1_000_000,
                        "output_micros": 2_000_000,
                    },
                },
            }
        )
    )  # fmt: skip
    return path


def command(folder, *words):
    return [
        sys.executable, "-m", "monitor", "evaluate", str(folder / "t.csv"), "--out",
        str(folder / "out"), "--config", str(folder / "config.yaml"), *words,
    ]  # fmt: skip


def kept(folder):
    path = folder / "out" / "checkpoint"
    return path.read_bytes().count(b"\n") if path.is_file() else 0


def claims_in(calls):
    """The row's number in each call: it stands in the claim."""
    told = [json.dumps(call) for call in calls]
    return [next(n for n in range(ROWS) if f"row {n:03}." in one) for one in told]


def test_a_killed_evaluation_goes_on_and_pays_nothing_twice(tmp_path):
    content = table(*((f"{QUOTE[:-1]} in row {n:03}.", [PAGE]) for n in range(ROWS)))
    (tmp_path / "t.csv").write_text(content, newline="")
    server = Server(slow(0.05, says(reply())))
    with server.running():
        settings(tmp_path, server)
        first = subprocess.Popen(command(tmp_path), cwd=ROOT, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while kept(tmp_path) < 8 and time.monotonic() < deadline:
            assert first.poll() is None, "it ended before it could be killed"
            time.sleep(0.01)
        os.kill(first.pid, signal.SIGKILL)
        first.wait(timeout=10)
        time.sleep(0.2)
        before = kept(tmp_path)
        assert 8 <= before < ROWS
        paid = claims_in(server.calls)
        assert not (tmp_path / "out" / "output_data_with_usage.json").exists()
        second = subprocess.run(
            command(tmp_path, "--json"), cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert second.returncode == 0, second.stderr
        told = json.loads(second.stdout)
        anew = claims_in(server.calls[len(paid) :])
    assert told["totals"]["rows"] == told["totals"]["verdicts"] == ROWS
    # A reply can be kept when its verdict is not yet: then nobody is asked for that row either.
    assert told["asked_now"] == len(anew)
    assert ROWS - len(paid) <= len(anew) <= ROWS - before
    # Only calls whose reply never came back are made again: those under way at the kill.
    assert len(set(paid) & set(anew)) <= CONCURRENCY
    assert set(paid) | set(anew) == set(range(ROWS))
    assert len(anew) == len(set(anew))
    assert len(server.calls) == len(paid) + len(anew)
    with (tmp_path / "out" / "output_data_with_usage_and_metrics.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["recall"] for row in rows] == ["1.0"] * ROWS
    # 100 tokens at 1 micro and 20 at 2: 140 micros a row, each row paid once.
    assert {row["cost"] for row in rows} == {"0.000140"}
    assert told["totals"]["cost"] == pytest.approx(ROWS * 140e-6)
