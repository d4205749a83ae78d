"""One conversation with a model until its reply is usable or cannot be: the ladder and one repair.

Strict schema first, then a JSON object, then plain text. A rung that the endpoint refuses, or
passes over by a reply of another form, leads to the next one and is remembered once that worked; it
is no repair. Where the first replies of a process fit no rung at all, later conversations begin
with the last one. A reply of the right form that cannot be used is objected to once, and one that
was cut off is asked for once more with more room. What is stored of a conversation is taken from
there, with the manner in which it was asked then.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from monitor.domain.engine import Request, Usage
from monitor.engines.shapes.payload import clean_text
from monitor.judge.llm.endpoint import Endpoint, Made
from monitor.judge.llm.failures import LASTING, Fate, sort_call
from monitor.judge.llm.forms import Fault
from monitor.judge.llm.interface import Ask, Heard, Manner, Rung, Stop
from monitor.judge.llm.prompts import Template
from monitor.judge.llm.records import Place, Shelf, request_key

T = TypeVar("T")
_MOST_STEPS = 10
"""Calls of one conversation at the very most: two rungs, two refused values, one repair."""
_LONGEST_REPLY = 8_000
"""Code points of a faulty reply that are sent back with the objection."""


@dataclass(frozen=True, slots=True)
class Task(Generic[T]):
    """What is asked, and how a reply is read."""

    room: str
    identity: str
    """Hash of all that the conversation is about."""
    template: Template
    block: str
    schema: Mapping[str, Any]
    read: Callable[[str, Rung], T | Fault]


@dataclass(frozen=True, slots=True)
class Told(Generic[T]):
    """What came of a conversation, and what was paid for it, now or by an earlier run."""

    value: T | None
    fault: Fault | None
    """Why there is no value; None where there is one."""
    micros: int
    usage: Usage | None
    made_now: bool
    """Whether any call of it was made now; all others were taken from what is stored."""


def add_usage(one: Usage | None, other: Usage | None) -> Usage | None:
    """Tokens of both; a count that only one has stays."""
    if one is None or other is None:
        return one or other
    pairs = (
        (one.input_tokens, other.input_tokens),
        (one.output_tokens, other.output_tokens),
        (one.reasoning_tokens, other.reasoning_tokens),
    )
    sums = [None if a is None and b is None else (a or 0) + (b or 0) for a, b in pairs]
    return Usage(*sums)


class Conversation(Generic[T]):
    """One vote: the calls of a conversation and where it stands."""

    def __init__(self, endpoint: Endpoint, task: Task[T], shelf: Shelf, vote: int) -> None:
        self._endpoint = endpoint
        self._task = task
        self._shelf = shelf
        self._vote = vote
        self._manner = endpoint.manner
        self._turns: tuple[tuple[str, str], ...] = ()
        self._repaired = False
        self._other_cap = False
        self._made_now = False
        self.micros = 0
        self.usage: Usage | None = None

    def run(self) -> Told[T]:
        """Ask until a reply is usable or cannot be."""
        for step in range(_MOST_STEPS):
            made = self._made(step)
            self.micros += made.micros
            found = self._after(made)
            if isinstance(found, Fault):
                if found.of_form and self._made_now:
                    self._endpoint.despair(self._manner)
                return self._told(None, found)
            if found is not None:
                self._endpoint.learn(self._manner)
                return self._told(found, None)
        return self._told(None, Fault("invalid_reply", "there were too many calls"))

    def _told(self, value: T | None, fault: Fault | None) -> Told[T]:
        return Told(value, fault, self.micros, self.usage, self._made_now)

    def request(self, manner: Manner) -> Request:
        """The next call in a manner."""
        return request_of(self._endpoint, self._task, manner, self._turns)

    def _made(self, step: int) -> Made:
        """A call that is stored, else a new one; with what earlier tries of it cost."""
        place = Place(self._task.room, self._task.identity, self._vote, step)
        cost, paid = self._endpoint.cost, 0
        for record in self._shelf.records(place):
            call = sort_call(record.exchange)
            if request_key(self.request(record.manner)) != record.request_key:
                continue
            paid += cost(record, call)
            if call.fate in LASTING:
                self._manner = record.manner
                return Made(record, call, paid)
        request = self.request(self._manner)
        self._made_now = True
        made = self._endpoint.ask(request, self._manner, place, self._shelf.free(place))
        return replace(made, micros=made.micros + paid)

    def _after(self, made: Made) -> T | Fault | None:
        """What a call brought: a value, why there is none, or None to ask again."""
        call, manner = made.call, self._manner
        if call.fate is Fate.NO_TEMPERATURE and manner.temperature:
            self._manner = replace(manner, temperature=False)
            return None
        if call.fate is Fate.OTHER_CAP and not self._other_cap:
            self._other_cap = True
            self._manner = replace(manner, plain_cap=not manner.plain_cap)
            return None
        if call.fate in {Fate.NO_TEMPERATURE, Fate.OTHER_CAP, Fate.NO_FORM}:
            return self._down(Fault("request_refused", "the request was refused"))
        if call.fate is not Fate.HEARD:
            return Fault(call.word, "no reply")
        heard = self._endpoint.heard(call)
        if heard is None:
            return Fault("unreadable", "no reply")
        self.usage = add_usage(self.usage, heard.usage)
        return self._judged(heard)

    def _judged(self, heard: Heard) -> T | Fault | None:
        """What a reply says, or what to do where it cannot be used."""
        if heard.stop is Stop.REFUSED:
            return Fault("refused", "the model refused")
        if heard.stop is Stop.CUT:
            if self._repaired or self._manner.wide:
                return Fault("cut_off", "the reply was cut off")
            self._repaired = True
            self._manner = replace(self._manner, wide=True)
            return None
        found = self._task.read(heard.text, self._manner.rung)
        if not isinstance(found, Fault):
            return found
        if found.of_form and self._manner.rung.below is not None:
            return self._down(found)
        if self._repaired:
            return found
        self._repaired = True
        said = clean_text(heard.text).strip()[:_LONGEST_REPLY] or "(nothing)"
        self._turns = (
            ("assistant", said),
            ("user", self._task.template.objection(found.says)),
        )
        return None

    def _down(self, fault: Fault) -> Fault | None:
        """Go on by the next rung with the question alone; the fault where there is none."""
        below = self._manner.rung.below
        if below is None:
            return fault
        self._manner, self._turns = replace(self._manner, rung=below), ()
        return None


def request_of(
    endpoint: Endpoint,
    task: Task[T],
    manner: Manner,
    later: tuple[tuple[str, str], ...] = (),
) -> Request:
    """A call of a conversation: the question, then what was said after it."""
    first = ("user", task.template.question(task.block, manner.rung))
    part = endpoint.part
    ask = Ask(part.model, task.template.system, (first, *later), task.schema, manner, part.base_url)
    return endpoint.provider.request(ask)
