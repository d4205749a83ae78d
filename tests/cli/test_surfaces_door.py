"""`monitor surfaces` as people type it."""

import json

import pytest

from monitor.cli import main
from monitor.config.settings import load_settings
from monitor.pipeline.bench import open_bench
from monitor.store import surface_state


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text(
        f"store: {{database: 'sqlite:///{tmp_path}/m.db', artifacts: '{tmp_path}/a'}}\n"
        "engines: {sandbox_chat: {}}\n"
        "surfaces: {chatgpt_web: {session: anonymous}}\n"
    )
    return path


def said(capsys, *words):
    with pytest.raises(SystemExit) as ended:
        main([*map(str, words)])
    told = capsys.readouterr()
    return ended.value.code, told.out + told.err


def test_surfaces_are_listed_with_what_keeps_them_off(config, capsys):
    code, told = said(capsys, "surfaces", "--config", config, "--json")
    found = {one["surface"]: one for one in json.loads(told)["surfaces"]}
    assert code == 0
    assert found["sandbox_chat"]["on"] is True
    assert found["chatgpt_web"]["on"] is False
    assert found["chatgpt_web"]["terms"] in found["chatgpt_web"]["off_because"]


def test_stop_is_shown_and_lifted(config, capsys):
    with open_bench(load_settings(config)) as bench:
        at = bench.clock.now()
        bench.write(lambda c: surface_state.stop_surface(c, "sandbox_chat", "captcha", at=at))
    assert "sandbox_chat is stopped since" in said(capsys, "surfaces", "--config", config)[1]
    code, told = said(capsys, "surfaces", "resume", "sandbox_chat", "--config", config)
    assert (code, told) == (0, "sandbox_chat may be captured again\n")
    again = said(capsys, "surfaces", "resume", "sandbox_chat", "--config", config)
    assert again == (0, "sandbox_chat was not stopped\n")


def test_wrong_name_and_a_session_without_login_are_errors_of_use(config, capsys):
    code, told = said(capsys, "surfaces", "resume", "sandbox", "--config", config)
    assert (code, "no browser surface is called 'sandbox'" in told) == (2, True)
    code, told = said(capsys, "surfaces", "login", "chatgpt_web", "--config", config)
    assert (code, "session is anonymous" in told) == (2, True)
