"""A server on loopback that plays a language model, well or badly, as its moves say.

A move is a function of the handler and the JSON it was sent; the last one is made again and again.
"""

import json
import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx

from monitor.config.judging import LlmPart
from monitor.errors import BudgetError
from monitor.judge.llm import Means, TokenPrice, llm_judge, llm_splitter
from tests.capturing import MemoryArtifacts

KEY = "sk-made-up-JUDGE/0123+456"
PAGE = (
    "Green tea is best brewed at 80 degrees. The leaves may turn bitter in boiling water, said "
    "Mara Quill of the Tea Institute. Most growers in the valley use spring water."
)
CLAIM = "Green tea is best brewed at 80 degrees."
QUOTE = "Green tea is best brewed at 80 degrees."
PAID = 140
"""What one call of 100 tokens in and 20 out costs at PRICE, in micros: 100 * 1 + 20 * 2."""
PRICE = TokenPrice(1_000_000, 2_000_000)


class Server:
    """The server while it runs; `calls` are the bodies it was sent."""

    def __init__(self, *moves):
        self.moves, self.calls, self.headers = list(moves), [], []
        self.under_way = self.most_at_once = 0
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def _handler(self):
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self):
                said = self.rfile.read(int(self.headers["content-length"]))
                with server._lock:
                    server.calls.append(json.loads(said))
                    server.headers.append(dict(self.headers))
                    move = server.moves.pop(0) if len(server.moves) > 1 else server.moves[0]
                    server.under_way += 1
                    server.most_at_once = max(server.most_at_once, server.under_way)
                try:
                    move(self, json.loads(said))
                except OSError:
                    self.close_connection = True
                finally:
                    with server._lock:
                        server.under_way -= 1

            def log_message(self, *_):
                pass

        return Handler

    @contextmanager
    def running(self):
        thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join()


def send(handler, body, status=200, **headers):
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    handler.send_response(status)
    named = {"content-type": "application/json", **headers}
    for name, value in named.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("content-length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)


def says(text, *, stop="stop", usage=(100, 20), refusal=None):
    """The model says a text."""
    counted = {"prompt_tokens": usage[0], "completion_tokens": usage[1]} if usage else None

    def move(handler, _):
        message = {"role": "assistant", "content": text, "refusal": refusal}
        choice = {"message": message, "finish_reason": stop}
        send(handler, {"model": "m-1", "choices": [choice], "usage": counted})

    return move


def reply(label="full", quote=QUOTE, score=0.9, *, unsupported=(), why="It is said there."):
    """Text of a judge's reply in the form that is asked for."""
    fields = {"why": why, "quote": quote, "unsupported": list(unsupported), "score": score}
    return json.dumps({**fields, "label": label})


def judges(*given, **more):
    """The model judges, in the form that is asked for."""
    return says(reply(*given, **more))


def raw(body, status=200, **headers):
    """The server sends bytes of its own."""
    return lambda handler, _: send(handler, body, status, **headers)


def fails(status, message="no", *, code=None, **headers):
    """The server refuses, in the form of OpenAI's errors."""
    error = {"error": {"message": message, "type": "error", "code": code}}
    return raw(error, status, **headers)


def slow(seconds, then):
    def move(handler, asked):
        time.sleep(seconds)
        then(handler, asked)

    return move


def drips(handler, _):
    """A reply that comes byte by byte, each of them in time and all of them too late."""
    handler.send_response(200)
    handler.send_header("content-length", "100")
    handler.end_headers()
    for _ in range(100):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.03)


def cut(handler, _):
    """The stream ends in the middle."""
    handler.send_response(200)
    handler.send_header("content-length", "5000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [{"message": {"content": "')
    handler.wfile.flush()
    handler.close_connection = True


def obeys(handler, asked):
    """A model that does what the evidence tells it: it quotes the order and calls it support."""
    told = asked["messages"][1]["content"]
    order = next(line for line in told.splitlines() if "gnore all previous" in line)
    judges("full", order.strip(), 1.0)(handler, asked)


class Ledger:
    """Caps in memory, for threads; `open` are reservations that nobody settled."""

    def __init__(self, calls=10_000, micros=10**12):
        self.calls, self.micros, self.reserved = calls, micros, []
        self.settled, self._lock = {}, threading.Lock()

    def reserve(self, micros):
        with self._lock:
            if len(self.reserved) >= self.calls or self.spent + micros > self.micros:
                raise BudgetError("the run's cap on calls of the judge is reached")
            self.reserved.append(micros)
            return len(self.reserved) - 1

    def settle(self, reservation, micros):
        with self._lock:
            assert reservation not in self.settled
            self.settled[reservation] = micros

    @property
    def spent(self):
        return sum(self.settled.get(n, micros) for n, micros in enumerate(self.reserved))

    @property
    def open(self):
        return len(self.reserved) - len(self.settled)


class LivelyClock:
    """Time that goes on by itself, and that sleeping moves without waiting."""

    def __init__(self):
        self.slept = []

    def monotonic(self):
        return time.monotonic() + sum(self.slept)

    def now(self):
        return datetime(2026, 12, 1, tzinfo=UTC) + timedelta(seconds=sum(self.slept))

    def sleep(self, seconds):
        self.slept.append(seconds)


class Desk:
    """A judge before a server, with its ledger and artifacts at hand."""

    def __init__(self, server, *, ledger=None, artifacts=None, key=KEY, price=PRICE, **part):
        self.server, self.ledger = server, ledger or Ledger()
        self.artifacts = artifacts or MemoryArtifacts()
        self.clock = LivelyClock()
        usual = {"model": "m-1", "base_url": server.url, "per_minute": 100_000, "attempts": 3}
        self.part = LlmPart(**{**usual, "timeout_seconds": 5, **part})
        self.client = httpx.Client(trust_env=False, verify=False)
        self.means = Means(
            self.ledger, self.artifacts, self.clock, self.client, lambda: 0.5, self.clock.sleep
        )
        self.paid = {"key": key, "price": price}
        self.judge = llm_judge(self.part, self.means, **self.paid)

    @property
    def splitter(self):
        return llm_splitter(self.part, self.means, **self.paid)

    def everything(self):
        """All bytes that were stored, and the names they were stored under."""
        names = [name.encode() for name in self.artifacts.pointed]
        return b"\n".join([*self.artifacts.blobs.values(), *names])


@contextmanager
def desk(*moves, **part):
    """A desk before a server with these moves."""
    with Server(*moves).running() as server:
        made = Desk(server, **part)
        with made.client:
            yield made
