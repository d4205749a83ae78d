"""Whose prompt an answer answers: the question it shows, held against those of the panel."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from monitor.domain.panel import Panel, Prompt
from monitor.errors import PanelError

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\u202a-\u202e\u2066-\u2069\ufeff]")
_TYPED = str.maketrans("“”„‘’‚–—‐‑", "\"\"\"'''----")
"""Quotes and dashes that a telephone writes in place of those that were typed."""
_COMPARED = 300
"""Characters of a question that are held against the prompts to find the nearest."""


def plain_question(text: str) -> str:
    """A question as it was typed: composed (NFKC), one space a gap, plain quotes and dashes."""
    composed = unicodedata.normalize("NFKC", text).translate(_TYPED)
    return " ".join(_INVISIBLE.sub("", composed).split())


@dataclass(frozen=True, slots=True)
class Questions:
    """The prompts of a panel by their plain text."""

    panel: Panel
    by_text: Mapping[str, tuple[Prompt, ...]]

    @classmethod
    def of(cls, panel: Panel) -> "Questions":
        """Those of a panel."""
        found: dict[str, list[Prompt]] = {}
        for prompt in panel.prompts:
            found.setdefault(plain_question(prompt.text), []).append(prompt)
        return cls(panel, {text: tuple(several) for text, several in found.items()})

    def asked(self, shown: str | None) -> tuple[Prompt, ...]:
        """Prompts of that very text; several where the panel asks it in several locales."""
        return self.by_text.get(plain_question(shown), ()) if shown else ()

    def nearest(self, shown: str) -> str | None:
        """Id of the prompt whose text is most like a question; None where none is like it."""
        wanted = plain_question(shown)[:_COMPARED]
        matcher: SequenceMatcher[str] = SequenceMatcher(autojunk=False)
        matcher.set_seq2(wanted)
        best, found = _LIKE, None
        for text, several in self.by_text.items():
            matcher.set_seq1(text[:_COMPARED])
            if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best:
                ratio = matcher.ratio()
                if ratio > best:
                    best, found = ratio, several[0].id
        return found

    def named(self, prompt_id: str) -> Prompt:
        """The prompt of an id; PanelError lists what there is."""
        prompt = self.panel.prompt(prompt_id)
        if prompt is None:
            raise PanelError(
                f"panel {self.panel.name} has no prompt {prompt_id[:100]!r}; it has "
                f"{_some([p.id for p in self.panel.prompts])}"
            )
        return prompt


_LIKE = 0.5
"""Part of two texts that must be the same before one is called near the other."""


def _some(names: Sequence[str]) -> str:
    """The first names of a list, and how many more there are."""
    shown = ", ".join(names[:10])
    return shown if len(names) <= 10 else f"{shown} and {len(names) - 10} more"
