"""Receivers of messages on loopback: a webhook that answers as told, and a small mail server."""

import asyncio
import ssl
import threading
import time
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx

from monitor.config.settings import read_settings
from monitor.pipeline import notifying
from monitor.pipeline.outside import Outside
from monitor.store import deliveries
from tests.capturing import FakeClock


class Hook:
    """A receiver of posts that answers as it is told, then 200."""

    def __init__(self, *answers, **headers):
        self.answers, self.headers, self.calls = list(answers), headers, []

    async def __call__(self, request):
        self.calls.append(request)
        answer = self.answers.pop(0) if self.answers else 200
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer, headers=self.headers, content=b"5ecret said by the receiver")

    @property
    def keys(self):
        return [one.headers["idempotency-key"] for one in self.calls]


def channel_settings(settings, text):
    """Settings with the channels of a text in YAML beside what they had."""
    made, problems = read_settings(text, "config.yaml")
    assert problems == ()
    return settings.model_copy(update={"alerts": made.alerts})


class HookServer:
    """A receiver in threads of its own, for commands and for other processes.

    `held` keeps its answers back while it is set; what was posted is noted before that.
    """

    def __init__(self, status=200, seconds=0):
        self.status, self.seconds, self.calls = status, seconds, []
        self.held, self.arrived = threading.Event(), threading.Semaphore(0)
        self._release = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    def _handler(self):
        hook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                hook.calls.append((self.path, dict(self.headers.items()), body))
                hook.arrived.release()
                time.sleep(hook.seconds)
                if hook.held.is_set():
                    hook._release.wait(60)
                with suppress(OSError):
                    self.send_response(hook.status)
                    self.send_header("content-length", "0")
                    self.end_headers()

            def log_message(self, *_):
                pass

        return Handler

    @property
    def address(self):
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def keys(self):
        found = [{k.lower(): v for k, v in headers.items()} for _, headers, _ in self.calls]
        return [one["idempotency-key"] for one in found]

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._release.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class Box:
    """A bench whose clock only the test moves, and the outbox of its channels."""

    def __init__(self, bench, text):
        self.clock = FakeClock()
        settings = channel_settings(bench.settings, text)
        self.bench = replace(bench, clock=self.clock, settings=settings)

    def announce(self, *digests):
        def save(connection):
            return notifying.announce_digests(
                connection, self.bench.settings, digests, at=self.clock.now()
            )

        return self.bench.write(save)

    async def deliver(self, hook=None, **outside):
        if hook is not None:
            client = httpx.AsyncClient(transport=httpx.MockTransport(hook))
            outside = {"plain": client, "guarded": client} | outside
        network = Outside(**outside)
        try:
            return await notifying.deliver_due(self.bench, outside=network)
        finally:
            await network.aclose()

    def kept(self):
        return self.bench.read(deliveries.load_all)

    def only(self):
        (one,) = self.kept()
        return one


@dataclass
class MailBox:
    """A mail server on loopback that takes what it is sent, as far as it is told to."""

    port: int = 0
    security: str = "none"
    context: ssl.SSLContext | None = None
    replies: dict[str, str] = field(default_factory=dict)
    """Verb -> the reply in place of its usual one; `DATA.` is that to the end of a message."""
    logins: list[str] = field(default_factory=list)
    mails: list[str] = field(default_factory=list)
    hello: list[str] = field(default_factory=list)
    sessions: int = 0

    async def serve(self, reader, writer):
        self.sessions += 1
        await self._talk(reader, writer)

    async def _talk(self, reader, writer):
        async def say(text):
            writer.write(f"{text}\r\n".encode())
            await writer.drain()

        secure = self.security == "tls"
        await say(self.replies.get("", "220 mail.example ready"))
        while line := (await reader.readline()).decode().strip():
            verb = line.split()[0].upper()
            if verb in self.replies:
                await say(self.replies[verb])
            elif verb == "EHLO":
                self.hello.append(line.split()[1])
                offers = ["mail.example", *(["STARTTLS"] if self.offers_tls(secure) else [])]
                offers += ["AUTH PLAIN"] if secure or self.security == "none" else []
                for one in offers:
                    await say(f"250-{one}")
                await say("250 HELP")
            elif verb == "STARTTLS":
                await say("220 go ahead")
                await writer.start_tls(self.context)
                secure = True
            elif verb == "AUTH":
                self.logins.append(line)
                await say("235 fine")
            elif verb == "DATA":
                await say("354 go ahead")
                body = (await reader.readuntil(b"\r\n.\r\n")).decode()
                self.mails.append(body)
                await say(self.replies.get("DATA.", "250 taken"))
            elif verb == "QUIT":
                await say("221 bye")
                return
            else:
                await say("250 fine")

    def offers_tls(self, secure):
        return self.security == "starttls" and not secure


@asynccontextmanager
async def mail_box(**settings):
    """A mail server while a test lasts."""
    box = MailBox(**settings)
    under = box.context if box.security == "tls" else None
    async with listening(box.serve, ssl=under) as port:
        box.port = port
        yield box


@asynccontextmanager
async def listening(serve, **options):
    """The port of a server on loopback; at the end every conversation is over."""
    talks = set()

    async def talk(reader, writer):
        talks.add(asyncio.current_task())
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await serve(reader, writer)
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    server = await asyncio.start_server(talk, "127.0.0.1", 0, **options)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await asyncio.sleep(0)
        if talks:
            _, left = await asyncio.wait(talks, timeout=2)
            for one in left:
                one.cancel()
            await asyncio.gather(*left, return_exceptions=True)
        await server.wait_closed()
