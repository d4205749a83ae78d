"""What people label, and how: plans, adjudications, drafts of baselines and their parts.

Labels are a person's acts and are only ever inserted: the latest one of an annotator counts, and
one without a body takes the one before back.
"""

from sqlalchemy import Column, Float, Index, Integer, Table, Text, UniqueConstraint

from monitor.store.tables.base import (
    id_column,
    metadata,
    number_column,
    one_of,
    reference,
    text_column,
)
from monitor.store.types import CleanJson, UtcTime

label_plan = Table(
    "label_plan",
    metadata,
    id_column(),
    text_column("panel"),
    # Key of the draw whose pairs are labelled.
    Column("draw", Text, nullable=False),
    Column("annotators", CleanJson, nullable=False),
    Column("double_share", Float(53), nullable=False),
    text_column("guideline"),
    # [position in the draw, [annotators]] of every pair, drawn before anybody labels.
    Column("assignments", CleanJson, nullable=False),
    text_column("made_by", nullable=True),
    Column("made_at", UtcTime, nullable=False),
    UniqueConstraint("draw"),
    Index(None, "panel"),
)

adjudication = Table(
    "adjudication",
    metadata,
    id_column(),
    text_column("panel"),
    Column("kind", Text, nullable=False),
    # Identity of the pair, or of draft, prompt and source.
    Column("subject", Text, nullable=False),
    Column("body", CleanJson, nullable=False),
    # The labels that disagreed, as they were; both stay.
    Column("originals", CleanJson, nullable=False),
    text_column("reason"),
    text_column("adjudicator"),
    Column("saved_at", UtcTime, nullable=False),
    Index(None, "panel", "kind", "subject"),
    one_of("kind", "support", "source"),
)

baseline_draft = Table(
    "baseline_draft",
    metadata,
    id_column(),
    text_column("panel"),
    text_column("version"),
    text_column("guideline"),
    Column("state", Text, nullable=False),
    # How it was begun: annotators, share labelled twice, seed, version it starts from.
    Column("body", CleanJson, nullable=False),
    text_column("made_by", nullable=True),
    Column("made_at", UtcTime, nullable=False),
    Column("closed_at", UtcTime),
    UniqueConstraint("panel", "version"),
    one_of("state", "open", "frozen", "discarded"),
)

pool_source = Table(
    "pool_source",
    metadata,
    id_column(),
    reference("draft_id", "baseline_draft"),
    text_column("prompt"),
    # Place in an order that tells nothing of where the source comes from.
    number_column("position"),
    text_column("url"),
    text_column("page_key"),
    Column("page_hash", Text, nullable=False),
    text_column("family", nullable=True),
    text_column("title", nullable=True),
    Column("text_sha256", Text),
    # Where it comes from; not shown to annotators.
    Column("origins", CleanJson, nullable=False),
    # Who grades it, drawn before anybody labels.
    Column("annotators", CleanJson, nullable=False),
    Column("added_at", UtcTime, nullable=False),
    UniqueConstraint("draft_id", "prompt", "page_hash"),
)

source_label = Table(
    "source_label",
    metadata,
    id_column(),
    reference("draft_id", "baseline_draft"),
    text_column("prompt"),
    Column("page_hash", Text, nullable=False),
    # NULL where the label is taken back.
    Column("grade", Text),
    # Match, evidence type, dates, jurisdiction, limitation, reason, claims, relevance, roles.
    Column("body", CleanJson, nullable=False),
    text_column("annotator"),
    text_column("guideline"),
    # 1 where the form showed neither engine nor answer, and its annotator saw none before.
    Column("blind", Integer, nullable=False),
    Column("seconds", Float(53)),
    Column("saved_at", UtcTime, nullable=False),
    Index(None, "draft_id", "prompt", "page_hash", "annotator"),
)

draft_claim = Table(
    "draft_claim",
    metadata,
    id_column(),
    reference("draft_id", "baseline_draft"),
    text_column("prompt"),
    text_column("claim"),
    # Text, category, required, kinds of evidence, dates, jurisdiction, limitation, reason.
    # NULL where the claim was removed.
    Column("body", CleanJson),
    text_column("annotator"),
    Column("saved_at", UtcTime, nullable=False),
    Index(None, "draft_id", "prompt", "claim"),
)
"""Claims are written together: who saves one names the row that was seen, or is told of another."""
