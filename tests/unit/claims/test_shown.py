"""An answer's blocks as a reader saw them."""

from hypothesis import given
from hypothesis import strategies as st

from monitor.claims import statements
from monitor.claims.shown import ShownKind, shown_blocks
from monitor.domain.engine import Citation, Outcome, Reading, Role

CITED = (Citation("https://oaks.example/a", "Oaks", Role.DISPLAYED, 1),)


def shown(text):
    reading = Reading(Outcome.ANSWERED, text=text, citations=CITED)
    found = statements(reading)
    return found, shown_blocks(reading, found)


def test_headings_lists_tables_and_code_keep_their_kind():
    found, blocks = shown(
        "# Oaks\n\nThey grow slowly [1]. They are old.\n\n1. Root first.\n2) Then leaf.\n\n"
        "- acorns\n\n| Tree | Height |\n|---|---|\n| Oak | 30 m [1] |\n\n```\noak = 1\n```\n\n"
        "[1]: https://oaks.example/a\n"
    )
    assert [b.kind.value for b in blocks] == [
        "heading", "paragraph", "numbered", "numbered", "bullet", "header", "row", "aside",
    ]  # fmt: skip
    assert [found[n].text for n in blocks[1].statements] == ["They grow slowly.", "They are old."]
    assert blocks[5].cells == ("Tree", "Height")
    assert blocks[6].cells == ("Oak", "30 m")
    assert blocks[7].text == "oak = 1\n[1]: https://oaks.example/a"


def test_marks_alone_are_no_text():
    _, blocks = shown("Oaks grow.\n\n---\n\n***\n\n> \n\n[1]\n\nElms grow.")
    assert {b.kind for b in blocks} == {ShownKind.PARAGRAPH}
    assert len(blocks) == 2


@given(st.text("aA1.!?:|-*#>`[]() \n\t_oO", min_size=1, max_size=120).filter(str.strip))
def test_every_statement_stands_in_exactly_one_block(text):
    found, blocks = shown(text)
    placed = [n for block in blocks for n in block.statements]
    assert placed == [one.index for one in found]
