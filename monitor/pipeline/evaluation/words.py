"""Why a measure of a row is what it is, in words for people."""

from collections.abc import Sequence

from monitor.domain.claim import Support, Verdict

_LONGEST_QUOTE = 200
_MOST_SHOWN = 4

_SAID = {
    Support.FULL: "fully supported",
    Support.PARTIAL: "partly supported",
    Support.UNSUPPORTED: "not supported",
    Support.CONTRADICTED: "contradicted",
}


def recall_words(joint: Verdict | None) -> str:
    """What the snippets together say, and what decided."""
    if joint is None:
        return "no snippets"
    if joint.reason is not None:
        rest = _listed(joint.reasons[1:])
        return f"not assessable ({joint.reason}){rest}"
    return f"{_SAID[joint.support]}{_lacking(joint)}{_quoted(joint)}"


def precision_words(alone: Sequence[Verdict]) -> str:
    """How many snippets are about the statement, and what the others are."""
    if not alone:
        return "no snippets"
    judged = [one for one in alone if one.reason is None]
    about = sum(one.support is not Support.UNSUPPORTED for one in judged)
    noun = "snippet is" if len(judged) == 1 else "snippets are"
    return f"{about} of {len(judged)} {noun} about the statement ({_counted(alone)})"


def _counted(alone: Sequence[Verdict]) -> str:
    counts: dict[str, int] = {}
    for one in alone:
        label = one.support.value if one.reason is None else f"not assessable: {one.reason}"
        counts[label] = counts.get(label, 0) + 1
    return ", ".join(f"{n} {label}" for label, n in counts.items())


def _lacking(verdict: Verdict) -> str:
    """The parts that are not borne out, else the judge's own reasons where it gave any."""
    if verdict.support is Support.FULL:
        return ""
    gaps = [f"{g.claimed or g.source or ''} ({g.kind.value})".strip() for g in verdict.gaps]
    return _listed(gaps or verdict.reasons)


def _listed(parts: Sequence[str]) -> str:
    shown = ", ".join(parts[:_MOST_SHOWN])
    return f": {shown}" if shown else ""


def _quoted(verdict: Verdict) -> str:
    if not verdict.quote:
        return ""
    quote = " ".join(verdict.quote.split())
    cut = quote if len(quote) <= _LONGEST_QUOTE else f"{quote[:_LONGEST_QUOTE]}..."
    return f'; read "{cut}"'
