"""The whole report as one HTML file: no request, no script needed, hostile text kept as text."""

import base64
import hashlib
import re
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from monitor.report import words
from monitor.report.appendix import appendix
from monitor.report.between import alike_rows, bounded_rows, shared_tables
from monitor.report.charts import palette
from monitor.report.evidence import capture_groups
from monitor.report.families import SHOWN, family_tables
from monitor.report.findings import findings, headline, lede
from monitor.report.funnel import funnel_rows
from monitor.report.matrix import coverage_rows, matrix
from monitor.report.noise import noise, rules_text, watch_text
from monitor.report.rows import engine_rows
from monitor.report.slices import heatmaps, slice_tables
from monitor.report.steps import next_steps
from monitor.report.summary import summary
from monitor.report.templating import environment
from monitor.report.told import told_alerts
from monitor.report.trend import trend_tables
from monitor.report.trust import trust_section
from monitor.report.unassessed import fetch_rows, reason_rows
from monitor.report.view import ReportView

_TEMPLATES = Path(__file__).parent / "templates"

_ABREAST = 5
"""Engines side by side on a sheet; a table that is wider would shrink the whole document."""

_MOST_ROWS = 100
"""Rows of a long table on paper; the HTML report has them all."""

LIMITS = (
    "Visible citations, not influence: what an engine read and did not show stays unseen.",
    "The panel's prompts in the panel's locale, not what all people ask.",
    "The access named beside each engine: an API and a web page may answer differently.",
    "Support of a statement by the page it cites, not truth: a page may be wrong itself.",
    "Agreement with a baseline that people wrote, with its version in every signature.",
    "Verdicts of a judge program; those it is not sure of are counted as not assessable.",
    "That something changed, not why: events beside a change are no proof of a cause.",
    "No clicks, no traffic, no ranking, and no single score.",
)
"""What the numbers do not say."""


def render_report(
    view: ReportView, *, evidence_in: str | None = None, is_named: bool = False
) -> str:
    """A report as one self-contained HTML text; the same view gives the same bytes.

    `evidence_in` makes it the edition for print: answers and rows are left out, what is folded
    is open, and the name given is that of the HTML file that has everything. `is_named` where a
    person chose that name: a command without it would write another file.
    """
    is_printed = evidence_in is not None
    edition = {
        "evidence_in": evidence_in,
        "evidence_by": _command(view, evidence_in if is_named else None),
        "opened": " open" if is_printed else "",
        "most": _MOST_ROWS if is_printed else None,
        "parts": _parts(len(view.engines), _ABREAST if is_printed else len(view.engines)),
    }
    made = _environment().get_template("report.html.j2").render(_context(view) | edition)
    return _without_dead_links(made) if is_printed else made


def _command(view: ReportView, out: str | None) -> str:
    """The command that writes the HTML report, under a chosen name where there is one."""
    command = f"monitor report {shlex.quote(view.run)}"
    return f"{command} --out {shlex.quote(out)}" if out else command


def _parts(engines: int, abreast: int) -> tuple[slice, ...]:
    """Engines that stand side by side in one table, table after table."""
    return tuple(slice(at, at + abreast) for at in range(0, max(engines, 1), max(abreast, 1)))


def _without_dead_links(page: str) -> str:
    """The page with links to places that it leaves out as plain text."""
    # Safe on any text: a quote from outside is never a quote in the page.
    places = set(re.findall(r' id="([^"]+)"', page))
    return re.sub(r' href="#([^"]+)"', lambda m: m[0] if m[1] in places else "", page)


@cache
def _environment() -> jinja2.Environment:
    return environment(_TEMPLATES)


def _context(view: ReportView) -> dict[str, Any]:
    """Everything the templates place."""
    colours = palette([engine.name for engine in view.engines])
    return _frame(view) | {
        "view": view,
        "apart": _is_apart(view),
        "colours": colours,
        "headline": headline(view),
        "lede": lede(view),
        "findings": findings(view),
        "summary": summary(view),
        "trust": trust_section(view),
        "told": told_alerts(view),
        "noise": noise(view),
        "rules": rules_text(view),
        "watch": watch_text(view),
        "strict": f"{view.strict_level:g}",
        "trends": trend_tables(view, colours),
        "coverage": coverage_rows(view),
        "steps": next_steps(view),
        "matrix": matrix(view),
        "funnel": funnel_rows(view),
        "families": family_tables(view, colours),
        "families_shown": SHOWN,
        "alike_rows": alike_rows(view),
        "shared": shared_tables(view),
        "bounded": bounded_rows(view),
        "slices": slice_tables(view),
        "heatmaps": heatmaps(view),
        "rows": engine_rows(view),
        "groups": capture_groups(view),
        "unassessed": reason_rows(view),
        "fetches": fetch_rows(view),
        "limits": LIMITS,
        "appendix": appendix(view),
    }


def _is_apart(view: ReportView) -> bool:
    """Whether an answer was asked in another month than its slot names."""
    return any(
        c.asked_at is not None and words.month(c.slot) not in {None, f"{c.asked_at:%Y-%m}"}
        for c in view.captures
    )


def _frame(view: ReportView) -> dict[str, str]:
    """Style, script, the policy that allows that script alone, and how runs are called."""
    script = (_TEMPLATES / "keys.js").read_text("utf-8").strip()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    before = view.before_slot
    return {
        "style": (_TEMPLATES / "report.css").read_text("utf-8"),
        "script": script,
        "policy": (
            f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
            f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
        ),
        "now_name": words.when(view.slot, before),
        "before_name": words.when(before, view.slot) if before else "",
    }
