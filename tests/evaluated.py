"""Files to evaluate and a judge to evaluate them with; all of it synthetic."""

import csv
import io
import json
from dataclasses import dataclass, field

from monitor.domain.claim import Support, Verdict
from monitor.domain.engine import Usage
from monitor.pipeline.evaluation import Choice, evaluate, open_source

HEADER = (
    "question", "response", "context_id", "statement_index", "statement", "citations", "snippets",
    "documents",
)  # fmt: skip


@dataclass
class TagJudge:
    """Reads what a snippet says of itself: `[full]` or `{full}`, `[partial]`, `[error]`...

    Texts read together are as good as the best of them; each verdict costs 7 micros.
    """

    version: str = "tag@1"
    asked: list = field(default_factory=list)
    held: str | None = None
    most: int | None = None
    """Verdicts after which all are pending."""

    def verdict(self, claim, evidence):
        if self.most is not None and len(self.asked) >= self.most:
            self.held = "the cap of the test"
            return Verdict(Support.NOT_ASSESSABLE, ("pending",), judge=self.version)
        self.asked.append((claim, evidence))
        text = "\n".join(evidence)
        support, reasons = Support.UNSUPPORTED, ("absent",)
        for tag in ("full", "partial", "contradicted", "unclear", "error"):
            if f"[{tag}]" in text or f"{{{tag}}}" in text:
                support, reasons = _READ[tag]
                break
        quote = text if support in {Support.FULL, Support.PARTIAL, Support.CONTRADICTED} else None
        return Verdict(
            support, reasons, 0.5, quote, judge=self.version, cost_micros=7, usage=Usage(10, 2)
        )

    def verdicts(self, asked):
        return (self.verdict(one.claim, one.evidence) for one in asked)


_READ = {
    "full": (Support.FULL, ("covered",)),
    "partial": (Support.PARTIAL, ("number 5 not in evidence",)),
    "contradicted": (Support.CONTRADICTED, ("negation differs",)),
    "unclear": (Support.NOT_ASSESSABLE, ("judge_unclear",)),
    "error": (Support.NOT_ASSESSABLE, ("judge_error", "no answer")),
}


def silent(stage, done, total):
    """Nobody looks on."""


def table(*rows, header=HEADER, delimiter=","):
    """A table as text; a row is (statement, snippets) or a dict of cells."""
    made = io.StringIO()
    writer = csv.writer(made, delimiter=delimiter)
    writer.writerow(header)
    for number, row in enumerate(rows):
        cells = (
            row if isinstance(row, dict) else dict(zip(("statement", "snippets"), row, strict=True))
        )
        known = {
            "question": "How long?", "response": "It takes 45 minutes.", "context_id": "c1",
            "statement_index": str(number), "citations": "[]", "documents": "[]", **cells,
        }  # fmt: skip
        snippets = known["snippets"]
        known["snippets"] = snippets if isinstance(snippets, str) else json.dumps(snippets)
        writer.writerow([known[name.strip().lower()] for name in header])
    return made.getvalue()


def run(folder, name, content, judge, choice=None, *, wanted=None, model=None):
    """Evaluate some content; what it came to, the JSON output and the rows of the table."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    source = open_source(path, wanted, choice or Choice())
    done = evaluate(source, folder / "out", judge, progress=silent, model=model)
    told = json.loads(done.files[0].read_text("ascii"))
    with done.files[1].open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return done, told, rows
