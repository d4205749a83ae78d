"""Tables of answers, statements and claims beside this file; all texts are our own."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from monitor.claims import statements
from monitor.domain.claim import StatementKind
from monitor.domain.engine import Citation, Exchange, Outcome, Reading, Role, Span, SpanKind
from monitor.engines import read

HERE = Path(__file__).parent
NOTED = re.compile(r"⟦(?P<marker>[\d,]+):|⟪(?P<span>\d+)(?P<block>b?):|[⟧⟫]")
WANTED = re.compile(r"(?:\((?P<kind>[a-z]+)\) )?(?P<text>.*?)(?: ?<(?P<sources>[\d ]+)>)?")


@dataclass(frozen=True)
class Wanted:
    """A statement as a table wants it; text `*` and kind None stand for any."""

    text: str
    sources: tuple[int, ...]
    kind: str | None


def tabled(name):
    """(case name, noted answer, wanted statements) of each case of a table of answers."""
    cases = []
    for part in (HERE / name).read_text("utf-8").split("\n\n## ")[1:]:
        title, *lines = part.rstrip("\n").split("\n")
        answer = "\n".join(line[2:] for line in lines if line.startswith("|"))
        wanted = [wanted_of(line[2:]) for line in lines if line.startswith("= ")]
        marks = pytest.mark.xfail(strict=True) if title.startswith("known miss") else ()
        cases.append(pytest.param(answer, wanted, id=title, marks=marks))
    return cases


def wanted_of(line):
    found = WANTED.fullmatch(line)
    sources = tuple(int(number) - 1 for number in (found["sources"] or "").split())
    return Wanted(found["text"], sources, found["kind"])


def reading(noted):
    """The answer without the notation, with its spans."""
    text, place, opened, spans = "", 0, [], {}
    for found in NOTED.finditer(noted):
        text += noted[place : found.start()]
        place = found.end()
        numbers = found["marker"] or found["span"]
        if numbers:
            kind = SpanKind.BLOCK if found["block"] else SpanKind.CLAIM
            opened.append((numbers, SpanKind.MARKER if found["marker"] else kind, len(text)))
            continue
        numbers, kind, start = opened.pop()
        for number in numbers.split(","):
            spans.setdefault(int(number), []).append(Span(start, len(text), kind))
    cited = tuple(
        Citation(f"https://s{n}.example/", None, Role.DISPLAYED, len(some), tuple(some))
        for n in range(1, max(spans, default=0) + 1)
        for some in [spans.get(n, [])]
    )
    return Reading(Outcome.ANSWERED, text=text + noted[place:], citations=cited)


@pytest.mark.parametrize(
    ("answer", "wanted"), [*tabled("answers.txt"), *tabled("answers_unseen.txt")]
)
def test_an_answer_is_cut_into_the_statements_a_reader_finds(answer, wanted):
    made = statements(reading(answer))
    told = [
        Wanted(
            "*" if want.text == "*" else one.text,
            one.citations,
            want.kind and one.kind.value,
        )
        for one, want in zip(made, wanted, strict=True)
    ]
    assert told == wanted


def lines(name):
    return [
        line
        for line in (HERE / name).read_text("utf-8").splitlines()
        if line and not line.startswith("# ")
    ]


KINDS = [(line.split(" ", 1)[1].strip(), line.split(" ", 1)[0]) for line in lines("kinds.txt")]


@pytest.mark.parametrize(("words", "kind"), KINDS)
def test_a_statement_has_the_kind_a_reader_gives_it(words, kind):
    made = statements(Reading(Outcome.ANSWERED, text=words))
    assert made[0].kind is StatementKind(kind)


def clause_cases():
    parts = "\n".join(lines("clauses.txt")).split("| ")[1:]
    return [
        (words, rest.split("\n")) for words, _, rest in (p.rstrip().partition("\n") for p in parts)
    ]


@pytest.mark.parametrize(("words", "claims"), clause_cases())
def test_a_statement_makes_the_claims_that_can_stand_alone(words, claims):
    answer = Reading(Outcome.ANSWERED, text=words)
    made = [claim for one in statements(answer) for claim in one.claims]
    assert [claim.text.rstrip(".") for claim in made] == [line[2:] for line in claims]
    assert all(claim.text.endswith(words[claim.start : claim.end]) for claim in made)


def test_byte_spans_of_gemini_reach_the_statement_they_were_meant_for():
    text = "Das Café Größe öffnet um 8 Uhr. Der Kaffee kostet 3,20 €. Hunde dürfen hinein."
    start = len(text[: text.index("Der Kaffee")].encode())
    end = start + len("Der Kaffee kostet 3,20 €.".encode())
    grounding = {
        "groundingChunks": [{"web": {"uri": "https://cafe.example/", "title": "cafe.example"}}],
        "groundingSupports": [
            {"segment": {"startIndex": start, "endIndex": end}, "groundingChunkIndices": [0]}
        ],
    }
    content = {"role": "model", "parts": [{"text": text}]}
    payload = {
        "candidates": [{"content": content, "finishReason": "STOP", "groundingMetadata": grounding}]
    }
    made = statements(read("gemini", (Exchange(json.dumps(payload).encode(), 200),)))
    assert [one.citations for one in made] == [(), (0,), ()]


def test_blocks_of_anthropic_reach_the_statement_they_end():
    source = {
        "type": "web_search_result_location",
        "url": "https://registry.example/",
        "title": "Registry",
        "cited_text": "2014-05-21",
        "encrypted_index": "x",
    }
    content = [
        {"type": "text", "text": "It has 40 authors. According to the registry, "},
        {"type": "text", "text": "it was published on 2014-05-21", "citations": [source]},
        {"type": "text", "text": ". Ask them."},
    ]
    payload = {
        "type": "message",
        "role": "assistant",
        "content": content,
        "stop_reason": "end_turn",
    }
    made = statements(read("anthropic", (Exchange(json.dumps(payload).encode(), 200),)))
    assert [one.citations for one in made] == [(), (0,), ()]
