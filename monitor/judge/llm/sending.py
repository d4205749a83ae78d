"""The bytes of one call to a language model, within its time and a cap on their number."""

import json
import logging
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass, field

import httpx

from monitor.domain.engine import Exchange, Request
from monitor.domain.ports import Clock
from monitor.domain.secrecy import kept_headers
from monitor.judge.llm.failures import CUT, ENCODING, NETWORK, TIMEOUT, TOO_LARGE

MAX_BODY_BYTES = 2 * 1024 * 1024
"""A reply larger than this is none."""
_GRACE_SECONDS = 1.0
"""How long after its time a call is let end by itself."""
_CODINGS = frozenset({"", "identity", "gzip"})


@dataclass(frozen=True, slots=True)
class Sender:
    """Sends calls with one key; what goes wrong on the way is told by the exchange."""

    client: httpx.Client
    clock: Clock
    seconds: float
    """Total time of one call."""
    auth: Mapping[str, str] = field(repr=False)
    """The header with the key; empty without one."""

    def send(self, request: Request) -> Exchange:
        """The bytes of one call, or why there are none, within its time.

        Made in a thread that is left to itself where it takes longer: the client's own limit holds
        for each read alone, and headers that come byte by byte always keep to it.
        """
        made: Future[Exchange] = Future()

        def work() -> None:
            try:
                made.set_result(self._tried(request))
            except BaseException as error:  # noqa: BLE001 - whoever waits is told
                made.set_exception(error)

        threading.Thread(target=work, name="judge-call", daemon=True).start()
        try:
            return made.result(self.seconds + _GRACE_SECONDS)
        except FutureTimeoutError:
            return Exchange(b"", request=request, failure=TIMEOUT)

    def _tried(self, request: Request) -> Exchange:
        """The bytes of one call, or why there are none."""
        seen: list[int] = []
        try:
            return self._stream(request, seen)
        except httpx.TimeoutException:
            return Exchange(b"", request=request, failure=TIMEOUT)
        except (httpx.HTTPError, httpx.InvalidURL, OSError):
            # The text of these errors may hold what was sent.
            why = CUT if seen else NETWORK
            return Exchange(b"", seen[0] if seen else None, request=request, failure=why)

    def _stream(self, request: Request, seen: list[int]) -> Exchange:
        """Status, kept headers and the body, read up to a cap; the status is noted in `seen`."""
        headers = {"accept-encoding": "gzip, identity", "content-type": "application/json"}
        headers |= {**dict(request.headers), **self.auth}
        content = json.dumps(request.json, ensure_ascii=False).encode("utf-8", "replace")
        deadline = self.clock.monotonic() + self.seconds
        with self.client.stream(
            "POST", request.url, content=content, headers=headers, timeout=self.seconds,
            follow_redirects=False,
        ) as answer:  # fmt: skip
            seen.append(answer.status_code)
            kept = kept_headers(answer.headers.multi_items())
            if answer.headers.get("content-encoding", "").strip().lower() not in _CODINGS:
                return Exchange(b"", answer.status_code, kept, request, ENCODING)
            chunks, size = [], 0
            for chunk in answer.iter_bytes():
                chunks.append(chunk)
                size += len(chunk)
                if size > MAX_BODY_BYTES or self.clock.monotonic() > deadline:
                    why = TOO_LARGE if size > MAX_BODY_BYTES else TIMEOUT
                    return Exchange(b"", answer.status_code, kept, request, why)
            return Exchange(b"".join(chunks), answer.status_code, kept, request)


def quiet_client_log() -> None:
    """Drop the client's log lines: they hold full URLs."""
    for name in ("httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.WARNING)
