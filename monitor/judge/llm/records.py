"""Calls of a judge as they are stored: one record each, before anything of it is read.

A record lies under `ROOM/IDENTITY/VOTE-STEP-ATTEMPT` (votes of the second try are counted from 10,
those of the third from 20) and holds the request without its key, the
status, the headers worth keeping and the body. What is there is replayed, never asked again.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from monitor.domain.engine import Exchange, Request
from monitor.domain.keys import canonical_json, content_key
from monitor.domain.ports import Artifacts
from monitor.errors import LostBytesError, StoreError
from monitor.judge.llm.interface import Manner, Rung
from monitor.judge.llm.prices import TokenPrice

VOTES_A_TRY = 10
"""Numbers of votes that one try of a question may have."""
_TRIES = 5
"""Numbers tried where another process stores the same call at the same time."""


@dataclass(frozen=True, slots=True)
class Record:
    """One call: how it was asked, what came back, and the prices of that moment."""

    manner: Manner
    request_key: str
    """Hash of method, URL and body; no key is part of it."""
    exchange: Exchange
    price: TokenPrice
    estimate: int
    """What was reserved for it, in millionths of a USD."""
    started_at: datetime
    duration_ms: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where the calls of one step of a conversation are stored."""

    room: str
    """`verdicts` or `claims`."""
    identity: str
    vote: int
    step: int

    @property
    def folder(self) -> str:
        """What the names of all calls about the same matter begin with."""
        return f"{self.room}/{self.identity}"

    def name(self, attempt: int) -> str:
        """Name of the pointer of one call."""
        return f"{self.folder}/{self.vote}-{self.step}-{attempt}"


def request_json(request: Request) -> Mapping[str, Any]:
    """A request as JSON values, for hashing and storing."""
    return {
        "method": request.method,
        "url": request.url,
        "json": request.json,
        "headers": [list(pair) for pair in request.headers],
    }


def request_key(request: Request) -> str:
    """Hash of a request."""
    return content_key(request_json(request))


def store(artifacts: Artifacts, place: Place, attempt: int, record: Record) -> None:
    """Keep a call before it is read; under the next number where this one was taken meanwhile."""
    sha256 = artifacts.put(_encode(record), lasting=True)
    for number in range(attempt, attempt + _TRIES):
        try:
            artifacts.point(place.name(number), sha256)
        except StoreError:
            if place.name(number) not in artifacts.names(place.folder):
                raise
        else:
            return
    raise StoreError(f"{place.name(attempt)} is taken again and again: is another run judging?")


class Shelf:
    """What is stored of one matter."""

    def __init__(self, artifacts: Artifacts, folder: str) -> None:
        self._artifacts = artifacts
        self._names: dict[tuple[int, int], list[tuple[int, str]]] = {}
        for name in artifacts.names(folder):
            vote, step, attempt = map(int, name.rpartition("/")[2].split("-"))
            self._names.setdefault((vote, step), []).append((attempt, name))

    def free(self, place: Place) -> int:
        """Number of the next call of a step."""
        return max((n for n, _ in self._names.get((place.vote, place.step), ())), default=-1) + 1

    @property
    def last_try(self) -> int:
        """Number of the last try that anything is stored of; 0 is the first."""
        return max((vote for vote, _ in self._names), default=0) // VOTES_A_TRY

    def records(self, place: Place) -> list[Record]:
        """Calls of a step that are intact, in order of asking."""
        found = []
        for _, name in sorted(self._names.get((place.vote, place.step), ())):
            try:
                found.append(_decode(self._artifacts.get(self._artifacts.target(name))))
            except (LostBytesError, ValueError, LookupError, TypeError):
                continue
        return found


def _encode(record: Record) -> bytes:
    exchange = record.exchange
    try:
        body, coding = exchange.body.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        body, coding = b64encode(exchange.body).decode(), "base64"
    assert exchange.request is not None
    return canonical_json(
        {
            "judge_call": 1,
            "manner": asdict(record.manner),
            "request_key": record.request_key,
            "request": request_json(exchange.request),
            "status": exchange.status,
            "headers": [list(pair) for pair in exchange.headers],
            "failure": exchange.failure,
            "body": body,
            "coding": coding,
            "price": asdict(record.price),
            "estimate": record.estimate,
            "started_at": record.started_at.isoformat(),
            "duration_ms": record.duration_ms,
        }
    )


def _decode(content: bytes) -> Record:
    read = json.loads(content)
    asked, manner = read["request"], read["manner"]
    request = Request(
        asked["method"], asked["url"], asked["json"], headers=tuple(map(tuple, asked["headers"]))
    )
    coded = read["body"]
    body = b64decode(coded) if read["coding"] == "base64" else coded.encode("utf-8")
    headers = tuple((name, value) for name, value in read["headers"])
    return Record(
        manner=Manner(**{**manner, "rung": Rung(manner["rung"])}),
        request_key=read["request_key"],
        exchange=Exchange(body, read["status"], headers, request, read["failure"]),
        price=TokenPrice(**read["price"]),
        estimate=read["estimate"],
        started_at=datetime.fromisoformat(read["started_at"]),
        duration_ms=read["duration_ms"],
    )
