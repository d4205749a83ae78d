"""What the interfaces of language models have in common: requests and replies as values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from monitor.domain.engine import Auth, Request, Usage

Node = Mapping[str, Any]

MOST_TOKENS = 10_000_000
"""Most tokens that a call is believed to have taken: those of all votes fit a column."""


class Rung(StrEnum):
    """How a reply's form is asked for, strictest first."""

    SCHEMA = "schema"
    OBJECT = "object"
    TEXT = "text"

    @property
    def below(self) -> "Rung | None":
        """The next rung down; None below plain text."""
        return {Rung.SCHEMA: Rung.OBJECT, Rung.OBJECT: Rung.TEXT}.get(self)


@dataclass(frozen=True, slots=True)
class Manner:
    """How an endpoint is asked; learned from what it refuses, and stored with each call."""

    rung: Rung = Rung.SCHEMA
    temperature: bool = True
    """Whether temperature 0 is sent; some models refuse any."""
    plain_cap: bool = False
    """Whether the cap on a reply is sent by its other name (`max_tokens` at OpenAI's own)."""
    wide: bool = False
    """Whether the reply may be long: models that think spend the cap on it."""

    @property
    def reply_tokens(self) -> int:
        """Most tokens of a reply, thoughts included."""
        return 8192 if self.wide else 2048


@dataclass(frozen=True, slots=True)
class Ask:
    """What a model is asked, before a provider gives it its form."""

    model: str
    system: str
    turns: tuple[tuple[str, str], ...]
    """(`user` or `assistant`, text), in order."""
    schema: Node
    manner: Manner
    base_url: str | None = None


class Stop(StrEnum):
    """How a model's reply ended."""

    DONE = "done"
    CUT = "cut_off"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Heard:
    """What a model said, and what it used."""

    text: str
    stop: Stop
    usage: Usage | None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Provider:
    """One interface: where it lives, how it is asked, and how its replies are read."""

    name: str
    auth: Auth
    request: Callable[[Ask], Request]
    read: Callable[[Node], Heard | None]
    """None where a document has no reply in it."""


def first_of(value: Any) -> Node | None:
    """First mapping of a list, or None."""
    return value[0] if isinstance(value, list) and value and isinstance(value[0], Mapping) else None


def node_of(value: Any) -> Node:
    """A mapping, or an empty one in place of anything else."""
    return value if isinstance(value, Mapping) else {}


def joined(value: Any) -> str:
    """Text of a string or of a list of parts with `text`."""
    if isinstance(value, str):
        return value
    parts = value if isinstance(value, list) else ()
    return "".join(
        part["text"]
        for part in parts
        if isinstance(part, Mapping) and isinstance(part.get("text"), str)
    )


def count_of(counted: Node, name: str) -> int | None:
    """A count of tokens; None where it is absent, no count, or more than any model reads."""
    value = counted.get(name)
    sound = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS
    return value if sound else None


def usage_of(asked: int | None, answered: int | None, thought: int | None) -> Usage | None:
    """Counts of a call; None where the two that matter are not there."""
    if asked is None or answered is None:
        return None
    return Usage(asked, answered, thought)


def word_of(value: Any) -> str | None:
    """A string that is not empty, or None."""
    return value if isinstance(value, str) and value else None
