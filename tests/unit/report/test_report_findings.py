"""What a report says in words: headline, findings, noise and next steps."""

from dataclasses import replace

import pytest

from monitor.domain.change import (
    Appearance,
    ChangeVerdict,
    ConcentrationChange,
    ConcentrationTest,
    Event,
    EventKind,
)
from monitor.domain.claim import Support
from monitor.domain.score import Concentration, Interval
from monitor.report.findings import findings, headline, lede
from monitor.report.noise import noise, rules_text
from monitor.report.steps import next_steps
from monitor.report.words import event_words, outcome_words, when
from tests.unit.report.synthetic_report import report


@pytest.fixture(scope="module")
def view():
    return report(engines=("openai", "perplexity"))


def with_changes(view, **fields):
    """The view with every family change of every engine altered."""
    engines = tuple(
        replace(
            e,
            comparison=replace(
                e.comparison,
                families=tuple(replace(c, **fields) for c in e.comparison.families),
                measures=(),
                concentration=None,
            ),
        )
        for e in view.engines
    )
    return replace(view, engines=engines)


def test_the_headline_states_the_largest_real_change(view):
    assert headline(view) == "Perplexity cites voltara.example far less than in 2026-09"
    first = findings(view)[0]
    assert first.verdict is ChangeVerdict.CHANGED
    assert first.before.startswith("81 of 398 (20 %)")
    assert first.difference == "-17.1 points"


def test_only_changed_and_watch_are_findings(view):
    said = {f.verdict for f in findings(view)}
    assert said <= {ChangeVerdict.CHANGED, ChangeVerdict.WATCH}
    assert findings(with_changes(view, verdict=ChangeVerdict.NO_CLEAR_CHANGE)) == ()


@pytest.mark.parametrize(
    ("verdict", "text"),
    [
        (ChangeVerdict.NO_CLEAR_CHANGE, "No clear change since 2026-09"),
        (ChangeVerdict.NOT_ENOUGH_DATA, "Not enough data to tell a change since 2026-09"),
    ],
)
def test_no_change_is_said_without_calling_anything_stable(view, verdict, text):
    assert headline(with_changes(view, verdict=verdict)) == text


def test_a_watch_is_only_a_may(view):
    watched = with_changes(view, verdict=ChangeVerdict.WATCH, appearance=None)
    assert "Perplexity may cite voltara.example far less than in 2026-09" in headline(watched)


@pytest.mark.parametrize(
    ("appearance", "words"),
    [(Appearance.APPEARED, "now cites"), (Appearance.DISAPPEARED, "no longer cites")],
)
def test_coming_and_going_have_their_own_words(view, appearance, words):
    moved = with_changes(view, verdict=ChangeVerdict.CHANGED, appearance=appearance)
    assert f"Perplexity {words} voltara.example, unlike in 2026-09" == headline(moved)


def test_a_first_run_has_nothing_to_compare_with():
    first = report(prompt_count=4, engines=("openai",), repeats=1, compared=False)
    assert headline(first) == "First run of synthetic: nothing to compare with yet"
    assert noise(first)[0].text == "Not compared: no earlier run of this panel."
    assert rules_text(first) == ""


def test_answers_handed_in_are_no_first_run():
    view = report(prompt_count=4, engines=("openai",), repeats=1, compared=False)
    handed_in = replace(view, imported=True)
    assert headline(handed_in) == "Answers of synthetic that were handed in: compared with nothing"


def test_runs_that_cannot_be_compared_say_so():
    blocked = report(prompt_count=20, engines=("sandbox_chat",))
    assert headline(blocked) == "This run cannot be compared with 2026-09"
    assert "of the plan heard" in noise(blocked)[0].text


def test_tested_families_that_did_not_vary_are_not_called_too_few_to_test(view):
    engine = view.engines[1]
    same = tuple(
        replace(c, test=replace(c.test, standard_error=0.0, smallest_detectable=None))
        for c in engine.comparison.families
    )
    alike = replace(engine, comparison=replace(engine.comparison, families=same))
    said = noise(replace(view, engines=(alike,)))[0]
    assert said.text.startswith("9 families of 9 tested; 20 of 20 prompts matched.")
    assert "On every prompt they were cited alike in both runs" in said.text
    assert "No family was cited often enough" not in said.text
    assert said.tested == "9 of 9"
    assert said.detectable.startswith("not to be told")


def test_families_that_were_cited_too_rarely_say_so(view):
    engine = view.engines[1]
    rare = tuple(replace(c, test=None) for c in engine.comparison.families)
    few = replace(engine, comparison=replace(engine.comparison, families=rare))
    said = noise(replace(view, engines=(few,)))[0]
    assert said.text.startswith("0 families of 9 tested")
    assert "No family was cited often enough to test." in said.text


def test_noise_names_families_tested_prompts_and_the_smallest_detectable_change(view):
    said = noise(view)[1]
    assert said.text.startswith("9 families of 9 tested; 20 of 20 prompts matched.")
    assert (
        f"A change of {said.detectable} in a family's share, by family, would be found" in said.text
    )
    assert (said.tested, said.matched) == ("9 of 9", "20 of 20")
    sizes = [c.test.smallest_detectable for c in view.engines[1].comparison.families]
    assert said.detectable == f"{100 * min(sizes):.1f} to {100 * max(sizes):.1f} points"
    assert said.events == ("another model answers: sonar-1 → sonar-2",)
    assert "about 1 in 20 is expected to be noise" in rules_text(view)


