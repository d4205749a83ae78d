"""The sandbox as a process of its own, and the settings that point at it."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from monitor.errors import MonitorError

READY_SECONDS = 30
KEYS = {
    "OPENAI_API_KEY": "sandbox-demo-key",
    "PERPLEXITY_API_KEY": "sandbox-demo-key",
    "ANTHROPIC_API_KEY": "sandbox-demo-key",
}
"""Keys the sandbox accepts; they replace real ones, which never reach it."""


@dataclass(frozen=True, slots=True)
class RunningSandbox:
    """A sandbox that answers on loopback."""

    http_port: int
    https_port: int
    hosts: tuple[str, ...]
    certificate: str

    @property
    def address(self) -> str:
        """Base URL of its vendors' stand-ins."""
        return f"http://127.0.0.1:{self.http_port}"

    def set_scene(self, scene: str) -> None:
        """Move its world to another month."""
        httpx.post(
            f"{self.address}/_sandbox/scene", json={"scene": scene}, trust_env=False, timeout=10
        ).raise_for_status()


@contextmanager
def sandbox_process(
    folder: Path, scene: str, *, options: tuple[str, ...] = ()
) -> Iterator[RunningSandbox]:
    """A sandbox process for as long as the block runs; only this process is ended."""
    folder.mkdir(parents=True, exist_ok=True)
    ready = folder / "sandbox.json"
    ready.unlink(missing_ok=True)
    log = folder / "sandbox.log"
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - our own module, fixed words
            [
                sys.executable, "-m", "monitor.sandbox", "--scene", scene, "--port", "0",
                "--ready-file", str(ready), *options,
            ],
            stdout=output,
            stderr=output,
        )  # fmt: skip
    try:
        yield _wait_until_ready(process, ready, log)
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until_ready(process: "subprocess.Popen[bytes]", ready: Path, log: Path) -> RunningSandbox:
    """The sandbox once it wrote its ready file."""
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise MonitorError(f"the sandbox ended with {process.returncode}; see {log}")
        if ready.exists():
            try:
                told = json.loads(ready.read_text("utf-8"))
            except ValueError:
                told = None
            if told is not None:
                return RunningSandbox(
                    told["http_port"], told["https_port"], tuple(told["hosts"]), told["cert_pem"]
                )
        time.sleep(0.05)
    raise MonitorError(f"the sandbox was not ready within {READY_SECONDS} s; see {log}")


def sandbox_settings(sandbox: RunningSandbox, folder: Path, panels: Path) -> dict[str, Any]:
    """Content of a config.yaml that asks the sandbox and keeps everything in one folder."""
    ports = ["127.0.0.1", sandbox.http_port, sandbox.https_port]
    part = {"concurrency": 8, "per_minute": 60_000, "timeout_seconds": 30}
    return {
        "store": {
            "database": f"sqlite:///{folder / 'monitor.db'}",
            "artifacts": str(folder / "artifacts"),
        },
        "panels": str(panels),
        "reports": str(folder),
        "engines": {
            "openai": {**part, "base_url": f"{sandbox.address}/openai/v1"},
            "perplexity": {**part, "base_url": f"{sandbox.address}/perplexity"},
            "anthropic": {**part, "base_url": f"{sandbox.address}/anthropic/v1"},
            "sandbox_chat": {"concurrency": 1},
        },
        "browser": {"spacing_seconds": 0, "stable_seconds": 0.3, "timeout_seconds": 30},
        "pages": {"concurrency": 16, "deadline_seconds": 10},
        "sandbox": {
            "hosts": dict.fromkeys(sandbox.hosts, ports),
            "ca_file": sandbox.certificate,
        },
    }
