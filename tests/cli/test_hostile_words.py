"""Words of engines at the doors that tell of changes: they steer no terminal and flood none."""

import json
import re

import pytest

from tests.edges.test_alerting import cites, told
from tests.stored import bench_in

STEERS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]"
)
HOSTILE = "gpt\x1b[31m\u202e\x9b2J\u2028\r\nopenai: no clear change\n\ud800\x00" + "y" * 100_000
DOORS = ["compare", "compare --all", "compare pooled", "status", "alerts list", "alerts list --all"]
LONG = 30_000
"""Characters that a door may print about two dozen rows."""


def named(cited, model):
    """An answer by a model of any name."""
    return json.dumps(json.loads(cited) | {"model": model}).encode()


@pytest.fixture
def call(tmp_path, monkeypatch, call):
    """A command beside three months, the last two of which are served by a hostile name."""
    with bench_in(tmp_path, monkeypatch) as bench:
        told(bench, "2026-01", [cites(1, 3)] * 24)
        told(bench, "2026-02", [named(cites(3, 1), HOSTILE)] * 24)
        told(bench, "2026-03", [named(cites(0, 4), HOSTILE[::-1])] * 24)
    monkeypatch.chdir(tmp_path)
    address = f"sqlite:///{tmp_path}/monitor.db"
    settings = f"store: {{database: '{address}', artifacts: '{tmp_path}/artifacts'}}\n"
    (tmp_path / "config.yaml").write_text(settings, "utf-8")

    return call


def test_no_name_of_a_model_steers_a_terminal_or_makes_a_line_of_its_own(call):
    ids = [one["id"] for one in json.loads(call("alerts", "list", "--json")[1])["alerts"]]
    for words in [*map(str.split, DOORS), *(["alerts", "show", str(one)] for one in ids)]:
        code, out, err = call(*words)
        assert code in {0, 1}, (words, err)
        assert not STEERS.search(out), (words, STEERS.search(out))
        assert len(out) < LONG, words
        forged = [line for line in out.splitlines() if line.startswith("openai: no clear change")]
        assert forged == [], words


def test_json_keeps_the_name_and_is_ascii(call):
    out = call("compare", "--json")[1]
    assert out.isascii()
    assert "\\u001b[31m" in out
    json.loads(out, parse_constant=pytest.fail)


@pytest.mark.parametrize("number", [2**63, 10**300])
@pytest.mark.parametrize("verb", ["show", "accept"])
def test_an_id_that_no_store_can_hold_is_no_alert(call, verb, number):
    code, out, err = call("alerts", verb, str(number))
    assert (code, out) == (2, "")
    assert "no alert 1" in err or "no alert 9" in err
    assert "open ones: 1, 2" in err


def test_a_run_is_not_compared_with_itself(call):
    code, out, err = call("compare", "2026-02", "run:trees:2026-02")
    assert (code, out) == (2, "")
    assert "run:trees:2026-02 was named twice" in err
