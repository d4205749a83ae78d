"""A report as files: which name for which format, and what is kept where a PDF cannot be made."""

from pathlib import Path

import pytest

from monitor.cli import main
from monitor.config.parts import BrowserPart, StorePart
from monitor.config.settings import Settings
from monitor.errors import BrowserError, MonitorError
from monitor.pipeline import publishing
from monitor.pipeline.bench import open_bench
from monitor.pipeline.publishing import ReportFormat, publish_reports
from monitor.pipeline.tallying import score_run
from tests.printed import printed
from tests.stored import WordJudge, answer, bench_in, keep_answers, planned

CHROMIUM = Path("/usr/bin/chromium")


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """The folder of a store with one scored run."""
    with bench_in(tmp_path, monkeypatch) as bench:
        run = planned(bench)
        cited = ("[1]", "https://oak.example/growth")
        keep_answers(bench, run, answer("Oaks grow slowly [1].", cited))
        score_run(bench, run, WordJudge())
    return tmp_path


def published(folder, out, form, executable):
    """What one run is written to."""
    store = StorePart(database=f"sqlite:///{folder}/monitor.db", artifacts=f"{folder}/artifacts")
    settings = Settings(
        store=store, reports=f"{folder}/reports", browser=BrowserPart(executable=str(executable))
    )
    with open_bench(settings) as bench:
        run = planned(bench)
        yield from publish_reports(bench, run, WordJudge(), out=out, form=form)


@pytest.mark.browser
@pytest.mark.skipif(not CHROMIUM.exists(), reason="no Chromium at /usr/bin/chromium")
def test_both_are_written_side_by_side_and_the_pdf_names_the_html(stored):
    page, pdf = published(stored, None, ReportFormat.BOTH, CHROMIUM)
    assert (page.name, pdf.name) == ("trees-2026-01.html", "trees-2026-01.pdf")
    made = printed(pdf.read_bytes())
    assert made.title.startswith("trees, 2026-01: First run of trees")
    assert len(made.pages) > 1
    assert 'id="captures"' in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("out", "file", "command"),
    [
        ("p.pdf", "p.html", "monitor report run:trees:2026-01 --out p.html"),
        (None, "trees-2026-01.html", "monitor report run:trees:2026-01"),
    ],
)
def test_a_pdf_alone_names_the_html_and_the_command_that_writes_it(
    stored, monkeypatch, out, file, command
):
    # The page itself stands in for the PDF: what a browser makes of it is tried elsewhere.
    monkeypatch.setattr(publishing, "print_pdf", lambda page, **_: page.encode())
    (pdf,) = published(stored, out and stored / out, ReportFormat.PDF, "unused")
    page = pdf.read_text("utf-8")
    assert f"<b>{file}</b>, which <code>{command}</code> writes" in page


@pytest.mark.parametrize("form", [ReportFormat.PDF, ReportFormat.BOTH])
def test_without_a_browser_the_html_is_kept_where_it_was_asked_for(stored, form):
    writing = published(stored, stored / "r.pdf", form, stored / "none")
    kept = []
    with pytest.raises(BrowserError, match="monitor browser install"):
        kept.extend(writing)
    assert [path.name for path in stored.glob("r.*")] == [
        "r.html" for _ in [form] if form is ReportFormat.BOTH
    ]


@pytest.mark.parametrize(
    ("name", "form", "other"), [("r.pdf", "html", "pdf"), ("r.html", "pdf", "html")]
)
def test_a_name_that_ends_like_another_format_is_refused(stored, name, form, other):
    with pytest.raises(MonitorError, match=f"--format {other}"):
        list(published(stored, stored / name, ReportFormat(form), CHROMIUM))
    assert not (stored / name).exists()


def test_a_name_without_an_ending_of_a_report_is_kept_whole(stored):
    (page,) = published(stored, stored / "report.2026", ReportFormat.HTML, CHROMIUM)
    assert page == stored / "report.2026"


def test_the_door_says_what_was_written_before_it_failed(stored, monkeypatch, capsys):
    monkeypatch.chdir(stored)
    (stored / "config.yaml").write_text(
        "store: {database: 'sqlite:///monitor.db', artifacts: artifacts}\n"
        "browser: {executable: /nowhere/chromium}\nreports: reports\n",
        "utf-8",
    )
    with pytest.raises(SystemExit) as stop:
        main(["report", "--format", "both"])
    said = capsys.readouterr()
    assert stop.value.code == 2
    assert said.out.strip() == "report: reports/trees-2026-01.html"
    assert "no Chromium found: run `monitor browser install`" in said.err
    assert (stored / "reports" / "trees-2026-01.html").exists()
