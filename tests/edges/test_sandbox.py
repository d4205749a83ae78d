"""The sandbox in process and as a process: vendors' wire shapes, faults, chat page, ports."""

import asyncio
import json
import os
import re
import signal
import ssl
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from monitor.domain.engine import EngineSettings, Exchange, Outcome, Retrieval
from monitor.domain.panel import Prompt
from monitor.engines import anthropic
from monitor.sandbox.app import Desk
from monitor.sandbox.script import Ask, compose
from monitor.sandbox.world import SCENES, place
from monitor.urls import identify
from tests.sandbox_calls import BASE, KEY, MODULES, WORLD, ask, client, converse

ROOT = Path(__file__).resolve().parents[2]

# --- API stand-ins --------------------------------------------------------------------------


@pytest.mark.parametrize("engine", MODULES)
@pytest.mark.parametrize("scene", SCENES)
async def test_all_answers_parse_with_the_engine_modules(engine: str, scene: str):
    desk = Desk(scene)
    outcomes: Counter[str] = Counter()
    async with client(desk) as calls:
        for question in WORLD.questions:
            for _ in range(3):
                reading = await ask(calls, engine, question)
                outcomes[reading.outcome] += 1
                urls = [c.url for c in reading.citations]
                assert [u for u in urls if place(u) not in WORLD.by_url] == []
    assert outcomes[Outcome.ANSWERED] >= 76
    assert sum(outcomes.values()) == 78


@pytest.mark.parametrize("engine", MODULES)
async def test_parsed_answer_cites_exactly_what_was_scripted(engine: str):
    prompt = "grant-amount"
    answer = compose(WORLD, WORLD.questions[prompt], Ask("2026-09", engine, prompt, 0))
    async with client(Desk("2026-09")) as calls:
        reading = await ask(calls, engine, prompt)
    wanted = {place(c.url) for s in answer.sentences for c in s.cited}
    assert {place(c.url) for c in reading.displayed} == wanted
    assert reading.retrieval is not Retrieval.NOT_USED
    assert {place(r.url) for r in reading.retrieved} >= {place(c.url) for c in answer.searched}


async def test_openai_spans_are_code_points_of_the_rendered_link():
    readings = []
    async with client(Desk("2026-09")) as calls:
        for prompt in WORLD.questions:
            readings.append(await ask(calls, "openai", prompt))
    marks = [(r, c, s) for r in readings for c in r.displayed for s in c.spans]
    assert any("🚲" in reading.text for reading, _, _ in marks)
    assert all(c.url in r.text[s.start : s.end] for r, c, s in marks)


async def test_marker_out_of_range_is_served_once():
    async with client(Desk("2026-09")) as calls:
        payloads = [(await ask(calls, "perplexity", "cycle-paths")) for _ in range(3)]
    highest = [max(map(int, re.findall(r"\[(\d+)\]", r.text))) for r in payloads]
    assert [n > len(r.retrieved) for n, r in zip(highest, payloads, strict=True)] == [
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("engine", MODULES)
@pytest.mark.parametrize("key", ["", "Bearer ", "Bearer real-key", "sandbox-"])
async def test_wrong_key_gets_the_vendors_401(engine: str, key: str):
    desk = Desk("2026-09")
    name = next(iter(KEY[engine]))
    asked = MODULES[engine].request(
        Prompt(id="x", text="x", locale="en-GB"),
        EngineSettings(base_url=f"http://127.0.0.1{BASE[engine]}"),
    )
    async with client(desk) as calls:
        got = await calls.post(asked.url, json=asked.json, headers={name: key})
    reading = MODULES[engine].parse([Exchange(got.content, got.status_code)])
    assert (got.status_code, reading.outcome, reading.reason) == (401, Outcome.ERROR, "auth")
    assert desk.counts()["total"] == 0


@pytest.mark.parametrize("engine", MODULES)
@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"model": "m", "messages": 5}'])
async def test_malformed_request_gets_the_vendors_400(engine: str, body: bytes):
    path = {"openai": "/responses", "perplexity": "/chat/completions", "anthropic": "/messages"}
    async with client(Desk("2026-09")) as calls:
        got = await calls.post(BASE[engine] + path[engine], content=body, headers=KEY[engine])
    reading = MODULES[engine].parse([Exchange(got.content, got.status_code)])
    assert (got.status_code, reading.outcome, reading.reason) == (400, Outcome.ERROR, "request")


