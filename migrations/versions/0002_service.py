"""Schedules, workers and their jobs, limits of engines, money of months, messages to the outside.

Revision ID: 0002
Revises: 0001
"""

from datetime import UTC

import sqlalchemy as sa
from alembic import op
from sqlalchemy import Text  # noqa: F401 - autogenerate writes JSONB(astext_type=Text())
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "delivery",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("body", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "state IN ('waiting', 'sent', 'given_up')", name=op.f("ck_delivery_state")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_delivery")),
        sa.UniqueConstraint("key", name=op.f("uq_delivery_key")),
    )
    with op.batch_alter_table("delivery", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_delivery_state_due_at"), ["state", "due_at"], unique=False
        )

    op.create_table(
        "engine_limit",
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column(
            "next_turn", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "paused_from", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "paused_until", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.PrimaryKeyConstraint("engine", name=op.f("pk_engine_limit")),
    )
    op.create_table(
        "month_spend",
        sa.Column("month", sa.Text(), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("micros", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.PrimaryKeyConstraint("month", name=op.f("pk_month_spend")),
    )
    op.create_table(
        "removed_artifact",
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("removed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("gone", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_removed_artifact")),
    )
    op.create_table(
        "run_engine",
        sa.Column("run_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("body", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_run_engine_run_id_run")),
        sa.PrimaryKeyConstraint("run_id", "engine", name=op.f("pk_run_engine")),
    )
    op.create_table(
        "schedule",
        sa.Column("panel", sa.Text(), nullable=False),
        sa.Column("cron", sa.Text(), nullable=True),
        sa.Column("timezone", sa.Text(), nullable=True),
        sa.Column("paused_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_slot", sa.Text(), nullable=True),
        sa.Column("last_due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_fired_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("refused", sa.Text(), nullable=True),
        sa.Column("broken", sa.Text(), nullable=True),
        sa.Column("known_since", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("panel", name=op.f("pk_schedule")),
    )
    op.create_table(
        "worker",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column(
            "queues", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False
        ),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_worker")),
        sa.UniqueConstraint("name", name=op.f("uq_worker_name")),
    )
    op.create_table(
        "job",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("run_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("queue", sa.Text(), nullable=False),
        sa.Column(
            "subject_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("starts", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("given_up", sa.Boolean(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_job_run_id_run")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job")),
        sa.UniqueConstraint(
            "run_id", "queue", "subject_id", name=op.f("uq_job_run_id_queue_subject_id")
        ),
    )
    with op.batch_alter_table("spend", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_spend_reserved_at"), ["reserved_at"], unique=False)

    with op.batch_alter_table("run", schema=None) as batch_op:
        batch_op.add_column(sa.Column("stage", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("held", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("judge", sa.Text(), nullable=True))
        batch_op.create_check_constraint(
            batch_op.f("ck_run_stage"), "stage IN ('captures', 'pages', 'judge', 'finish')"
        )
    _sum_up_months()


def _sum_up_months() -> None:
    """Count what earlier versions spent towards the month it was reserved in."""
    spend = sa.table(
        "spend",
        sa.column("reserved_at", sa.DateTime(timezone=True)),
        sa.column("reserved_micros", sa.BigInteger()),
        sa.column("settled_micros", sa.BigInteger()),
    )
    months: dict[str, list[int]] = {}
    price = sa.func.coalesce(spend.c.settled_micros, spend.c.reserved_micros)
    for row in op.get_bind().execute(sa.select(spend.c.reserved_at, price.label("micros"))):
        at = row.reserved_at.astimezone(UTC) if row.reserved_at.tzinfo else row.reserved_at
        found = months.setdefault(f"{at:%Y-%m}", [0, 0])
        found[0] += 1
        found[1] += row.micros
    month_spend = sa.table(
        "month_spend", sa.column("month"), sa.column("calls"), sa.column("micros")
    )
    op.bulk_insert(
        month_spend,
        [{"month": month, "calls": n, "micros": micros} for month, (n, micros) in months.items()],
    )


def downgrade() -> None:
    with op.batch_alter_table("spend", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_spend_reserved_at"))

    with op.batch_alter_table("run", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f("ck_run_stage"), type_="check")
        batch_op.drop_column("judge")
        batch_op.drop_column("held")
        batch_op.drop_column("stage")

    op.drop_table("job")
    op.drop_table("worker")
    op.drop_table("schedule")
    op.drop_table("run_engine")
    op.drop_table("removed_artifact")
    op.drop_table("month_spend")
    op.drop_table("engine_limit")
    with op.batch_alter_table("delivery", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_delivery_state_due_at"))

    op.drop_table("delivery")
