from datetime import UTC, datetime

import pytest

from monitor.domain.engine import Access, EngineSettings
from monitor.domain.panel import Panel, Prompt, Risk, Schedule
from monitor.store import open_database, panels, runs, upgrade

AT = datetime(2026, 11, 1, 6, 0, tzinfo=UTC)


def build_panel(**changes):
    fields = {
        "name": "clinical",
        "version": 3,
        "repeats": 2,
        "locale": "en-GB",
        "engines": ("openai", "perplexity"),
        "prompts": (
            Prompt(
                "muscle", "Do statins cause muscle pain?", "en-GB", risk=Risk.YMYL, topic="heart"
            ),
            Prompt("dose", "Which dose is usual?", "en-GB", intent="informational"),
        ),
        "schedule": Schedule("0 6 1 * *", "Europe/London"),
        "watch": ("nhs.uk",),
    }
    return Panel(**(fields | changes))


def build_plan(panel, **changes):
    settings = EngineSettings(model="small", options={"nested": {"depth": [1, 2]}})
    fields = {
        "access": Access.API,
        "settings": settings,
        "request_key": "abc123",
        "prompts": panel.prompts,
        "repeats": panel.repeats,
    } | changes
    return [runs.PlannedEngine(engine=engine, **fields) for engine in panel.engines]


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory):
    """An upgraded database file, copied for each test: migrating takes longer than copying."""
    path = tmp_path_factory.mktemp("store") / "monitor.db"
    database = open_database(f"sqlite:///{path}")
    upgrade(database)
    database.close()
    return path


@pytest.fixture
def sqlite_url(empty_store, tmp_path):
    """A fresh SQLite store with all tables, for this test alone."""
    path = tmp_path / "monitor.db"
    path.write_bytes(empty_store.read_bytes())
    return f"sqlite:///{path}"


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request):
    """A fresh store of either kind; a test about files of SQLite asks for `sqlite_url`."""
    kind = {"sqlite": "sqlite_url", "postgresql": "postgres_url"}[request.param]
    return request.getfixturevalue(kind)


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request, tmp_path):
    """A store of either kind without any table."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/empty.db"
        return
    server = request.getfixturevalue("postgres_server")
    url = server.new_database(upgraded=False)
    yield url
    server.drop_database(url)


@pytest.fixture
def database(store_url):
    opened = open_database(store_url)
    yield opened
    opened.close()


@pytest.fixture
def sqlite(sqlite_url):
    """An open store of SQLite, for what only a file has."""
    opened = open_database(sqlite_url)
    yield opened
    opened.close()


@pytest.fixture
def c(database, run):
    """A writing connection to a store with a planned run."""
    with database.write() as connection:
        yield connection


@pytest.fixture
def at():
    return AT


@pytest.fixture
def panel():
    return build_panel()


@pytest.fixture
def make_panel():
    return build_panel


@pytest.fixture
def make_plan():
    return build_plan


@pytest.fixture
def run(database, panel):
    """A planned run of two prompts, two engines and two repeats: eight captures."""
    with database.write() as c:
        panel_id = panels.save_panel(c, panel, saved_at=AT)
        plan = build_plan(panel)
        caps = runs.Caps(calls=10, micros=50_000)
        return runs.plan_run(c, panel_id, "2026-11-01", plan, caps=caps, config={"k": 1}, at=AT)


class FixedClock:
    """Time as the test says; nothing takes any."""

    def __init__(self, at):
        self.at = at

    def now(self):
        return self.at

    def monotonic(self):
        return 0.0