async def test_rate_limit_is_met_once_and_uses_no_repeat():
    desk = Desk("2026-09")
    async with client(desk) as calls:
        prompt = Prompt(id="lights", text=WORLD.questions["lights"].text, locale="en-GB")
        first = await converse(calls, "openai", prompt)
        later = [await ask(calls, "openai", "lights") for _ in range(3)]
    assert (first[0].status, first[0].header("retry-after")) == (429, "0")
    assert [reading.outcome for reading in later] == [Outcome.ANSWERED] * 3
    assert desk.answers["2026-09", "openai", "lights"] == 3


@pytest.mark.parametrize(
    ("scene", "engine", "prompt", "outcome", "reason"),
    [
        ("2026-09", "perplexity", "guarantee", Outcome.ERROR, "server"),
        ("2026-09", "openai", "battery-charging", Outcome.NO_ANSWER, "declined"),
        ("2026-10", "openai", "throttle", Outcome.ERROR, "server"),
        ("2026-10", "perplexity", "helmet", Outcome.BLOCKED, "rate_limit"),
        ("2026-10", "anthropic", "child-trailer", Outcome.ERROR, "server"),
        ("2026-09", "anthropic", "best-ebike", Outcome.TRUNCATED, None),
    ],
)
async def test_fault_is_read_as_its_outcome_and_goes_away(
    scene: str, engine: str, prompt: str, outcome: Outcome, reason: str | None
):
    async with client(Desk(scene)) as calls:
        first = await ask(calls, engine, prompt)
        second = await ask(calls, engine, prompt)
    assert (first.outcome, first.reason) == (outcome, reason)
    assert second.outcome is Outcome.ANSWERED


async def test_pause_turn_needs_the_assistant_content_unchanged():
    desk = Desk("2026-09")
    prompt = Prompt(id="insurance", text=WORLD.questions["insurance"].text, locale="en-GB")
    async with client(desk) as calls:
        exchanges = await converse(calls, "anthropic", prompt)
        body: dict[str, Any] = json.loads(json.dumps(exchanges[1].request.json))
        body["messages"][-1]["content"][0]["text"] = "changed"
        changed = await calls.post("/anthropic/v1/messages", json=body, headers=KEY["anthropic"])
    reading = anthropic.parse(exchanges)
    assert json.loads(exchanges[0].body)["stop_reason"] == "pause_turn"
    assert (len(exchanges), reading.outcome) == (2, Outcome.ANSWERED)
    assert len(reading.displayed) >= 2
    assert changed.status_code == 400
    assert (desk.calls["anthropic", "insurance"], desk.continuations) == (1, 1)


async def test_anthropic_serves_another_model_in_the_second_month():
    models = []
    for scene in SCENES:
        async with client(Desk(scene)) as calls:
            models.append((await ask(calls, "anthropic", "speed-limit")).served_model)
    assert models[0] != models[1]


async def test_unknown_prompt_is_answered_with_eight_citations():
    async with client(Desk("2026-09")) as calls:
        reading = await ask(calls, "openai", "Synthetic prompt 4711")
    assert len(reading.displayed) == 8


async def test_counts_tell_how_often_a_prompt_was_asked_and_scene_can_be_switched():
    desk = Desk("2026-09")
    async with client(desk) as calls:
        for _ in range(2):
            await ask(calls, "perplexity", "helmet")
        counted = (await calls.get("/_sandbox/counts")).json()
        switched = await calls.post("/_sandbox/scene", json={"scene": "2026-10"})
        wrong = await calls.post("/_sandbox/scene", json={"scene": "1999-01"})
    assert counted["calls"] == {"perplexity": {"helmet": 2}}
    assert switched.json()["scene"] == desk.scene == "2026-10"
    assert wrong.status_code == 400


