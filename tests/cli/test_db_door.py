"""`monitor db`: what it says of a store on each kind of database, and of one that is not to be had."""

import socket
import time

import pytest
from sqlalchemy import text

from monitor.cli import main
from monitor.store import open_database, upgrade


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    """Address of a database without tables."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/monitor.db"
        return
    server = request.getfixturevalue("postgres_server")
    fresh = server.new_database(upgraded=False)
    yield fresh
    server.drop_database(fresh)


def called(monkeypatch, capsys, url, *words):
    """Exit code and output of a command on the store of that address."""
    monkeypatch.setenv("MONITOR_STORE__DATABASE", url)
    with pytest.raises(SystemExit) as stop:
        main(["db", *words])
    said = capsys.readouterr()
    return stop.value.code, said.out + said.err


@pytest.fixture
def db(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    return lambda url, *words: called(monkeypatch, capsys, url, *words)


def test_a_store_is_made_and_found_up_to_date(url, db):
    code, said = db(url, "check")
    assert (code, "has no tables yet: run `monitor db upgrade`" in said) == (2, True)
    assert db(url, "upgrade") == (0, "store is up to date\n")
    assert db(url, "check") == (0, "store is up to date\n")
    assert db(url, "upgrade") == (0, "store is up to date\n")


@pytest.mark.parametrize("command", ["check", "upgrade"])
def test_a_store_of_a_newer_version_is_left_alone(url, db, command):
    database = open_database(url)
    upgrade(database)
    with database.write() as c:
        c.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    database.close()
    code, said = db(url, command)
    assert (code, "a newer monitor wrote it; install that version" in said) == (2, True)


def test_a_user_without_rights_is_told_so(postgres_url, postgres_server, db):
    name = postgres_url.split("?")[0].rpartition("/")[2]
    postgres_server.execute("DROP ROLE IF EXISTS guest")
    postgres_server.execute("CREATE ROLE guest LOGIN")
    guest = postgres_url.replace("monitor@", "guest@")
    for command in ("check", "upgrade"):
        code, said = db(guest, command)
        assert (code, "permission denied" in said) == (2, True), said
    assert "Traceback" not in said
    assert name in said


def test_a_server_that_is_not_there_is_told_at_once(db):
    begun = time.monotonic()
    code, said = db("postgresql://someone:secret@127.0.0.1:9/store", "check")
    assert (code, "check that it is reachable" in said) == (2, True)
    assert "secret" not in said
    assert time.monotonic() - begun < 8


def test_a_server_that_never_answers_is_given_up(db):
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        port = silent.getsockname()[1]
        begun = time.monotonic()
        code, said = db(f"postgresql://u@127.0.0.1:{port}/store?connect_timeout=2", "check")
    assert (code, "check that it is reachable" in said) == (2, True)
    assert time.monotonic() - begun < 12


def test_a_folder_in_the_place_of_the_file_is_told(db, tmp_path):
    (tmp_path / "monitor.db").mkdir()
    code, said = db(f"sqlite:///{tmp_path}/monitor.db", "check")
    assert (code, "unable to open database file" in said) == (2, True)
