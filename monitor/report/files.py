"""What a run's report is called, for whoever writes it and whoever links to it."""

from dataclasses import dataclass
from urllib.parse import quote

from monitor.domain.alert import AnswerRef
from monitor.report.words import anchor


def report_file(panel: str, slot: str) -> str:
    """File name of a run's HTML report, made of letters, digits, - and _."""
    plain = "".join(ch if ch.isalnum() or ch in "-_" else "-" for ch in slot)
    return f"{panel}-{plain}.html"


@dataclass(frozen=True, slots=True)
class Links:
    """Where reports are to be found by a reader."""

    base: str | None = None
    """Address under which the folder of reports is served; None where it is not."""
    folder: str = "data/reports"
    """That folder on disk."""

    def file(self, run: str) -> str | None:
        """Path of a run's report; None for what is no public id of a run."""
        name = _name(run)
        return None if name is None else f"{self.folder.rstrip('/')}/{name}"

    def report(self, run: str) -> str | None:
        """Address of a run's report; None where reports are not served."""
        name = _name(run)
        return None if name is None or self.base is None else f"{self.base}/{quote(name)}"

    def answer(self, one: AnswerRef) -> str | None:
        """Address of an answer in its run's report; None where reports are not served."""
        report = self.report(one.run)
        return report and f"{report}#{answer_anchor(one.capture_id)}"


def answer_anchor(capture_id: int) -> str:
    """Place of an answer in its run's report."""
    return anchor("capture", str(capture_id))


def _name(run: str) -> str | None:
    """File name of the report of a public id such as `run:tea:2026-11`."""
    kind, _, rest = run.partition(":")
    panel, _, slot = rest.partition(":")
    return report_file(panel, slot) if kind == "run" and panel and slot else None
