"""How far a run is, as a stream of events for the page that is open on it."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import StreamingResponse
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from monitor.domain.access import Role, Visitor, Way
from monitor.errors import MonitorError
from monitor.pipeline.examining import together
from monitor.pipeline.run_status import counts_of
from monitor.store import Connection, runs
from monitor.web.access.peers import address_of, part_of
from monitor.web.access.visiting import VisitorOf, needs
from monitor.web.desk import Desk
from monitor.web.pages.finding import DeskOf, RunOf

ROUTER = APIRouter()


class Streams:
    """How many streams are open, and how long and how often each tells something."""

    def __init__(
        self, *, most: int = 16, each: int = 2, seconds: float = 600.0, period: float = 2.0
    ) -> None:
        self.most, self.each, self.seconds, self.period = most, each, seconds, period
        self._of: Counter[str] = Counter()

    @property
    def open(self) -> int:
        """How many are open now."""
        return self._of.total()

    def take(self, whose: str) -> None:
        """Open one more; HTTPException 429 where there are enough, or enough of this visitor."""
        if self._of[whose] >= self.each:
            raise HTTPException(
                429, f"{self.each} of your pages follow runs already; reload this one instead"
            )
        if self.open >= self.most:
            raise HTTPException(
                429, f"{self.most} pages follow runs already; reload this one in place of that"
            )
        self._of[whose] += 1

    def leave(self, whose: str) -> None:
        """Close one, so that another may open."""
        self._of[whose] -= 1
        self._of += Counter()


STREAMS = Streams()
"""Those of this process."""


@ROUTER.get(
    "/runs/{run}/progress",
    include_in_schema=False,
    dependencies=[Depends(needs(Role.VIEWER))],
)
async def follow(request: Request, desk: DeskOf, run: RunOf, who: VisitorOf) -> Response:
    """Numbers of a run whenever they are others, until it ends or the time is up."""
    whose = _whose(request, who)
    STREAMS.take(whose)
    return _Stream(_told(desk, run.id), whose)


def _whose(request: Request, who: Visitor) -> str:
    """Who holds a stream: an account, else an address; a name that anybody may give is neither."""
    is_passed_on = (part_of(request).proxy_user_header or "") in request.headers
    vouched = who.way in {Way.PASSWORD, Way.TOKEN} or (who.way is Way.PROXY and is_passed_on)
    return f"{who.way.value} {who.name}" if vouched else address_of(request)


class _Stream(StreamingResponse):
    """A stream that frees its place, also where its reader left before the first word."""

    def __init__(self, told: AsyncIterator[str], whose: str) -> None:
        """Keep whose it is."""
        headers = {"x-accel-buffering": "no"}
        super().__init__(told, media_type="text/event-stream", headers=headers)
        self._whose = whose

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Tell what there is to tell."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            STREAMS.leave(self._whose)


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
