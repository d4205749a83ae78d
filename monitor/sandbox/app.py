"""One ASGI app for all hosts, chosen by the Host header."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from monitor.sandbox import chat, sites, wire_anthropic, wire_openai, wire_perplexity
from monitor.sandbox.script import Answer, Ask, compose, improvise
from monitor.sandbox.wire import Failure, Turn
from monitor.sandbox.world import CHAT_HOST, SCENES, Fault, FaultKind, World, load_world

REPEATS = 3
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1", "[::1]"})
VENDORS: Mapping[str, tuple[str, ModuleType]] = {
    "/openai/v1/responses": ("openai", wire_openai),
    "/perplexity/chat/completions": ("perplexity", wire_perplexity),
    "/anthropic/v1/messages": ("anthropic", wire_anthropic),
}
_AT_THE_DOOR = frozenset({FaultKind.RATE_LIMIT, FaultKind.SERVER})
_KEEPS_REPEAT = _AT_THE_DOOR | {FaultKind.IN_BODY}
_UNKNOWN = "unknown"


@dataclass(slots=True)
class Desk:
    """What the running sandbox remembers: the scene, and who asked what how often."""

    scene: str
    latency_seconds: float = 0.0
    log: Path | None = None
    calls: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(engine, prompt) -> calls that got an answer or an error beyond the key check."""
    answers: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """(scene, engine, prompt) -> repeats used up."""
    struck: Counter[int] = field(default_factory=Counter)
    """Index of a fault -> how often it was met."""
    continuations: int = 0
    under_way: Counter[str] = field(default_factory=Counter)
    most_at_once: Counter[str] = field(default_factory=Counter)
    """Engine -> calls under way at once, at most; a caller that died is counted to the end."""
    begun: dict[str, list[float]] = field(default_factory=dict)
    """Engine -> second at which each call came in, by a clock that only goes on."""

    async def work(self, engine: str) -> None:
        """Take as long as a call takes, and remember how many there were at once."""
        self.begun.setdefault(engine, []).append(round(time.monotonic(), 4))
        self.under_way[engine] += 1
        self.most_at_once[engine] = max(self.most_at_once[engine], self.under_way[engine])
        try:
            await asyncio.sleep(self.latency_seconds)
        finally:
            self.under_way[engine] -= 1

    def fault(self, world: World, engine: str, prompt: str) -> Fault | None:
        """Planned failure that is still due for this call; it counts as met."""
        for index, fault in enumerate(world.faults):
            wanted = (fault.scene, fault.engine, fault.prompt)
            if wanted == (self.scene, engine, prompt) and self.struck[index] < fault.times:
                self.struck[index] += 1
                return fault
        return None

    def take_repeat(self, engine: str, prompt: str, *, keep: bool) -> int:
        """Number of this answer, 0 to 2; `keep` leaves the counter where it is."""
        key = (self.scene, engine, prompt)
        repeat = self.answers[key] % REPEATS
        if not keep:
            self.answers[key] += 1
        return repeat

    def write(self, engine: str, prompt: str, note: str) -> None:
        """Count a call, and append it to the log file where there is one."""
        self.calls[engine, prompt] += 1
        if self.log is not None:
            line = {"scene": self.scene, "engine": engine, "prompt": prompt, "note": note}
            with self.log.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(line) + "\n")

    def counts(self) -> dict[str, Any]:
        """Calls per engine and prompt, for tests that ask whether anything was asked twice."""
        by_engine: dict[str, dict[str, int]] = {}
        for (engine, prompt), number in sorted(self.calls.items()):
            by_engine.setdefault(engine, {})[prompt] = number
        return {
            "scene": self.scene,
            "calls": by_engine,
            "total": self.calls.total(),
            "continuations": self.continuations,
            "most_at_once": dict(self.most_at_once),
            "begun": self.begun,
        }


def make_app(desk: Desk, world: World | None = None) -> Starlette:
    """ASGI app over a desk, for two ports or in-process tests."""
    known = world or load_world()

    async def door(request: Request) -> Response:
        host = (request.url.hostname or "").lower()
        path = request.url.path
        if host in LOOPBACK:
            return await _loopback(known, desk, request)
        if host == CHAT_HOST:
            return await _chat(known, desk, request, path)
        if host not in known.hosts:
            return PlainTextResponse(f"no such host in the sandbox: {host}", status_code=421)
        if request.method not in {"GET", "HEAD"}:
            return PlainTextResponse("method not allowed", status_code=405)
        return sites.serve(known, host, path, desk.scene)

    methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]
    return Starlette(routes=[Route("/{path:path}", door, methods=methods)])


