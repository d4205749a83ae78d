"""Real `monitor` processes against a real sandbox process, in one folder."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from ruamel.yaml import YAML
from sqlalchemy import text

from monitor.cli.sandboxed import KEYS, RunningSandbox, sandbox_process, sandbox_settings
from monitor.store import Database, open_artifacts, open_database

ROOT = Path(__file__).resolve().parents[2]
PANEL = "small"
SLOT = "2026-09"
RUN = f"run:{PANEL}:{SLOT}"
ENGINES = ("openai", "perplexity", "anthropic")


def monitor(*words: object, seconds: float = 600, **environment: str) -> Any:
    """A finished `monitor` command, its output as text."""
    return subprocess.run(
        [sys.executable, "-m", "monitor", *map(str, words)],
        cwd=ROOT, env={**os.environ, **KEYS, **environment}, capture_output=True, text=True,
        timeout=seconds, check=False,
    )  # fmt: skip


@dataclass(frozen=True)
class Place:
    """A folder with a panel, settings, a store, and the sandbox that is asked."""

    folder: Path
    sandbox: RunningSandbox
    database: str
    artifacts: str
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables of its commands, such as the keys of a bucket."""

    @property
    def config(self) -> Path:
        return self.folder / "config.yaml"

    def call(self, *words: object) -> Any:
        """A finished command under this folder's settings."""
        return monitor(*words, "--config", self.config, **self.environment)

    def start(self, *words: object) -> "subprocess.Popen[bytes]":
        """A command that goes on in the background, its output in a file."""
        with (self.folder / "background.txt").open("ab") as output:
            return subprocess.Popen(
                [sys.executable, "-m", "monitor", *map(str, words), "--config", str(self.config)],
                cwd=ROOT, env={**os.environ, **KEYS, **self.environment}, stdout=output, stderr=output,
            )  # fmt: skip

    def told(self, *words: object, code: int) -> dict[str, Any]:
        """What a command with --json says of the run, once its exit code is as expected."""
        done = self.call(*words, "--json")
        assert done.returncode == code, done.stdout + done.stderr
        return json.loads(done.stdout.splitlines()[0]) | {"said": done.stdout + done.stderr}

    def pointers(self) -> frozenset[str]:
        """Exchanges whose bytes are among the artifacts: capture/seq/attempt."""
        found = (name.split("/") for name in open_artifacts(self.artifacts).names())
        return frozenset("/".join(parts[2:]) for parts in found if parts[1] == "capture")

    def asked(self) -> int:
        """Calls that the sandbox got, those that go on with a paused answer included."""
        told = httpx.get(f"{self.sandbox.address}/_sandbox/counts", trust_env=False).json()
        return int(told["total"]) + int(told["continuations"])

    def settled(self, latency: float) -> int:
        """`asked`, once calls that were under way at a kill have reached the sandbox's count."""
        time.sleep(2 * latency)
        return self.asked()

    def stored(self) -> int:
        """Captures whose reading is committed."""
        query = text("SELECT count(*) FROM capture WHERE state = 'stored'")
        with open_store(self.database) as store, store.read() as connection:
            return int(connection.execute(query).scalar() or 0)

    def kill(
        self,
        process: "subprocess.Popen[bytes]",
        *,
        after: int,
        with_stored: int = 0,
        later: float = 0,
    ) -> None:
        """SIGKILL a process of ours once so many more exchanges are on disk, or a little later."""
        wanted = len(self.pointers()) + after
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if len(self.pointers()) >= wanted and self.stored() >= with_stored:
                break
            assert process.poll() is None, "the run ended before it could be killed"
            time.sleep(0.005)
        time.sleep(later)
        os.kill(process.pid, signal.SIGKILL)
        process.wait(timeout=10)


@contextmanager
def place(
    folder: Path,
    *,
    latency_ms: int,
    concurrency: int = 4,
    fetch: bool = True,
    prompts: slice = slice(12),
    database: str | None = None,
    artifacts: str | None = None,
    environment: Mapping[str, str] | None = None,
    per_minute: float | None = None,
) -> Iterator[Place]:
    """A small panel of the sandbox's, ready to run; its store lies in the folder unless told."""
    panels = folder / "panels"
    panels.mkdir()
    (panels / f"{PANEL}.yaml").write_text(json.dumps(small_panel(prompts)), "utf-8")
    with sandbox_process(folder, SLOT, options=("--latency-ms", str(latency_ms))) as sandbox:
        content = sandbox_settings(sandbox, folder, panels)
        if database is not None:
            content["store"]["database"] = database
        if artifacts is not None:
            content["store"]["artifacts"] = artifacts
        content["pages"]["fetch"] = fetch
        for name in ENGINES:
            content["engines"][name]["concurrency"] = concurrency
            if per_minute is not None:
                content["engines"][name]["per_minute"] = per_minute
        (folder / "config.yaml").write_text(json.dumps(content), "utf-8")
        store = content["store"]
        yield Place(folder, sandbox, store["database"], store["artifacts"], environment or {})


@contextmanager
def open_store(url: str) -> Iterator[Database]:
    """The store behind a URL, for a look from outside."""
    database = open_database(url)
    try:
        yield database
    finally:
        database.close()


def small_panel(prompts: slice) -> dict[str, Any]:
    """Some questions of the sandbox panel, twice each, to its three vendors."""
    whole = YAML(typ="safe").load(ROOT / "prompt_panels" / "sandbox.yaml")
    return {
        "panel": PANEL,
        "version": 1,
        "repeats": 2,
        "locale": "en-GB",
        "engines": list(ENGINES),
        "prompts": [dict(prompt) for prompt in whole["prompts"][prompts]],
    }
