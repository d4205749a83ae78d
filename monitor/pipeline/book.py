"""What stages want of a book of verdicts, and the book of those who ask nobody."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from monitor.domain.claim import NotAssessable, Support, Verdict
from monitor.domain.keys import text_key


@dataclass(frozen=True, slots=True)
class Evidence:
    """A text that may support claims, under its hash; it is read when somebody wants it."""

    sha256: str
    read: Callable[[str], str | None] = field(compare=False, repr=False)
    """Gives the text of a hash."""

    @property
    def text(self) -> str | None:
        """The text; None where retention removed it: verdicts that were given on it stay."""
        return self.read(self.sha256)

    @classmethod
    def of(cls, text: str) -> "Evidence":
        """Evidence made of a text at hand."""
        return cls(text_key(text), lambda _: text)


class Book(Protocol):
    """Where stages say which verdicts they want, have them given, and get them."""

    def want(self, claim: str, evidence: Sequence[Evidence]) -> None:
        """Ask for a verdict; it is there after the next `settle`."""
        ...

    def settle(self, stage: str, *, optional: bool = False) -> None:
        """Have everything given that was wanted so far; what is `optional` may stay pending."""
        ...

    def get(self, claim: str, evidence: Sequence[Evidence]) -> Verdict:
        """Verdict of a claim and the texts read together; pending where nobody gave it."""
        ...


@dataclass(frozen=True, slots=True)
class UnaskedBook:
    """A book that has nothing judged: whatever is asked stays pending."""

    note: Callable[[str, Sequence[Evidence]], None] = lambda _, __: None
    """Hears what is wanted."""

    def want(self, claim: str, evidence: Sequence[Evidence]) -> None:
        """Tell what is wanted."""
        self.note(claim, evidence)

    def settle(self, stage: str, *, optional: bool = False) -> None:
        """Nothing is judged: nobody is asked."""

    def get(self, claim: str, evidence: Sequence[Evidence]) -> Verdict:  # noqa: ARG002
        """Pending, whatever is asked."""
        return not_assessable(NotAssessable.PENDING.value)


def not_assessable(reason: str, judge: str = "") -> Verdict:
    """A verdict that says why nobody could check."""
    return Verdict(Support.NOT_ASSESSABLE, (reason,), judge=judge)