async def _loopback(world: World, desk: Desk, request: Request) -> Response:
    path, method = request.url.path, request.method
    if path in VENDORS and method == "POST":
        return await _vendor(world, desk, request)
    if path == "/_sandbox/counts" and method == "GET":
        return JSONResponse(desk.counts())
    if path == "/_sandbox/scene" and method == "POST":
        return _switch(desk, await _body(request))
    if path == "/chat":
        return RedirectResponse("/chat/")
    if path.startswith("/chat/"):
        return await _chat(world, desk, request, path.removeprefix("/chat"))
    return JSONResponse({"error": f"nothing at {method} {path}"}, status_code=404)


def _switch(desk: Desk, body: Mapping[str, Any] | None) -> Response:
    scene = (body or {}).get("scene")
    if scene not in SCENES:
        wanted = f"scene is one of {list(SCENES)}, got {scene!r}"
        return JSONResponse({"error": wanted}, status_code=400)
    desk.scene = scene
    return JSONResponse(desk.counts())


async def _chat(world: World, desk: Desk, request: Request, path: str) -> Response:
    if path == "/" and request.method == "GET":
        return chat.page()
    if path != "/ask" or request.method != "POST":
        return PlainTextResponse("not found", status_code=404)
    prompt = (await _body(request) or {}).get("prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        return JSONResponse({"error": "prompt is missing"}, status_code=400)
    await asyncio.sleep(desk.latency_seconds)
    ask, answer = _answer(world, desk, "sandbox_chat", prompt)
    desk.write("sandbox_chat", ask.prompt, f"repeat {ask.repeat}")
    return JSONResponse(chat.shown(world, answer))


async def _vendor(world: World, desk: Desk, request: Request) -> Response:
    engine, wire = VENDORS[request.url.path]
    if not wire.accepted(request.headers):
        return _failed(wire.UNAUTHORISED)
    body = await _body(request)
    prompt = wire.asked(body) if body is not None else None
    if body is None or prompt is None or not isinstance(body.get("model"), str):
        return _failed(wire.malformed("a model and a prompt are required"))
    await desk.work(engine)
    if engine == "anthropic" and (ask := wire_anthropic.continued(body)):
        return _continuation(world, desk, body, ask)
    question = world.question(prompt)
    known = question.id if question else _UNKNOWN
    fault = desk.fault(world, engine, known)
    if fault and fault.kind in _AT_THE_DOOR:
        desk.write(engine, known, fault.kind.value)
        return _failed(wire.failure(fault.kind, fault.retry_after))
    kind = fault.kind if fault else None
    ask, answer = _answer(world, desk, engine, prompt, kind)
    desk.write(engine, known, f"repeat {ask.repeat} {kind or ''}".strip())
    turn = _turn(world, body["model"], ask, answer, kind)
    if engine == "anthropic" and ask.prompt in world.voices[engine].pause:
        return JSONResponse(wire_anthropic.paused(turn))
    return JSONResponse(wire.reply(turn))


def _answer(
    world: World, desk: Desk, engine: str, prompt: str, kind: FaultKind | None = None
) -> tuple[Ask, Answer]:
    question = world.question(prompt)
    known = question.id if question else _UNKNOWN
    repeat = desk.take_repeat(engine, known, keep=kind in _KEEPS_REPEAT)
    ask = Ask(desk.scene, engine, known, repeat)
    answer = compose(world, question, ask) if question else improvise(world, prompt, ask)
    return ask, answer


def _turn(
    world: World, model: str, ask: Ask, answer: Answer, kind: FaultKind | None = None
) -> Turn:
    voice = world.voices[ask.engine]
    stray = f"{ask.scene}/{ask.prompt}/{ask.repeat}" in voice.stray_marker
    return Turn(ask, answer, model, voice.models[ask.scene], kind, stray)


def _continuation(world: World, desk: Desk, body: Mapping[str, Any], ask: Ask) -> Response:
    question = world.questions.get(ask.prompt)
    if question is None or ask.scene not in SCENES:
        return _failed(wire_anthropic.malformed("messages: unknown tool use in the last message"))
    turn = _turn(world, body["model"], ask, compose(world, question, ask))
    if body["messages"][-1]["content"] != wire_anthropic.paused_content(turn):
        return _failed(wire_anthropic.malformed("messages: the paused content was changed"))
    desk.continuations += 1
    return JSONResponse(wire_anthropic.resumed(turn))


async def _body(request: Request) -> dict[str, Any] | None:
    """JSON object of a request; None where there is none."""
    try:
        body = json.loads(await request.body())
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def _failed(failure: Failure) -> Response:
    return JSONResponse(dict(failure.body), failure.status, dict(failure.headers))
