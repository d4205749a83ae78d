"""Panel files: a sound one becomes a Panel, a broken one tells everything at once."""

import pytest

from monitor.domain.panel import Recall, Risk
from monitor.panels import parse_panel
from monitor.panels.cron import cron_problem

ENGINES = ("openai", "gemini", "perplexity")

SOUND = """\
panel: tea
version: 2
repeats: 4
locale: en-GB
risk: ymyl
engines: [openai, gemini]
schedule: {cron: "0 6 1 * *", timezone: Europe/London}
client: {domains: [Tea.Example]}
watch: [leaf.example]
engine_plan: {gemini: {prompts: [black], repeats: 1}}
prompts:
  - {id: black, text: "How hot?", intent: informational}
  - {id: green, text: "How long?", locale: de-AT, risk: standard, recall: bounded}
"""


def told(text):
    parsed = parse_panel(text, "tea.yaml", ENGINES)
    assert parsed.panel is None
    return [str(p) for p in parsed.problems if not p.warning]


def changed(old, new):
    assert old in SOUND
    return SOUND.replace(old, new)


def test_a_sound_file_becomes_a_panel_with_defaults_filled_in():
    panel = parse_panel(SOUND, "tea.yaml", ENGINES).panel
    black, green = panel.prompts
    assert (black.locale, black.risk, black.recall) == ("en-GB", Risk.YMYL, Recall.CLAIM_EVIDENCE)
    assert (green.locale, green.risk, green.recall) == ("de-AT", Risk.STANDARD, Recall.BOUNDED)
    assert panel.client_domains == ("tea.example",)
    assert panel.plan("gemini") == ((black,), 1)
    assert panel.plan("openai") == ((black, green), 4)


def test_a_sound_file_tells_where_its_prompts_and_engines_stand():
    parsed = parse_panel(SOUND, "tea.yaml", ENGINES)
    assert dict(parsed.prompt_lines) == {"black": 12, "green": 13}
    assert dict(parsed.engine_lines) == {"openai": 6, "gemini": 6}


def test_typos_twins_and_unknown_names_are_told_together():
    text = (
        changed("intent:", "intnt:")
        .replace("id: green", "id: black")
        .replace("[openai, gemini]", "[openia, gemini, gemini]")
        .replace("[black], repeats", "[blak], repeats")
    )
    problems = told(text)
    assert "tea.yaml:6: unknown engine 'openia'; did you mean 'openai'?" in problems
    assert "tea.yaml:6: engine 'gemini' is listed twice" in problems
    assert "tea.yaml:10: unknown prompt 'blak'; did you mean 'black'?" in problems
    assert "tea.yaml:12: unknown key 'prompts.0.intnt'; did you mean 'intent'?" in problems
    assert any(p.startswith("tea.yaml:13: prompt id 'black' is used twice") for p in problems)
    assert len(problems) == 5


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("panel: tea", "panel: Tea Time", 1, "expected small letters"),
        ("version: 2", "version: 99999999999", 2, "less than or equal to 2147483647"),
        ("version: 2", "version: two", 2, "expected a whole number, found 'two'"),
        ("version: 2", "version: 1.5", 2, "expected a whole number, found 1.5"),
        ("repeats: 4", "repeats: 0", 3, "greater than or equal to 1"),
        ("locale: en-GB", "locale: english", 4, "not a language tag"),
        ("locale: en-GB", "locale: en_GB", 4, "not a language tag"),
        ("risk: ymyl", "risk: ymil", 5, "did you mean 'ymyl'?"),
        ("[openai, gemini]", "openai", 6, "engines: expected a list, found 'openai'"),
        ("Europe/London", "Europe/Lundon", 7, "unknown time zone"),
        ("Europe/London", "../../etc/passwd", 7, "unknown time zone"),
        ("Europe/London", "localtime", 7, "not the same zone on every machine"),
        ("Europe/London", "right/UTC", 7, "not the same zone on every machine"),
        ("0 6 1 * *", "0 6 31 2 *", 7, "never comes"),
        ("Tea.Example", "https://tea.example/", 8, "expected a bare host"),
        ("{gemini:", "{perplexity:", 10, "not among this panel's engines"),
        ("[black]", "[]", 10, "expected 1 or more"),
        ('"How hot?"', '"  "', 12, "expected some words"),
        ('"How hot?"', "12", 12, "expected text, found 12"),
        ("recall: bounded", "recall: bound", 13, "did you mean 'bounded'?"),
    ],
)
def test_a_wrong_value_is_told_at_its_line(old, new, line, words):
    problems = told(changed(old, new))
    assert any(p.startswith(f"tea.yaml:{line}: ") and words in p for p in problems), problems


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        ("- panel: tea\n", "expected keys with values, found a list of 1"),
        ("hello\n", "expected keys with values, found 'hello'"),
        ("panel: tea\npanel: tea\n", "key 'panel' stands twice"),
        ("panel:\n\ttea\n", "a tab stands here"),
        ("panel: \x00\n", "NUL byte"),
        ("[" * 100, "levels deep"),
    ],
)
def test_a_file_that_is_no_panel_is_told(text, words):
    assert any(words in p for p in told(text))


