"""A panel is edited between two runs: answers stay where they belong, and only like is compared."""

import json
from dataclasses import replace

import pytest

from monitor.domain.baseline import Baseline, BaselineClaim, ClaimCategory, PromptBaseline
from monitor.domain.change import EventKind, LeftOut, LeftOutReason
from monitor.domain.panel import EnginePlan, Panel, Prompt
from monitor.domain.score import Undefined, UndefinedReason
from monitor.errors import StoreError
from monitor.pipeline.comparing import compare_runs
from monitor.pipeline.exporting import export_csv, export_json
from monitor.pipeline.grading import baseline_for
from monitor.pipeline.reporting import build_report
from monitor.pipeline.tallying import score_run
from monitor.store import captures, panels, runs
from tests.stored import MADE_AT, WordJudge, answer, bench_in, keep_answers, planned
from tests.unit.engines.payloads_a import message, output_text, responses, search

OAK = "https://oak.example/growth"
PROMPTS = tuple(Prompt(f"p{n:02}", f"How do oaks of kind {n} grow?", "en-GB") for n in range(12))
OLD = Panel("trees", 1, 1, "en-GB", ("openai",), PROMPTS)


@pytest.fixture
def bench(tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch) as bench:
        yield bench


def next_version(**changes):
    return replace(OLD, version=2, **changes)


def with_first(**changes):
    """The next version with its first prompt edited."""
    return next_version(prompts=(replace(PROMPTS[0], **changes), *PROMPTS[1:]))


def answered(bench, slot, panel, words="Oaks grow slowly [1]."):
    """A run of a panel in which every capture cites one page."""
    run = planned(bench, slot, panel)
    count = len(bench.read(lambda c: captures.load_captures(c, run.id)))
    keep_answers(bench, run, *[answer(words, ("[1]", OAK))] * count)
    return run


def compared(bench, panel):
    before, after = answered(bench, "2026-01", OLD), answered(bench, "2026-02", panel)
    return compare_runs(bench, before, after, WordJudge())


EDITS = [{"text": "How tall are oaks?"}, {"locale": "de-DE"}, {"persona": "You are a forester."}]


@pytest.mark.parametrize("edit", EDITS)
def test_answers_stay_with_the_prompt_version_they_were_given_to(bench, edit):
    before = answered(bench, "2026-01", OLD)
    kept = bench.read(lambda c: captures.load_captures(c, before.id))
    after = answered(bench, "2026-02", with_first(**edit))
    again = bench.read(lambda c: captures.load_captures(c, before.id))
    new = bench.read(lambda c: captures.load_captures(c, after.id))
    assert again == kept
    assert again[0].prompt == PROMPTS[0]
    assert new[0].prompt == replace(PROMPTS[0], **edit)
    assert new[0].prompt_version_id != kept[0].prompt_version_id
    assert [one.prompt_version_id for one in new[1:]] == [one.prompt_version_id for one in kept[1:]]


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_prompt_is_left_out_and_does_not_block_the_others(bench, edit):
    found = compared(bench, with_first(**edit)).comparisons["openai"]
    assert found.left_out == (LeftOut("p00", LeftOutReason.EDITED),)
    assert (found.gates.matched, found.gates.panel, found.gates.failures) == (11, 12, ())
    (family,) = found.families
    # One citation for each of the eleven prompts that were the same.
    assert (family.before.pooled.total, family.after.pooled.total) == (11, 11)


def test_prompts_that_went_came_or_got_another_name_are_left_out_with_the_reason(bench):
    new = next_version(
        prompts=(
            replace(PROMPTS[0], id="growth"),
            *PROMPTS[2:],
            Prompt("new", "Do oaks flower?", "en-GB"),
        )
    )
    found = compared(bench, new).comparisons["openai"]
    assert found.left_out == (
        LeftOut("p00", LeftOutReason.RENAMED, "growth"),
        LeftOut("p01", LeftOutReason.ONLY_BEFORE),
        LeftOut("new", LeftOutReason.ONLY_AFTER),
    )
    assert (found.gates.matched, found.gates.panel) == (10, 12)


def test_a_panel_that_was_mostly_rewritten_is_not_comparable_and_says_which_prompts(bench):
    edited = tuple(replace(p, text=f"{p.text} Why?") for p in PROMPTS[:4])
    found = compared(bench, next_version(prompts=(*edited, *PROMPTS[4:]))).comparisons["openai"]
    assert found.gates.failures == ("8 of 12 prompts matched, 80% needed",)
    assert [one.prompt_id for one in found.left_out] == ["p00", "p01", "p02", "p03"]
    assert found.families == ()


def test_another_order_of_prompts_is_no_change(bench):
    before = answered(bench, "2026-01", OLD)
    after = answered(bench, "2026-02", replace(OLD, prompts=PROMPTS[::-1]))
    assert after.panel_id == before.panel_id
    found = compare_runs(bench, before, after, WordJudge()).comparisons["openai"]
    assert (found.gates.matched, found.left_out, found.events) == (12, (), ())


