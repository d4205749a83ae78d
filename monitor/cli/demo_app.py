"""The application on the demo's runs: a process that goes on when the demo ends, for some hours."""

import contextlib
import fcntl
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from monitor.config.parts import WebPart
from monitor.errors import MonitorError

HOURS = 8
"""A server that somebody forgot ends by itself."""
READY_SECONDS = 60.0
ENDED_SECONDS = 20.0
PID, LOG = "app.pid", "app.log"


@dataclass(frozen=True, slots=True)
class RunningApp:
    """A server that answers, and goes on after this process."""

    pid: int
    address: str


def start_app(folder: Path, config: Path, part: WebPart) -> RunningApp:
    """A server over the settings of a folder, once it answers; its port where that is free."""
    ports = (part.port, 0) if _is_free(part.port) else (0,)
    for port in ports:
        process = _started(folder, config, port)
        address = _address(process, folder / LOG)
        if address is not None:
            return RunningApp(process.pid, address)
        _end(process)
    raise MonitorError(f"the application did not start; {folder / LOG} says why")


def stop_app(folder: Path) -> None:
    """End the server that an earlier demo left on in a folder, if it still runs."""
    with _locked(folder / PID) as (file, is_left):
        told = file.read().strip() if file and is_left else ""
        if not told.isdecimal():
            return
        pid = int(told)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + ENDED_SECONDS
    while _is_running(folder / PID):
        if time.monotonic() > deadline:
            raise MonitorError(
                f"process {pid} serves {folder} and does not end; end it: kill {pid}"
            )
        time.sleep(0.05)


def app_lines(app: RunningApp) -> tuple[str, ...]:
    """Where the application is, and how it ends."""
    return (
        f"app:    {app.address}",
        f"        ends after {HOURS} hours, with the next demo, or by `kill {app.pid}`",
    )


def _started(folder: Path, config: Path, port: int) -> "subprocess.Popen[bytes]":
    """The server in a session of its own.

    It inherits the lock on its pid file and holds it while it lives: that tells it from any other
    process that may have its number one day.
    """
    words = ["serve", "--config", str(config), "--port", str(port), "--hours", str(HOURS)]
    with (folder / PID).open("w") as held, (folder / LOG).open("wb") as output:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        process = subprocess.Popen(  # noqa: S603 - our own module, fixed words
            [sys.executable, "-m", "monitor", *words],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=(held.fileno(),),
            start_new_session=True,
        )
        held.write(f"{process.pid}\n")
    return process


def _address(process: "subprocess.Popen[bytes]", log: Path) -> str | None:
    """Where the server says that it listens; None where it ended or says nothing."""
    deadline = time.monotonic() + READY_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        found = re.search(r"^listening on (\S+)$", log.read_text("utf-8", "replace"), re.MULTILINE)
        if found:
            process.returncode = 0  # It goes on without us: nobody is to wait for it or warn.
            return found[1]
        time.sleep(0.05)
    return None


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait()


def _is_free(port: int) -> bool:
    """Whether this machine's own address has a port left."""
    with socket.socket() as place:
        place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            place.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _is_running(path: Path) -> bool:
    with _locked(path) as (_, is_left):
        return is_left


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[tuple[IO[str] | None, bool]]:
    """A pid file and whether a process of ours still holds it."""
    try:
        file = path.open()
    except OSError:
        yield None, False
        return
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield file, True
        else:
            yield file, False
