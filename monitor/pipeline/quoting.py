"""The passage that a verdict rests on, cut out of a cited page or of the answer itself."""

from collections.abc import Sequence

from monitor.domain.assessment import AssessedCapture
from monitor.domain.claim import Verdict
from monitor.pipeline.run_pages import RunPages
from monitor.report.view import QuoteView


def page_quote(
    verdict: Verdict,
    indexes: Sequence[int],
    capture: AssessedCapture,
    pages: RunPages,
    *,
    around: int,
) -> QuoteView | None:
    """Text around a verdict's quote in one of the pages it read; None without quote or text.

    `indexes` are the pages the verdict is of, `around` the code points on either side.
    """
    if verdict.evidence is None:
        return None
    readable = [i for i in indexes if capture.pages[i].readable]
    if verdict.evidence >= len(readable):
        return None
    index = readable[verdict.evidence]
    evidence = pages.texts.get(capture.pages[index].page_key)
    if evidence is None:
        return None
    text = evidence.text
    if text is None:
        # Retention removed the page's text; the quote itself is never removed.
        quote = verdict.quote
        return None if quote is None else QuoteView(index + 1, quote, 0, len(quote))
    return _cut(verdict, text, index + 1, around)


def answer_quote(
    verdict: Verdict | None, capture: AssessedCapture, *, around: int
) -> QuoteView | None:
    """Text around a verdict's quote in the answer, as the judge read it; None without quote."""
    if verdict is None:
        return None
    return _cut(verdict, " ".join(s.statement.text for s in capture.statements), None, around)


def _cut(verdict: Verdict, text: str, page: int | None, around: int) -> QuoteView | None:
    """The quote with `around` code points on either side; None where the verdict has none."""
    if verdict.quote_span is None:
        return None
    start, end = verdict.quote_span
    low, high = max(0, start - around), min(len(text), end + around)
    return QuoteView(page, text[low:high], start - low, end - low)
