"""`monitor migrate-store`: what it prints, and its exit code when both sides differ."""

import json

import pytest

from monitor.cli import main
from monitor.store import open_artifacts, open_database, upgrade
from tests.store.old_stores import build_old_store


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An installation with a store."""
    monkeypatch.chdir(tmp_path)
    url = f"sqlite:///{tmp_path}/monitor.db"
    build_old_store(url, tmp_path / "artifacts")
    database = open_database(url)
    upgrade(database)
    database.close()
    store = 'store: {database: "sqlite:///monitor.db", artifacts: artifacts}\n'
    (tmp_path / "config.yaml").write_text(store, "utf-8")
    return tmp_path


TARGET = ("--to-database", "sqlite:///there/monitor.db", "--to-artifacts", "there/artifacts")


def called(capsys, *words):
    with pytest.raises(SystemExit) as stop:
        main(["migrate-store", *TARGET, *words])
    return stop.value.code, capsys.readouterr()


@pytest.mark.usefixtures("folder")
def test_a_move_prints_the_rows_of_both_sides(capsys):
    code, said = called(capsys)
    assert code == 0
    assert "6 artifacts and 3 pointers compared; the same on both sides" in said.out
    tally = next(line.split() for line in said.out.splitlines() if line.startswith("tally "))
    assert tally[:4] == ["tally", "4", "4", "yes"]
    assert "rows: 61 of 61" in said.err


def test_a_difference_is_named_and_ends_with_two(folder, capsys):
    called(capsys)
    there = open_artifacts(folder / "there" / "artifacts")
    gone = min(there.hashes())
    there.remove(gone)
    code, said = called(capsys, "--verify-only", "--json")
    assert code == 2
    assert json.loads(said.out)["differences"] == [f"artifact {gone}: missing there"]
    code, said = called(capsys, "--verify-only")
    assert (code, said.out.splitlines()[-1].endswith("; 1 difference")) == (2, True)
    assert called(capsys)[0] == 0


@pytest.mark.usefixtures("folder")
def test_a_target_that_is_not_there_yet_cannot_be_verified(capsys):
    code, said = called(capsys, "--verify-only")
    assert code == 2
    assert "nothing to compare with yet" in said.err