def test_next_steps_point_at_missed_sources_contradictions_and_the_draft(view):
    steps = {step.text: step for step in next_steps(view)}
    missed = next(s for t, s in steps.items() if t.startswith("Find out why transport-velmora"))
    asked = [c for c in view.captures if c.slot == view.slot and c.outcome == "answered"]
    left_out = sum(not c.sources[0].cited for c in asked)
    assert f"is left out of {left_out} of {len(asked)} answers" in missed.text
    assert missed.because.startswith("required; most often left out by ")
    assert "Read the statements that their own source contradicts" in steps
    assert "Freeze the baseline before the next run" in steps
    assert "Let a second person grade the baseline" in steps


def test_an_unresolved_claim_is_not_called_missed(view):
    unresolved = replace(
        view,
        captures=tuple(
            replace(
                c,
                claims=tuple(replace(k, evidence=Support.NOT_ASSESSABLE) for k in c.claims),
            )
            for c in view.captures
        ),
    )
    assert not any(s.text.startswith("Publish") for s in next_steps(unresolved))


def test_without_a_baseline_the_step_is_to_write_one(view):
    steps = [s.text for s in next_steps(replace(view, baseline=None))]
    assert "Write a baseline: required sources and claims for each prompt" in steps
    assert "Freeze the baseline before the next run" not in steps


def test_an_engine_heard_too_rarely_is_the_first_step():
    steps = next_steps(report(engines=("sandbox_chat",), compared=False))
    assert steps[0].text == "Find out why Sandbox chat was not heard, then resume the run"
    assert "blocked (captcha) (12)" in steps[0].because


@pytest.mark.parametrize(
    ("slot", "other", "text"),
    [
        ("2026-09-01T06:00", "2026-10-01T06:00", "2026-09"),
        ("2026-09-01T06:00", "2026-09-02T06:00", "2026-09-01"),
        ("2026-09-01T06:00", "2026-09-01T07:00", "2026-09-01 06:00"),
        ("2026-09-01T06:00:05Z", "2026-09-01T06:00:09Z", "2026-09-01T06:00:05Z"),
        ("2026-09-01T06:00", None, "2026-09"),
        ("import:" + "ab" * 32, "2026-09-01T06:00", "import abababab"),
    ],
)
def test_a_slot_is_as_short_as_still_tells_it_apart(slot, other, text):
    assert when(slot, other) == text


def test_outcomes_and_events_are_words():
    assert outcome_words("no_answer/declined") == "no answer (declined)"
    assert outcome_words("blocked/rate_limit") == "blocked (rate limit)"
    event = Event(EventKind.BASELINE, "a", "b", "three items more")
    assert event_words(event) == "the baseline changed: a → b (three items more)"


def test_families_lead_the_findings_and_far_means_doubled_or_halved(view):
    said = findings(view)
    places = [(f.verdict is ChangeVerdict.WATCH, not f.is_family) for f in said]
    assert places == sorted(places)
    # 20 % before and 3.5 % now: less than half
    assert "far less" in said[0].sentence


def test_the_line_under_the_headline_says_how_much_follows(view):
    assert lede(view) == "1 more finding, of Perplexity. No clear change: OpenAI."
    assert lede(with_changes(view, verdict=ChangeVerdict.NO_CLEAR_CHANGE)) == ""


def test_a_finding_in_few_words_names_neither_its_engine_nor_the_month(view):
    assert findings(view)[0].brief == "cites voltara.example far less"
    watched = with_changes(view, verdict=ChangeVerdict.WATCH, appearance=Appearance.APPEARED)
    assert "may now cite voltara.example" in {f.brief for f in findings(watched)}


def test_the_line_under_the_headline_says_who_else_has_findings(view):
    quiet = replace(view.engines[0].comparison, families=(), measures=(), concentration=None)
    silent = replace(view, engines=(replace(view.engines[0], comparison=quiet), view.engines[1]))
    assert lede(silent).endswith(" Not enough data: OpenAI.")


def concentrated(view, verdict, before, after):
    """The view with one engine's concentration moved; hand-made, HHI and 1 / HHI."""

    def level(hhi):
        return Concentration(hhi, 1 / hhi, None, 100, 9)

    change = ConcentrationChange(
        level(before), level(after),
        ConcentrationTest(after / before, Interval(1.2, 2.6), 0.001, 0.004), None, 20, verdict,
        "adjusted p 0.004",
    )  # fmt: skip
    first = view.engines[0]
    comparison = replace(first.comparison, families=(), measures=(), concentration=change)
    return replace(view, engines=(replace(first, comparison=comparison),))


def test_a_change_of_concentration_is_a_finding_with_both_levels(view):
    # 1 / 0.2 = 5 and 1 / 0.4 = 2.5 effective sources; 0.4 / 0.2 = 2 times.
    (said,) = findings(concentrated(view, ChangeVerdict.CHANGED, 0.2, 0.4))
    assert said.sentence == "OpenAI spreads its citations over fewer sources than in 2026-09"
    assert said.before == "HHI 0.200 (5.0 effective sources)"
    assert said.after == "HHI 0.400 (2.5 effective sources)"
    assert said.difference == "+0.200 HHI"
    assert said.interval == "2.00 times (1.20 to 2.60)"
    assert said.chance == "about 1 in 250"


def test_a_concentration_to_be_watched_is_only_a_may(view):
    (said,) = findings(concentrated(view, ChangeVerdict.WATCH, 0.4, 0.2))
    assert said.brief == "may spread its citations over more sources"
    assert findings(concentrated(view, ChangeVerdict.NO_CLEAR_CHANGE, 0.4, 0.2)) == ()