def test_a_list_of_wrong_items_is_not_also_called_empty():
    cut = SOUND[: SOUND.index("  - {id: green")].replace('"How hot?"', '"  "')
    problems = [p for p in told(cut) if "prompts" in p]
    assert problems == ["tea.yaml:12: prompts.0.text: expected some words, found '  '"]


def test_a_missing_key_is_named():
    assert "tea.yaml:1: locale is missing" in told(changed("locale: en-GB\n", ""))


def test_an_unsound_panel_still_tells_its_prompt_ids():
    parsed = parse_panel(changed("version: 2", "version: x"), "tea.yaml", ENGINES)
    assert tuple(parsed.prompt_lines) == ("black", "green")


@pytest.mark.parametrize(
    "cron",
    ["0 6 1 * *", "*/15 * * * *", "0 6 last * *", "0 6 * * mon-fri", "0 6 1,15 jan,jul *",
     "0 6 29 2 *", "5/10 0-6/2 * * *", "30 6 28-31 * *"],
)  # fmt: skip
def test_cron_rules_that_mean_one_thing_are_taken(cron):
    assert cron_problem(cron) is None


@pytest.mark.parametrize(
    ("cron", "words"),
    [
        ("0 6 * *", "five fields"),
        ("60 6 * * *", "outside 0 to 59"),
        ("0 6 * * 1", "write names"),
        ("0 6 1 * mon", "not both"),
        ("0 6 31 * *", "skips short months"),
        ("0 6 30,31 2 *", "never comes"),
        ("0 6 31 apr,jun *", "never comes"),
        ("0 22-2 * * *", "runs backwards"),
        ("0 6 * dec-jan *", "runs backwards"),
        ("*/0 * * * *", "never fires"),
        ("*/90 * * * *", "longer than"),
        ("0 6 20/15 * *", "a step of 15 is longer than 20 to 31"),
        ("0 0-5/10 * * *", "a step of 10 is longer than 0 to 5"),
        ("0 6 1 jan-dec/2 *", "a step after a name"),
        ("0 6 * * mon/2", "a step after a name"),
        ("0 6 1 jan-5 *", "mixes a name and a number"),
        ("0 6 1 1-may *", "mixes a name and a number"),
        ("*-5 * * * *", "cannot read"),
        ("0 6 * foo *", "'foo' is not known"),
        ("\u0663 6 * * *", "cannot read"),
        ("", "got 0"),
    ],
)
def test_cron_rules_that_surprise_are_refused(cron, words):
    assert words in cron_problem(cron)


def warned(text):
    return [p.message for p in parse_panel(text, "tea.yaml", ENGINES).problems if p.warning]


def test_a_panel_too_small_for_intervals_or_for_verdicts_is_a_warning():
    def panel_of(count):
        more = "".join(f'  - {{id: p{n}, text: "Why {n}?"}}\n' for n in range(count - 2))
        return SOUND + more

    assert "2 prompts give counts only" in warned(SOUND)[0]
    assert "19 prompts give no verdicts of change" in warned(panel_of(19))[0]
    assert warned(panel_of(20)) == []


def test_the_same_question_in_another_locale_or_voice_is_another_question():
    twin = '  - {id: red, text: "How hot?"'
    assert any("line 12 asks" in one for one in warned(f"{SOUND}{twin}}}\n"))
    assert len(warned(f"{SOUND}{twin}, locale: en-IE}}\n")) == 1
    assert len(warned(f'{SOUND}{twin}, persona: "A cook."}}\n')) == 1
