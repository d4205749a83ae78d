"""Calls to the sandbox in process, through the engine modules."""

from types import ModuleType

import httpx

from monitor.domain.engine import EngineSettings, Exchange, Reading
from monitor.domain.panel import Prompt
from monitor.engines import anthropic, openai, perplexity
from monitor.sandbox.app import Desk, make_app
from monitor.sandbox.world import load_world

WORLD = load_world()
KEY = {
    "openai": {"authorization": "Bearer sandbox-1"},
    "perplexity": {"authorization": "Bearer sandbox-1"},
    "anthropic": {"x-api-key": "sandbox-1"},
}
BASE = {"openai": "/openai/v1", "perplexity": "/perplexity", "anthropic": "/anthropic/v1"}
MODULES: dict[str, ModuleType] = {
    "openai": openai,
    "perplexity": perplexity,
    "anthropic": anthropic,
}


def client(desk: Desk, base_url: str = "http://127.0.0.1") -> httpx.AsyncClient:
    transport = httpx.ASGITransport(make_app(desk))
    return httpx.AsyncClient(transport=transport, base_url=base_url)


async def converse(calls: httpx.AsyncClient, engine: str, prompt: Prompt) -> list[Exchange]:
    """One capture: the request, then whatever follow-ups the engine module asks for."""
    module = MODULES[engine]
    settings = EngineSettings(base_url=f"http://127.0.0.1{BASE[engine]}")
    exchanges: list[Exchange] = []
    asked = module.request(prompt, settings)
    while asked is not None:
        headers = KEY[engine] | dict(asked.headers)
        got = await calls.request(asked.method, asked.url, json=asked.json, headers=headers)
        exchanges.append(Exchange(got.content, got.status_code, tuple(got.headers.items()), asked))
        asked = module.ENGINE.follow_up(prompt, settings, exchanges)
    return exchanges


async def ask(calls: httpx.AsyncClient, engine: str, prompt: str) -> Reading:
    text = WORLD.questions[prompt].text if prompt in WORLD.questions else prompt
    exchanges = await converse(calls, engine, Prompt(id=prompt, text=text, locale="en-GB"))
    return MODULES[engine].parse(exchanges)
