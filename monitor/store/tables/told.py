"""What is told about changes: alerts, and the runs that people chose to compare with."""

from sqlalchemy import Column, ForeignKey, Index, Integer, Table, Text, text

from monitor.store.tables.base import id_column, metadata, one_of, reference, text_column
from monitor.store.types import CleanJson, CleanText, Id, UtcTime

alert = Table(
    "alert",
    metadata,
    id_column(),
    # What makes it the same alert in a later run; only one of a key is open at a time.
    Column("key", Text, nullable=False),
    text_column("panel"),
    Column("engine", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("severity", Text, nullable=False),
    reference("run_id", "run", index=True),
    Column("body", CleanJson, nullable=False),
    Column("opened_at", UtcTime, nullable=False),
    Column("quiet_runs", Integer, nullable=False),
    # The last run that it was held against: a run counts once, however often it is worked on.
    Column("seen_run_id", Id, ForeignKey("run.id"), nullable=False),
    Column("closed_at", UtcTime),
    Column("closed", Text),
    Index(
        "uq_alert_open",
        "key",
        unique=True,
        sqlite_where=text("closed_at IS NULL"),
        postgresql_where=text("closed_at IS NULL"),
    ),
    Index(None, "panel", "engine"),
    one_of(
        "kind",
        "engine_changed",
        "family_share",
        "required_lost",
        "contradiction",
        "measure",
        "concentration",
        "run_quality",
    ),
    one_of("severity", "critical", "warning", "notice"),
    one_of("closed", "quiet", "accepted", "overtaken", "withdrawn"),
)

reference_run = Table(
    "reference_run",
    metadata,
    # The run of a panel that others are compared with when asked for `reference`.
    Column("panel", CleanText, primary_key=True),
    reference("run_id", "run"),
    Column("pinned_at", UtcTime, nullable=False),
)
