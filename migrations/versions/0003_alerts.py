"""Alerts, and the runs that people chose to compare with.

Revision ID: 0003
Revises: 0002
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "alert",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("panel", sa.Text(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("severity", sa.Text(), nullable=False),
        sa.Column("run_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("body", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("quiet_runs", sa.Integer(), nullable=False),
        sa.Column(
            "seen_run_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closed", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "kind IN ('engine_changed', 'family_share', 'required_lost', 'contradiction', 'measure', "
            "'concentration', 'run_quality')",
            name=op.f("ck_alert_kind"),
        ),
        sa.CheckConstraint(
            "severity IN ('critical', 'warning', 'notice')", name=op.f("ck_alert_severity")
        ),
        sa.CheckConstraint(
            "closed IN ('quiet', 'accepted', 'overtaken', 'withdrawn')",
            name=op.f("ck_alert_closed"),
        ),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_alert_run_id_run")),
        sa.ForeignKeyConstraint(["seen_run_id"], ["run.id"], name=op.f("fk_alert_seen_run_id_run")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alert")),
    )
    with op.batch_alter_table("alert", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_alert_panel_engine"), ["panel", "engine"])
        batch_op.create_index(batch_op.f("ix_alert_run_id"), ["run_id"])
        batch_op.create_index(
            "uq_alert_open",
            ["key"],
            unique=True,
            sqlite_where=sa.text("closed_at IS NULL"),
            postgresql_where=sa.text("closed_at IS NULL"),
        )

    op.create_table(
        "reference_run",
        sa.Column("panel", sa.Text(), nullable=False),
        sa.Column("run_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("pinned_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_reference_run_run_id_run")),
        sa.PrimaryKeyConstraint("panel", name=op.f("pk_reference_run")),
    )


def downgrade() -> None:
    op.drop_table("reference_run")
    with op.batch_alter_table("alert", schema=None) as batch_op:
        batch_op.drop_index("uq_alert_open")
        batch_op.drop_index(batch_op.f("ix_alert_run_id"))
        batch_op.drop_index(batch_op.f("ix_alert_panel_engine"))

    op.drop_table("alert")
