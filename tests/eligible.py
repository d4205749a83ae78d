"""A synthetic site whose pages differ in what they tell crawlers, with a panel and its baseline."""

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TEXT = (
    "Oaks grow slowly in their first years and make deep roots before they make a crown. "
    "A young oak in open ground adds about thirty centimetres in a year of good rain. "
    "Oak seedlings may die in a late frost unless they are covered at night. "
    "Foresters plant them in spring, in rows two metres apart, and fence them against deer. "
)
FILLER = " ".join(
    f"Paragraph {n} speaks of soil, of shade and of the birds that carry acorns away."
    for n in range(30)
)
ROBOTS = """# made up
User-agent: *
Disallow: /closed/

User-agent: OAI-SearchBot
Disallow: /news
"""


def html(text=TEXT, head="", body=""):
    return f"<html><head><title>Oaks</title>{head}</head><body><article><p>{text}</p></article>{body}</body></html>"


SCRIPT = f"document.getElementById('root').innerHTML = {json.dumps(f'<article><p>{TEXT}</p></article>')};"
PAGES = {
    "/robots.txt": (200, "text/plain", ROBOTS, {}),
    "/plain": (200, "text/html", html(), {}),
    "/long": (200, "text/html", html(FILLER + " " + TEXT), {}),
    "/news/oaks": (200, "text/html", html(), {}),
    "/closed/oaks": (200, "text/html", html(), {}),
    "/noindex": (200, "text/html", html(head='<meta name="robots" content="noindex">'), {}),
    "/header": (200, "text/html", html(), {"X-Robots-Tag": "bingbot: noindex, nofollow"}),
    "/wall": (200, "text/html", html(head='<meta property="article:content_tier" content="locked">'), {}),
    "/copy": (200, "text/html", html(head='<link rel="canonical" href="/plain">'), {}),
    "/scripted": (200, "text/html", "<html><body><div id=root>Loading</div><script src=/app.js></script></body></html>", {}),
    "/app.js": (200, "text/javascript", SCRIPT, {}),
}  # fmt: skip


@dataclass
class OakSite:
    """A running site: what was asked of it, in order."""

    port: int
    pages: dict = field(default_factory=lambda: dict(PAGES))
    asked: list = field(default_factory=list)
    agents: set = field(default_factory=set)

    @property
    def settings(self):
        """The part of the settings that leads its names here."""
        names = ("oaks.example", "trees.example")
        return {"hosts": {name: ["127.0.0.1", self.port, self.port] for name in names}}


@contextmanager
def oak_site():
    """A site on a free loopback port, in a thread of its own."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            site.asked.append(self.path)
            site.agents.add(self.headers["User-Agent"])
            status, kind, text, headers = site.pages.get(self.path, (404, "text/plain", "no", {}))
            body = text.encode() if isinstance(text, str) else text
            self.send_response(status)
            for name, value in {
                "Content-Type": kind,
                "Content-Length": len(body),
                **headers,
            }.items():
                self.send_header(name, str(value))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site = OakSite(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


PANEL = """panel: oaks
version: 1
repeats: 1
locale: en-GB
engines: [openai, perplexity, gemini, xai]
prompts:
  - {id: growth, text: "How fast do oaks grow?"}
"""


def baseline(*urls, more=""):
    """Text of a baseline whose pages are all required and evidence both claims."""
    rows = "".join(
        f'      - {{url: "http://oaks.example{url}", grade: required, match: page, reason: x}}\n'
        for url in urls
    )
    return f"""panel: oaks
version: 2026-11
annotators: [r1]
drawn_blind: true
frozen_at: 2026-11-01T00:00:00Z
guideline: 1
prompts:
  growth:
    sources:
{rows}{more}    claims:
      - {{id: pace, text: "A young oak adds about thirty centimetres in a year.", category: core_fact, required: true}}
      - {{id: frost, text: "Seedlings may die in a late frost unless covered.", category: limitation, required: true}}
"""


def write_panel(folder, site, text):
    """Settings, panel and baseline in a folder; the settings' path."""
    panels = folder / "panels"
    panels.mkdir()
    (panels / "oaks.yaml").write_text(PANEL)
    (panels / "oaks.baseline.yaml").write_text(text)
    config = folder / "config.yaml"
    store = {"database": f"sqlite:///{folder}/monitor.db", "artifacts": f"{folder}/artifacts"}
    config.write_text(json.dumps({"panels": str(panels), "store": store, "sandbox": site.settings}))
    return config
