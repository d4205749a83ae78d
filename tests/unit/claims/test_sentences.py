"""Where sentences end; all examples are synthetic."""

import pytest

from monitor.claims import sentences

CASES = [
    ("Ann is 40 [1]. Bob is 50 [2].", ["Ann is 40 [1].", "Bob is 50 [2]."]),
    ("Dr. Smith went home. He was tired.", ["Dr. Smith went home.", "He was tired."]),
    ("It costs $3.50 per unit. That is cheap.", ["It costs $3.50 per unit.", "That is cheap."]),
    ("Use e.g. Python or Ruby. Both work.", ["Use e.g. Python or Ruby.", "Both work."]),
    ("The U.S. economy grew. It rose 2.5%.", ["The U.S. economy grew.", "It rose 2.5%."]),
    ("He lives in the U.S. The weather is fine.", ["He lives in the U.S.", "The weather is fine."]),
    ("Acme Inc. reported a loss. Shares fell.", ["Acme Inc. reported a loss.", "Shares fell."]),
    ("She joined Acme Inc. The firm grew.", ["She joined Acme Inc.", "The firm grew."]),
    ("See Fig. 3 for details. It is clear.", ["See Fig. 3 for details.", "It is clear."]),
    (
        "It was published on Jan. 5, 2024. Nobody noticed.",
        ["It was published on Jan. 5, 2024.", "Nobody noticed."],
    ),
    (
        "Visit https://www.example.com/a.html?x=1. Then log in.",
        ["Visit https://www.example.com/a.html?x=1.", "Then log in."],
    ),
    ("Node.js 20.1 is out. Upgrade now.", ["Node.js 20.1 is out.", "Upgrade now."]),
    (
        "Is it safe? Yes! Most adults tolerate it.",
        ["Is it safe?", "Yes!", "Most adults tolerate it."],
    ),
    ('"Is it?" he asked. She nodded.', ['"Is it?" he asked.', "She nodded."]),
    ('He said "It is over." Then he left.', ['He said "It is over."', "Then he left."]),
    ("今天天气很好。我们去公园吧！你来吗？", ["今天天气很好。", "我们去公园吧！", "你来吗？"]),
    ("東京は首都です。人口は約1400万人です。", ["東京は首都です。", "人口は約1400万人です。"]),
    ("यह एक वाक्य है। यह दूसरा है।", ["यह एक वाक्य है।", "यह दूसरा है।"]),
    ("Well... it depends. Ask a doctor.", ["Well... it depends.", "Ask a doctor."]),
    ("Wait... The end came.", ["Wait...", "The end came."]),
    ("J. R. R. Tolkien wrote it. Fans agree.", ["J. R. R. Tolkien wrote it.", "Fans agree."]),
    ("Take vitamin C. It helps a little.", ["Take vitamin C.", "It helps a little."]),
    (
        "The meeting is at 5 p.m. on Monday. Bring notes.",
        ["The meeting is at 5 p.m. on Monday.", "Bring notes."],
    ),
    (
        "It opens at 9 a.m. The doors close at noon.",
        ["It opens at 9 a.m.", "The doors close at noon."],
    ),
    (
        "Smith et al. found an effect. Others did not.",
        ["Smith et al. found an effect.", "Others did not."],
    ),
    ("He has a Ph.D. in physics. He teaches.", ["He has a Ph.D. in physics.", "He teaches."]),
    (
        "Sales rose (see p. 4 of the report. It is long). Costs fell.",
        ["Sales rose (see p. 4 of the report. It is long).", "Costs fell."],
    ),
    (
        "The value is approx. 5 mg. Higher doses exist.",
        ["The value is approx. 5 mg.", "Higher doses exist."],
    ),
    (
        "St. Louis vs. Chicago was close. Fans cheered.",
        ["St. Louis vs. Chicago was close.", "Fans cheered."],
    ),
    ("1. First do this.", ["1. First do this."]),
    ("No. 5 is a perfume. It sells well.", ["No. 5 is a perfume.", "It sells well."]),
    ("Do you agree? No. I do not.", ["Do you agree?", "No.", "I do not."]),
    ("Yahoo! is a company. It was sold.", ["Yahoo! is a company.", "It was sold."]),
    ("Try version 2.0. iPhone users wait.", ["Try version 2.0.", "iPhone users wait."]),
    ("Prices start at €5. $6 is the U.S. price.", ["Prices start at €5.", "$6 is the U.S. price."]),
    ("Founded in 1998. 2001 saw growth.", ["Founded in 1998.", "2001 saw growth."]),
    ("They sell apples, pears, etc. Prices vary.", ["They sell apples, pears, etc. Prices vary."]),
    (
        "They sell apples, pears, etc. The prices vary.",
        ["They sell apples, pears, etc.", "The prices vary."],
    ),
    ("Gen. Lee and Prof. Kim met. They talked.", ["Gen. Lee and Prof. Kim met.", "They talked."]),
    (
        "The rate is 3.5 percent. In 2020 it was 2.1.",
        ["The rate is 3.5 percent.", "In 2020 it was 2.1."],
    ),
    ("Really?! That is odd.", ["Really?!", "That is odd."]),
    (
        "He works for the N.H.S. in London. She does too.",
        ["He works for the N.H.S. in London.", "She does too."],
    ),
    ("Das kostet 3,50 Euro. Das ist viel.", ["Das kostet 3,50 Euro.", "Das ist viel."]),
    ("Il pleut. Élise reste à la maison.", ["Il pleut.", "Élise reste à la maison."]),
    ("هل هذا صحيح؟ نعم.", ["هل هذا صحيح؟", "نعم."]),
    ("No full stop here", ["No full stop here"]),
    ("   ", []),
]


@pytest.mark.parametrize(("prose", "wanted"), CASES)
def test_sentences_end_where_a_reader_ends_them(prose, wanted):
    assert [prose[start:end] for start, end in sentences(prose)] == wanted


def test_a_very_long_line_without_stops_is_read_in_linear_time():
    assert len(sentences("word ( " * 60_000)) == 1
