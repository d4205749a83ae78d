"""What was asked and what came back: panels, runs, captures, payloads, money."""

from sqlalchemy import Column, ForeignKey, Index, Integer, Table, Text, UniqueConstraint

from monitor.store.tables.base import (
    id_column,
    metadata,
    micros_column,
    number_column,
    one_of,
    reference,
    text_column,
)
from monitor.store.types import CleanJson, Id, UtcTime

panel_version = Table(
    "panel_version",
    metadata,
    id_column(),
    text_column("name"),
    number_column("version"),
    Column("content_key", Text, nullable=False),
    Column("body", CleanJson, nullable=False),
    Column("saved_at", UtcTime, nullable=False),
    UniqueConstraint("name", "version"),
)

prompt_version = Table(
    "prompt_version",
    metadata,
    id_column(),
    text_column("prompt_id"),
    Column("version_key", Text, nullable=False),
    text_column("text"),
    text_column("locale"),
    text_column("persona", nullable=True),
    UniqueConstraint("prompt_id", "version_key"),
)

panel_prompt = Table(
    "panel_prompt",
    metadata,
    Column("panel_version_id", Id, ForeignKey("panel_version.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    reference("prompt_version_id", "prompt_version", index=True),
)

baseline_version = Table(
    "baseline_version",
    metadata,
    id_column(),
    text_column("panel"),
    text_column("version"),
    Column("content_key", Text, nullable=False),
    Column("frozen_at", UtcTime),
    text_column("source_text"),
    Column("body", CleanJson, nullable=False),
    Column("saved_at", UtcTime, nullable=False),
    UniqueConstraint("panel", "version", "content_key"),
)

run = Table(
    "run",
    metadata,
    id_column(),
    text_column("public_id"),
    reference("panel_version_id", "panel_version", index=True),
    text_column("slot"),
    Column("state", Text, nullable=False),
    # How far the workers are, why no new call is made, and the judge; NULL where nobody said.
    Column("stage", Text),
    text_column("held", nullable=True),
    Column("judge", Text),
    Column("plan", CleanJson, nullable=False),
    Column("config", CleanJson, nullable=False),
    number_column("cap_calls", nullable=True),
    micros_column("cap_micros", nullable=True),
    number_column("spent_calls"),
    micros_column("spent_micros"),
    # What the judge began as, who splits claims where no rules do, and its part of the money.
    Column("judge_version", Text),
    Column("splitter_version", Text),
    Column("judge_calls", Integer, nullable=False, server_default="0"),
    Column("judge_micros", Id, nullable=False, server_default="0"),
    Column("created_at", UtcTime, nullable=False),
    Column("started_at", UtcTime),
    Column("finished_at", UtcTime),
    UniqueConstraint("public_id"),
    one_of("state", "planned", "running", "done", "incomplete", "cancelled", "failed"),
    one_of("stage", "captures", "pages", "judge", "finish"),
)

capture = Table(
    "capture",
    metadata,
    id_column(),
    reference("run_id", "run"),
    reference("prompt_version_id", "prompt_version", index=True),
    Column("engine", Text, nullable=False),
    Column("access", Text, nullable=False),
    number_column("repeat"),
    Column("state", Text, nullable=False),
    Column("request_key", Text, nullable=False),
    Column("asked_at", UtcTime),
    Column("stored_at", UtcTime),
    # The reading that counts; no foreign key, for reading points here and one must come first.
    Column("reading_id", Id),
    # A canary asks what depends on the country; it is in no figure.
    Column("purpose", Text, nullable=False, server_default="panel"),
    # What canaries said of the locale that was requested; NULL where none was asked.
    Column("locale_state", Text),
    UniqueConstraint("run_id", "prompt_version_id", "engine", "access", "repeat"),
    Index(None, "run_id", "state", "engine"),
    one_of("state", "planned", "asked", "stored"),
    one_of("access", "api", "browser", "import"),
    one_of("purpose", "panel", "canary"),
    one_of("locale_state", "requested", "confirmed", "contradicted"),
)

payload = Table(
    "payload",
    metadata,
    id_column(),
    reference("capture_id", "capture"),
    number_column("seq"),
    number_column("attempt"),
    Column("request_hash", Text),
    Column("request", CleanJson),
    number_column("status", nullable=True),
    Column("headers", CleanJson, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("started_at", UtcTime),
    number_column("duration_ms", nullable=True),
    Column("failure", Text),
    UniqueConstraint("capture_id", "seq", "attempt"),
)

screenshot = Table(
    "screenshot",
    metadata,
    id_column(),
    reference("capture_id", "capture"),
    Column("kind", Text, nullable=False),
    Column("sha256", Text, nullable=False),
    text_column("url"),
    Column("taken_at", UtcTime, nullable=False),
    text_column("browser"),
    number_column("viewport_width"),
    number_column("viewport_height"),
    number_column("width"),
    number_column("height"),
    text_column("locale"),
    Column("position", Integer, nullable=False, server_default="0"),
    text_column("name", nullable=True),
    Column("masked", Integer, nullable=False, server_default="0"),
    text_column("altered", nullable=True),
    UniqueConstraint("capture_id", "kind", "position", "sha256"),
    one_of("kind", "viewport", "full", "tile", "panel", "card", "barrier", "upload"),
)

spend = Table(
    "spend",
    metadata,
    id_column(),
    # NULL: a call of the judge for no run (`monitor judge`, `monitor evaluate`).
    reference("run_id", "run", nullable=True),
    # NULL: a call of the judge, whose name then stands for the engine.
    reference("capture_id", "capture", index=True, nullable=True),
    Column("engine", Text, nullable=False),
    number_column("attempt"),
    Column("currency", Text, nullable=False),
    micros_column("reserved_micros"),
    micros_column("settled_micros", nullable=True),
    Column("reserved_at", UtcTime, nullable=False),
    Column("settled_at", UtcTime),
    Index(None, "run_id", "engine"),
    Index(None, "reserved_at"),
)
