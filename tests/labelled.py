"""A run whose claims, verdicts and labels follow from the number that each claim carries."""

from dataclasses import replace

from monitor.domain.claim import Support, Verdict
from monitor.domain.page import FetchStatus
from monitor.domain.panel import Prompt
from tests.stored import PANEL, WordJudge, answer, keep_answers, keep_page

PROMPTS = tuple(Prompt(f"p{n:02}", f"How do oaks grow, part {n}?", "en-GB") for n in range(40))
TREES = replace(PANEL, prompts=PROMPTS, repeats=1)
CLAIMS = 3
"""Claims of each answer, each with a page of its own."""


def number_of(claim):
    """The number that a synthetic claim carries."""
    return int(claim.split()[1])


class OakJudge(WordJudge):
    """Verdicts that depend on the claim's number alone; one in five stays unclear."""

    def verdict(self, claim, evidence):
        n = number_of(claim)
        if n % 5 == 0:
            return Verdict(Support.NOT_ASSESSABLE, ("judge_unclear",), 0.6, judge=self.version)
        support = {1: Support.PARTIAL, 2: Support.UNSUPPORTED, 3: Support.CONTRADICTED}
        return Verdict(support.get(n % 8, Support.FULL), ("rule",), 0.9, judge=self.version)


JUDGE = OakJudge("oak@1")


def truth(claim):
    """What people say: as the judge, save one claim in seven, and full where that was unclear."""
    n = number_of(claim)
    if n % 7 == 0:
        return Support.UNSUPPORTED
    said = JUDGE.verdict(claim, ())
    return Support.FULL if said.support is Support.NOT_ASSESSABLE else said.support


def keep_oaks(bench, run):
    """Answers of three claims, each with its page; every twelfth page is gone."""
    bodies = []
    for n in range(len(PROMPTS)):
        places = [n * CLAIMS + k for k in range(CLAIMS)]
        lines = [f"Oak {one} grows by {one % 9 + 1} metres [{one}]." for one in places]
        cited = [(f"[{one}]", f"https://oak{one}.example/growth") for one in places]
        bodies.append(answer("\n\n".join(lines), *cited))
        for one in places:
            gone = one % 12 == 11
            keep_page(
                bench, run, f"https://oak{one}.example/growth",
                None if gone else f"Page {one}. Oak {one} is a tree.\n\n" + "More words. " * 400,
                status=FetchStatus.NOT_FOUND if gone else FetchStatus.OK,
            )  # fmt: skip
    keep_answers(bench, run, *bodies)
