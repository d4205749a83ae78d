"""Tables from panels to comparisons.

Revision ID: 0001
Revises: nothing
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy import Text  # noqa: F401 - autogenerate writes JSONB(astext_type=Text())
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "baseline_version",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("panel", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("content_key", sa.Text(), nullable=False),
        sa.Column("frozen_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("source_text", sa.Text(), nullable=False),
        sa.Column("body", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_baseline_version")),
        sa.UniqueConstraint(
            "panel",
            "version",
            "content_key",
            name=op.f("uq_baseline_version_panel_version_content_key"),
        ),
    )
    op.create_table(
        "page",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("page_key", sa.Text(), nullable=False),
        sa.Column("page_hash", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("family", sa.Text(), nullable=True),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_page")),
        sa.UniqueConstraint("page_hash", name=op.f("uq_page_page_hash")),
    )
    with op.batch_alter_table("page", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_page_family"), ["family"], unique=False)

    op.create_table(
        "panel_version",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("content_key", sa.Text(), nullable=False),
        sa.Column("body", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_panel_version")),
        sa.UniqueConstraint("name", "version", name=op.f("uq_panel_version_name_version")),
    )
    op.create_table(
        "prompt_version",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("prompt_id", sa.Text(), nullable=False),
        sa.Column("version_key", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("locale", sa.Text(), nullable=False),
        sa.Column("persona", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_prompt_version")),
        sa.UniqueConstraint(
            "prompt_id", "version_key", name=op.f("uq_prompt_version_prompt_id_version_key")
        ),
    )
    op.create_table(
        "verdict",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("claim_hash", sa.Text(), nullable=False),
        sa.Column("evidence_hash", sa.Text(), nullable=False),
        sa.Column("judge", sa.Text(), nullable=False),
        sa.Column(
            "evidence", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False
        ),
        sa.Column("support", sa.Text(), nullable=False),
        sa.Column(
            "reasons", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False
        ),
        sa.Column("score", sa.Float(precision=53), nullable=True),
        sa.Column("quote", sa.Text(), nullable=True),
        sa.Column("quote_start", sa.Integer(), nullable=True),
        sa.Column("quote_end", sa.Integer(), nullable=True),
        sa.Column("quote_evidence", sa.Text(), nullable=True),
        sa.Column("judged_by", sa.Text(), nullable=False),
        sa.Column(
            "cost_micros", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "support IN ('full', 'partial', 'unsupported', 'contradicted', 'not_assessable')",
            name=op.f("ck_verdict_support"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_verdict")),
        sa.UniqueConstraint("key", name=op.f("uq_verdict_key")),
    )
    op.create_table(
        "panel_prompt",
        sa.Column(
            "panel_version_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column(
            "prompt_version_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["panel_version_id"],
            ["panel_version.id"],
            name=op.f("fk_panel_prompt_panel_version_id_panel_version"),
        ),
        sa.ForeignKeyConstraint(
            ["prompt_version_id"],
            ["prompt_version.id"],
            name=op.f("fk_panel_prompt_prompt_version_id_prompt_version"),
        ),
        sa.PrimaryKeyConstraint("panel_version_id", "position", name=op.f("pk_panel_prompt")),
    )
    with op.batch_alter_table("panel_prompt", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_panel_prompt_prompt_version_id"), ["prompt_version_id"], unique=False
        )

    op.create_table(
        "run",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("public_id", sa.Text(), nullable=False),
        sa.Column(
            "panel_version_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("slot", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("plan", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column(
            "config", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False
        ),
        sa.Column("cap_calls", sa.Integer(), nullable=True),
        sa.Column(
            "cap_micros", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("spent_calls", sa.Integer(), nullable=False),
        sa.Column(
            "spent_micros", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "state IN ('planned', 'running', 'done', 'incomplete', 'cancelled', 'failed')",
            name=op.f("ck_run_state"),
        ),
        sa.ForeignKeyConstraint(
            ["panel_version_id"],
            ["panel_version.id"],
            name=op.f("fk_run_panel_version_id_panel_version"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run")),
        sa.UniqueConstraint("public_id", name=op.f("uq_run_public_id")),
    )
    with op.batch_alter_table("run", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_run_panel_version_id"), ["panel_version_id"], unique=False
        )

    op.create_table(
        "capture",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("run_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "prompt_version_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
        ),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("access", sa.Text(), nullable=False),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("request_key", sa.Text(), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("stored_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "reading_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.CheckConstraint(
            "access IN ('api', 'browser', 'import')", name=op.f("ck_capture_access")
        ),
        sa.CheckConstraint(
            "state IN ('planned', 'asked', 'stored')", name=op.f("ck_capture_state")
        ),
        sa.ForeignKeyConstraint(
            ["prompt_version_id"],
            ["prompt_version.id"],
            name=op.f("fk_capture_prompt_version_id_prompt_version"),
        ),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_capture_run_id_run")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_capture")),
        sa.UniqueConstraint(
            "run_id",
            "prompt_version_id",
            "engine",
            "access",
            "repeat",
            name=op.f("uq_capture_run_id_prompt_version_id_engine_access_repeat"),
        ),
    )
    with op.batch_alter_table("capture", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_capture_prompt_version_id"), ["prompt_version_id"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_capture_run_id_state_engine"),
            ["run_id", "state", "engine"],
            unique=False,
        )

    op.create_table(
        "comparison",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("panel", sa.Text(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column(
            "before_run_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "after_run_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("body", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["after_run_id"], ["run.id"], name=op.f("fk_comparison_after_run_id_run")
        ),
        sa.ForeignKeyConstraint(
            ["before_run_id"], ["run.id"], name=op.f("fk_comparison_before_run_id_run")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comparison")),
    )
    with op.batch_alter_table("comparison", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_comparison_after_run_id"), ["after_run_id"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_comparison_panel_engine"), ["panel", "engine"], unique=False
        )

    op.create_table(
        "group_set",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("run_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("pages_version", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_group_set_run_id_run")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_group_set")),
    )
    with op.batch_alter_table("group_set", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_group_set_run_id"), ["run_id"], unique=False)

    op.create_table(
        "page_fetch",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("run_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("page_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("http_status", sa.Integer(), nullable=True),
        sa.Column("final_url", sa.Text(), nullable=True),
        sa.Column("hops", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=True),
        sa.Column("charset", sa.Text(), nullable=True),
        sa.Column("fetched_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("body_sha256", sa.Text(), nullable=True),
        sa.Column("text_sha256", sa.Text(), nullable=True),
        sa.Column("has_text", sa.Boolean(), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("canonical", sa.Text(), nullable=True),
        sa.Column("canonical_key", sa.Text(), nullable=True),
        sa.Column("syndicated_from", sa.Text(), nullable=True),
        sa.Column("published", sa.Date(), nullable=True),
        sa.Column("updated", sa.Date(), nullable=True),
        sa.Column("paywalled", sa.Boolean(), nullable=False),
        sa.Column("pages_version", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["page_id"], ["page.id"], name=op.f("fk_page_fetch_page_id_page")),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_page_fetch_run_id_run")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_page_fetch")),
    )
    with op.batch_alter_table("page_fetch", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_page_fetch_page_id"), ["page_id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_page_fetch_run_id_page_id"), ["run_id", "page_id"], unique=False
        )

    op.create_table(
        "scorecard",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("run_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("segment", sa.Text(), nullable=False),
        sa.Column("signature", sa.Text(), nullable=False),
        sa.Column("body", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_scorecard_run_id_run")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_scorecard")),
    )
    with op.batch_alter_table("scorecard", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_scorecard_run_id_recipe"), ["run_id", "recipe"], unique=False
        )

    op.create_table(
        "tally_set",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("run_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column(
            "captures", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False
        ),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_tally_set_run_id_run")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tally_set")),
    )
    with op.batch_alter_table("tally_set", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_tally_set_run_id_recipe"), ["run_id", "recipe"], unique=False
        )

    op.create_table(
        "evidence_group",
        sa.Column(
            "group_set_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("page_hash", sa.Text(), nullable=False),
        sa.Column("page_key", sa.Text(), nullable=False),
        sa.Column("group_key", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("original", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["group_set_id"],
            ["group_set.id"],
            name=op.f("fk_evidence_group_group_set_id_group_set"),
        ),
        sa.PrimaryKeyConstraint("group_set_id", "page_hash", name=op.f("pk_evidence_group")),
    )
    op.create_table(
        "family_tally",
        sa.Column(
            "tally_set_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "capture_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("family", sa.Text(), nullable=False),
        sa.Column("pages", sa.Integer(), nullable=True),
        sa.Column("groups", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["capture_id"], ["capture.id"], name=op.f("fk_family_tally_capture_id_capture")
        ),
        sa.ForeignKeyConstraint(
            ["tally_set_id"], ["tally_set.id"], name=op.f("fk_family_tally_tally_set_id_tally_set")
        ),
        sa.PrimaryKeyConstraint(
            "tally_set_id", "capture_id", "family", name=op.f("pk_family_tally")
        ),
    )
    op.create_table(
        "page_copy",
        sa.Column(
            "group_set_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("page_a", sa.Text(), nullable=False),
        sa.Column("page_b", sa.Text(), nullable=False),
        sa.Column("containment", sa.Float(precision=53), nullable=False),
        sa.Column("shared", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["group_set_id"], ["group_set.id"], name=op.f("fk_page_copy_group_set_id_group_set")
        ),
        sa.PrimaryKeyConstraint("group_set_id", "position", name=op.f("pk_page_copy")),
    )
    op.create_table(
        "payload",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "capture_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("request_hash", sa.Text(), nullable=True),
        sa.Column(
            "request", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=True
        ),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column(
            "headers", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False
        ),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("duration_ms", sa.Integer(), nullable=True),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["capture_id"], ["capture.id"], name=op.f("fk_payload_capture_id_capture")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payload")),
        sa.UniqueConstraint(
            "capture_id", "seq", "attempt", name=op.f("uq_payload_capture_id_seq_attempt")
        ),
    )
    op.create_table(
        "reading",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "capture_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("parse_version", sa.Text(), nullable=False),
        sa.Column("urls_version", sa.Text(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("retrieval", sa.Text(), nullable=False),
        sa.Column("requested_model", sa.Text(), nullable=True),
        sa.Column("served_model", sa.Text(), nullable=True),
        sa.Column("locale_confirmed", sa.Text(), nullable=True),
        sa.Column("usage", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=True),
        sa.Column(
            "cost_micros", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("cost_currency", sa.Text(), nullable=True),
        sa.Column("cost_basis", sa.Text(), nullable=True),
        sa.Column(
            "warnings", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False
        ),
        sa.Column("shopping", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["capture_id"], ["capture.id"], name=op.f("fk_reading_capture_id_capture")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reading")),
    )
    with op.batch_alter_table("reading", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_reading_capture_id"), ["capture_id"], unique=False)

    op.create_table(
        "screenshot",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "capture_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("taken_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("browser", sa.Text(), nullable=False),
        sa.Column("viewport_width", sa.Integer(), nullable=False),
        sa.Column("viewport_height", sa.Integer(), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column("locale", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "kind IN ('viewport', 'full', 'panel', 'card')", name=op.f("ck_screenshot_kind")
        ),
        sa.ForeignKeyConstraint(
            ["capture_id"], ["capture.id"], name=op.f("fk_screenshot_capture_id_capture")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_screenshot")),
        sa.UniqueConstraint(
            "capture_id", "kind", "sha256", name=op.f("uq_screenshot_capture_id_kind_sha256")
        ),
    )
    op.create_table(
        "spend",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("run_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "capture_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column(
            "reserved_micros", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "settled_micros", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("reserved_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["capture_id"], ["capture.id"], name=op.f("fk_spend_capture_id_capture")
        ),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_spend_run_id_run")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_spend")),
    )
    with op.batch_alter_table("spend", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_spend_capture_id"), ["capture_id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_spend_run_id_engine"), ["run_id", "engine"], unique=False
        )

    op.create_table(
        "tally",
        sa.Column(
            "tally_set_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "capture_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("measure", sa.Text(), nullable=False),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("hits", sa.Float(precision=53), nullable=True),
        sa.Column("total", sa.Float(precision=53), nullable=True),
        sa.Column(
            "not_assessable",
            sa.JSON().with_variant(postgresql.JSONB(), "postgresql"),
            nullable=True,
        ),
        sa.Column("undefined", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["capture_id"], ["capture.id"], name=op.f("fk_tally_capture_id_capture")
        ),
        sa.ForeignKeyConstraint(
            ["tally_set_id"], ["tally_set.id"], name=op.f("fk_tally_tally_set_id_tally_set")
        ),
        sa.PrimaryKeyConstraint(
            "tally_set_id", "capture_id", "measure", "category", name=op.f("pk_tally")
        ),
    )
    op.create_table(
        "citation",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "reading_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "capture_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("raw", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("marks", sa.Integer(), nullable=False),
        sa.Column(
            "spans", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False
        ),
        sa.Column("snippet", sa.Text(), nullable=True),
        sa.Column("clean_url", sa.Text(), nullable=True),
        sa.Column("page_key", sa.Text(), nullable=True),
        sa.Column("page_hash", sa.Text(), nullable=True),
        sa.Column("family", sa.Text(), nullable=True),
        sa.Column("unit", sa.Text(), nullable=True),
        sa.Column(
            "flags", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False
        ),
        sa.Column("resolved", sa.Boolean(), nullable=False),
        sa.CheckConstraint(
            "role IN ('displayed', 'listed', 'link', 'retrieved')", name=op.f("ck_citation_role")
        ),
        sa.ForeignKeyConstraint(
            ["capture_id"], ["capture.id"], name=op.f("fk_citation_capture_id_capture")
        ),
        sa.ForeignKeyConstraint(
            ["reading_id"], ["reading.id"], name=op.f("fk_citation_reading_id_reading")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_citation")),
        sa.UniqueConstraint("reading_id", "position", name=op.f("uq_citation_reading_id_position")),
    )
    with op.batch_alter_table("citation", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_citation_capture_id"), ["capture_id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_citation_family_capture_id"), ["family", "capture_id"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_citation_page_hash_capture_id"),
            ["page_hash", "capture_id"],
            unique=False,
        )

    op.create_table(
        "claim_set",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "reading_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "capture_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("claims_version", sa.Text(), nullable=False),
        sa.Column("answer_format", sa.Text(), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["capture_id"], ["capture.id"], name=op.f("fk_claim_set_capture_id_capture")
        ),
        sa.ForeignKeyConstraint(
            ["reading_id"], ["reading.id"], name=op.f("fk_claim_set_reading_id_reading")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_claim_set")),
        sa.UniqueConstraint(
            "reading_id", "claims_version", name=op.f("uq_claim_set_reading_id_claims_version")
        ),
    )
    with op.batch_alter_table("claim_set", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_claim_set_capture_id"), ["capture_id"], unique=False)

    op.create_table(
        "retrieved_source",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "reading_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "capture_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("raw", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("clean_url", sa.Text(), nullable=True),
        sa.Column("page_key", sa.Text(), nullable=True),
        sa.Column("page_hash", sa.Text(), nullable=True),
        sa.Column("family", sa.Text(), nullable=True),
        sa.Column("unit", sa.Text(), nullable=True),
        sa.Column(
            "flags", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False
        ),
        sa.Column("resolved", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["capture_id"], ["capture.id"], name=op.f("fk_retrieved_source_capture_id_capture")
        ),
        sa.ForeignKeyConstraint(
            ["reading_id"], ["reading.id"], name=op.f("fk_retrieved_source_reading_id_reading")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_retrieved_source")),
        sa.UniqueConstraint(
            "reading_id", "position", name=op.f("uq_retrieved_source_reading_id_position")
        ),
    )
    with op.batch_alter_table("retrieved_source", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_retrieved_source_capture_id"), ["capture_id"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_retrieved_source_page_hash_capture_id"),
            ["page_hash", "capture_id"],
            unique=False,
        )

    op.create_table(
        "search_query",
        sa.Column(
            "reading_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column(
            "capture_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["capture_id"], ["capture.id"], name=op.f("fk_search_query_capture_id_capture")
        ),
        sa.ForeignKeyConstraint(
            ["reading_id"], ["reading.id"], name=op.f("fk_search_query_reading_id_reading")
        ),
        sa.PrimaryKeyConstraint("reading_id", "position", name=op.f("pk_search_query")),
    )
    with op.batch_alter_table("search_query", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_search_query_capture_id"), ["capture_id"], unique=False
        )

    op.create_table(
        "claim",
        sa.Column(
            "claim_set_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("statement", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("start_offset", sa.Integer(), nullable=False),
        sa.Column("end_offset", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["claim_set_id"], ["claim_set.id"], name=op.f("fk_claim_claim_set_id_claim_set")
        ),
        sa.PrimaryKeyConstraint("claim_set_id", "statement", "position", name=op.f("pk_claim")),
    )
    op.create_table(
        "statement",
        sa.Column(
            "claim_set_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("start_offset", sa.Integer(), nullable=False),
        sa.Column("end_offset", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column(
            "citations", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False
        ),
        sa.Column("unmapped", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["claim_set_id"], ["claim_set.id"], name=op.f("fk_statement_claim_set_id_claim_set")
        ),
        sa.PrimaryKeyConstraint("claim_set_id", "position", name=op.f("pk_statement")),
    )


def downgrade() -> None:
    op.drop_table("statement")
    op.drop_table("claim")
    with op.batch_alter_table("search_query", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_search_query_capture_id"))

    op.drop_table("search_query")
    with op.batch_alter_table("retrieved_source", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_retrieved_source_page_hash_capture_id"))
        batch_op.drop_index(batch_op.f("ix_retrieved_source_capture_id"))

    op.drop_table("retrieved_source")
    with op.batch_alter_table("claim_set", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_claim_set_capture_id"))

    op.drop_table("claim_set")
    with op.batch_alter_table("citation", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_citation_page_hash_capture_id"))
        batch_op.drop_index(batch_op.f("ix_citation_family_capture_id"))
        batch_op.drop_index(batch_op.f("ix_citation_capture_id"))

    op.drop_table("citation")
    op.drop_table("tally")
    with op.batch_alter_table("spend", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_spend_run_id_engine"))
        batch_op.drop_index(batch_op.f("ix_spend_capture_id"))

    op.drop_table("spend")
    op.drop_table("screenshot")
    with op.batch_alter_table("reading", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_reading_capture_id"))

    op.drop_table("reading")
    op.drop_table("payload")
    op.drop_table("page_copy")
    op.drop_table("family_tally")
    op.drop_table("evidence_group")
    with op.batch_alter_table("tally_set", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_tally_set_run_id_recipe"))

    op.drop_table("tally_set")
    with op.batch_alter_table("scorecard", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_scorecard_run_id_recipe"))

    op.drop_table("scorecard")
    with op.batch_alter_table("page_fetch", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_page_fetch_run_id_page_id"))
        batch_op.drop_index(batch_op.f("ix_page_fetch_page_id"))

    op.drop_table("page_fetch")
    with op.batch_alter_table("group_set", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_group_set_run_id"))

    op.drop_table("group_set")
    with op.batch_alter_table("comparison", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_comparison_panel_engine"))
        batch_op.drop_index(batch_op.f("ix_comparison_after_run_id"))

    op.drop_table("comparison")
    with op.batch_alter_table("capture", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_capture_run_id_state_engine"))
        batch_op.drop_index(batch_op.f("ix_capture_prompt_version_id"))

    op.drop_table("capture")
    with op.batch_alter_table("run", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_run_panel_version_id"))

    op.drop_table("run")
    with op.batch_alter_table("panel_prompt", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_panel_prompt_prompt_version_id"))

    op.drop_table("panel_prompt")
    op.drop_table("verdict")
    op.drop_table("prompt_version")
    op.drop_table("panel_version")
    with op.batch_alter_table("page", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_page_family"))

    op.drop_table("page")
    op.drop_table("baseline_version")
