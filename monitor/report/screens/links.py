"""Addresses of pages: the one place that spells them."""

from collections.abc import Sequence
from urllib.parse import quote, urlencode

_KEPT = ":@!$'()*,;~"
"""Characters of a path segment that need no escape (RFC 3986), and `run:panel:slot` reads as is."""


def page_address(*segments: str | int, **query: str | int | Sequence[str] | None) -> str:
    """Path of escaped segments, with those parts of a query that are not None or empty."""
    path = "/" + "/".join(quote(str(one), safe=_KEPT) for one in segments)
    asked = {name: value for name, value in query.items() if value not in (None, "", ())}
    return f"{path}?{urlencode(asked, doseq=True)}" if asked else path


def run_address(run: str) -> str:
    """First screen of a run."""
    return page_address("runs", run)


def rows_address(
    run: str, engine: str, measure: str, *, segment: str | None = None, prompt: str | None = None
) -> str:
    """Rows behind a number: the captures that a measure of an engine was counted from."""
    return page_address(
        "runs", run, "rows", engine=engine, measure=measure, segment=segment, prompt=prompt
    )


def captures_address(
    run: str, *, engine: str | None = None, outcome: str | None = None, prompt: str | None = None
) -> str:
    """All captures of a run, or those of an engine, an outcome or a prompt."""
    return page_address("runs", run, "captures", engine=engine, outcome=outcome, prompt=prompt)


def panel_address(panel: str) -> str:
    """One panel: its runs, its schedule, its prompts and its baseline."""
    return page_address("panels", panel)


def baseline_address(panel: str, label: str) -> str:
    """Sources and claims of a baseline, by the label that scores name it by."""
    version = label.rpartition("@")[2].removesuffix("-draft")
    return page_address("baselines", panel, "versions", version)


def family_rows_address(run: str, engine: str, family: str, *, prompt: str | None = None) -> str:
    """Rows behind a share: the citations of an engine, and which of them are of a family."""
    return page_address("runs", run, "rows", engine=engine, family=family, prompt=prompt)


def capture_address(
    capture_id: int, *, source: int | None = None, statement: int | None = None
) -> str:
    """One answer with its proof, at one of its sources and statements, by their numbers."""
    return page_address("captures", capture_id, source=source, statement=statement)


def captures_diff_address(before: int, after: int) -> str:
    """What is another in one answer than in another one."""
    return page_address("captures", before, "diff", after)


def picture_address(capture_id: int, sha256: str) -> str:
    """A picture that is kept of an answer."""
    return page_address("captures", capture_id, "pictures", sha256)


def file_address(capture_id: int, sha256: str) -> str:
    """Bytes that are kept of an answer, to be saved."""
    return page_address("captures", capture_id, "files", sha256)


def exchange_address(capture_id: int, number: int) -> str:
    """What was sent in one call of an answer, as JSON."""
    return page_address("captures", capture_id, "exchanges", number)


def page_bytes_address(capture_id: int, number: int) -> str:
    """A page that an answer cites as it was fetched, to be saved."""
    return page_address("captures", capture_id, "sources", number, "bytes")


def source_address(capture_id: int, number: int, *, part: int | None = None) -> str:
    """Text of a page that an answer cites, with what is quoted of it."""
    return page_address("captures", capture_id, "sources", number, part=part)


def family_address(family: str, *, run: str | None = None, engine: str | None = None) -> str:
    """One source family."""
    return page_address("families", family, run=run, engine=engine)


def prompt_address(prompt: str, *, run: str | None = None) -> str:
    """One prompt over all engines."""
    return page_address("prompts", prompt, run=run)


def alert_address(alert_id: int) -> str:
    """One alert with its evidence."""
    return page_address("alerts", alert_id)


def measure_address(measure: str, *, run: str | None = None) -> str:
    """One measure, explained by a run's own counts."""
    return page_address("measures", measure, run=run)
