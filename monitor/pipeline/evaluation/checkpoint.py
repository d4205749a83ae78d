"""Verdicts of evaluations on disk: one line each, added as they come, never changed.

A line is named by a hash of the claim, the texts and the judge's version, so that any file that
asks the same again finds it. A process that is killed loses the line it was writing at most.
"""

import fcntl
import json
import os
from pathlib import Path
from typing import BinaryIO

from monitor.domain.claim import Question, Verdict
from monitor.domain.keys import content_key, text_key
from monitor.errors import MonitorError
from monitor.pipeline.evaluation.verdict_json import read_verdict, verdict_json

_START = b'{"key":"'
"""How every line begins."""
_SYNCED = 64
"""Lines after which the disk is waited for: a power cut costs so many verdicts at most."""


def key_of(asked: Question, version: str) -> bytes:
    """Name of a verdict: 16 bytes of a hash over claim, texts in order and judge."""
    parts = [text_key(asked.claim), [text_key(one) for one in asked.evidence], version]
    return bytes.fromhex(content_key(parts, 32))


class Checkpoint:
    """Kept verdicts; holds the place of each line in memory."""

    def __init__(self, path: Path) -> None:
        """Open or make the file; MonitorError where it is not ours, or another writes to it."""
        self._path = path
        _require_own(path)
        self._file: BinaryIO = path.open("a+b", buffering=0)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._file.close()
            raise MonitorError(
                f"{path.parent}: another evaluation works in this folder; wait for it, or name "
                "another one with --out"
            ) from error
        self._places: dict[bytes, int] = {}
        self._unsynced = 0
        self._end = 0
        self._load()

    def __contains__(self, key: bytes) -> bool:
        """Whether a verdict of that name is kept."""
        return key in self._places

    def __len__(self) -> int:
        """Verdicts kept."""
        return len(self._places)

    def get(self, key: bytes) -> Verdict | None:
        """The verdict of that name, read from the disk; None where none is kept."""
        place = self._places.get(key)
        if place is None:
            return None
        with self._path.open("rb") as file:
            file.seek(place)
            return read_verdict(json.loads(file.readline())["verdict"])

    def add(self, key: bytes, verdict: Verdict) -> None:
        """Keep a verdict; the line is with the operating system when this is back."""
        told = {"key": key.hex(), "verdict": verdict_json(verdict)}
        line = json.dumps(told, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"
        self._write(line)
        self._places[key] = self._end
        self._end += len(line)
        self._unsynced += 1
        if self._unsynced >= _SYNCED:
            self.sync()

    def sync(self) -> None:
        """Wait until everything kept would outlive a power cut."""
        if self._unsynced:
            os.fsync(self._file.fileno())
            self._unsynced = 0

    def close(self) -> None:
        """Wait for the disk and let others write."""
        self.sync()
        self._file.close()

    def _write(self, line: bytes) -> None:
        left = memoryview(line)
        while left:
            left = left[self._file.write(left) :]

    def _load(self) -> None:
        """Places of whole lines; a cut one at the end is taken off, a broken one passed over."""
        with self._path.open("rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    break
                key = _key_in(line)
                if key is not None:
                    self._places.setdefault(key, self._end)
                self._end += len(line)
        if self._path.stat().st_size > self._end:
            self._file.truncate(self._end)


def _require_own(path: Path) -> None:
    """MonitorError where something else has the name, which would be cut and written to."""
    if path.exists() and not (path.is_file() and _is_own(path)):
        raise MonitorError(
            f"{path}: not a checkpoint of evaluations; move it away, or name another folder with "
            "--out"
        )


def _is_own(path: Path) -> bool:
    """Whether a file is empty, or has a line of ours, be it only the beginning of the first."""
    with path.open("rb") as file:
        if _START.startswith(file.read(len(_START))):
            return True
        file.seek(0)
        return any(line.startswith(_START) for line in file)


def _key_in(line: bytes) -> bytes | None:
    try:
        kept = json.loads(line)
        read_verdict(kept["verdict"])
        return bytes.fromhex(kept["key"])
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None
