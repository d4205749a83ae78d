"""How templates place text: commands as code, everything else escaped."""

import jinja2
import pytest

from monitor.report.templating import environment
from monitor.report.words import tight


@pytest.fixture
def placed(tmp_path):
    """What a template makes of a text."""

    def place(text, template="{{ text | ticked }}"):
        (tmp_path / "one.j2").write_text(template)
        return environment(tmp_path).get_template("one.j2").render(text=text)

    return place


def test_a_command_in_backticks_is_set_as_code(placed):
    said = placed("`monitor resume r` asks again, `monitor status` tells why")
    assert said == (
        "<code>monitor resume r</code> asks again, <code>monitor status</code> tells why"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("`<b>`", "<code>&lt;b&gt;</code>"),
        ("<i>`x`</i>", "&lt;i&gt;<code>x</code>&lt;/i&gt;"),
        ('`" onclick="x`', "<code>&#34; onclick=&#34;x</code>"),
        ("one ` alone", "one ` alone"),
        ("``", "``"),
        ("`over\na line`", "`over\na line`"),
    ],
)
def test_what_stands_in_backticks_is_escaped_like_the_rest(placed, text, said):
    assert placed(text) == said


def test_control_characters_are_shown_in_code_as_elsewhere(placed):
    assert "\u202e" not in placed("`a\u202eb` c\u202ed")


def test_unknown_names_and_absent_values_are_refused(placed):
    with pytest.raises(jinja2.UndefinedError):
        placed("", "{{ nobody }}")
    with pytest.raises(ValueError, match="absent"):
        placed(None, "{{ text }}")


def test_numbers_and_arrows_do_not_break_over_lines():
    assert (
        tight("HHI 0.210 -> 0.222, 81 of 398") == "HHI 0.210\u00a0\u2192 0.222, 81\u00a0of\u00a0398"
    )
