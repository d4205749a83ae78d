"""ALCE's own cutting, quirk by quirk; the examples are synthetic."""

import pytest

from monitor.claims import alce_statements


def cut(output, *, question="q", qampari=False):
    return [(one.claim, one.refs) for one in alce_statements(output, question, qampari=qampari)]


@pytest.mark.parametrize(
    ("output", "wanted"),
    [
        ("Eve is tall [1][2]. Dan is not.", [("Eve is tall.", (0, 1)), ("Dan is not.", ())]),
        (
            "Eve is tall.[1] Dan is not.[2]",
            [("Eve is tall.", ()), ("Dan is not.", (0,)), ("", (1,))],
        ),
        ("Eve is tall [0].", [("Eve is tall.", (-1,))]),
        ("Eve is tall [3, 4].", [("Eve is tall, 4.", (2,))]),
        ("Eve is tall [1][1].", [("Eve is tall.", (0, 0))]),
        ("Eve is tall [sic].", [("Eve is tall [sic.", ())]),
        ("\nFirst line [1].\nSecond line [2].", [("First line.", (0,))]),
        ("Eve is tall [1].<|im_end|>", [("Eve is tall.", (0,))]),
        ("", []),
    ],
)
def test_quirks_of_the_benchmark_are_kept(output, wanted):
    assert cut(output) == wanted


def test_qampari_items_are_cut_at_commas_behind_the_question():
    assert cut("Eve [1], Dan [2].", question="Who?", qampari=True) == [
        ("Who? Eve", (0,)),
        ("Who? Dan", (1,)),
    ]


def test_an_empty_qampari_answer_is_one_empty_item():
    assert cut("", question="Who?", qampari=True) == [("Who?", ())]
