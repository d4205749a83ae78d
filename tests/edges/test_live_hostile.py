"""Pages that lie, break or lead away while they are captured: each costs its own capture at most."""

import asyncio
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from urllib.parse import urlsplit

import pytest

from monitor.capture import pictures, pictures_layout
from monitor.capture.chromium import find_chromium
from monitor.domain.engine import Outcome
from tests.live import PATIENCE, LiveReplica
from tests.replica.answers import PROMPT

pytestmark = pytest.mark.browser
TEXT = "Oaks grow slowly."
END = "<button data-part=copy>Copy</button>"
ANSWER = f"<div data-part=answer><p>{TEXT}</p></div>{END}"
HIDDEN = f"<div data-part=answer style='display:none'><p>{TEXT}</p></div>{END}"
LIES = """
Object.defineProperty(HTMLTextAreaElement.prototype, "value", { get: () => null });
Object.prototype.toJSON = () => "forged"; window.JSON = null; window.Set = null;
"""
PAGES = {
    "whole": {},
    "lies": {"script": LIES},
    "takes_other_words": {"script": "box.oninput = () => { box.value = 'Other words'; }"},
    "hidden": {"answer": HIDDEN},
    "fonts": {"before": "<style>@font-face{font-family:x;src:url(/never)}*{font-family:x}</style>"},
    "elsewhere": {"after": "location = location.href.replace('127.0.0.1', 'localhost')"},
    "file": {"after": "location = 'file:///etc/passwd'", "answer": ""},
    "dialogs": {"after": "setTimeout(() => { alert(1); confirm(2); prompt(3); print(); }, 5);"
                         "onbeforeunload = (e) => e.preventDefault();"},
    "closes": {"after": "window.close();", "answer": ""},
}  # fmt: skip
"""Name -> what is different about a page of a question, an answer and nothing else."""


def page(*, before="", answer=ANSWER, after="", script="", asked=""):
    """A page that answers at once; `asked` is what stands there already."""
    turn = "<div data-part=question>{}</div><div data-part=turn data-turn-id=answer-1>{}</div>"
    there = turn.format(asked, ANSWER) if asked else ""
    return f"""<!doctype html>{before}<main id=all>{there}</main>
      <textarea data-part=prompt></textarea><button data-part=send onclick="go()">Send</button>
      <script>const box = document.querySelector("textarea"), value = Object
        .getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").get;
      function go() {{
        const turn = `{turn.format("", answer)}`;
        all.innerHTML = turn; all.firstChild.textContent = value.call(box);
        {after} }}
      {script}</script>"""


@contextmanager
def served():
    """Address of all pages while the block lasts."""
    ending = Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            name = urlsplit(self.path).path.strip("/")
            if name == "never":
                ending.wait(20)
            led_away = self.headers["host"].startswith("localhost")
            body = page(asked=PROMPT) if led_away else page(**PAGES.get(name, {}))
            self.send_response(200)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        ending.set()
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def captured():
    """One capture of every page, in one browser."""
    if find_chromium() is None:
        pytest.skip("no Chromium here")
    patience = replace(PATIENCE, ready=3, first_text=3, whole=40)

    async def every(address):
        live = LiveReplica(patience=patience)
        try:
            return await asyncio.gather(*(live.capture(f"{address}/{name}") for name in PAGES))
        finally:
            await live.close()

    with served() as address, pytest.MonkeyPatch.context() as patch:
        patch.setattr(pictures, "PICTURE_SECONDS", 1.0)
        patch.setattr(pictures_layout, "FONT_MILLISECONDS", 200)
        patch.setattr(pictures, "FONT_MILLISECONDS", 200)
        return dict(zip(PAGES, asyncio.run(every(address)), strict=True))


@pytest.mark.parametrize("name", ["whole", "lies", "dialogs", "fonts"])
def test_answer_is_read_whatever_the_page_does_beside_it(captured, name):
    made = captured[name]
    assert (made.reading.outcome, made.reading.text) == (Outcome.ANSWERED, TEXT)
    assert made.payload["user_turn"] == PROMPT


def test_pictures_are_taken_though_a_font_never_comes_and_they_say_so(captured):
    shots = captured["fonts"].evidence.screenshots
    assert [one.kind.value for one in shots] == ["viewport", "full"]
    assert all("fonts" in one.altered for one in shots)
    assert shots[0].size == (1280, 900)


@pytest.mark.parametrize(
    ("name", "outcome", "words"),
    [
        ("takes_other_words", Outcome.LAYOUT_UNKNOWN, "the page took 'Other words'"),
        ("elsewhere", Outcome.LAYOUT_UNKNOWN, "the page went from 127.0.0.1 to localhost"),
        ("file", Outcome.TIMEOUT, "no word of an answer"),
        ("closes", Outcome.TIMEOUT, "no word of an answer"),
    ],
)
def test_what_a_page_makes_of_a_question_is_no_answer(captured, name, outcome, words):
    made = captured[name]
    assert made.reading.outcome is outcome
    assert words in made.payload["detail"]
    assert made.payload["html"] is None


def test_answer_that_nobody_saw_is_none(captured):
    reading = captured["hidden"].reading
    assert (reading.outcome, reading.text) == (Outcome.LAYOUT_UNKNOWN, "")
