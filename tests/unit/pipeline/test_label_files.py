"""Filled files of drawn pairs: what is read, and how every problem is named by its row and its pair."""

import csv
import io

import pytest

from monitor.domain.claim import Support
from monitor.errors import MonitorError
from monitor.pipeline.label_files import read_filled
from monitor.pipeline.label_sheets import COLUMNS, PairSheet, sheets_csv
from monitor.store.support_labels import DrawnPair, LabelDraw, PairKey

CLAIMS = ("=Oaks grow.", "Oaks, of 7 metres\nor so.", "Elms “grow” fast.", "Pines burn.")
PAIRS = tuple(
    DrawnPair(f"Dk-{n}-x", "p1", "openai", claim, ("t",), PairKey(f"c{n}", "e"))
    for n, claim in enumerate(CLAIMS)
)
DRAW = LabelDraw("k", "trees", "run:trees:2026-01", None, 7, "f", 9, PAIRS)


def read(content, **fields):
    return read_filled(
        content, [DRAW], source="pairs.csv", guideline="g1", annotator=fields.get("annotator")
    )


def problems(content):
    with pytest.raises(MonitorError) as caught:
        read(content.encode())
    return str(caught.value).splitlines()


def test_every_problem_of_a_file_is_named_by_row_and_nothing_is_taken():
    one, two, three = (p.name for p in PAIRS[:3])
    told = problems(
        "pair,claim,support,annotator\r\n"
        f'{one},"Another\nclaim",full,ann\r\n'
        f"{two},,perhaps,ann\r\n"
        "D0-1-1,,full,ann\r\n"
        f"{three},,full,\r\n"
        f"{three},,Not assessable,ann\r\n"
        f"{three},,full,ann\r\n"
        f"{one},,,ann\r\n"
        f"{two},,full,{'a' * 200}\r\n"
        f"{two},,full,ann,five\r\n"
    )
    expected = (
        (f"row 1, pair {one}", "sorted apart"),
        (f"row 2, pair {two}", "support 'perhaps'; expected one of full"),
        ("row 3, pair D0-1-1", "was not drawn from this panel"),
        (f"row 4, pair {three}", "no annotator"),
        (f"row 6, pair {three}", "labelled this pair in row 5 already"),
        (f"row 8, pair {two}", "annotator has 200 characters"),
        ("row 9, line 11", "5 cells; the header has 4"),
    )
    assert len(told) == len(expected) + 1
    for (place, said), message in zip(expected, told[:-1], strict=True):
        assert message.startswith(f"pairs.csv: {place}: ")
        assert said in message
    assert told[-1] == "nothing was stored"


def test_of_many_problems_twenty_are_named_and_the_rest_is_counted():
    told = problems("pair,support\n" + "D0,full\n" * 25)
    assert (len(told), told[20]) == (22, "pairs.csv: and 5 more")


def test_a_file_that_went_through_a_spreadsheet_is_read_all_the_same():
    sheets = [PairSheet(p.name, "p1", "Oaks?", "openai", p.claim, p.claim, ()) for p in PAIRS]
    rows = list(csv.reader(io.StringIO(sheets_csv(sheets), newline="")))
    assert rows[1][COLUMNS.index("claim")] == "'=Oaks grow."
    place = COLUMNS.index("support")
    for row in rows[1:4]:
        row[place : place + 2] = [" Not assessable ", "ann"]
    rows[4] = rows[4][:place]
    text = io.StringIO()
    csv.writer(text, delimiter=";", lineterminator="\n").writerows(rows)
    filled = read(b"\xef\xbb\xbf" + text.getvalue().encode())
    assert (len(filled.labels), filled.blank) == (3, 1)
    assert {one.support for one in filled.labels} == {Support.NOT_ASSESSABLE}
    assert [one.claim for one in filled.labels] == list(CLAIMS[:3])
    assert {(one.annotator, one.guideline) for one in filled.labels} == {("ann", "g1")}


def test_a_name_of_the_command_stands_where_a_row_has_none():
    content = b"pair,support,annotator,note\nDk-0-x,FULL,,\nDk-1-x,partial,ben,hard\n"
    first, second = read(content, annotator="ann").labels
    assert (first.annotator, first.note) == ("ann", None)
    assert (second.annotator, second.note) == ("ben", "hard")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "expected one column `pair`, got nothing"),
        ("pair,support\n", "no rows; expected a file that `monitor labels draw` wrote"),
        ("claim,support\nx,full\n", "expected one column `pair`"),
        ("pair,support,support\n", "expected one column `support`"),
        ('{"pair": 7, "support": "full"}', "pair is a int; expected text"),
        ("{nothing}", "not JSON"),
        ('{"support": "full"}', "expected an object with `pair`"),
    ],
)
def test_files_of_another_make_are_refused(content, said):
    assert said in problems(content)[0]


def test_a_file_of_another_encoding_is_refused():
    with pytest.raises(MonitorError, match="byte 18 is not UTF-8; save it as UTF-8"):
        read("pair,support\nDk-0-é,full\n".encode("latin-1"))
