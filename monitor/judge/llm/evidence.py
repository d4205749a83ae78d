"""Evidence as a model is sent it: cut to size, cleaned, between marks that it cannot write itself.

The marks hold a nonce made from the content, so that the same question always makes the same
request, and no text can hold the mark of its own end.
"""

from dataclasses import dataclass

from monitor.domain.keys import content_key, text_key
from monitor.engines.shapes.payload import clean_text
from monitor.judge.embedded.passages import best_windows
from monitor.judge.llm.injection import suspicious, touches
from monitor.judge.llm.quoting import find_quote

_CUT = "[...]"
_LONGEST_CLAIM = 8_000
"""Code points of a claim that are sent; what is longer is no claim."""


@dataclass(frozen=True, slots=True)
class Dossier:
    """A claim and its evidence, ready to be sent, and what is suspicious in them."""

    claim: str
    evidence: tuple[str, ...]
    """The whole texts: quotes are looked for in these."""
    sent: tuple[str, ...]
    """What is sent of them."""
    suspects: tuple[tuple[tuple[int, int], ...], ...]
    """By evidence text, ranges of sentences that speak to a judge."""
    flagged: bool
    """Whether the claim or any evidence text has such a sentence."""

    @property
    def key(self) -> str:
        """Hash of the claim and the evidence texts."""
        return content_key([text_key(self.claim), [text_key(one) for one in self.evidence]])

    def block(self) -> str:
        """The evidence, then the claim, each between its marks."""
        return wrapped(
            [*((f"EVIDENCE {n}", text) for n, text in enumerate(self.sent, 1)),
             ("CLAIM", self.claim)], self.key
        )  # fmt: skip

    def place(self, quote: str) -> tuple[int, tuple[int, int]] | None:
        """Evidence text and range of a quote, suspicious sentences passed over; else None."""
        for index, text in enumerate(self.evidence):
            for span in find_quote(quote, text):
                if not touches(span, self.suspects[index]):
                    return index, span
        return None

    def is_suspect(self, quote: str) -> bool:
        """Whether a quote stands in the evidence, but only where that speaks to a judge."""
        stands = any(True for text in self.evidence for _ in find_quote(quote, text))
        return stands and self.place(quote) is None


def dossier(claim: str, evidence: tuple[str, ...], *, words: int) -> Dossier:
    """What is sent of a claim and its evidence: at most so many words of evidence in all."""
    texts = tuple(clean_text(one) for one in evidence)
    said = clean_text(claim)[:_LONGEST_CLAIM]
    suspects = tuple(suspicious(one) for one in texts)
    flagged = any(suspects) or bool(suspicious(said))
    return Dossier(said, texts, cut(said, texts, words), suspects, flagged)


def cut(claim: str, texts: tuple[str, ...], words: int) -> tuple[str, ...]:
    """Texts within a number of words: short ones whole, of the others what is nearest the claim."""
    sizes = [len(one.split()) for one in texts]
    # Texts without spaces count by their length: a word of Chinese has about two characters.
    sizes = [max(size, len(one) // 12) for size, one in zip(sizes, texts, strict=True)]
    if sum(sizes) <= words:
        return texts
    room = _shares(sizes, words)
    return tuple(
        one if size <= share else _nearest(claim, one, share)
        for one, size, share in zip(texts, sizes, room, strict=True)
    )


def _shares(sizes: list[int], words: int) -> list[int]:
    """Words for each text: what short ones leave is shared by the long ones."""
    shares = [0] * len(sizes)
    order = sorted(range(len(sizes)), key=sizes.__getitem__)
    for done, index in enumerate(order):
        shares[index] = min(sizes[index], words // (len(order) - done))
        words -= shares[index]
    return shares


def _nearest(claim: str, text: str, words: int) -> str:
    """The passages of a text nearest to a claim, with a sign where something was left out."""
    spans = best_windows(claim, text, words=max(1, words))
    if not spans:
        return text[: 12 * max(1, words)]
    parts = [text[start:end] for start, end in spans]
    before = [_CUT] if spans[0][0] > 0 else []
    after = [_CUT] if spans[-1][1] < len(text) else []
    return "\n".join([*before, f"\n{_CUT}\n".join(parts), *after])


def wrapped(named: list[tuple[str, str]], key: str) -> str:
    """Texts under their names, between marks with a nonce that stands in none of them."""
    nonce = _nonce(key, "\n".join(text for _, text in named))
    return "\n\n".join(f"<<<{name} {nonce}\n{text}\nEND {name} {nonce}>>>" for name, text in named)


def _nonce(key: str, content: str) -> str:
    """The beginning of a hash, longer or another one where it stands in the content."""
    length = 12
    while key[:length] in content:
        length += 4
        if length > len(key):
            key, length = text_key(key), 12
    return key[:length]
