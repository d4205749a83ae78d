"""What keeps runs going: schedules, workers, jobs, limits of engines, messages to the outside."""

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, Table, Text, UniqueConstraint

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

schedule = Table(
    "schedule",
    metadata,
    Column("panel", Text, primary_key=True),
    # The rule as last read from a sound file; NULL while no file schedules the panel.
    Column("cron", Text),
    Column("timezone", Text),
    Column("paused_at", UtcTime),
    # The last slot that was handed over, and when; a slot missed while nobody ran is after it.
    Column("last_slot", Text),
    Column("last_due_at", UtcTime),
    Column("last_fired_at", UtcTime),
    # Why the last due slot made no run (an overlap, no key), until one does.
    text_column("refused", nullable=True),
    # What is wrong with the panel's file, until it is repaired; the rule above goes on.
    text_column("broken", nullable=True),
    # Slots count from here on: first seen, another rule, or no longer paused.
    Column("known_since", UtcTime, nullable=False),
)

worker = Table(
    "worker",
    metadata,
    id_column(),
    Column("name", Text, nullable=False),
    Column("queues", CleanJson, nullable=False),
    Column("started_at", UtcTime, nullable=False),
    Column("seen_at", UtcTime, nullable=False),
    UniqueConstraint("name"),
)

job = Table(
    "job",
    metadata,
    id_column(),
    reference("run_id", "run"),
    Column("queue", Text, nullable=False),
    # Of a capture, a page or a run, as the queue has it; no foreign key for that reason.
    Column("subject_id", Id, nullable=False),
    number_column("starts"),
    number_column("failures"),
    text_column("error", nullable=True),
    Column("given_up", Boolean, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    UniqueConstraint("run_id", "queue", "subject_id"),
)

engine_limit = Table(
    "engine_limit",
    metadata,
    Column("engine", Text, primary_key=True),
    # Moments in microseconds of the epoch: they are added and compared inside one UPDATE.
    Column("next_turn", Id, nullable=False),
    Column("paused_from", Id, nullable=False),
    Column("paused_until", Id, nullable=False),
)

month_spend = Table(
    "month_spend",
    metadata,
    Column("month", Text, primary_key=True),
    number_column("calls"),
    micros_column("micros"),
)

delivery = Table(
    "delivery",
    metadata,
    id_column(),
    # What makes it one message however often it is sent.
    Column("key", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("target", Text, nullable=False),
    Column("body", CleanJson, nullable=False),
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("due_at", UtcTime, nullable=False),
    Column("sent_at", UtcTime),
    text_column("error", nullable=True),
    UniqueConstraint("key"),
    Index(None, "state", "due_at"),
    one_of("state", "waiting", "sent", "given_up"),
)

run_engine = Table(
    "run_engine",
    metadata,
    # What an engine came to in a run that ended, so that nobody counts its captures again.
    Column("run_id", Id, ForeignKey("run.id"), primary_key=True),
    Column("engine", Text, primary_key=True),
    Column("body", CleanJson, nullable=False),
    Column("made_at", UtcTime, nullable=False),
)

removed_artifact = Table(
    "removed_artifact",
    metadata,
    Column("sha256", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("removed_at", UtcTime, nullable=False),
    # False while the note is there and the bytes may be too.
    Column("gone", Boolean, nullable=False),
)
