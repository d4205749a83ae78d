"""What people see: surfaces, imports, proofs, canaries of the locale, eligibility.

Revision ID: 0006
Revises: 0005
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
OLD_KINDS = "kind IN ('viewport', 'full', 'panel', 'card')"
KINDS = "kind IN ('viewport', 'full', 'tile', 'panel', 'card', 'barrier', 'upload')"
PURPOSES = "purpose IN ('panel', 'canary')"
STATES = "locale_state IN ('requested', 'confirmed', 'contradicted')"


def upgrade() -> None:
    op.create_table(
        "eligibility",
        sa.Column("id", BIG, nullable=False),
        sa.Column("panel", sa.Text(), nullable=False),
        sa.Column("baseline", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("page_key", sa.Text(), nullable=False),
        sa.Column("page_hash", sa.Text(), nullable=False),
        sa.Column("body", JSON, nullable=False),
        sa.Column("checks_version", sa.Text(), nullable=False),
        sa.Column("checked_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_eligibility")),
    )
    with op.batch_alter_table("eligibility", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_eligibility_panel_page_hash"), ["panel", "page_hash"], unique=False
        )

    op.create_table(
        "surface_state",
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("day", sa.Text(), nullable=True),
        sa.Column("captures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("stopped_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("stopped_because", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("engine", name=op.f("pk_surface_state")),
    )
    op.create_table(
        "retrieval_log",
        sa.Column("id", BIG, nullable=False),
        sa.Column("panel", sa.Text(), nullable=False),
        sa.Column("prompt_version_id", BIG, nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("raw", sa.Text(), nullable=False),
        sa.Column("clean_url", sa.Text(), nullable=True),
        sa.Column("page_key", sa.Text(), nullable=True),
        sa.Column("page_hash", sa.Text(), nullable=True),
        sa.Column("family", sa.Text(), nullable=True),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.Column("file_sha256", sa.Text(), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["prompt_version_id"],
            ["prompt_version.id"],
            name=op.f("fk_retrieval_log_prompt_version_id_prompt_version"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_retrieval_log")),
        sa.UniqueConstraint(
            "panel", "file_sha256", "line", name=op.f("uq_retrieval_log_panel_file_sha256_line")
        ),
    )
    with op.batch_alter_table("retrieval_log", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_retrieval_log_panel_engine_asked_at"),
            ["panel", "engine", "asked_at"],
            unique=False,
        )
        batch_op.create_index(
            batch_op.f("ix_retrieval_log_prompt_version_id"), ["prompt_version_id"], unique=False
        )

    op.create_table(
        "imported",
        sa.Column("capture_id", BIG, nullable=False),
        sa.Column("file_name", sa.Text(), nullable=False),
        sa.Column("file_sha256", sa.Text(), nullable=False),
        sa.Column("file_bytes", BIG, nullable=False),
        sa.Column("member", sa.Text(), nullable=True),
        sa.Column("kept_sha256", sa.Text(), nullable=False),
        sa.Column("form", sa.Text(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("declared_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("inside_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("file_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("importer", sa.Text(), nullable=False),
        sa.Column("completeness", JSON, nullable=False),
        sa.Column("dropped", JSON, nullable=False),
        sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["capture_id"], ["capture.id"], name=op.f("fk_imported_capture_id_capture")
        ),
        sa.PrimaryKeyConstraint("capture_id", name=op.f("pk_imported")),
    )
    with op.batch_alter_table("imported", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_imported_file_sha256"), ["file_sha256"], unique=False)

    op.create_table(
        "proof",
        sa.Column("capture_id", BIG, nullable=False),
        sa.Column("manifest_sha256", sa.Text(), nullable=False),
        sa.Column("signature_sha256", sa.Text(), nullable=True),
        sa.Column("key_id", sa.Text(), nullable=True),
        sa.Column("token_sha256", sa.Text(), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["capture_id"], ["capture.id"], name=op.f("fk_proof_capture_id_capture")
        ),
        sa.PrimaryKeyConstraint("capture_id", name=op.f("pk_proof")),
    )
    op.create_table(
        "snapshot",
        sa.Column("id", BIG, nullable=False),
        sa.Column("capture_id", BIG, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("taken_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "kind IN ('dom', 'text', 'mhtml', 'source')", name=op.f("ck_snapshot_kind")
        ),
        sa.ForeignKeyConstraint(
            ["capture_id"], ["capture.id"], name=op.f("fk_snapshot_capture_id_capture")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_snapshot")),
        sa.UniqueConstraint(
            "capture_id", "kind", "sha256", name=op.f("uq_snapshot_capture_id_kind_sha256")
        ),
    )
    with op.batch_alter_table("capture", schema=None) as batch_op:
        batch_op.add_column(sa.Column("purpose", sa.Text(), server_default="panel", nullable=False))
        batch_op.add_column(sa.Column("locale_state", sa.Text(), nullable=True))
        batch_op.create_check_constraint(batch_op.f("ck_capture_purpose"), PURPOSES)
        batch_op.create_check_constraint(batch_op.f("ck_capture_locale_state"), STATES)

    with op.batch_alter_table("citation", schema=None) as batch_op:
        batch_op.add_column(sa.Column("placement", JSON, nullable=True))

    with op.batch_alter_table("reading", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("hidden_citations", sa.Integer(), server_default="0", nullable=True)
        )

    with op.batch_alter_table("screenshot", schema=None) as batch_op:
        batch_op.add_column(sa.Column("position", sa.Integer(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("name", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("masked", sa.Integer(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("altered", sa.Text(), nullable=True))
        batch_op.drop_constraint(batch_op.f("uq_screenshot_capture_id_kind_sha256"), type_="unique")
        batch_op.create_unique_constraint(
            batch_op.f("uq_screenshot_capture_id_kind_position_sha256"),
            ["capture_id", "kind", "position", "sha256"],
        )
        batch_op.drop_constraint(batch_op.f("ck_screenshot_kind"), type_="check")
        batch_op.create_check_constraint(batch_op.f("ck_screenshot_kind"), KINDS)


def downgrade() -> None:
    op.execute(f"DELETE FROM screenshot WHERE NOT ({OLD_KINDS}) OR position > 0")
    with op.batch_alter_table("screenshot", schema=None) as batch_op:
        batch_op.drop_constraint(
            batch_op.f("uq_screenshot_capture_id_kind_position_sha256"), type_="unique"
        )
        batch_op.create_unique_constraint(
            batch_op.f("uq_screenshot_capture_id_kind_sha256"), ["capture_id", "kind", "sha256"]
        )
        batch_op.drop_constraint(batch_op.f("ck_screenshot_kind"), type_="check")
        batch_op.create_check_constraint(batch_op.f("ck_screenshot_kind"), OLD_KINDS)
        batch_op.drop_column("altered")
        batch_op.drop_column("masked")
        batch_op.drop_column("name")
        batch_op.drop_column("position")

    with op.batch_alter_table("reading", schema=None) as batch_op:
        batch_op.drop_column("hidden_citations")

    with op.batch_alter_table("citation", schema=None) as batch_op:
        batch_op.drop_column("placement")

    with op.batch_alter_table("capture", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f("ck_capture_purpose"), type_="check")
        batch_op.drop_constraint(batch_op.f("ck_capture_locale_state"), type_="check")
        batch_op.drop_column("locale_state")
        batch_op.drop_column("purpose")

    op.drop_table("snapshot")
    op.drop_table("proof")
    with op.batch_alter_table("imported", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_imported_file_sha256"))

    op.drop_table("imported")
    with op.batch_alter_table("retrieval_log", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_retrieval_log_prompt_version_id"))
        batch_op.drop_index(batch_op.f("ix_retrieval_log_panel_engine_asked_at"))

    op.drop_table("retrieval_log")
    op.drop_table("surface_state")
    with op.batch_alter_table("eligibility", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_eligibility_panel_page_hash"))

    op.drop_table("eligibility")
