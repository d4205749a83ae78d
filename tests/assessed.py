"""Small assessed captures, written in one line each; all of it synthetic."""

from monitor.domain.assessment import AssessedCapture, AssessedClaim, AssessedStatement, CitedPage
from monitor.domain.baseline import (
    BaselineClaim,
    BaselineSource,
    ClaimCategory,
    Match,
    PromptBaseline,
)
from monitor.domain.claim import Claim, Statement, StatementKind, Support, Verdict
from monitor.domain.engine import Outcome, Retrieval, Role
from monitor.domain.page import FetchStatus
from monitor.domain.panel import Prompt, Risk
from monitor.domain.score import Tally
from monitor.domain.source import Grade

FULL = Verdict(Support.FULL)
PARTIAL = Verdict(Support.PARTIAL)
NO = Verdict(Support.UNSUPPORTED)
AGAINST = Verdict(Support.CONTRADICTED)
UNCLEAR = Verdict(Support.NOT_ASSESSABLE, ("judge_unclear",))


def prompt(name="p1", risk=Risk.STANDARD, freshness_matters=False):
    return Prompt(name, "What helps?", "en-GB", risk=risk, freshness_matters=freshness_matters)


def page(
    key, family="auto", status=FetchStatus.OK, group=None, original=None, unit=None, span=True
):
    """A cited page; its family is the key's part before the slash unless given."""
    known = key.split("/")[0] if family == "auto" else family
    return CitedPage(
        key,
        f"https://{key}",
        known,
        unit,
        Role.DISPLAYED,
        1,
        (0,),
        span,
        group or key,
        original,
        status,
    )


def statement(index, pages=(), joint=None, alone=None, rest=None, unmapped=0, kind=None, claims=()):
    """A statement citing pages by index; `claims` are (joint, baseline) pairs."""
    text = Statement(
        index, f"Statement {index}.", 0, 1, kind or StatementKind.CLAIM, tuple(pages), unmapped
    )
    made = tuple(
        AssessedClaim(Claim(i, index, "A claim.", 0, 1), *pair) for i, pair in enumerate(claims)
    )
    return AssessedStatement(text, tuple(pages), made, joint, alone or {}, rest or {})


def capture(pages=(), statements=(), **fields):
    """An answered capture of prompt p1 with a search made and citations shown."""
    base = {
        "capture_id": 1,
        "prompt": prompt(),
        "engine": "alpha",
        "repeat": 1,
        "outcome": Outcome.ANSWERED,
        "reason": None,
        "retrieval": Retrieval.USED,
        "shows_citations": True,
        "exposes_retrieved": False,
    }
    return AssessedCapture(pages=tuple(pages), statements=tuple(statements), **(base | fields))


def source(key, grade=Grade.REQUIRED, match=None, supports=(), relevance=None):
    """A baseline source; keys with a slash are pages, others families."""
    level = match or (Match.PAGE if "/" in key else Match.FAMILY)
    return BaselineSource(key, level, grade, supports=tuple(supports), relevance=relevance)


def claim(name, category=ClaimCategory.CORE_FACT, required=True):
    return BaselineClaim(name, f"Claim {name}.", category, required)


def baseline(sources=(), claims=()):
    return PromptBaseline("p1", tuple(sources), tuple(claims))


def tally(prompt_id, families=None, repeat=1, measures=None):
    """A tally of an answered capture with given family counts."""
    counts = families or {}
    return Tally(prompt_id, repeat, measures or {}, {}, counts, counts)
