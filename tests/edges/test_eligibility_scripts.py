"""Pages whose text comes by scripts, in a real Chromium that reaches nothing by itself."""

import asyncio
from pathlib import Path

import pytest

from monitor.capture.rendering import Loaded, Renderer
from monitor.config.parts import BrowserPart, StorePart
from monitor.config.settings import Settings
from monitor.domain.eligibility import Rendering
from monitor.pipeline.bench import open_bench
from monitor.pipeline.checking import panel_named
from monitor.pipeline.eligibility import check_eligibility
from tests.eligible import TEXT, baseline, oak_site, write_panel

pytest.importorskip("playwright.async_api")
CHROMIUM = "/usr/bin/chromium"
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="no Chromium at /usr/bin/chromium"),
]

ESCAPES = """<html><body><div id="r">before</div>
<script src="/app.js"></script><img src="{to}/img"><iframe src="{to}/frame"></iframe>
<link rel="stylesheet" href="{to}/css"><link rel="preconnect" href="{to}">
<link rel="prefetch" href="{to}/prefetch"><object data="{to}/object"></object>
<iframe srcdoc="<script>fetch('{to}/inner')</script>"></iframe>
<script>
const quietly = (f) => { try { const p = f(); if (p && p.catch) p.catch(() => 0); } catch (e) {} };
quietly(() => fetch("{to}/fetch", {mode: "no-cors"}));
quietly(() => new WebSocket("{socket}"));
quietly(() => new EventSource("{to}/events"));
quietly(() => navigator.sendBeacon("{to}/beacon", "x"));
quietly(() => window.open("{to}/open"));
quietly(() => new Worker(URL.createObjectURL(new Blob(["fetch('{to}/worker')"]))));
quietly(() => new RTCPeerConnection({iceServers: [{urls: "stun:127.0.0.1:{port}"}]}));
setTimeout(() => { location = "{to}/away"; }, 50);
</script></body></html>"""


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """Checks of a plain page, one that scripts make, and one that never comes to rest."""
    folder = tmp_path_factory.mktemp("scripts")
    with oak_site() as running:
        config = write_panel(folder, running, baseline("/plain", "/scripted"))
        place = StorePart(database=f"sqlite:///{folder}/m.db", artifacts=f"{folder}/artifacts")
        settings = Settings(
            store=place,
            panels=str(config.parent / "panels"),
            sandbox=running.settings,
            browser=BrowserPart(executable=CHROMIUM),
        )
        with open_bench(settings) as bench:
            found = check_eligibility(bench, panel_named("oaks", settings))
    return found, running


def facts(found, path):
    return next(one for one in found.checks.values() if one.url.endswith(path))


def standings(found, engine):
    one = next(e for e in found.engines if e.engine == engine)
    return [(stood.standing.value, *stood.reasons) for _, stood in one.stood]


def test_a_plain_page_has_its_text_before_any_script_runs(checked):
    page = facts(checked[0], "/plain").page
    assert (page.rendering, page.sent_share) == (Rendering.DONE, 1)
    assert page.words == page.rendered_words
    assert all(one.without_scripts for one in facts(checked[0], "/plain").passages)


def test_a_page_made_by_scripts_is_read_as_rendered_and_its_passages_are_not_in_what_is_sent(
    checked,
):
    one = facts(checked[0], "/scripted")
    assert one.page.rendered_words > 60 > one.page.words
    assert one.page.sent_share == 0
    assert [p.without_scripts for p in one.passages] == [False, False]
    assert [p.support for p in one.passages] == ["full", "full"]


def test_only_crawlers_that_run_scripts_can_read_it(checked):
    assert standings(checked[0], "openai") == [("eligible",), ("not_eligible", "needs_scripts")]
    assert standings(checked[0], "gemini") == [("eligible",), ("eligible",)]


def test_a_script_is_loaded_through_the_fetcher_under_its_own_name(checked):
    found, site = checked
    assert site.asked.count("/app.js") == 1
    assert site.agents == {facts(found, "/plain").own_agent}


def quick():
    return Renderer(BrowserPart(executable=CHROMIUM), user_agent="x/1", total_seconds=5)


async def listening(heard):
    async def serve(reader, writer):
        heard.append(await reader.read(80))
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    return server, server.sockets[0].getsockname()[1]


async def test_nothing_that_a_page_tries_reaches_a_private_address():
    heard, asked = [], []
    server, port = await listening(heard)

    async def ask(url):
        asked.append(url)
        script = f"document.getElementById('r').textContent = {TEXT!r};"
        return Loaded(200, "text/javascript", script.encode()) if url.endswith("app.js") else None

    filled = {"to": f"http://127.0.0.1:{port}", "socket": f"ws://127.0.0.1:{port}/ws"}
    markup = ESCAPES
    for name, value in {**filled, "port": str(port)}.items():
        markup = markup.replace(f"{{{name}}}", value)
    async with server, quick() as renderer:
        made = await renderer.render("http://oaks.example/page", markup, ask)
        renderer._seconds = 1.5
        stuck = await renderer.render(
            "http://oaks.example/loop", "<script>while (1);</script>", ask
        )
        after = await renderer.render("http://oaks.example/after", "<p>still here</p>", ask)
    assert TEXT in made
    assert heard == []
    # Whoever answers for the page was asked, and could refuse; images and windows were not.
    assert {url.rsplit("/", 1)[1] for url in asked} <= {"app.js", "fetch", "inner", "worker"}
    assert stuck is None
    assert "still here" in after
