"""How far a run is, as a stream of events for the page that is open on it."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, Depends, HTTPException
from fastapi.responses import StreamingResponse
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from monitor.domain.access import Role
from monitor.errors import MonitorError
from monitor.pipeline.examining import together
from monitor.pipeline.run_status import counts_of
from monitor.store import Connection, runs
from monitor.web.access.visiting import needs
from monitor.web.desk import Desk
from monitor.web.pages.finding import DeskOf, RunOf

ROUTER = APIRouter()


class Streams:
    """How many streams are open, and how long and how often each tells something."""

    def __init__(self, *, most: int = 16, seconds: float = 600.0, period: float = 2.0) -> None:
        self.most, self.seconds, self.period = most, seconds, period
        self.open = 0

    def take(self) -> None:
        """Open one more; HTTPException 429 where there are enough."""
        if self.open >= self.most:
            raise HTTPException(
                429, f"{self.most} pages follow runs already; reload this one in place of that"
            )
        self.open += 1

    def leave(self) -> None:
        """Close one, so that another may open."""
        self.open -= 1


STREAMS = Streams()
"""Those of this process."""


@ROUTER.get(
    "/runs/{run}/progress",
    include_in_schema=False,
    dependencies=[Depends(needs(Role.VIEWER))],
)
async def follow(desk: DeskOf, run: RunOf) -> Response:
    """Numbers of a run whenever they are others, until it ends or the time is up."""
    STREAMS.take()
    headers = {"x-accel-buffering": "no"}
    return _Stream(_told(desk, run.id), media_type="text/event-stream", headers=headers)


class _Stream(StreamingResponse):
    """A stream that frees its place, also where its reader left before the first word."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Tell what there is to tell."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            STREAMS.leave()


async def _told(desk: Desk, run_id: int) -> AsyncIterator[str]:
    """Events of one stream."""
    last: dict[str, Any] | None = None
    ends = desk.bench.clock.monotonic() + STREAMS.seconds
    try:
        yield "retry: 5000\n\n"
        while True:
            now = await asyncio.to_thread(desk.bench.read, lambda c: progress_of(c, run_id))
            if now != last:
                yield f"event: progress\ndata: {json.dumps(now)}\n\n"
            last = now
            if now["ended"]:
                yield "event: ended\ndata: {}\n\n"
                return
            if desk.bench.clock.monotonic() >= ends:
                return
            await asyncio.sleep(STREAMS.period)
    except MonitorError:
        # The store is away: the browser asks again by itself.
        return


def progress_of(connection: Connection, run_id: int) -> dict[str, Any]:
    """How far a run is, as JSON values."""
    run = runs.load_run_by_id(connection, run_id)
    coverage, _ = counts_of(connection, run)
    whole = together(coverage.values())
    return {
        "state": run.state.value,
        "stage": run.stage.value if run.stage else "",
        "held": run.held or "",
        "planned": whole.planned,
        "attempted": whole.attempted,
        "heard": whole.heard,
        "answered": whole.answered,
        "ended": run.state in runs.FINAL,
    }
