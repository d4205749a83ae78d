"""What people saw and handed in: snapshots, imports, proofs, surfaces, eligibility of sources."""

from sqlalchemy import Column, ForeignKey, Index, Integer, Table, Text, UniqueConstraint

from monitor.store.tables.base import (
    id_column,
    metadata,
    number_column,
    one_of,
    reference,
    text_column,
)
from monitor.store.types import CleanJson, Id, UtcTime

snapshot = Table(
    "snapshot",
    metadata,
    id_column(),
    reference("capture_id", "capture"),
    Column("kind", Text, nullable=False),
    text_column("name", nullable=True),
    Column("sha256", Text, nullable=False),
    Column("taken_at", UtcTime, nullable=False),
    UniqueConstraint("capture_id", "kind", "sha256"),
    one_of("kind", "dom", "text", "mhtml", "source"),
)

imported = Table(
    "imported",
    metadata,
    Column("capture_id", Id, ForeignKey("capture.id"), primary_key=True),
    # The file as it was handed in, whose bytes may hold what is private: only its hash is kept.
    text_column("file_name"),
    Column("file_sha256", Text, nullable=False),
    Column("file_bytes", Id, nullable=False),
    # Its part that was read, and what was kept of that.
    text_column("member", nullable=True),
    Column("kept_sha256", Text, nullable=False),
    Column("form", Text, nullable=False),
    number_column("turn"),
    # When it was captured: as a person says, as the file's own words say, as the file system does.
    Column("declared_at", UtcTime),
    Column("inside_at", UtcTime),
    Column("file_at", UtcTime),
    text_column("importer"),
    Column("completeness", CleanJson, nullable=False),
    Column("dropped", CleanJson, nullable=False),
    Column("saved_at", UtcTime, nullable=False),
    Index(None, "file_sha256"),
)

proof = Table(
    "proof",
    metadata,
    Column("capture_id", Id, ForeignKey("capture.id"), primary_key=True),
    Column("manifest_sha256", Text, nullable=False),
    Column("signature_sha256", Text),
    # Fingerprint of the public key.
    Column("key_id", Text),
    Column("token_sha256", Text),
    Column("made_at", UtcTime, nullable=False),
)

surface_state = Table(
    "surface_state",
    metadata,
    Column("engine", Text, primary_key=True),
    Column("day", Text),
    Column("captures", Integer, nullable=False, server_default="0"),
    Column("last_at", UtcTime),
    Column("stopped_at", UtcTime),
    text_column("stopped_because", nullable=True),
)

eligibility = Table(
    "eligibility",
    metadata,
    id_column(),
    text_column("panel"),
    text_column("baseline"),
    text_column("url"),
    text_column("page_key"),
    Column("page_hash", Text, nullable=False),
    Column("body", CleanJson, nullable=False),
    Column("checks_version", Text, nullable=False),
    Column("checked_at", UtcTime, nullable=False),
    Index(None, "panel", "page_hash"),
)

retrieval_log = Table(
    "retrieval_log",
    metadata,
    id_column(),
    text_column("panel"),
    reference("prompt_version_id", "prompt_version", index=True),
    Column("engine", Text, nullable=False),
    Column("asked_at", UtcTime, nullable=False),
    text_column("raw"),
    text_column("clean_url", nullable=True),
    text_column("page_key", nullable=True),
    Column("page_hash", Text),
    text_column("family", nullable=True),
    number_column("rank", nullable=True),
    Column("file_sha256", Text, nullable=False),
    Column("line", Integer, nullable=False),
    UniqueConstraint("panel", "file_sha256", "line"),
    Index(None, "panel", "engine", "asked_at"),
)
