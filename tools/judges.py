"""The measured part of docs/judges.md: how far the default judge can be trusted, in figures."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from monitor.domain.measured import Fitted, FlaggedFigures, MeasuredFigures, PeopleFigures
from monitor.judge.measured import shipped_figures

PAGE = Path(__file__).resolve().parent.parent / "docs" / "judges.md"
BEGIN = "<!-- Made by `make docs` from monitor/judge/measured.json. -->"
END = "<!-- End of what is made. -->"
_SEEN = {
    Fitted.NO: "no",
    Fitted.YES: "yes",
    Fitted.OUT_OF_FOLD: "yes, each row judged by weights that did not see it",
}
_HOPED = 0.6
"""Share of changed claims below which a kind is a blind spot."""


def judges_page() -> str:
    """docs/judges.md with the figures of now between its marks."""
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{figures_text()}\n{END}{after}"


def figures_text() -> str:
    """The figures as paragraphs and tables."""
    found = shipped_figures()
    if found is None:
        return "Nothing was measured yet.\n"
    parts = [_opening(found), *_people(found.people), "", *_suite(found.suite), "", _blind(found)]
    return "\n".join(parts) + "\n"


def _opening(found: MeasuredFigures) -> str:
    return (
        f"Measured of `{found.judge}` on {found.day}. *Decided* are rows with a verdict, *right*\n"
        "are decided rows on which judge and people both say full, or both do not. F1 is the\n"
        "mean over sources of both classes, told apart by the score at a half. AUROC is how\n"
        "often a supported row scores above one with the other label. Changed claims are\n"
        "*noticed* where they are not called full; a claim is *accused* where the verdict is\n"
        "against it, which is a false alarm where nothing was changed.\n"
    )


def _people(people: Sequence[PeopleFigures]) -> Iterator[str]:
    yield "| labelled rows | rows | F1 | decided | right | kappa | AUROC of full over | fitted on |"
    yield "|---|---|---|---|---|---|---|---|"
    for one in people:
        over = ", ".join(f"{other} {value:.2f}" for other, value in one.ranking.items())
        cells = (
            f"`{one.corpus}`",
            str(one.rows),
            f"{one.macro_f1:.2f}",
            f"{one.decided_share:.0%}",
            "none" if one.right_share is None else f"{one.right_share:.0%}",
            "none" if one.kappa is None else f"{one.kappa:.2f}",
            over.replace("_", " "),
            _SEEN[one.fitted],
        )
        yield f"| {' | '.join(cells)} |"


def _suite(suite: Sequence[FlaggedFigures]) -> Iterator[str]:
    """One row a kind, both halves beside each other."""
    halves = tuple(dict.fromkeys(one.half for one in suite))
    yield "| claims of the suite | " + " | ".join(f"{half} half" for half in halves) + " |"
    yield "|---" * (1 + len(halves)) + "|"
    for kind in dict.fromkeys(one.kind for one in suite):
        own = {one.half: one for one in suite if one.kind == kind}
        changed = any(one.changed for one in own.values())
        cells = [_flagged(own[half]) if half in own else "" for half in halves]
        yield f"| {kind}{' changed' if changed else ', not changed'} | {' | '.join(cells)} |"


def _flagged(one: FlaggedFigures) -> str:
    """Of changed claims those not called full, of others those accused; and what was left open."""
    left = one.flagged - one.accused
    counted, word = (one.flagged, "noticed") if one.changed else (one.accused, "accused")
    told = f"{counted / one.pairs:.0%} {word}, {counted} of {one.pairs}"
    return f"{told}; {left} left open" if left else told


def _blind(found: MeasuredFigures) -> str:
    """Kinds of change that pass most often, worst first, by the half nobody tuned on."""
    changed = [one for one in found.suite if one.changed and one.half == "blind"]
    poor = sorted((one for one in changed if one.share < _HOPED), key=lambda one: one.share)
    if not poor:
        return f"No kind of change is noticed in fewer than {_HOPED:.0%} of the blind half."
    named = ", ".join(f"{one.kind} ({one.share:.0%})" for one in poor)
    return f"Blind spots, noticed in fewer than {_HOPED:.0%} of the blind half: {named}."
