"""What the payloads say and where it leads: readings, citations, pages, copies."""

from sqlalchemy import (
    Boolean,
    Column,
    Date,
    Float,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
)

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

reading = Table(
    "reading",
    metadata,
    id_column(),
    reference("capture_id", "capture", index=True),
    Column("parse_version", Text, nullable=False),
    Column("urls_version", Text, nullable=False),
    Column("made_at", UtcTime, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("reason", Text),
    text_column("text"),
    Column("retrieval", Text, nullable=False),
    text_column("requested_model", nullable=True),
    text_column("served_model", nullable=True),
    text_column("locale_confirmed", nullable=True),
    Column("usage", CleanJson),
    micros_column("cost_micros", nullable=True),
    Column("cost_currency", Text),
    Column("cost_basis", Text),
    Column("warnings", CleanJson, nullable=False),
    Column("shopping", Boolean, nullable=False),
    # Citations behind "+N" labels whose URLs are not there; NULL where nobody can tell.
    Column("hidden_citations", Integer, server_default="0"),
)

citation = Table(
    "citation",
    metadata,
    id_column(),
    reference("reading_id", "reading"),
    reference("capture_id", "capture", index=True),
    number_column("position"),
    text_column("raw"),
    text_column("title", nullable=True),
    Column("role", Text, nullable=False),
    number_column("marks"),
    Column("spans", CleanJson, nullable=False),
    text_column("snippet", nullable=True),
    text_column("clean_url", nullable=True),
    text_column("page_key", nullable=True),
    Column("page_hash", Text),
    text_column("family", nullable=True),
    text_column("unit", nullable=True),
    Column("flags", CleanJson, nullable=False),
    # True where a followed redirect, not the raw URL, gave the identity.
    Column("resolved", Boolean, nullable=False),
    # Where an interface showed it; NULL where none was seen.
    Column("placement", CleanJson),
    UniqueConstraint("reading_id", "position"),
    Index(None, "family", "capture_id"),
    Index(None, "page_hash", "capture_id"),
    one_of("role", "displayed", "listed", "link", "retrieved"),
)

retrieved_source = Table(
    "retrieved_source",
    metadata,
    id_column(),
    reference("reading_id", "reading"),
    reference("capture_id", "capture", index=True),
    number_column("position"),
    text_column("raw"),
    text_column("title", nullable=True),
    text_column("clean_url", nullable=True),
    text_column("page_key", nullable=True),
    Column("page_hash", Text),
    text_column("family", nullable=True),
    text_column("unit", nullable=True),
    Column("flags", CleanJson, nullable=False),
    Column("resolved", Boolean, nullable=False),
    UniqueConstraint("reading_id", "position"),
    Index(None, "page_hash", "capture_id"),
)

search_query = Table(
    "search_query",
    metadata,
    Column("reading_id", Id, ForeignKey("reading.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    reference("capture_id", "capture", index=True),
    text_column("text"),
)

page = Table(
    "page",
    metadata,
    id_column(),
    text_column("page_key"),
    # Hash of the key: PostgreSQL indexes no text over 2.7 KB, and URLs get longer.
    Column("page_hash", Text, nullable=False),
    text_column("url"),
    text_column("family", nullable=True),
    Column("seen_at", UtcTime, nullable=False),
    UniqueConstraint("page_hash"),
    Index(None, "family"),
)

page_fetch = Table(
    "page_fetch",
    metadata,
    id_column(),
    reference("run_id", "run"),
    reference("page_id", "page", index=True),
    text_column("url"),
    Column("status", Text, nullable=False),
    number_column("http_status", nullable=True),
    text_column("final_url", nullable=True),
    Column("hops", CleanJson, nullable=False),
    text_column("media_type", nullable=True),
    text_column("charset", nullable=True),
    Column("fetched_at", UtcTime),
    text_column("detail", nullable=True),
    Column("body_sha256", Text),
    Column("text_sha256", Text),
    Column("has_text", Boolean, nullable=False),
    text_column("title", nullable=True),
    text_column("canonical", nullable=True),
    text_column("canonical_key", nullable=True),
    text_column("syndicated_from", nullable=True),
    Column("published", Date),
    Column("updated", Date),
    Column("paywalled", Boolean, nullable=False),
    Column("pages_version", Text, nullable=False),
    Index(None, "run_id", "page_id"),
)

group_set = Table(
    "group_set",
    metadata,
    id_column(),
    reference("run_id", "run", index=True),
    Column("pages_version", Text, nullable=False),
)

evidence_group = Table(
    "evidence_group",
    metadata,
    Column("group_set_id", Id, ForeignKey("group_set.id"), primary_key=True),
    Column("page_hash", Text, primary_key=True),
    text_column("page_key"),
    text_column("group_key"),
    number_column("position"),
    text_column("original", nullable=True),
)

page_copy = Table(
    "page_copy",
    metadata,
    Column("group_set_id", Id, ForeignKey("group_set.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    text_column("page_a"),
    text_column("page_b"),
    Column("containment", Float(53), nullable=False),
    number_column("shared"),
)