def test_a_change_of_repeats_is_an_event_and_every_prompt_is_compared(bench):
    found = compared(bench, next_version(repeats=3)).comparisons["openai"]
    (event,) = found.events
    assert (event.kind, event.note) == (EventKind.PANEL_VERSION, "repeats '1' -> '3'")
    assert (found.gates.matched, found.left_out) == (12, ())
    (family,) = found.families
    assert (family.before.pooled.total, family.after.pooled.total) == (12, 36)
    assert family.difference == 0


def test_an_engine_that_only_one_run_asked_is_named(bench, monkeypatch):
    monkeypatch.setenv("XAI_API_KEY", "made-up")
    found = compared(bench, next_version(engines=("openai", "xai")))
    assert tuple(found.comparisons) == ("openai",)
    assert (found.only_before, found.only_after) == ((), ("xai",))
    (event,) = found.comparisons["openai"].events
    assert event.note == "engine 'xai' added"


def test_prompts_that_an_engine_is_no_longer_asked_are_left_out_for_it(bench):
    fewer = next_version(engine_plans=(EnginePlan("openai", tuple(p.id for p in PROMPTS[:10])),))
    found = compared(bench, fewer).comparisons["openai"]
    assert [(one.prompt_id, one.reason.value) for one in found.left_out] == [
        ("p10", "only before"),
        ("p11", "only before"),
    ]


def test_other_search_words_of_an_edited_prompt_are_no_event(bench):
    def run(slot, panel, words):
        made = planned(bench, slot, panel)
        said = responses(search(words), message(output_text("Oaks [1].", ("[1]", OAK))))
        keep_answers(bench, made, json.dumps(said).encode())
        return made

    single = replace(OLD, prompts=PROMPTS[:1])
    before = run("2026-01", single, "oak growth")
    edited = replace(single, version=2, prompts=(replace(PROMPTS[0], text="How tall?"),))
    after = run("2026-02", edited, "height of oaks")
    found = compare_runs(bench, before, after, WordJudge()).comparisons["openai"]
    assert [event.kind for event in found.events] == [EventKind.PANEL_VERSION]
    same = run("2026-03", single, "height of oaks")
    found = compare_runs(bench, before, same, WordJudge()).comparisons["openai"]
    assert [event.kind for event in found.events] == [EventKind.QUERIES]


def test_the_history_of_a_deleted_prompt_is_shown_by_reports_and_exports_of_its_run(
    bench, tmp_path
):
    before = answered(bench, "2026-01", OLD)
    answered(bench, "2026-02", next_version(prompts=PROMPTS[1:]))
    view = build_report(bench, before, WordJudge())
    assert PROMPTS[0].text in {one.prompt_text for one in view.captures}
    told = json.loads(export_json(bench, before))
    asked = {one["prompt"]: one["text"] for one in told["prompts"]}
    assert asked == {p.id: p.text for p in PROMPTS}
    assert "p00" in {row["prompt"] for row in told["citations"]}
    written = {path.name: path for path in export_csv(bench, before, tmp_path / "csv")}
    assert ",p00," in written["citations.csv"].read_text("utf-8")


def test_an_edit_under_a_version_in_use_is_refused_and_nothing_is_planned(bench):
    answered(bench, "2026-01", OLD)
    edited = replace(with_first(text="How tall are oaks?"), version=1)
    with pytest.raises(StoreError, match="prompt 'p00': text"):
        planned(bench, "2026-02", edited)
    assert len(bench.read(runs.list_runs)) == 1


def baseline(version, panel):
    claim = BaselineClaim("c1", "Oaks grow slowly.", ClaimCategory.CORE_FACT)
    return Baseline(
        panel.name, version, ("r1",), True, MADE_AT, "1",
        {p.id: PromptBaseline(p.id, (), (claim,)) for p in panel.prompts},
        content_key=version, bound={p.id: p.version_key for p in panel.prompts},
    )  # fmt: skip


def recalls(bench, run):
    """Claim recall of each prompt of a run, by prompt id."""
    scored = score_run(bench, run, WordJudge())
    return {
        one.prompt.id: scored.tallies[one.capture_id].measures["claim_evidence_recall"]
        for one in scored.assessed
    }


def test_the_baseline_of_an_edited_prompt_is_stale_until_a_new_version_of_it_is_written(bench):
    before = answered(bench, "2026-01", OLD)
    new = with_first(text="How tall are oaks?")
    bench.write(lambda c: panels.save_baseline(c, baseline("a", OLD), "", saved_at=MADE_AT))
    # The file is as it was; read with the edited panel beside it, it is still of the old text.
    again = replace(baseline("a", new))
    bench.write(lambda c: panels.save_baseline(c, again, "", saved_at=MADE_AT))
    after = answered(bench, "2026-02", new)
    stale = Undefined(UndefinedReason.BASELINE_STALE)
    stored = bench.read(lambda c: panels.load_baseline(c, "trees"))
    assert baseline_for(stored, new.prompts[0]) == stale
    assert baseline_for(stored, PROMPTS[0]) != stale
    assert [key for key, one in recalls(bench, after).items() if one == stale] == ["p00"]
    assert stale not in recalls(bench, before).values()

    bench.write(lambda c: panels.save_baseline(c, baseline("b", new), "", saved_at=MADE_AT))
    assert stale not in recalls(bench, after).values()
    # Now it is the old text that nobody wrote a baseline for.
    assert [key for key, one in recalls(bench, before).items() if one == stale] == ["p00"]
