"""The demo's two months, made once for all processes of a test session, and the pages over them.

DEMO_STORE names the folder of a demo that is there already: it is copied, none is made.
"""

import fcntl
import os
import shutil
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from monitor.config.settings import load_settings
from monitor.pipeline.bench import open_bench
from monitor.web.app import make_app
from monitor.web.health import HealthWatch
from tests.crawled import named
from tests.e2e.processes import monitor
from tests.edges.importing import migrated_store
from tests.stored import bench_in
from tests.web.people import cheaply, set_up

__all__ = ["named"]

ADDRESS = "http://127.0.0.1:8750"
BEFORE, AFTER = "run:sandbox:2026-09", "run:sandbox:2026-10"


def made(folder):
    """The folder of a demo, made by whichever process comes first."""
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        place, done = folder / "demo", folder / "done"
        if not done.exists():
            told = monitor("demo", "--no-app", "--folder", place)
            assert told.returncode == 0, told.stdout + told.stderr
            done.touch()
        return place


def copied(source, folder):
    """A demo's folder as another one, its settings with it; the path of those."""
    ours = shutil.copytree(source, folder / "demo", ignore=shutil.ignore_patterns("*.lock"))
    config = ours / "config.yaml"
    text = config.read_text("utf-8")
    config.write_text(text.replace(str(source), str(ours)), "utf-8")
    return config


@contextmanager
def over(config):
    """A bench over the store that settings name, and the application over it."""
    with open_bench(load_settings(config)) as bench:
        yield bench, make_app(HealthWatch(bench, holds=0.0, patience=60))


def asking(app, **more):
    """A client of an application, in this process; what the application raises is raised here."""
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=more.pop("raising", True))
    return httpx.AsyncClient(transport=transport, base_url=ADDRESS, **more)


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory):
    """Bytes of a store that was brought up and holds nothing."""
    return migrated_store(tmp_path_factory.mktemp("empty"))


@pytest.fixture
def bench(tmp_path, monkeypatch, empty_store):
    """A bench over a store of this test alone that holds nothing; passwords cost hardly anything."""
    cheaply(monkeypatch)
    (tmp_path / "monitor.db").write_bytes(empty_store)
    with bench_in(tmp_path, monkeypatch) as opened:
        yield set_up(opened)


@pytest.fixture(scope="session")
def made_demo(tmp_path_factory, worker_id):
    """The folder of the demo that all processes share; nobody writes into it."""
    return demo_of_all(tmp_path_factory, worker_id)


def demo_of_all(tmp_path_factory, worker_id):
    """The folder of the demo that all processes of a test session share."""
    given = os.environ.get("DEMO_STORE")
    if given:
        return Path(given).absolute()
    base = tmp_path_factory.getbasetemp()
    return made((base if worker_id == "master" else base.parent) / "demo-of-all")


@pytest.fixture(scope="session")
def demo_store(made_demo, tmp_path_factory):
    """Path of the settings of this process's copy of the demo; tests leave it as it is."""
    return copied(made_demo, tmp_path_factory.mktemp("demo-store"))


@pytest.fixture
def own_store(made_demo, tmp_path):
    """Path of the settings of a copy that is this test's alone, to be written into."""
    return copied(made_demo, tmp_path)


@pytest.fixture(scope="session")
def demo_bench(demo_store):
    """A bench over the demo's store."""
    with open_bench(load_settings(demo_store)) as bench:
        yield bench


@pytest.fixture(scope="session")
def demo_app(demo_bench):
    """The application over the demo's store."""
    return make_app(HealthWatch(demo_bench, holds=0.0, patience=60))


@pytest.fixture
async def client(demo_app):
    """Asks the application over the demo's store, without a socket."""
    async with asking(demo_app) as one:
        yield one
