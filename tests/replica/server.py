"""Serves the replica on loopback, from a thread of its own.

    with Replica("mid_stream_pause") as replica:
        page.goto(replica.url)

One server has all modes: `replica.at("late_wall")` is the address of another. Every page says that
it is made up.
"""

import json
from collections.abc import Mapping
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs, quote, urlsplit

from tests.replica import answers
from tests.replica.modes import MODES, Mode, Times

FOLDER = Path(__file__).resolve().parent
SELECTORS_FILE = FOLDER / "selectors.toml"
MADE_UP = "A replica for tests. Everything on this page is made up."
LONGEST = 60.0
"""Seconds after which even an endless reply ends."""

_STYLE = """
* { box-sizing: border-box; }
body { margin: 0; height: 100vh; display: flex; flex-direction: column; font: 16px sans-serif; }
nav { background: #ddd; padding: 8px; height: 40px; overflow: hidden; }
main { flex: 1; overflow: auto; padding: 0 16px; }
footer { height: 60px; padding: 8px; }
.pill { background: #eee; border: 0; margin: 0 4px; font-size: 12px; }
.quiet { visibility: hidden; }
.folded { display: none; }
.invisible { visibility: hidden; position: absolute; }
.band { margin: 0; }
.over { position: fixed; inset: 0; background: #fff; padding: 40px; }
.side { position: fixed; top: 0; right: 0; width: 300px; height: 100vh; background: #f4f4f4; }
.side a, [role=tabpanel] a { display: block; }
.popover { position: fixed; background: #ffd; padding: 8px; border: 1px solid #999; }
"""
_CHAT = (
    '<nav data-part="account">Signed in as Ada Madeup, ada@replica.example</nav>'
    '<main data-part="scroller"><div data-part="thread">{before}</div></main>'
    '<footer>{box} <button data-part="send" disabled>Send</button> '
    '<span data-part="model">{model}</span> <small>{made_up}</small>'
    '<div data-part="declined" hidden>No overview can be shown for this question.</div></footer>'
    '{over}<script type="application/json" id="script">{play}</script><script src="/page.js">'
    "</script>"
)
_FIELD = '<textarea data-part="prompt"></textarea>'
_RICH = '<div data-part="prompt" contenteditable="true" style="width:300px;height:30px"></div>'
_PAGES: Mapping[str, tuple[str, str]] = {
    "consent": ("Before you go on", '<form data-part="consent"><button>Agree</button></form>'),
    "login": ("Log in", '<div data-part="login"><h1>Log in to the replica</h1></div>'),
    "sorry": ("Sorry", '<form id="captcha-form"><p>Type the made-up letters.</p></form>'),
    "moment": ("Just a moment…", "<p>The replica looks at your browser.</p>"),
    "error": ("Replica", '<main data-part="error"><h1>Unexpected error</h1></main>'),
    "moved": ("Replica", "<main><h1>All of this was moved about</h1></main>"),
}


class Replica:
    """A server of the replica while the block lasts; `times` are milliseconds."""

    def __init__(self, mode: str = "normal", times: Times | None = None) -> None:
        """Serve a mode, with times that are short unless told otherwise."""
        self.mode = mode
        self.times = times or Times()
        self.asked: list[str] = []
        """Paths that were asked for."""
        self._ending = Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """Address of the page in the mode of this server."""
        return self.at(self.mode)

    def at(self, mode: str) -> str:
        """Address of the page in any mode; with `&q=...` behind it the page asks by itself."""
        assert mode in MODES
        return f"http://127.0.0.1:{self._server.server_port}/?mode={mode}"

    def __enter__(self) -> Self:
        """Start to serve."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End all replies, the endless ones too."""
        self._ending.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        replica = self

        class Handler(BaseHTTPRequestHandler):
            """Answers one request."""

            def do_GET(self) -> None:
                """Send what is asked for."""
                replica.asked.append(self.path)
                parts = urlsplit(self.path)
                if parts.path == "/poll":
                    replica._ending.wait(LONGEST)
                    return
                if parts.path == "/page.js":
                    self._send(200, (FOLDER / "page.js").read_bytes(), "text/javascript", {})
                    return
                name = parse_qs(parts.query).get("mode", [replica.mode])[0]
                mode = MODES.get(name)
                if mode is None or parts.path == "/favicon.ico":
                    self._send(404, b"", "text/plain", {})
                elif parts.path != mode.path:
                    onward = {"Location": f"{mode.path}?mode={name}&to={quote(self.path)}"}
                    self._send(302, b"", "text/plain", onward)
                else:
                    page = page_of(mode, replica.times).encode()
                    self._send(mode.status, page, "text/html; charset=utf-8", mode.headers)

            def _send(
                self, status: int, body: bytes, kind: str, headers: Mapping[str, str]
            ) -> None:
                self.send_response(status)
                sent = {"Content-Type": kind, "Content-Length": str(len(body)), **headers}
                for name, value in sent.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        return Handler


def page_of(mode: Mode, times: Times) -> str:
    """The page of a mode as it is loaded."""
    if mode.page != "chat":
        title, inner = _PAGES[mode.page]
        return _document(title, f"{inner}<p>{MADE_UP}</p>")
    play = {
        "steps": mode.steps(times),
        "panel": mode.panel.format(rows=answers.ROWS),
        "hover": mode.hover,
        "poll": mode.poll,
        "lazy": times.step,
    }
    inner = _CHAT.format(
        before=mode.before,
        box=_RICH if mode.rich else _FIELD,
        model=answers.MODEL,
        made_up=MADE_UP,
        over=mode.over,
        play=json.dumps(play).replace("<", "\\u003c"),
    )
    return _document("Replica", inner)


def _document(title: str, inner: str) -> str:
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}'
        f"</title><style>{_STYLE}</style></head><body>{inner}</body></html>"
    )
