"""A report through a real Chromium: pages, headings, title, and nothing that runs or asks."""

from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from monitor.capture.printing import print_pdf
from monitor.domain.alert import Alert, AlertKind, AnswerRef, Direction, Severity
from monitor.domain.change import ChangeVerdict, Event, EventKind
from monitor.domain.trust import JudgeTrust
from monitor.errors import BrowserError
from monitor.report.findings import headline
from monitor.report.page import render_report
from monitor.report.view import ReminderView
from tests.printed import printed
from tests.unit.report.synthetic_report import report
from tests.unit.report.test_report_trust import known_figures, known_labels

CHROMIUM = Path("/usr/bin/chromium")
real = pytest.mark.skipif(not CHROMIUM.exists(), reason="no Chromium at /usr/bin/chromium")
HOSTILE = (
    '<!doctype html><html lang="de"><head><title>A (title) &amp; more</title>'
    '<script>document.title = "it ran"</script>'
    '<meta http-equiv="refresh" content="0;url={at}/refresh">'
    '<link rel="stylesheet" href="{at}/style.css"></head><body onload="document.body.remove()">'
    '<h1>Kept</h1><img src="{at}/picture.png"><iframe src="{at}/frame"></iframe>'
    '<img src="file:///etc/passwd"><p style="break-before:page">Second page</p></body></html>'
)


@contextmanager
def listening():
    """A server on loopback, and every path it is asked for."""
    asked = []

    class Ear(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Ear)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def edition(view):
    """The view as a PDF."""
    page = render_report(view, evidence_in="synthetic.html")
    return printed(print_pdf(page, executable=str(CHROMIUM), foot="Citation report"))


def crowded():
    """A month in which everything happens at once, with names as long as they get."""
    view = report()
    engine = next(e for e in view.engines if e.name == "perplexity")
    long = "a-publisher-with-a-very-long-name-indeed." * 4 + "example"
    families = tuple(
        replace(c, name=f"{n}.{long}", verdict=ChangeVerdict.CHANGED)
        for n, c in enumerate(engine.comparison.families)
    )
    events = tuple(Event(kind, "x" * 120, "y" * 120) for kind in EventKind)
    comparison = replace(engine.comparison, families=families, events=events)
    loud = replace(engine, label="An engine with a long name (API, search)", comparison=comparison)
    reminder = ReminderView("e1", "something was said of it. " * 12, view.alerts[0].opened_at)
    refs = (AnswerRef(view.captures[0].id, "prompt-01", 1, view.run),) * 20
    told = Alert(
        AlertKind.FAMILY_SHARE, "e1", long, Direction.UP, Severity.CRITICAL,
        "e1 cites otherwise as a whole: " + f"{long}, " * 5, "Look.",
        tuple(f"run:synthetic:2026-0{n}-01T06:00" for n in (7, 8, 9)), view.run,
        change=families[0], answers=refs, answers_in_all=99,
    )  # fmt: skip
    return replace(
        view,
        told=(told,) * 9,
        engines=tuple(replace(loud, name=f"e{n}") for n in range(9)),
        captures=tuple(replace(c, engine="e1") for c in view.captures if c.engine == "perplexity"),
        alerts=(reminder,) * 9,
        skipped=(("gemini", "no key, " * 12),),
        trends=(), overlaps=(), shared=(), bounded=(),
        trust=JudgeTrust("llm:a-model-with-a-long-name@12", known_figures(), known_labels()),
    )  # fmt: skip


@pytest.mark.browser
@real
def test_a_report_is_printed_with_pages_headings_title_and_language():
    view = report(prompt_count=20, engines=("openai", "perplexity"))
    made = edition(view)
    assert len(made.pages) > 4
    assert made.title == f"synthetic, 2026-10: {headline(view)}"
    assert made.language == "en"
    headings = [text for text, _ in made.headings]
    # The outline joins the lines of a heading without a space.
    assert headline(view).replace(" ", "") in {text.replace(" ", "") for text in headings}
    assert {"What changed", "Trend", "How sure are these numbers?", "Segments"} <= set(headings)
    assert "Answers" not in headings
    assert not [one for one in made.addresses if not one.startswith("https://")]


@pytest.mark.browser
@real
def test_the_first_page_holds_what_a_client_reads_and_nothing_of_the_rest():
    made = edition(report(prompt_count=20, engines=("openai", "perplexity")))
    first = {text for text, page in made.headings if page == 1}
    assert {"What changed", "Is it noise?", "What to do next"} <= first
    assert made.page_of("Changes in full") == 2


@pytest.mark.browser
@real
def test_the_first_page_stays_one_page_in_the_worst_month():
    made = edition(crowded())
    assert made.page_of("What to do next") == 1
    assert made.page_of("Changes in full") == 2


@pytest.mark.browser
@real
@pytest.mark.parametrize("told", [1, 9])
def test_the_first_page_stays_one_page_where_more_and_shorter_alerts_have_room(told):
    view = crowded()
    brief = "e1 cites ridecompare.example more than before, and that goes on."
    alerts = tuple(replace(one, says=brief) for one in view.told[:told])
    made = edition(replace(view, told=alerts))
    assert made.page_of("What to do next") == 1
    assert made.page_of("Changes in full") == 2


@pytest.mark.browser
@real
def test_a_hostile_page_runs_nothing_and_asks_nobody():
    with listening() as (at, asked):
        made = printed(
            print_pdf(HOSTILE.format(at=at), executable=str(CHROMIUM), foot="<b>a</b>&\u202e")
        )
    assert asked == []
    assert made.title == "A (title) & more"
    assert made.language == "de"
    assert len(made.pages) == 2
    assert ("Kept", 1) in made.headings


def test_without_a_browser_the_error_says_what_to_do(tmp_path):
    with pytest.raises(BrowserError, match="monitor browser install") as said:
        print_pdf("<p>a</p>", executable=str(tmp_path / "no-chromium"), foot="")
    assert "--format html" in str(said.value)


def test_a_program_that_is_no_browser_is_named(tmp_path):
    wrong = tmp_path / "chromium"
    wrong.write_text("#!/bin/sh\nexit 3\n", "utf-8")
    wrong.chmod(0o755)
    with pytest.raises(BrowserError, match="did not start") as said:
        print_pdf("<p>a</p>", executable=str(wrong), foot="")
    assert str(wrong) in str(said.value)
