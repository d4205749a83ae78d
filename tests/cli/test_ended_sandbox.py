"""Settings of a demo that has ended: told before anything is asked or stored."""

import socket

import pytest

from monitor.cli import main
from monitor.config.parts import SandboxPart
from monitor.config.settings import Settings
from monitor.pipeline.reaching import ended_sandbox, require_sandbox
from tests.cli.test_run_door import CONFIG, PANEL


@pytest.fixture
def listening():
    """A port of this machine at which somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An installation whose sandbox has ended, with a key for its engine."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up-one")
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    (tmp_path / "prompt_panels").mkdir()
    (tmp_path / "prompt_panels" / "tea.yaml").write_text(PANEL, "utf-8")
    (tmp_path / "config.yaml").write_text(CONFIG, "utf-8")
    return tmp_path


def called(*words):
    with pytest.raises(SystemExit) as stop:
        main(list(words))
    return stop.value.code


def end_the_sandbox(folder):
    ended = 'sandbox: {hosts: {a.example: ["127.0.0.1", 9, 9]}, ca_file: gone.pem}\n'
    (folder / "config.yaml").write_text(CONFIG + ended, "utf-8")


def test_settings_without_a_sandbox_name_nothing_that_could_end():
    assert ended_sandbox(SandboxPart()) is None


def test_a_sandbox_that_listens_and_has_its_certificate_is_there(tmp_path, listening):
    (tmp_path / "ca.pem").write_text("made up")
    hosts = {"a.example": ("127.0.0.1", listening, listening)}
    require_sandbox(Settings(sandbox=SandboxPart(hosts=hosts, ca_file=str(tmp_path / "ca.pem"))))


def test_a_sandbox_whose_port_is_silent_has_ended(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    hosts = {"a.example": ("127.0.0.1", port, port)}
    assert ended_sandbox(SandboxPart(hosts=hosts)) == f"nothing answers at 127.0.0.1:{port}"


@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_a_run_on_an_ended_sandbox_is_refused_before_anything_is_stored(folder, capsys, more):
    end_the_sandbox(folder)
    assert called("run", "tea", *more) == 2
    said = capsys.readouterr().err
    assert (
        "has ended (its certificate gone.pem is gone); start it anew with `monitor demo --stay`"
        in said
    )
    assert not (folder / "monitor.db").exists()


def test_looking_at_sources_of_an_ended_sandbox_is_refused(folder, capsys):
    end_the_sandbox(folder)
    assert called("eligibility", "tea") == 2
    assert "has ended" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["resume", "refetch"])
def test_going_on_without_the_sandbox_is_refused_while_reading_works(folder, capsys, command):
    called("run", "tea", "--slot", "2026-01")
    end_the_sandbox(folder)
    capsys.readouterr()
    assert called(command, "run:tea:2026-01") == 2
    assert "has ended" in capsys.readouterr().err
    assert called("status") == 0
    assert capsys.readouterr().out.startswith("run:tea:2026-01  state done")


@pytest.mark.parametrize("more", [(), ("--online",)])
def test_check_tells_it_with_all_other_problems(folder, capsys, more):
    end_the_sandbox(folder)
    assert called("check", *more) == 2
    said = capsys.readouterr().out
    assert "config.yaml:4: the sandbox that these settings point at has ended" in said
    assert "prompts give counts only" in said
