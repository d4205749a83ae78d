"""The `monitor` command as a process of its own, against a sandbox process."""

import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import httpx
from ruamel.yaml import YAML

from monitor.cli.sandboxed import KEYS, RunningSandbox

SECONDS = 240
"""Most wall time of one command, on a busy machine."""


def environment() -> dict[str, str]:
    """Variables of a command: the sandbox's keys, and no setting of whoever runs the tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MONITOR_")}
    return {**kept, **KEYS}


def words(*arguments: str) -> list[str]:
    """A command line of the monitor."""
    return [sys.executable, "-m", "monitor", *arguments]


def monitor(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The monitor's command, run to its end."""
    return subprocess.run(
        words(*arguments),
        env=environment(),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def start(*arguments: str, log: Path) -> "subprocess.Popen[bytes]":
    """The monitor's command, started; its output goes to a file."""
    with log.open("ab") as output:
        return subprocess.Popen(words(*arguments), env=environment(), stdout=output, stderr=output)


def write_yaml(path: Path, content: object) -> Path:
    """A settings or panel file."""
    text = StringIO()
    YAML().dump(content, text)
    path.write_text(text.getvalue(), "utf-8")
    return path


@dataclass(frozen=True, slots=True)
class Counts:
    """What a sandbox was asked so far."""

    calls: Counter[tuple[str, str]]
    """(engine, prompt) -> calls."""
    total: int
    continuations: int


def counts(sandbox: RunningSandbox) -> Counts:
    """Calls that reached a sandbox."""
    told = httpx.get(f"{sandbox.address}/_sandbox/counts", trust_env=False, timeout=30).json()
    calls = Counter(
        {
            (engine, prompt): number
            for engine, prompts in told["calls"].items()
            for prompt, number in prompts.items()
        }
    )
    return Counts(calls, told["total"], told["continuations"])
