"""Runs the web door: one server, the outbox beside it and, where asked for, the scheduler."""

import asyncio
import contextlib
import ipaddress
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import uvicorn

from monitor.config.logs import log
from monitor.errors import ConfigError
from monitor.pipeline.bench import Bench
from monitor.pipeline.notifying import delivering
from monitor.schedule import run_scheduler
from monitor.store.accounts import any_enabled
from monitor.web.app import make_app
from monitor.web.guard import require_safe_address
from monitor.web.health import HealthWatch

_LET_GO_SECONDS = 25.0
"""Longer than the scheduler takes to let go of a run."""


@dataclass(frozen=True, slots=True)
class Door:
    """Where to listen, and what to host."""

    host: str
    port: int
    with_schedule: bool = False
    open_to_anyone: bool = False
    seconds: float | None = None
    """After which it ends by itself."""


def require_safe(bench: Bench, door: Door) -> None:
    """ConfigError for an address that others can reach; see `require_safe_address`."""
    require_safe_address(
        door.host,
        bench.settings.web,
        open_to_anyone=door.open_to_anyone,
        has_password=bench.read(lambda c: any_enabled(c, with_password=True)),
    )


def serve(bench: Bench, door: Door, say: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; `say` is told the address once the server listens."""
    require_safe(bench, door)
    with _listening(door) as place:
        asyncio.run(_serve(bench, door, place, say))


async def _serve(
    bench: Bench, door: Door, place: socket.socket, say: Callable[[str], None]
) -> None:
    stop = threading.Event()
    scheduler = _Scheduler(bench, stop) if door.with_schedule else None
    watch = HealthWatch(bench, scheduler=scheduler.is_alive if scheduler else None)
    server = _Server(_config(make_app(watch, hosts=bench.settings.web.hosts)))
    loop = asyncio.get_running_loop()

    def end() -> None:
        stop.set()
        server.should_exit = True

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, end)
    if door.seconds is not None:
        loop.call_later(door.seconds, end)
    if scheduler:
        scheduler.start()
    said = asyncio.create_task(_say(server, place, say))
    try:
        async with delivering(bench):
            await server.serve(sockets=[place])
    finally:
        stop.set()
        said.cancel()
        await asyncio.gather(said, return_exceptions=True)
        if scheduler:
            await asyncio.to_thread(scheduler.join, _LET_GO_SECONDS)


_SILENT_SECONDS = 10.0
"""How long somebody who connects may take to ask for something."""


class _Server(uvicorn.Server):
    """A server that leaves signals to the loop, since a scheduler ends with it.

    The library waits for ever for a request that was begun; so many of them would keep everybody
    else out.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._silent: dict[Any, float] = {}

    async def on_tick(self, counter: int) -> bool:
        """Do what the library does ten times a second, and close silent connections."""
        if counter % 10 == 0:
            self._close_silent()
        return await super().on_tick(counter)

    def _close_silent(self) -> None:
        now = time.monotonic()
        idle = [one for one in self.server_state.connections if _is_idle(one)]
        self._silent = {one: self._silent.get(one, now) for one in idle}
        for one, since in self._silent.items():
            if now - since > _SILENT_SECONDS:
                one.transport.close()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _is_idle(connection: Any) -> bool:
    """Whether nothing was asked on a connection that is not answered."""
    return connection.cycle is None or connection.cycle.response_complete


def _config(app: object) -> uvicorn.Config:
    return uvicorn.Config(
        app,  # type: ignore[arg-type]
        loop="asyncio",
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=5,
        limit_concurrency=200,
    )


@contextlib.contextmanager
def _listening(door: Door) -> Iterator[socket.socket]:
    """A socket that listens; ConfigError where the place is taken or not ours."""
    kind = socket.AF_INET6 if ipaddress.ip_address(door.host).version == 6 else socket.AF_INET
    with socket.socket(kind, socket.SOCK_STREAM, socket.IPPROTO_TCP) as place:
        place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            place.bind((door.host, door.port))
        except OSError as error:
            raise ConfigError(
                f"cannot listen on {door.host} port {door.port} ({error.strerror}); choose a free "
                "one with --port, and an address of this machine with --host"
            ) from error
        yield place


async def _say(server: uvicorn.Server, place: socket.socket, say: Callable[[str], None]) -> None:
    """Tell the address, once requests are answered."""
    while not server.started:  # noqa: ASYNC110 - the server has no event for it
        await asyncio.sleep(0.01)
    host, port = place.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    say(f"http://{shown}:{port}/")
    log("serve_started")


class _Scheduler(threading.Thread):
    """The scheduler in a thread of its own; when it dies, /health says so."""

    def __init__(self, bench: Bench, stop: threading.Event) -> None:
        super().__init__(name="scheduler", daemon=True)
        self._bench, self._stop_event = bench, stop

    def run(self) -> None:
        """Schedule until told to stop."""
        try:
            run_scheduler(self._bench, self._stop_event)
        except Exception as error:  # noqa: BLE001 - a thread has nobody else to tell
            log("scheduler_died", level="error", error=error)
