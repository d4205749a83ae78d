"""Runs whose judge is paid: a model on loopback that says the same of everything, and stored answers."""

import json
from contextlib import contextmanager
from dataclasses import replace

from monitor.config.judging import JudgePart, LlmPart
from monitor.config.parts import BudgetPart, EnginePart, PagesPart, RunnerPart, StorePart
from monitor.config.settings import Settings
from monitor.domain.panel import Prompt
from monitor.pipeline.bench import open_bench
from monitor.store import runs
from tests.misbehaving import Server, reply, says
from tests.stored import NO_CAPS, PANEL, answer, keep_answers, keep_page, planned

VERSION = "llm/openai/m-1@1"
PROMPTS = tuple(Prompt(f"p{n}", f"How does oak {n} grow?", "en-GB") for n in range(6))
GROVE = replace(PANEL, prompts=PROMPTS)
OAK = "https://oak.example.com/growth"
MANY = len(PROMPTS)
"""Verdicts of a run: each answer is one statement, which is its own claim, about a page."""


def _says(handler, asked):
    """Nothing is supported; a statement is taken apart into its first and its last word."""
    said = json.dumps(asked)
    if "STATEMENT" not in said:
        says(reply("unsupported", "", 0.1))(handler, asked)
        return
    claims = [
        {"claim": "An oak grows.", "words": "Oak"},
        {"claim": "It is slow.", "words": "slowly"},
    ]
    says(json.dumps({"claims": claims}))(handler, asked)


@contextmanager
def model(*moves):
    """The model, which judges unless it is told to misbehave first."""
    with Server(*moves, _says).running() as server:
        yield server


def paid_settings(server, database, artifacts, *, llm=None, budget=None, runner="local", **judge):
    """Settings of a judge that asks the model; a call costs PAID."""
    usual = {
        "model": "m-1", "base_url": server.url, "per_minute": 100_000, "concurrency": 1,
        "input_micros": 1_000_000, "output_micros": 2_000_000,
    }  # fmt: skip
    return Settings(
        store=StorePart(database=database, artifacts=str(artifacts)),
        engines={"openai": EnginePart(per_minute=100_000)},
        pages=PagesPart(fetch=False),
        runner=RunnerPart(name=runner, takeover_seconds=60),
        budget=BudgetPart(**(budget or {})),
        judge=JudgePart(**{"name": "llm", "llm": LlmPart(**usual | (llm or {})), **judge}),
    )


@contextmanager
def paid_bench(server, folder, monkeypatch, **parts):
    """A bench over the store of a folder with such settings."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up-one")
    database = f"sqlite:///{folder}/monitor.db"
    with open_bench(paid_settings(server, database, folder / "artifacts", **parts)) as bench:
        yield bench


def grove(bench, slot="2026-01", caps=NO_CAPS, tree="Oak"):
    """A run whose captures are answered and whose pages are fetched: all but the judging is done."""
    run = planned(bench, slot, GROVE, caps=caps)
    said = [f"{tree} {n} grows slowly" for n in range(MANY)]
    keep_answers(
        bench, run,
        *(answer(f"{words} [1].", ("[1]", f"{OAK}-{n}")) for n, words in enumerate(said)),
    )  # fmt: skip
    for n, words in enumerate(said):
        keep_page(bench, run, f"{OAK}-{n}", f"{words}, they say.")
    return run


def state_of(bench, run):
    return bench.read(lambda c: runs.load_run_by_id(c, run.id))
