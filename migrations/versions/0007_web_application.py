"""Who looks and labels: accounts, tokens, audit, label plans, drafts of baselines.

Revision ID: 0007
Revises: 0006
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "account",
        sa.Column("id", BIG, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=True),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("disabled_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "role IN ('viewer', 'annotator', 'admin')", name=op.f("ck_account_role")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account")),
        sa.UniqueConstraint("name", name=op.f("uq_account_name")),
    )
    op.create_table(
        "adjudication",
        sa.Column("id", BIG, nullable=False),
        sa.Column("panel", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("body", JSON, nullable=False),
        sa.Column("originals", JSON, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("adjudicator", sa.Text(), nullable=False),
        sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("kind IN ('support', 'source')", name=op.f("ck_adjudication_kind")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_adjudication")),
    )
    with op.batch_alter_table("adjudication", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_adjudication_panel_kind_subject"),
            ["panel", "kind", "subject"],
            unique=False,
        )

    op.create_table(
        "api_token",
        sa.Column("id", BIG, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "role IN ('viewer', 'annotator', 'admin')", name=op.f("ck_api_token_role")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_token")),
        sa.UniqueConstraint("name", name=op.f("uq_api_token_name")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_api_token_token_hash")),
    )
    op.create_table(
        "audit",
        sa.Column("id", BIG, nullable=False),
        sa.Column("done_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor", sa.Text(), nullable=True),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("way", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("body", JSON, nullable=True),
        sa.CheckConstraint(
            "way IN ('machine', 'password', 'proxy', 'token', 'command')", name=op.f("ck_audit_way")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    with op.batch_alter_table("audit", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_audit_done_at"), ["done_at"], unique=False)

    op.create_table(
        "baseline_draft",
        sa.Column("id", BIG, nullable=False),
        sa.Column("panel", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("guideline", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("body", JSON, nullable=False),
        sa.Column("made_by", sa.Text(), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "state IN ('open', 'frozen', 'discarded')", name=op.f("ck_baseline_draft_state")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_baseline_draft")),
        sa.UniqueConstraint("panel", "version", name=op.f("uq_baseline_draft_panel_version")),
    )
    op.create_table(
        "label_plan",
        sa.Column("id", BIG, nullable=False),
        sa.Column("panel", sa.Text(), nullable=False),
        sa.Column("draw", sa.Text(), nullable=False),
        sa.Column("annotators", JSON, nullable=False),
        sa.Column("double_share", sa.Float(precision=53), nullable=False),
        sa.Column("guideline", sa.Text(), nullable=False),
        sa.Column("assignments", JSON, nullable=False),
        sa.Column("made_by", sa.Text(), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_label_plan")),
        sa.UniqueConstraint("draw", name=op.f("uq_label_plan_draw")),
    )
    with op.batch_alter_table("label_plan", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_label_plan_panel"), ["panel"], unique=False)

    op.create_table(
        "login_failure",
        sa.Column("id", BIG, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("failed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_login_failure")),
    )
    with op.batch_alter_table("login_failure", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_login_failure_address_failed_at"), ["address", "failed_at"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_login_failure_name_failed_at"), ["name", "failed_at"], unique=False
        )

    op.create_table(
        "draft_claim",
        sa.Column("id", BIG, nullable=False),
        sa.Column("draft_id", BIG, nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("claim", sa.Text(), nullable=False),
        sa.Column("body", JSON, nullable=True),
        sa.Column("annotator", sa.Text(), nullable=False),
        sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["draft_id"], ["baseline_draft.id"], name=op.f("fk_draft_claim_draft_id_baseline_draft")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_draft_claim")),
    )
    with op.batch_alter_table("draft_claim", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_draft_claim_draft_id_prompt_claim"),
            ["draft_id", "prompt", "claim"],
            unique=False,
        )

    op.create_table(
        "pool_source",
        sa.Column("id", BIG, nullable=False),
        sa.Column("draft_id", BIG, nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("page_key", sa.Text(), nullable=False),
        sa.Column("page_hash", sa.Text(), nullable=False),
        sa.Column("family", sa.Text(), nullable=True),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("text_sha256", sa.Text(), nullable=True),
        sa.Column("origins", JSON, nullable=False),
        sa.Column("annotators", JSON, nullable=False),
        sa.Column("added_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["draft_id"], ["baseline_draft.id"], name=op.f("fk_pool_source_draft_id_baseline_draft")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pool_source")),
        sa.UniqueConstraint(
            "draft_id", "prompt", "page_hash", name=op.f("uq_pool_source_draft_id_prompt_page_hash")
        ),
    )
    op.create_table(
        "source_label",
        sa.Column("id", BIG, nullable=False),
        sa.Column("draft_id", BIG, nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("page_hash", sa.Text(), nullable=False),
        sa.Column("grade", sa.Text(), nullable=True),
        sa.Column("body", JSON, nullable=False),
        sa.Column("annotator", sa.Text(), nullable=False),
        sa.Column("guideline", sa.Text(), nullable=False),
        sa.Column("blind", sa.Integer(), nullable=False),
        sa.Column("seconds", sa.Float(precision=53), nullable=True),
        sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["draft_id"],
            ["baseline_draft.id"],
            name=op.f("fk_source_label_draft_id_baseline_draft"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_source_label")),
    )
    with op.batch_alter_table("source_label", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_source_label_draft_id_prompt_page_hash_annotator"),
            ["draft_id", "prompt", "page_hash", "annotator"],
            unique=False,
        )

    op.create_table(
        "web_session",
        sa.Column("id", BIG, nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("account_id", BIG, nullable=True),
        sa.Column("annotator", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_web_session_account_id_account")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_web_session")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_web_session_token_hash")),
    )
    with op.batch_alter_table("web_session", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_web_session_account_id"), ["account_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_web_session_expires_at"), ["expires_at"], unique=False)

    op.create_table(
        "answer_seen",
        sa.Column("id", BIG, nullable=False),
        sa.Column("annotator", sa.Text(), nullable=False),
        sa.Column("panel", sa.Text(), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("capture_id", BIG, nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["capture_id"], ["capture.id"], name=op.f("fk_answer_seen_capture_id_capture")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_answer_seen")),
        sa.UniqueConstraint(
            "annotator", "capture_id", name=op.f("uq_answer_seen_annotator_capture_id")
        ),
    )
    with op.batch_alter_table("answer_seen", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_answer_seen_capture_id"), ["capture_id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_answer_seen_panel_prompt"), ["panel", "prompt"], unique=False
        )

    with op.batch_alter_table("label", schema=None) as batch_op:
        batch_op.add_column(sa.Column("seconds", sa.Float(precision=53), nullable=True))
        batch_op.add_column(
            sa.Column("withdrawn", sa.Integer(), server_default="0", nullable=False)
        )


def downgrade() -> None:
    # A label that took one back would count as one; the one before it counts again.
    op.execute("DELETE FROM label WHERE withdrawn = 1")
    with op.batch_alter_table("label", schema=None) as batch_op:
        batch_op.drop_column("withdrawn")
        batch_op.drop_column("seconds")

    with op.batch_alter_table("answer_seen", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_answer_seen_panel_prompt"))
        batch_op.drop_index(batch_op.f("ix_answer_seen_capture_id"))

    op.drop_table("answer_seen")
    with op.batch_alter_table("web_session", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_web_session_expires_at"))
        batch_op.drop_index(batch_op.f("ix_web_session_account_id"))

    op.drop_table("web_session")
    with op.batch_alter_table("source_label", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_source_label_draft_id_prompt_page_hash_annotator"))

    op.drop_table("source_label")
    op.drop_table("pool_source")
    with op.batch_alter_table("draft_claim", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_draft_claim_draft_id_prompt_claim"))

    op.drop_table("draft_claim")
    with op.batch_alter_table("login_failure", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_login_failure_name_failed_at"))
        batch_op.drop_index(batch_op.f("ix_login_failure_address_failed_at"))

    op.drop_table("login_failure")
    with op.batch_alter_table("label_plan", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_label_plan_panel"))

    op.drop_table("label_plan")
    op.drop_table("baseline_draft")
    with op.batch_alter_table("audit", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_audit_done_at"))

    op.drop_table("audit")
    op.drop_table("api_token")
    with op.batch_alter_table("adjudication", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_adjudication_panel_kind_subject"))

    op.drop_table("adjudication")
    op.drop_table("account")
