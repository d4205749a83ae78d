"""One schema history: up, down, clean against the tables, and safe for rows that refer."""

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import Column, Integer, create_mock_engine, inspect, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import IntegrityError
from sqlalchemy.schema import CreateIndex, CreateTable

from monitor.errors import StoreError
from monitor.store import (
    alerts,
    check,
    deliveries,
    downgrade,
    open_database,
    panels,
    references,
    runs,
    upgrade,
)
from monitor.store.tables import metadata
from tests.told import named


@pytest.fixture
def fresh(empty_url):
    opened = open_database(empty_url)
    yield opened
    opened.close()


def tables(database):
    with database.read() as c:
        return set(inspect(c).get_table_names())


def test_upgrade_makes_every_table_and_downgrade_takes_them_away(fresh):
    upgrade(fresh)
    assert tables(fresh) == set(metadata.tables) | {"alembic_version"}
    downgrade(fresh, "base")
    assert tables(fresh) == {"alembic_version"}
    upgrade(fresh)
    assert check(fresh) is None


def test_history_and_tables_agree(database):
    with database.read() as c:
        context = MigrationContext.configure(c, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_checks_of_the_history_are_those_of_the_tables(database):
    # Alembic compares no CHECK constraints; nineteen columns hold a closed list.
    with database.read() as c:
        stored = {
            check["name"]
            for name in metadata.tables
            for check in inspect(c).get_check_constraints(name)
        }
    assert stored == {
        "ck_run_state",
        "ck_run_stage",
        "ck_account_role",
        "ck_api_token_role",
        "ck_audit_way",
        "ck_adjudication_kind",
        "ck_baseline_draft_state",
        "ck_delivery_state",
        "ck_alert_kind",
        "ck_alert_severity",
        "ck_alert_closed",
        "ck_capture_state",
        "ck_capture_access",
        "ck_capture_purpose",
        "ck_capture_locale_state",
        "ck_snapshot_kind",
        "ck_screenshot_kind",
        "ck_citation_role",
        "ck_label_support",
        "ck_verdict_support",
    }


def test_check_says_what_to_do(fresh):
    assert check(fresh).endswith("has no tables yet: run `monitor db upgrade`")
    upgrade(fresh)
    assert check(fresh) is None
    with fresh.write() as c:
        c.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    assert "a newer monitor wrote it" in check(fresh)
    with pytest.raises(StoreError, match="a newer monitor wrote it; install that version"):
        upgrade(fresh)


def test_unknown_revision_is_an_error_of_the_user(fresh):
    with pytest.raises(StoreError, match="Can't locate revision"):
        upgrade(fresh, "no_such")
    assert tables(fresh) == set()


def test_upgrading_twice_keeps_the_rows(database, run):
    upgrade(database)
    with database.read() as c:
        assert runs.load_run(c, run.public_id) == run


def test_going_back_before_alerts_keeps_what_waits_to_be_told(database, run, at):
    message = deliveries.Message("digest:1", "digest", "channel:chat", {"test": False})
    with database.write() as c:
        alerts.open_alert(c, run.id, run.panel, named("nhs.example"), at=at)
        references.pin(c, run.panel, run.id, at=at)
        deliveries.save(c, message, at=at)
    downgrade(database, "0002")
    assert {"alert", "reference_run"}.isdisjoint(tables(database))
    upgrade(database)
    with database.read() as c:
        assert (alerts.open_alerts(c), references.list_references(c)) == ((), ())
        assert deliveries.load(c, "digest:1").message == message
        assert runs.load_run(c, run.public_id) == run


def test_batch_change_of_a_referred_table_keeps_the_rows_that_refer(database, run):
    with database.migrate() as c:
        operations = Operations(MigrationContext.configure(c))
        with operations.batch_alter_table("panel_version") as batch:
            batch.add_column(Column("extra", Integer))
            batch.drop_constraint("uq_panel_version_name_version", type_="unique")
    with database.read() as c:
        assert runs.load_run(c, run.public_id) == run


def test_foreign_keys_of_sqlite_are_on_again_after_a_schema_change(sqlite):
    with sqlite.migrate() as c:
        assert c.execute(text("PRAGMA foreign_keys")).scalar() == 0
    with sqlite.read() as c:
        assert c.execute(text("PRAGMA foreign_keys")).scalar() == 1


def test_schema_change_that_orphans_rows_is_rolled_back(database, run):
    # PostgreSQL refuses the statement itself, SQLite is asked at the end.
    refused = pytest.raises((StoreError, IntegrityError), match=r"pointing at nothing|foreign key")
    with refused, database.migrate() as c:
        c.execute(text("DELETE FROM panel_version"))
    with database.read() as c:
        assert panels.load_panel(c, "clinical").version == 3


def test_failed_upgrade_leaves_nothing_behind(fresh):
    with fresh.write() as c:
        c.execute(text("CREATE TABLE tally (id INTEGER)"))
    with pytest.raises(StoreError, match="tally"):
        upgrade(fresh)
    assert tables(fresh) == {"tally"}


def test_every_constraint_has_a_short_name():
    names = [
        constraint.name
        for table in metadata.tables.values()
        for constraint in (*table.constraints, *table.indexes)
    ]
    dialect = postgresql.dialect()
    shown = [str(CreateTable(t).compile(dialect=dialect)) for t in metadata.sorted_tables]
    assert all(names)
    assert all(len(str(name)) <= 63 for name in names if not str(name).startswith("_"))
    assert all("CONSTRAINT pk_" in ddl for ddl in shown)


def test_tables_can_be_written_for_postgresql():
    statements = []
    engine = create_mock_engine("postgresql+psycopg://", lambda sql, *_: statements.append(sql))
    metadata.create_all(engine, checkfirst=False)
    ddl = "\n".join(str(one.compile(dialect=postgresql.dialect())) for one in statements)
    assert "JSONB" in ddl
    assert "TIMESTAMP WITH TIME ZONE" in ddl
    assert sum(isinstance(one, CreateIndex) for one in statements) >= 15
