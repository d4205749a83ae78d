"""Judges that are paid, gaps in claims, and labels of people.

Revision ID: 0005
Revises: 0004
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
COUNTS = ("votes_agreeing", "votes_total", "input_tokens", "output_tokens")
SUPPORT = "support IN ('full', 'partial', 'unsupported', 'contradicted', 'not_assessable')"


def counted(name: str, kind: sa.types.TypeEngine[int]) -> sa.Column[int]:
    """A sum that starts at nothing."""
    return sa.Column(name, kind, server_default="0", nullable=False)


def upgrade() -> None:
    with op.batch_alter_table("verdict", schema=None) as batch_op:
        batch_op.add_column(sa.Column("gaps", JSON, nullable=True))
        for name in COUNTS:
            batch_op.add_column(sa.Column(name, sa.Integer(), nullable=True))
    with op.batch_alter_table("run", schema=None) as batch_op:
        batch_op.add_column(sa.Column("judge_version", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("splitter_version", sa.Text(), nullable=True))
        batch_op.add_column(counted("judge_calls", sa.Integer()))
        batch_op.add_column(counted("judge_micros", BIG))
    with op.batch_alter_table("spend", schema=None) as batch_op:
        batch_op.alter_column("run_id", existing_type=BIG, nullable=True)
        batch_op.alter_column("capture_id", existing_type=BIG, nullable=True)
    op.create_table(
        "label",
        sa.Column("id", BIG, nullable=False),
        sa.Column("panel", sa.Text(), nullable=False),
        sa.Column("claim_hash", sa.Text(), nullable=False),
        sa.Column("claim", sa.Text(), nullable=False),
        sa.Column("evidence", JSON, nullable=False),
        sa.Column("evidence_hash", sa.Text(), nullable=False),
        sa.Column("support", sa.Text(), nullable=False),
        sa.Column("annotator", sa.Text(), nullable=False),
        sa.Column("guideline", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("labelled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(SUPPORT, name=op.f("ck_label_support")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_label")),
    )
    with op.batch_alter_table("label", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_label_panel_claim_hash_evidence_hash_annotator"),
            ["panel", "claim_hash", "evidence_hash", "annotator"],
            unique=False,
        )
    op.create_table(
        "label_draw",
        sa.Column("id", BIG, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("panel", sa.Text(), nullable=False),
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=True),
        sa.Column("seed", sa.Text(), nullable=False),
        sa.Column("frame", sa.Text(), nullable=False),
        sa.Column("frame_pairs", sa.Integer(), nullable=False),
        sa.Column("pairs", JSON, nullable=False),
        sa.Column("drawn_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_label_draw")),
        sa.UniqueConstraint("key", name=op.f("uq_label_draw_key")),
    )


def downgrade() -> None:
    op.drop_table("label_draw")
    op.drop_table("label")
    op.execute("DELETE FROM spend WHERE run_id IS NULL OR capture_id IS NULL")
    with op.batch_alter_table("spend", schema=None) as batch_op:
        batch_op.alter_column("capture_id", existing_type=BIG, nullable=False)
        batch_op.alter_column("run_id", existing_type=BIG, nullable=False)
    with op.batch_alter_table("run", schema=None) as batch_op:
        for name in ("judge_micros", "judge_calls", "splitter_version", "judge_version"):
            batch_op.drop_column(name)
    with op.batch_alter_table("verdict", schema=None) as batch_op:
        for name in (*COUNTS, "gaps"):
            batch_op.drop_column(name)