async def test_log_has_a_line_a_call(tmp_path: Path):
    desk = Desk("2026-09", log=tmp_path / "calls.jsonl")
    async with client(desk) as calls:
        await ask(calls, "openai", "lights")
        await ask(calls, "openai", "lights")
    lines = [json.loads(line) for line in desk.log.read_text().splitlines()]
    assert [line["note"] for line in lines] == ["rate_limit", "repeat 0"]


async def test_latency_delays_every_answer():
    async with client(Desk("2026-09", latency_seconds=0.05)) as calls:
        begun = time.monotonic()
        await asyncio.gather(*(ask(calls, "openai", "helmet") for _ in range(4)))
    assert time.monotonic() - begun >= 0.05


# --- chat page ------------------------------------------------------------------------------


@pytest.mark.parametrize("base", ["http://127.0.0.1/chat/", "https://chat.sandbox.example/"])
async def test_chat_answers_with_a_hidden_pill_and_one_source_more(base: str):
    desk = Desk("2026-09")
    async with client(desk, base) as calls:
        html = (await calls.get(base)).text
        got = await calls.post(f"{base}ask", json={"prompt": WORLD.questions["best-ebike"].text})
    answer = got.json()
    marks = [mark for sentence in answer["sentences"] for mark in sentence["marks"]]
    shown = {mark["url"] for mark in marks if not mark["hidden"]}
    assert "Fictional page" in html
    assert sum(mark["hidden"] for mark in marks) == 1
    assert shown < {source["url"] for source in answer["sources"]}
    assert desk.calls["sandbox_chat", "best-ebike"] == 1


async def test_chat_refuses_an_empty_prompt():
    async with client(Desk("2026-09")) as calls:
        got = await calls.post("/chat/ask", json={"prompt": " "})
    assert got.status_code == 400


# --- as a process ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    ready = tmp_path_factory.mktemp("sandbox") / "ready.json"
    command = [sys.executable, "-m", "monitor.sandbox", "--scene", "2026-09"]
    process = subprocess.Popen(
        [*command, "--ready-file", str(ready)], cwd=ROOT, stdout=subprocess.PIPE
    )
    deadline = time.monotonic() + 30
    while not ready.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    try:
        yield json.loads(ready.read_text()) | {"process": process}
    finally:
        process.kill()
        process.communicate(timeout=10)


def test_process_serves_sites_on_both_ports(running: dict[str, Any]):
    host = "www.fairtest.example"
    trusted = ssl.create_default_context(cafile=running["cert_pem"])
    plain, sealed = running["http_port"], running["https_port"]
    with httpx.Client(verify=trusted, trust_env=False) as calls:
        one = calls.get(f"http://127.0.0.1:{plain}/advice/guarantee", headers={"host": host})
        two = calls.get(
            f"https://127.0.0.1:{sealed}/advice/guarantee",
            headers={"host": host},
            extensions={"sni_hostname": host},
        )
    assert one.status_code == two.status_code == 200
    assert one.text == two.text
    assert one.headers["x-sandbox"] == "fictional"


def test_ready_object_names_every_host_and_the_process(running: dict[str, Any]):
    assert running["pid"] == running["process"].pid
    assert {identify(f"https://{host}/").family for host in running["hosts"]} >= {
        identify(page.url).family for page in WORLD.pages.values()
    }
    assert "chat.sandbox.example" in running["hosts"]


def test_process_ends_cleanly_on_sigterm(tmp_path: Path):
    ready = tmp_path / "ready.json"
    command = [sys.executable, "-m", "monitor.sandbox", "--ready-file", str(ready)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 30
    while not ready.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    cert = Path(json.loads(ready.read_text())["cert_pem"])
    os.kill(process.pid, signal.SIGTERM)
    out, errors = process.communicate(timeout=10)
    assert process.returncode == 0
    assert json.loads(out)["pid"] == process.pid
    assert errors == b""
    assert not cert.exists()


def test_taken_port_is_told_in_one_line(running: dict[str, Any]):
    command = [sys.executable, "-m", "monitor.sandbox", "--port", str(running["http_port"])]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=30, check=False)
    assert ended.returncode == 2
    assert ended.stderr.startswith(b"sandbox: cannot start on 127.0.0.1:")
