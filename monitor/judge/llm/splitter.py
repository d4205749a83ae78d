"""Statements taken apart into claims by a language model, each resting on words of the statement.

A reply counts only where it holds 1 to 12 claims, each with words that stand in the statement and
without a number that the statement lacks. Anything else, after one repair, leaves the statement to
the rule-based split.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from monitor.config.judging import LlmPart
from monitor.domain.keys import content_key, text_key
from monitor.engines.shapes.payload import clean_text
from monitor.errors import BudgetError
from monitor.judge.llm.endpoint import Endpoint, Means
from monitor.judge.llm.evidence import wrapped
from monitor.judge.llm.forms import Fault, plain, read_object
from monitor.judge.llm.interface import Rung
from monitor.judge.llm.judge import named, open_endpoint
from monitor.judge.llm.ladder import Conversation, Task, request_of
from monitor.judge.llm.prices import TokenPrice
from monitor.judge.llm.prompts import Template, template
from monitor.judge.llm.quoting import find_words
from monitor.judge.llm.records import Shelf
from monitor.judge.llm.threads import in_order

Parts = tuple[tuple[str, int, int], ...]
"""Claims of one statement: text, start and end in the statement's text."""

ROOM = "claims"
"""What the names of stored calls begin with."""
MOST_CLAIMS = 12
_LONGEST = 1_000
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_LINE = re.compile(r"^[\s*_#>\d.)-]*CLAIM[*_]*\s*[:=]\s*(.*)$", re.IGNORECASE)

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "claims": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"claim": {"type": "string"}, "words": {"type": "string"}},
                "required": ["claim", "words"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["claims"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class LlmSplitter:
    """Claims of statements by a language model; makes no call before it is asked for some."""

    version: str
    """Name and version: provider, model and number of the prompt."""
    _endpoint: Endpoint = field(repr=False)
    _template: Template = field(repr=False)

    def split(self, statements: Sequence[str]) -> Iterator[Parts | None]:
        """Claims of each statement, in order; None where the rule-based split is to be kept.

        That is where nothing valid came back, where a call failed for good, and behind a cap:
        `held` says which. JudgeError where the key or the model is refused.
        """
        self._endpoint.release()
        return in_order(self._parts, statements, threads=self._endpoint.part.concurrency)

    @property
    def held(self) -> str | None:
        """Which cap ended the calls of the last `split`, in words; None while none did."""
        return self._endpoint.held

    def estimate(self, statement: str) -> int:
        """Most that a statement costs in micros where nothing is refused, mended or stored."""
        manner = self._endpoint.manner
        asked = request_of(self._endpoint, self._task(statement), manner)
        return self._endpoint.estimate(asked, manner)

    def _parts(self, statement: str) -> Parts | None:
        if not statement.strip():
            return None
        task = self._task(statement)
        shelf = Shelf(self._endpoint.artifacts, f"{ROOM}/{task.identity}")
        try:
            return Conversation(self._endpoint, task, shelf, 0).run().value
        except BudgetError:
            return None

    def _task(self, statement: str) -> Task[Parts]:
        said = clean_text(statement)
        where = self._endpoint.part.base_url or ""
        key = content_key([self.version, where, text_key(said)])
        return Task(
            room=ROOM,
            identity=key,
            template=self._template,
            block=wrapped([("STATEMENT", said)], key),
            schema=SCHEMA,
            read=lambda text, rung: read_parts(text, rung, said),
        )


def read_parts(text: str, rung: Rung, statement: str) -> Parts | Fault:
    """The claims that a reply holds, or what is wrong with it."""
    said = _lines(text) if rung is Rung.TEXT else read_object(text)
    if isinstance(said, Fault):
        return said
    claims = said.get("claims")
    if not isinstance(claims, list) or not all(isinstance(one, Mapping) for one in claims):
        return Fault("invalid_reply", "it holds no list of claims", of_form=True)
    if not 1 <= len(claims) <= MOST_CLAIMS:
        return Fault("invalid_reply", f"it holds {len(claims)} claims, not 1 to {MOST_CLAIMS}")
    known = set(_NUMBER.findall(statement))
    found: list[tuple[str, int, int]] = []
    for one in claims:
        claim, words = plain(one.get("claim"), _LONGEST), one.get("words")
        span = find_words(words, statement) if isinstance(words, str) else None
        if not claim:
            return Fault("invalid_reply", "one of its claims is empty")
        if span is None:
            says = f"the words given for {claim[:80]!r} do not stand in the statement"
            return Fault("quote_not_found", says)
        if added := set(_NUMBER.findall(claim)) - known:
            return Fault("invalid_reply", f"the statement has no number {min(added)}")
        found.append((claim, *span))
    return tuple(found)


def _lines(text: str) -> Mapping[str, Any] | Fault:
    """Claims of a reply in lines: a claim, a bar, and the words of the statement."""
    matches = [match for line in text.splitlines() if (match := _LINE.match(line))]
    if not matches:
        return Fault("invalid_reply", "none of its lines is CLAIM: and a claim", of_form=True)
    pairs = [match[1].rpartition("|") for match in matches]
    return {"claims": [{"claim": claim.strip(), "words": words} for claim, _, words in pairs]}


def llm_splitter(
    part: LlmPart, means: Means, *, key: str | None, price: TokenPrice | None = None
) -> LlmSplitter:
    """The splitter of these settings; JudgeError where a model or a key is missing."""
    endpoint = open_endpoint(part, key, price, means)
    prompt = template("split_1")
    return LlmSplitter(named("llm-split", part, prompt), endpoint, prompt)
