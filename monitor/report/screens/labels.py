"""Labelling of pairs: the desk with its plans, and one pair as its annotator sees it, blind.

Nothing here holds an engine, a verdict of a judge, or a label of anybody else.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from monitor.domain.claim import Support
from monitor.domain.moments import utc_second
from monitor.report.screens.agreement import AgreementView
from monitor.report.screens.paging import Pager
from monitor.report.tables import Row, Table

MEANINGS: Mapping[Support, str] = {
    Support.FULL: "the texts say all of the claim, qualifiers included",
    Support.PARTIAL: "they say a part of it, or say it with a limit that the claim has lost",
    Support.UNSUPPORTED: "they say nothing of it, or something else",
    Support.CONTRADICTED: "they say the opposite, or another number, name or date",
    Support.NOT_ASSESSABLE: (
        "no person could tell by these texts: cut off, garbled, another language"
    ),
}
"""When a pair gets which label: the guideline, as its document has it."""

KEYS: Mapping[Support, str] = {
    Support.FULL: "1",
    Support.PARTIAL: "2",
    Support.UNSUPPORTED: "3",
    Support.CONTRADICTED: "4",
    Support.NOT_ASSESSABLE: "5",
}
"""The key that gives a label; `u` gives the last one, too."""

_WORDS: Mapping[Support, str] = {
    Support.FULL: "Full",
    Support.PARTIAL: "Partial",
    Support.UNSUPPORTED: "Unsupported",
    Support.CONTRADICTED: "Contradicted",
    Support.NOT_ASSESSABLE: "Not assessable",
}


NEW_PLAN: Mapping[str, str] = {"pairs": "60", "annotators": "", "double": "20", "guideline": ""}
"""What the form for another plan proposes."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One label that can be given: its key, its word, its shape, and when it is right."""

    name: str
    key: str
    word: str
    meaning: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class PassageView:
    """What is read of one cited page."""

    number: int
    url: str
    passages: tuple[str, ...]
    """Parts of the text that are nearest to the claim; empty where the text was removed."""
    whole: str | None
    """Address of the whole text; None where retention removed it."""


@dataclass(frozen=True, slots=True)
class PairMatter:
    """A claim and what it is to be judged by."""

    claim: str
    statement: str
    """Empty where it is not known."""
    question: str
    passages: tuple[PassageView, ...]


@dataclass(frozen=True, slots=True)
class Undo:
    """The annotator's last label of a plan, which can be taken back."""

    label: int
    position: int


@dataclass(frozen=True, slots=True)
class PairScreen:
    """One pair to label."""

    plan: int
    panel: str
    guideline: str
    position: int
    annotator: str | None
    """Who labels; None where the visitor gave no name."""
    assigned: bool
    """Whether it is this annotator's to label."""
    place: int
    """Among the annotator's own pairs, from 1; 0 where it is none of them."""
    done: int
    total: int
    matter: PairMatter
    choices: tuple[Choice, ...]
    note: str
    seen: int
    """Newest row of the annotator for this pair; a form names it."""
    previous: str | None
    following: str | None
    undo: Undo | None
    problem: str
    """Why nothing was stored; empty where nothing went wrong."""


@dataclass(frozen=True, slots=True)
class LeadView:
    """What only the lead sees of a plan."""

    progress: tuple[tuple[str, int, int], ...]
    """(annotator, labelled, assigned)."""
    double: int
    """Pairs that were drawn for two annotators."""
    both: int
    """Those of them that both of theirs labelled."""
    disagreements: int
    """Pairs whose labels differ and of which nobody decided."""
    agreement: AgreementView


@dataclass(frozen=True, slots=True)
class PlanLine:
    """One plan as the desk lists it."""

    plan: int
    panel: str
    run: str
    guideline: str
    made: datetime
    pairs: int
    annotators: int
    mine: int
    done: int
    open: int
    go_on: str | None
    """Address of the annotator's first pair without a label; None where all have one."""
    look_back: str | None
    """Address of the annotator's last pair; None where the plan gives them none."""
    lead: LeadView | None


@dataclass(frozen=True, slots=True)
class DeskScreen:
    """Plans of labelling, newest first, with what a visitor has to do."""

    annotator: str | None
    may_choose: bool
    """Whether the name is what the visitor says, rather than what an account does."""
    is_lead: bool
    panel: str | None
    """Panel whose plans are shown; None for all."""
    plans: tuple[PlanLine, ...]
    pager: Pager
    runs: tuple[str, ...]
    """Runs that pairs can be drawn from; for the lead."""
    new_plan: Mapping[str, str]
    """The form for another plan, filled in where it was refused; empty for who is no lead."""
    problems: tuple[str, ...] = ()
    """Why no plan was made of what was typed."""


def choices(chosen: Support | None = None) -> tuple[Choice, ...]:
    """The five labels in the order of their keys."""
    return tuple(
        Choice(one.value, KEYS[one], _WORDS[one], meaning, one is chosen)
        for one, meaning in MEANINGS.items()
    )


def support_word(one: Support) -> str:
    """A label in a word."""
    return _WORDS[one]


def desk_table(screen: DeskScreen) -> Table:
    """One row a plan."""
    header = (
        "plan", "panel", "run", "guideline", "made", "pairs", "annotators", "mine", "done", "open",
        "double", "both", "disagreements",
    )  # fmt: skip
    return header, [
        (
            one.plan, one.panel, one.run, one.guideline, utc_second(one.made), one.pairs,
            one.annotators, one.mine, one.done, one.open, *_lead_cells(one.lead),
        )
        for one in screen.plans
    ]  # fmt: skip


def _lead_cells(lead: LeadView | None) -> Row:
    return (None,) * 3 if lead is None else (lead.double, lead.both, lead.disagreements)


def neighbours(positions: Sequence[int], position: int) -> tuple[int | None, int | None]:
    """The places before and behind a place, among an annotator's own."""
    before = [one for one in positions if one < position]
    behind = [one for one in positions if one > position]
    return (before[-1] if before else None, behind[0] if behind else None)
