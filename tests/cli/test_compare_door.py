"""`monitor compare` and `monitor reference` as a person and a program see them."""

import json
from dataclasses import replace
from functools import partial

import jsonschema
import pytest

from monitor.domain.panel import Panel, Prompt
from monitor.judge import make_judge
from monitor.pipeline.tallying import score_engines
from monitor.store import captures, runs
from tests.house import ROOT
from tests.stored import MADE_AT, answer, bench_in, keep_answers, planned

OAK, ELM = "https://oak.example/growth", "https://elm.example/growth"
WHOLE = json.loads((ROOT / "docs" / "schemas" / "compare.schema.json").read_text("utf-8"))
PROMPTS = tuple(Prompt(f"p{n:02}", f"How do oaks of kind {n} grow?", "en-GB") for n in range(24))
PANEL = Panel("trees", 1, 1, "en-GB", ("openai",), PROMPTS)
BOTH = replace(PANEL, engines=("openai", "xai"))
SMALL = replace(PANEL, prompts=PROMPTS[:5])


@pytest.fixture
def keep(tmp_path, monkeypatch):
    """Let a run of a slot be there, in which each engine cites one page in every answer."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XAI_API_KEY", "made-up")
    address = f"sqlite:///{tmp_path}/monitor.db"
    settings = f"store: {{database: '{address}', artifacts: '{tmp_path}/artifacts'}}\n"
    (tmp_path / "config.yaml").write_text(settings, "utf-8")

    def run(slot, panel=PANEL, *, unheard=None, rare=None, turns=(), **cited):
        with bench_in(tmp_path, monkeypatch) as bench:
            made = planned(bench, slot, panel)
            asked = bench.read(lambda c: captures.load_captures(c, made.id))
            said = {e: answer("Oaks grow slowly [1].", ("[1]", url)) for e, url in cited.items()}
            bodies = [b"{" if one.engine == unheard else said[one.engine] for one in asked]
            by_page = {page: answer("Oaks grow slowly [1].", ("[1]", page)) for page in (OAK, ELM)}
            if rare is not None:
                bodies[:3] = [by_page[rare]] * 3
            if turns:
                bodies = [by_page[page] for page in turns] * (len(asked) // len(turns))
            keep_answers(bench, made, *bodies)
            score_engines(bench, made, make_judge("embedded"))
            for state in (runs.RunState.RUNNING, runs.RunState.DONE):
                bench.write(partial(runs.set_run_state, run_id=made.id, state=state, at=MADE_AT))

    return run


def told(call, *words):
    """What a program reads, held against the schema; every field is documented."""
    code, out, _ = call("compare", *words, "--json")
    body = json.loads(out)
    jsonschema.Draft202012Validator.check_schema(WHOLE)
    jsonschema.Draft202012Validator(WHOLE).validate(body)
    assert set(body) == set(WHOLE["properties"])
    for one in body["engines"].values():
        assert set(one) == set(WHOLE["$defs"]["comparison"]["properties"])
    return code, body


def test_a_change_is_told_with_exit_code_1_and_none_with_0(keep, call):
    for slot, page in (("2026-01", OAK), ("2026-02", OAK), ("2026-03", ELM)):
        keep(slot, openai=page)
    code, body = told(call, "2026-01", "2026-02")
    assert (code, body["engines"]["openai"]["verdict"]) == (0, "no clear change")
    code, body = told(call, "2026-02", "2026-03")
    assert (code, body["engines"]["openai"]["verdict"]) == (1, "changed")
    assert call("compare", "2026-02", "2026-03")[0] == 1


def test_a_refusal_is_told_with_exit_code_3_unless_something_changed(keep, call):
    keep("2026-01", BOTH, openai=OAK, xai=OAK)
    keep("2026-02", BOTH, unheard="xai", openai=OAK, xai=OAK)
    keep("2026-03", BOTH, openai=ELM, xai=OAK)
    code, body = told(call, "2026-01", "2026-02")
    said = {name: one["verdict"] for name, one in body["engines"].items()}
    assert said == {"openai": "no clear change", "xai": "not comparable"}
    assert code == 3
    assert call("compare", "2026-01", "2026-02")[0] == 3
    code, body = told(call, "2026-02", "2026-03")
    said = {name: one["verdict"] for name, one in body["engines"].items()}
    assert said == {"openai": "changed", "xai": "not comparable"}
    assert code == 1


def test_runs_without_an_engine_in_common_could_not_be_compared(keep, call):
    keep("2026-01", openai=OAK)
    keep("2026-02", replace(PANEL, version=2, engines=("xai",)), xai=OAK)
    code, body = told(call)
    assert (code, body["engines"], body["only_after"]) == (3, {}, ["xai"])


def test_without_names_the_newest_run_is_held_against_the_one_before(keep, call):
    for slot, page in (("2026-01", ELM), ("2026-02", OAK), ("2026-03", OAK)):
        keep(slot, openai=page)
    code, body = told(call)
    assert (code, body["before"], body["after"]) == (
        0, ["run:trees:2026-02"], "run:trees:2026-03",
    )  # fmt: skip
    code, body = told(call, "pooled")
    assert body["before"] == ["run:trees:2026-01", "run:trees:2026-02"]
    before, after = body["engines"]["openai"]["signatures"].values()
    assert len(before) == 2
    assert "window:2026-03|" in after


def test_a_pinned_run_is_compared_with_until_it_is_cleared(keep, call):
    for slot, page in (("2026-01", ELM), ("2026-02", OAK), ("2026-03", OAK)):
        keep(slot, openai=page)
    assert call("reference")[1] == "no references; `monitor reference RUN` pins one\n"
    assert call("compare", "reference")[0] == 2
    assert call("reference", "2026-01")[:2] == (0, "trees: run:trees:2026-01 is the reference\n")
    assert "run:trees:2026-01" in call("reference")[1]
    code, body = told(call, "reference")
    assert (code, body["before"]) == (1, ["run:trees:2026-01"])
    assert call("reference", "2026-02")[0] == 0
    assert told(call, "reference")[1]["before"] == ["run:trees:2026-02"]
    assert call("reference", "--clear", "trees")[:2] == (0, "trees: no reference any more\n")
    code, _, err = call("reference", "--clear", "trees")
    assert (code, "has no reference" in err) == (2, True)
    code, _, err = call("reference", "2026-01", "--clear", "trees")
    assert (code, "not both" in err) == (2, True)


def test_two_engines_of_a_run(keep, call):
    keep("2026-01", BOTH, openai=OAK, xai=ELM)
    for words in (("2026-01",), ()):
        code, body = told(call, *words, "--engines", "openai,xai")
        assert (code, tuple(body["engines"])) == (1, ("openai~xai",))
        assert (body["before"], body["after"]) == (["run:trees:2026-01"], "run:trees:2026-01")
    out = call("compare", "--engines", "openai, xai")[1]
    assert out.startswith("openai~xai: changed\n  openai -> xai in run:trees:2026-01\n")
    assert "event" not in out
    assert "heard 100 % of the plan of openai, 100 % of xai\n" in out
    assert "  overlap of openai with xai: 0 % " in out
    assert "  openai panel:trees@1|engine:openai|" in out
    assert "  xai    panel:trees@1|engine:xai|" in out
    heads = [line.split() for line in out.splitlines() if line.startswith(("source f", "measure "))]
    assert [[word for word in head if word in {"openai", "xai"}] for head in heads] == [
        ["openai", "xai"]
    ] * 2
    # Above the footnote nothing is called before or after, for both were asked at once.
    assert not {"before", "after"} & set(out.replace(":", " ").split())


def test_what_there_is_too_little_of_is_named_with_its_counts(keep, call):
    # Three of 24 prompts cite elm in each run: 6 citations in 3 prompts.
    keep("2026-01", openai=OAK, rare=ELM)
    keep("2026-02", openai=OAK, rare=ELM)
    out = call("compare")[1]
    assert (
        "  not enough data (fewer than 20 citations or 10 prompts): elm.example (6 in 3)\n"
    ) in out
    assert "oak.example (" not in out


def test_one_reason_that_holds_for_every_row_names_none_of_them(keep, call):
    keep("2026-01", SMALL, openai=OAK, rare=ELM)
    keep("2026-02", SMALL, openai=OAK, rare=ELM)
    out = call("compare")[1]
    few = "  not enough data (5 matched prompts: counts only, intervals from 10): all of them\n"
    assert out.count(few) == 2


def test_the_overlap_of_repeats_is_told_apart_from_the_verdict(keep, call):
    # Half of all answers cite oak and half elm: first each prompt one of them, then each both.
    twice = replace(PANEL, repeats=2)
    keep("2026-01", twice, turns=(OAK, ELM), openai=OAK)
    keep("2026-02", twice, turns=(*(OAK, ELM) * 12, *(ELM, OAK) * 12), openai=OAK)
    code, out, _ = call("compare")
    assert (code, out.startswith("openai: no clear change\n")) == (0, True)
    (line,) = (line for line in out.splitlines() if "overlap of repeats" in line)
    assert line.startswith(
        "  overlap of repeats, no part of the verdict: 100 % (24 prompts) -> 0 % (24 prompts): "
        "moved (-100.0 points, "
    )
    assert "changed" not in line


def test_what_is_tested_of_a_concentration_stands_below_its_headline(keep, call):
    # Every answer cites one page: 21 prompts oak, 3 elm, and then all of them oak.
    keep("2026-01", openai=OAK, rare=ELM)
    keep("2026-02", openai=OAK)
    lines = call("compare")[1].splitlines()
    (at,) = (n for n, line in enumerate(lines) if line.startswith("  concentration: "))
    # Of the 24 * 23 ordered pairs of prompts 21 * 20 + 3 * 2 = 426 cite the same family: 0.772,
    # 1.3 effective sources, and after 1; 1 / 0.772 = 1.30 times.
    assert lines[at + 1].startswith(
        "  concentration, what is tested: cross-prompt HHI 0.772 -> 1.000, 1.30 times ("
    )
    assert lines[at + 1].endswith("; effective sources 1.3 -> 1.0")


def test_how_many_runs_were_pooled_is_told_where_they_are_fewer_than_wanted(keep, call):
    for slot in ("2026-01", "2026-02", "2026-03"):
        keep(slot, openai=OAK)
    said = (
        "pooled 2 of 3 runs (alerts.drift_runs): no more runs before run:trees:2026-03 have ended"
    )
    assert call("compare", "pooled")[1].startswith(f"note: {said}\n")
    assert told(call, "pooled")[1]["notes"] == [said]
    keep("2026-04", openai=OAK)
    assert told(call, "pooled")[1]["notes"] == []
    assert "note:" not in call("compare", "pooled")[1]


def test_a_comparison_that_reads_backwards_says_so(keep, call):
    for slot in ("2026-01", "2026-02"):
        keep(slot, openai=OAK)
    said = "run:trees:2026-02 is later than run:trees:2026-01"
    assert call("compare", "2026-02", "2026-01")[1].startswith(f"note: {said}: ")
    assert call("reference", "2026-02")[0] == 0
    (note,) = told(call, "reference", "2026-01")[1]["notes"]
    assert note.startswith(said)
    assert told(call, "2026-01", "2026-02")[1]["notes"] == []


MISTAKES = [
    (("2026-01", "2026-02", "--engines", "openai,xai"), "two runs were named"),
    (("pooled", "--engines", "openai,xai"), "name the run, not `pooled`"),
    (("--engines", "openai"), "expected the names of two engines"),
    (("--engines", "openai,openai"), "expected the names of two engines"),
    (("--engines", "openai,xai,mistral"), "expected the names of two engines"),
    (("--engines", "openai,mistral"), "did not ask 'mistral'; it asked: openai, xai"),
    (("2026-07", "2026-01"), "no run '2026-07'"),
    (("previous",), "first run of its panel"),
    (("2026-01",), "newest run of its panel"),
]


@pytest.mark.parametrize(("words", "why"), MISTAKES)
def test_mistakes_are_explained_with_exit_code_2(keep, call, words, why):
    keep("2026-01", BOTH, openai=OAK, xai=ELM)
    code, out, err = call("compare", *words)
    assert (code, out) == (2, "")
    assert why in err


def test_events_come_first_then_gates_then_what_moved_then_signatures(keep, call):
    keep("2026-01", openai=OAK)
    keep("2026-02", replace(PANEL, version=2, repeats=2), openai=ELM)
    out = call("compare")[1].splitlines()
    at = {
        name: next(n for n, line in enumerate(out) if line.startswith(start))
        for name, start in {
            "word": "openai: changed",
            "runs": "  run:trees:2026-01 -> run:trees:2026-02",
            "event": "  event panel_version: the panel changed; matched prompts only: trees@1",
            "gates": "  24 of 24 prompts matched; heard 100",
            "concentration": "  concentration: HHI 1.000 (1.0 effective sources) -> HHI 1.000",
            "overlap": "  overlap of before with after:",
            "families": "source family",
            "news": "elm.example",
            "measures": "measure ",
            "before": "  before panel:trees@1|",
            "after": "  after  panel:trees@2|",
        }.items()
    }
    assert list(at.values()) == sorted(at.values())


def test_how_small_a_change_could_be_found_is_told(keep, call, monkeypatch):
    found = property(lambda _: (0.03, 0.021, 0.0649))
    monkeypatch.setattr("monitor.domain.change.Comparison.detectable", found)
    keep("2026-01", openai=OAK)
    keep("2026-02", openai=OAK)
    assert (
        "  smallest detectable change of a share: 2.1 to 6.5 points, over 3 tested source families "
        "(found four times in five)\n"
    ) in call("compare")[1]


def test_what_cannot_be_said_is_said_in_words(keep, call):
    keep("2026-01", SMALL, openai=OAK)
    keep("2026-02", SMALL, openai=ELM)
    out = call("compare")[1]
    assert out.startswith(
        "openai: not enough data (5 matched prompts: counts only, intervals from 10)\n"
    )
    keep("2026-03", replace(PANEL, version=2), openai=ELM)
    code, out, _ = call("compare")
    assert code == 3
    assert out.startswith("openai: not comparable (5 of 24 prompts matched, 80% needed)\n")
    assert "  not comparable: 5 of 24 prompts matched, 80% needed\n" in out


def test_rows_without_news_are_limited_and_counted(keep, call, monkeypatch):
    monkeypatch.setattr("monitor.cli.compared.ROWS", 1)
    keep("2026-01", openai=OAK)
    keep("2026-02", openai=OAK)
    out = call("compare")[1]
    shown = [line.split()[0] for line in out.splitlines() if " no clear change" in line]
    assert "  and 2 more without news; --all shows them" in out
    every = call("compare", "--all")[1]
    assert "--all" not in every
    assert len([line for line in every.splitlines() if " no clear change" in line]) > len(shown)


def test_an_engine_that_one_run_alone_asked_is_named(keep, call):
    keep("2026-01", BOTH, openai=OAK, xai=OAK)
    keep("2026-02", replace(PANEL, version=2), openai=OAK)
    out = call("compare")[1]
    assert "xai: not compared, only the earlier run asked it" in out
    assert told(call)[1]["only_before"] == ["xai"]


@pytest.mark.parametrize("name", ["verdict", "before_id", "gates", "signatures"])
def test_a_renamed_field_is_refused(keep, call, name):
    keep("2026-01", openai=OAK)
    keep("2026-02", openai=OAK)
    body = told(call)[1]
    one = body["engines"]["openai"]
    one["renamed"] = one.pop(name)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(WHOLE).validate(body)
