"""A judge that asks a language model, once or by votes.

A vote is one conversation of its own. The label that most votes give counts; a tie is
not_assessable(disputed). Where no more than half of the votes came out usable, the verdict is
not_assessable(judge_error) with the first fault as its second reason, never a label: `network`,
`timeout`, `rate_limit`, `server`, `cut_stream`, `unreadable`, `too_large`, `encoding`,
`redirected`, `too_long`, `request_refused`, `refused`, `cut_off`, `invalid_reply`,
`quote_not_found`, `quote_suspect`; a third names the first mismatch of a reply. A verdict's cost
and tokens are those of all its calls, those of faulty replies and those that an earlier run paid
for included, so that a replayed verdict tells what it cost; the ledger only hears of calls that are
made now.

What is stored is replayed. Where it led to judge_error, and `Means.again` wants it, the question is
asked anew, once by each judge made, under further names: the last try counts from then on, and both
stay. What a verdict cost is what its own try did.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from monitor.config.judging import LlmPart
from monitor.domain.claim import NotAssessable, Question, Support, Verdict
from monitor.domain.engine import Usage
from monitor.domain.keys import content_key
from monitor.domain.page import FetchStatus
from monitor.errors import BudgetError, JudgeError
from monitor.judge.llm.endpoint import Endpoint, Means
from monitor.judge.llm.evidence import Dossier, dossier
from monitor.judge.llm.ladder import Conversation, Task, Told, add_usage, request_of
from monitor.judge.llm.prices import TokenPrice, token_price
from monitor.judge.llm.prompts import Template, template
from monitor.judge.llm.providers import PROVIDERS
from monitor.judge.llm.records import VOTES_A_TRY, Shelf
from monitor.judge.llm.replies import SCHEMA, Opinion, read_opinion
from monitor.judge.llm.threads import in_order
from monitor.judge.llm.votes import failed, is_settled, settled

ROOM = "verdicts"
"""What the names of stored calls begin with."""


@dataclass(frozen=True, slots=True)
class LlmJudge:
    """Verdicts by a language model; makes no call before it is asked for one."""

    version: str
    """Name and version: provider, model, number of the prompt, votes, and words if not usual."""
    _endpoint: Endpoint = field(repr=False)
    _template: Template = field(repr=False)
    _again: bool = False
    """Whether questions whose stored replies nobody could use are asked anew."""
    _asked: set[str] = field(default_factory=set, repr=False, compare=False)
    """Questions that calls were made for now; none is asked anew twice."""
    _replayed: set[str] = field(default_factory=set, repr=False, compare=False)

    @property
    def replayed(self) -> int:
        """Questions answered from stored replies alone, errors not counted."""
        return len(self._replayed - self._asked)

    def verdict(self, claim: str, evidence: tuple[str, ...]) -> Verdict:
        """Judge one claim against all evidence texts read together."""
        return self._answer(Question(claim, evidence))

    def verdicts(self, asked: Iterable[Question]) -> Iterator[Verdict]:
        """A verdict for each question, in order; some calls are under way at once.

        Questions that a cap does not reach are not_assessable(pending), unless their calls are
        stored; `held` then says why. JudgeError where the key or the model is refused, after all
        verdicts before it.
        """
        self._endpoint.release()
        return in_order(self._answer, asked, threads=self._endpoint.part.concurrency)

    @property
    def held(self) -> str | None:
        """Which cap ended the calls of the last `verdicts`, in words; None while none did."""
        return self._endpoint.held

    def estimate(self, question: Question) -> int:
        """Most that a question costs in micros where nothing is refused, mended or stored."""
        part = self._endpoint.part
        task = self._task(self._dossier(question))
        manner = self._endpoint.manner
        return part.votes * self._endpoint.estimate(
            request_of(self._endpoint, task, manner), manner
        )

    def likely(self, question: Question) -> int:
        """What a question costs if its text is English and its replies of common length."""
        endpoint = self._endpoint
        asked = request_of(endpoint, self._task(self._dossier(question)), endpoint.manner)
        return endpoint.part.votes * endpoint.likely(asked)

    @property
    def guessed_price(self) -> str:
        """That the price of the model is a guess, and what to do; empty where it is none."""
        price = self._endpoint.price
        return price.note if price.basis == "estimate" else ""

    def _answer(self, question: Question) -> Verdict:
        """The verdict of one question, pending where a cap was reached."""
        about = self._dossier(question)
        if not any(one.strip() for one in about.evidence):
            return Verdict(
                Support.NOT_ASSESSABLE, (FetchStatus.NO_TEXT.value,), 0.0, judge=self.version
            )
        if not about.claim.strip():
            reasons = (NotAssessable.JUDGE_UNCLEAR.value,)
            return Verdict(Support.NOT_ASSESSABLE, reasons, judge=self.version)
        told: list[Told[Opinion]] = []
        try:
            made = self._tried(about, told)
        except BudgetError:
            made = Verdict(Support.NOT_ASSESSABLE, (NotAssessable.PENDING.value,))
        usage: Usage | None = None
        for one in told:
            usage = add_usage(usage, one.usage)
        return replace(
            made, judge=self.version, cost_micros=sum(one.micros for one in told), usage=usage
        )

    def _tried(self, about: Dossier, told: list[Told[Opinion]]) -> Verdict:
        """The verdict of the last try, or of a new one where it may be asked anew."""
        task = self._task(about)
        shelf = Shelf(self._endpoint.artifacts, f"{ROOM}/{task.identity}")
        last = shelf.last_try
        made = self._polled(about, (task, shelf, last), told)
        if any(one.made_now for one in told):
            self._asked.add(task.identity)
        elif made.reason != NotAssessable.JUDGE_ERROR.value:
            self._replayed.add(task.identity)
        elif self._again and task.identity not in self._asked:
            self._asked.add(task.identity)
            told.clear()
            made = self._polled(about, (task, shelf, last + 1), told)
        return made

    def _polled(
        self, about: Dossier, place: tuple[Task[Opinion], Shelf, int], told: list[Told[Opinion]]
    ) -> Verdict:
        """The verdict of as many votes as can still change it; `told` takes each of them."""
        task, shelf, number = place
        total = self._endpoint.part.votes
        for vote in range(total):
            own = number * VOTES_A_TRY + vote
            told.append(Conversation(self._endpoint, task, shelf, own).run())
            opinions = [one.value for one in told if one.value is not None]
            if is_settled(opinions, left=total - vote - 1, total=total):
                break
        if 2 * len(opinions) <= total:
            fault = next(one.fault for one in told if one.fault is not None)
            return failed(fault, about)
        return settled(opinions, about, voted=total > 1)

    def _dossier(self, question: Question) -> Dossier:
        words = self._endpoint.part.evidence_words
        return dossier(question.claim, question.evidence, words=words)

    def _task(self, about: Dossier) -> Task[Opinion]:
        """What is asked about a claim, and the hash under which its calls are stored."""
        where = self._endpoint.part.base_url or ""
        return Task(
            room=ROOM,
            identity=content_key([_without_votes(self.version), where, about.key]),
            template=self._template,
            block=about.block(),
            schema=SCHEMA,
            read=lambda text, rung: read_opinion(text, rung, about),
        )


def _without_votes(version: str) -> str:
    """A version without its number of votes: the first vote of three is the vote of one."""
    name, at, rest = version.rpartition("@")
    return name + at + "-".join(one for one in rest.split("-") if not one.startswith("k"))


def open_endpoint(
    part: LlmPart, key: str | None, price: TokenPrice | None, means: Means
) -> Endpoint:
    """The endpoint of these settings; JudgeError where a model or a key is missing."""
    if not part.model.strip():
        raise JudgeError(
            "judge.llm.model is empty: name the model to ask, such as 'gpt-4.1-mini', in "
            "config.yaml or as MONITOR_JUDGE__LLM__MODEL"
        )
    name = part.key or PROVIDERS[part.provider].auth.variables[0]
    if key and not (key.isascii() and key.isprintable()):
        raise JudgeError(
            f"{name} holds characters that no key has; copy the key again, without spaces or lines "
            "around it"
        )
    if not key and part.base_url is None:
        raise JudgeError(
            f"the judge asks {part.provider} and has no key: set {name} (or {name}_FILE), or "
            "judge.llm.base_url to a server that needs none"
        )
    found = price or token_price(part, means.clock.now().date())
    return Endpoint(part, key, found, means)


def named(kind: str, part: LlmPart, prompt: Template) -> str:
    """Name and version of who asks a model; a bar in a model's name would part it elsewhere."""
    return f"{kind}/{part.provider}/{part.model.replace('|', '_')}@{prompt.version}"


def llm_judge(
    part: LlmPart, means: Means, *, key: str | None, price: TokenPrice | None = None
) -> LlmJudge:
    """The judge of these settings; JudgeError where a model or a key is missing."""
    endpoint = open_endpoint(part, key, price, means)
    prompt = template("judge_1")
    usual = LlmPart.model_fields["evidence_words"].default
    votes = f"-k{part.votes}" if part.votes > 1 else ""
    words = f"-w{part.evidence_words}" if part.evidence_words != usual else ""
    name = f"{named('llm', part, prompt)}{votes}{words}"
    return LlmJudge(name, endpoint, prompt, means.again)
