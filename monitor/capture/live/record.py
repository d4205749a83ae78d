"""The record of one live capture while it is made; its fields are those of contract 2.

`monitor.engines.surfaces.live` says what each field means.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from monitor.capture.live.barriers import Ending
from monitor.domain.keys import canonical_json
from monitor.domain.ports import Clock
from monitor.domain.screenshot import Screenshot, ScreenshotKind, Snapshot, SnapshotKind
from monitor.engines.surfaces.live import COMPLETE, CONTRACT
from monitor.engines.surfaces.selectors import Selectors


@dataclass(slots=True)
class Record:
    """What is known of a capture so far."""

    selectors: Selectors
    prompt: str
    clock: Clock
    environment: dict[str, Any] = field(default_factory=dict)
    ending: Ending | None = None
    """How it ended; None while it goes on, and where the answer is complete."""
    complete: bool = False
    moved: bool = False
    """Whether the page is another one than before the question: what it shows is this capture's."""
    url: str | None = None
    title: str | None = None
    user_turn: str | None = None
    turn_id: str | None = None
    html: str | None = None
    text: str | None = None
    panels: list[dict[str, Any]] = field(default_factory=list)
    in_view: list[int] | None = None
    searched: list[str] | None = None
    model: str | None = None
    screenshots: list[Screenshot] = field(default_factory=list)
    snapshots: list[Snapshot] = field(default_factory=list)
    hidden_text: dict[str, int] | None = None
    moments: dict[str, datetime] = field(default_factory=dict)
    submitted: float | None = None
    """Monotonic second of the question; None before it."""
    wait_ms: int | None = None
    notes: list[str] = field(default_factory=list)
    """What went less well than it should."""

    def note(self, moment: str) -> None:
        """Remember when something happened for the first time."""
        self.moments.setdefault(moment, self.clock.now())

    def submit(self) -> None:
        """The question goes out now: from here on it is never sent again."""
        self.note("submitted_at")
        self.submitted = self.clock.monotonic()

    def finish(self) -> None:
        """The answer is complete now."""
        self.note("completed_at")
        if self.submitted is not None:
            self.wait_ms = round((self.clock.monotonic() - self.submitted) * 1000)

    @property
    def body(self) -> bytes:
        """The payload: canonical JSON."""
        return canonical_json(self._fields())

    def _fields(self) -> dict[str, Any]:
        ending = None if self.complete else self.ending
        details = ([ending.detail] if ending and ending.detail else []) + self.notes
        moments = ("opened_at", "submitted_at", "first_text_at", "completed_at")
        return {
            "contract": CONTRACT,
            "surface": self.selectors.surface,
            "selectors": self.selectors.version,
            "state": ending.outcome.value if ending else COMPLETE,
            "reason": ending.reason if ending else None,
            "detail": "; ".join(details) or None,
            "prompt": self.prompt,
            "user_turn": self.user_turn,
            "turn_id": self.turn_id,
            "url": self.url,
            "title": self.title,
            "html": self.html,
            "text": self.text,
            "panels": self.panels,
            "in_view": self.in_view,
            "searched": self.searched,
            "model": self.model,
            "screenshots": [screenshot_json(one) for one in self.screenshots],
            "snapshots": [_snapshot_json(one) for one in self.snapshots],
            "environment": self.environment,
            "times": {name: _iso(self.moments.get(name)) for name in moments}
            | {"wait_ms": self.wait_ms},
            "hidden_text": self.hidden_text,
        }


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def screenshot_json(shot: Screenshot) -> dict[str, Any]:
    """A picture as payload fields."""
    return {
        "kind": shot.kind.value,
        "sha256": shot.sha256,
        "url": shot.url,
        "taken_at": shot.taken_at.isoformat(),
        "browser": shot.browser,
        "viewport": list(shot.viewport),
        "size": list(shot.size),
        "locale": shot.locale,
        "position": shot.position,
        "name": shot.name,
        "masked": shot.masked,
        "altered": shot.altered,
    }


def screenshot_of(fields: Mapping[str, Any]) -> Screenshot:
    """The picture that payload fields tell of."""
    return Screenshot(
        kind=ScreenshotKind(fields["kind"]),
        sha256=fields["sha256"],
        url=fields["url"],
        taken_at=datetime.fromisoformat(fields["taken_at"]),
        browser=fields["browser"],
        viewport=(fields["viewport"][0], fields["viewport"][1]),
        size=(fields["size"][0], fields["size"][1]),
        locale=fields["locale"],
        position=fields.get("position", 0),
        name=fields.get("name"),
        masked=fields.get("masked", 0),
        altered=fields.get("altered"),
    )


def _snapshot_json(one: Snapshot) -> dict[str, Any]:
    return {
        "kind": one.kind.value,
        "sha256": one.sha256,
        "taken_at": one.taken_at.isoformat(),
        "name": one.name,
    }


def snapshot_of(fields: Mapping[str, Any]) -> Snapshot:
    """What payload fields say is kept beside the pictures."""
    return Snapshot(
        kind=SnapshotKind(fields["kind"]),
        sha256=fields["sha256"],
        taken_at=datetime.fromisoformat(fields["taken_at"]),
        name=fields.get("name"),
    )
