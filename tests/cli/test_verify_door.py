"""`monitor verify`: what it says of a sound run, and of one that was touched."""

import pytest

from monitor.cli import main
from tests.stored import answer, bench_in, keep_answers, planned


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A store with one payload behind a settings file, and the file that holds the payload."""
    monkeypatch.chdir(tmp_path)
    with bench_in(tmp_path, monkeypatch) as bench:
        run = planned(bench)
        keep_answers(bench, run, answer("Oaks grow slowly.", ("slowly", "https://oak.example/")))
    store = 'store: {database: "sqlite:///monitor.db", artifacts: artifacts}\n'
    (tmp_path / "config.yaml").write_text(store, "utf-8")
    return next((tmp_path / "artifacts").glob("??/*.zst"))


def verified(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["verify"])
    return stop.value.code, capsys.readouterr().out


@pytest.mark.usefixtures("kept")
def test_a_sound_run_says_what_that_shows(capsys):
    code, said = verified(capsys)
    assert code == 0
    assert "1 artifacts, sound" in said
    assert "nothing was altered or lost since it was stored" in said


def test_a_run_with_one_byte_too_many_is_not_called_unaltered(kept, capsys):
    kept.write_bytes(kept.read_bytes() + b"x")
    code, said = verified(capsys)
    assert code == 2
    assert "NOT sound" in said
    assert f"altered: payload {kept.stem}" in said
    assert "nothing was altered" not in said


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize(
    "words", [["2026-01"], ["--manifest", "x.json"], ["--write-manifest", "x.json"]]
)
def test_a_check_of_everything_passes_over_nothing_it_was_asked(capsys, tmp_path, words):
    with pytest.raises(SystemExit) as stop:
        main(["verify", "--all", *words])
    assert stop.value.code == 2
    assert "leave out --all" in capsys.readouterr().err
    assert not (tmp_path / "x.json").exists()
