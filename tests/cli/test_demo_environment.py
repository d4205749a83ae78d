import os

from monitor.cli import demo
from monitor.cli.sandboxed import KEYS


def test_the_demo_ignores_settings_of_the_environment(monkeypatch):
    monkeypatch.setattr(os, "environ", {"MONITOR_STORE__DATABASE": "sqlite:///real.db", "X": "1"})
    demo._own_environment()
    assert os.environ == {"X": "1", **KEYS}


def test_real_keys_never_reach_the_sandbox(monkeypatch):
    monkeypatch.setattr(os, "environ", {"OPENAI_API_KEY": "sk-real"})
    demo._own_environment()
    assert os.environ["OPENAI_API_KEY"] == KEYS["OPENAI_API_KEY"]
