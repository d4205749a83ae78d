import os
from types import SimpleNamespace

from monitor.cli import demo
from monitor.cli.sandboxed import KEYS
from monitor.domain.score import Rate
from monitor.scoring.segments import EVERYTHING


def test_the_demo_ignores_settings_of_the_environment(monkeypatch):
    monkeypatch.setattr(os, "environ", {"MONITOR_STORE__DATABASE": "sqlite:///real.db", "X": "1"})
    demo._own_environment()
    assert os.environ == {"X": "1", **KEYS}


def test_real_keys_never_reach_the_sandbox(monkeypatch):
    monkeypatch.setattr(os, "environ", {"OPENAI_API_KEY": "sk-real"})
    demo._own_environment()
    assert os.environ["OPENAI_API_KEY"] == KEYS["OPENAI_API_KEY"]


def test_counts_of_the_demo_have_at_most_one_decimal(capsys):
    names = ("source_precision", "required_source_recall", "claim_evidence_recall",
             "citation_recall", "citation_precision")  # fmt: skip
    card = SimpleNamespace(
        segment=EVERYTHING,
        engine="openai",
        measures={name: SimpleNamespace(rate=Rate(79.5708, 147)) for name in names},
        concentration=SimpleNamespace(hhi=0.25),
    )
    bench = SimpleNamespace(read=lambda _: [card])
    demo._summary(bench, SimpleNamespace(id=1, public_id="run:trees:2026-01"))
    assert capsys.readouterr().out.count("79.6 of 147 (54 %)") == len(names)
