"""What was concluded: statements, claims, verdicts, tallies, scorecards, comparisons."""

from sqlalchemy import Column, Float, ForeignKey, Index, Integer, Table, Text, UniqueConstraint

from monitor.store.tables.base import (
    id_column,
    metadata,
    micros_column,
    number_column,
    one_of,
    reference,
    text_column,
)
from monitor.store.types import CleanJson, CleanText, Id, UtcTime

claim_set = Table(
    "claim_set",
    metadata,
    id_column(),
    reference("reading_id", "reading"),
    reference("capture_id", "capture", index=True),
    Column("claims_version", Text, nullable=False),
    Column("answer_format", Text),
    Column("made_at", UtcTime, nullable=False),
    UniqueConstraint("reading_id", "claims_version"),
)

statement = Table(
    "statement",
    metadata,
    Column("claim_set_id", Id, ForeignKey("claim_set.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    text_column("text"),
    number_column("start_offset"),
    number_column("end_offset"),
    Column("kind", Text, nullable=False),
    Column("citations", CleanJson, nullable=False),
    number_column("unmapped"),
)

claim = Table(
    "claim",
    metadata,
    Column("claim_set_id", Id, ForeignKey("claim_set.id"), primary_key=True),
    Column("statement", Integer, primary_key=True),
    Column("position", Integer, primary_key=True),
    text_column("text"),
    number_column("start_offset"),
    number_column("end_offset"),
)

verdict = Table(
    "verdict",
    metadata,
    id_column(),
    # Hash of the next three: SQLite searches no index for a list of triples.
    Column("key", Text, nullable=False),
    Column("claim_hash", Text, nullable=False),
    Column("evidence_hash", Text, nullable=False),
    Column("judge", Text, nullable=False),
    Column("evidence", CleanJson, nullable=False),
    Column("support", Text, nullable=False),
    Column("reasons", CleanJson, nullable=False),
    Column("score", Float(53)),
    text_column("quote", nullable=True),
    number_column("quote_start", nullable=True),
    number_column("quote_end", nullable=True),
    Column("quote_evidence", Text),
    Column("judged_by", Text, nullable=False),
    micros_column("cost_micros"),
    Column("made_at", UtcTime, nullable=False),
    # Parts of the claim that are not borne out; NULL where there are none.
    Column("gaps", CleanJson),
    number_column("votes_agreeing", nullable=True),
    number_column("votes_total", nullable=True),
    number_column("input_tokens", nullable=True),
    number_column("output_tokens", nullable=True),
    UniqueConstraint("key"),
    one_of("support", "full", "partial", "unsupported", "contradicted", "not_assessable"),
)

label = Table(
    "label",
    metadata,
    id_column(),
    text_column("panel"),
    Column("claim_hash", Text, nullable=False),
    text_column("claim"),
    # As in `verdict`: hashes of the texts that were read together, and one hash of them all.
    Column("evidence", CleanJson, nullable=False),
    Column("evidence_hash", Text, nullable=False),
    Column("support", Text, nullable=False),
    text_column("annotator"),
    text_column("guideline"),
    text_column("note", nullable=True),
    Column("labelled_at", UtcTime),
    Column("saved_at", UtcTime, nullable=False),
    # How long the annotator looked; NULL where nobody told.
    Column("seconds", Float(53)),
    # 1 where the annotator took the label before this one back.
    Column("withdrawn", Integer, nullable=False, server_default="0"),
    Index(None, "panel", "claim_hash", "evidence_hash", "annotator"),
    one_of("support", "full", "partial", "unsupported", "contradicted", "not_assessable"),
)
"""A label is a person's act; of several by one person the latest counts, and all stay."""

label_draw = Table(
    "label_draw",
    metadata,
    id_column(),
    # Names the draw in every pair of its file.
    Column("key", Text, nullable=False),
    text_column("panel"),
    text_column("run"),
    Column("engine", Text),
    # A whole number of 64 bits at most.
    Column("seed", Text, nullable=False),
    # Hash of all pairs that might have been drawn, and how many they were.
    Column("frame", Text, nullable=False),
    number_column("frame_pairs"),
    Column("pairs", CleanJson, nullable=False),
    Column("drawn_at", UtcTime, nullable=False),
    UniqueConstraint("key"),
)
"""Pairs that were drawn at random for people to label, in the order of the draw."""

tally_set = Table(
    "tally_set",
    metadata,
    id_column(),
    reference("run_id", "run"),
    Column("recipe", Text, nullable=False),
    Column("captures", CleanJson, nullable=False),
    Column("made_at", UtcTime, nullable=False),
    # Hash of what they were counted from; NULL where that may still change under them.
    Column("inputs", Text),
    Index(None, "run_id", "recipe"),
)

tally = Table(
    "tally",
    metadata,
    Column("tally_set_id", Id, ForeignKey("tally_set.id"), primary_key=True),
    Column("capture_id", Id, ForeignKey("capture.id"), primary_key=True),
    Column("measure", Text, primary_key=True),
    # Empty for the measure over all categories: a primary key holds no NULL.
    Column("category", Text, primary_key=True),
    Column("hits", Float(53)),
    Column("total", Float(53)),
    Column("not_assessable", CleanJson),
    Column("undefined", Text),
)

family_tally = Table(
    "family_tally",
    metadata,
    Column("tally_set_id", Id, ForeignKey("tally_set.id"), primary_key=True),
    Column("capture_id", Id, ForeignKey("capture.id"), primary_key=True),
    Column("family", CleanText, primary_key=True),
    number_column("pages", nullable=True),
    number_column("groups", nullable=True),
)

scorecard = Table(
    "scorecard",
    metadata,
    id_column(),
    reference("run_id", "run"),
    Column("recipe", Text, nullable=False),
    Column("engine", Text, nullable=False),
    text_column("segment"),
    text_column("signature"),
    Column("body", CleanJson, nullable=False),
    Column("made_at", UtcTime, nullable=False),
    Index(None, "run_id", "recipe"),
)

comparison = Table(
    "comparison",
    metadata,
    id_column(),
    text_column("panel"),
    Column("engine", Text, nullable=False),
    reference("before_run_id", "run"),
    reference("after_run_id", "run", index=True),
    Column("recipe", Text, nullable=False),
    Column("body", CleanJson, nullable=False),
    Column("made_at", UtcTime, nullable=False),
    Index(None, "panel", "engine"),
)
