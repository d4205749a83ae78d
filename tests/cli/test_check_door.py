"""`monitor check`: settings, panels, baselines, keys and requests, all problems in one pass."""

import json
import os

import pytest

from monitor.cli import main
from monitor.config.settings import Settings
from monitor.domain.page import FetchStatus
from monitor.engines import ENGINES
from monitor.pipeline.checking import OnlineFinding
from monitor.pipeline.planning import price_of_call

PANEL = """\
panel: tea
version: 1
locale: en-GB
engines: [openai, gemini]
prompts:
  - {id: black, text: "How hot?"}
  - {id: green, text: "How long?"}
""" + "".join(f'  - {{id: more-{n}, text: "More {n}?"}}\n' for n in range(18))
BASELINE = """\
panel: tea
version: 2026-08
annotators: [r1]
drawn_blind: true
frozen_at: 2026-08-20T09:00:00Z
guideline: 1
prompts:
  black:
    sources: [{url: "https://leaf.example/a", grade: required, supports: [c1]}]
    claims: [{id: c1, text: "Boiling.", category: core_fact}]
  green: {}
""" + "".join(f"  more-{n}: {{}}\n" for n in range(18))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An installation with one sound panel, and no key of anybody in the environment."""
    monkeypatch.chdir(tmp_path)
    secrets = {v for e in ENGINES.values() if e.auth for v in e.auth.variables}
    for name in list(os.environ):
        if name.startswith("MONITOR_") or name.removesuffix("_FILE") in secrets:
            monkeypatch.delenv(name)
    (tmp_path / "prompt_panels").mkdir()
    (tmp_path / "prompt_panels/tea.yaml").write_text(PANEL)
    (tmp_path / "prompt_panels/tea.baseline.yaml").write_text(BASELINE)
    return tmp_path


@pytest.fixture
def check(capsys):
    def call(*arguments):
        with pytest.raises(SystemExit) as stop:
            main(["check", *map(str, arguments)])
        return stop.value.code, capsys.readouterr().out.splitlines()

    return call


def write(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_yaml", ".yaml")
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def test_a_sound_installation_is_fine_and_names_the_keys_that_are_missing(check):
    code, lines = check()
    assert code == 0
    assert lines == [
        "engine gemini: will be skipped: no key: set GEMINI_API_KEY (or GEMINI_API_KEY_FILE)",
        "engine openai: will be skipped: no key: set OPENAI_API_KEY (or OPENAI_API_KEY_FILE)",
        "panel tea: no run can start while none of its engines can be asked",
        "panels: tea; 0 errors, 0 warnings",
    ]


def test_a_key_that_is_there_is_not_printed(check, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up-key-000")
    code, lines = check()
    assert (code, any("openai" in line for line in lines)) == (0, False)
    assert not any("no run can start" in line for line in lines)
    assert "sk-made-up" not in "\n".join(lines)


def test_problems_of_every_file_and_key_come_in_one_pass(check, folder, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY_FILE", str(folder / "nowhere"))
    write(
        folder,
        config_yaml="judge: {name: embeded}\nengines: {openia: {}}\nfamilies: {'*.*': a.example}\n",
        prompt_panels__tea_yaml=PANEL.replace("id: green", "id: black"),
        prompt_panels__bad_yaml=b"panel: \xff\n",
        prompt_panels__empty_yaml="",
    )
    write(folder, **{"prompt_panels/tea.baseline.yaml": BASELINE.replace("  black:", "  blck:")})
    (folder / "prompt_panels/other.yml").write_text(PANEL)
    code, lines = check()
    found = [line.split(": ")[0] for line in lines if not line.startswith("engine ")]
    assert code == 2
    assert "config.yaml:1" in found
    assert "config.yaml:2" in found
    assert "config.yaml:3" in found
    assert "prompt_panels/tea.yaml:7" in found
    assert "prompt_panels/tea.baseline.yaml:8" in found
    assert "prompt_panels/bad.yaml:1" in found
    assert "prompt_panels/empty.yaml" in found
    assert "prompt_panels/other.yml" in found


def test_an_unreadable_key_file_is_a_problem_not_a_skipped_engine(check, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY_FILE", "sk-pasted-into-the-wrong-variable")
    code, lines = check()
    assert code == 2
    assert "OPENAI_API_KEY_FILE: the file it names cannot be read" in lines[0]
    assert "sk-pasted" not in "\n".join(lines)


def test_unsound_settings_do_not_hide_the_panels(check, folder):
    write(folder, config_yaml="panels: elsewhere\nstor: {}\n")
    (folder / "prompt_panels").rename(folder / "elsewhere")
    write(folder, elsewhere__tea_yaml=PANEL.replace("version: 1", "version: one"))
    code, lines = check()
    assert code == 2
    assert [line.split(": ")[0] for line in lines[:2]] == ["config.yaml:2", "elsewhere/tea.yaml:2"]


def test_a_question_that_an_engine_cannot_be_asked_is_told_at_its_prompt(check, folder):
    panel = PANEL.replace("[openai, gemini]", "[google_ai_mode_dataforseo]")
    write(folder, prompt_panels__tea_yaml=panel.replace('"How long?"', '"How long?", locale: en'))
    code, lines = check()
    assert code == 2
    assert lines[0].startswith(
        "prompt_panels/tea.yaml:7: engine google_ai_mode_dataforseo: no country"
    )
    assert lines[0].endswith("(prompts green)")


def test_a_question_that_fails_for_every_prompt_is_told_once_at_the_engine(check, folder):
    panel = PANEL.replace("[openai, gemini]", "[google_ai_mode_dataforseo]")
    write(folder, prompt_panels__tea_yaml=panel.replace("en-GB", "en"))
    lines = check()[1]
    assert [line for line in lines if "no country" in line] == [lines[0]]
    assert lines[0].startswith("prompt_panels/tea.yaml:4: ")


def test_an_unknown_engine_option_is_told_in_the_settings(check, folder):
    write(folder, config_yaml="engines:\n  openai:\n    options: {serch: 1}\n")
    code, lines = check()
    assert code == 2
    assert lines[0].startswith("config.yaml:3: engine openai: unknown option 'serch'; did you mean")


def test_a_baseline_without_a_panel_and_a_panel_twice_are_told(check, folder):
    (folder / "prompt_panels/tea.baseline.yaml").rename(folder / "prompt_panels/lost.baseline.yaml")
    write(folder, prompt_panels__zea_yaml=PANEL)
    code, lines = check()
    assert code == 2
    assert (
        "prompt_panels/zea.yaml:1: panel 'tea' is also in prompt_panels/tea.yaml; give one of them another name"
        in lines
    )
    assert "prompt_panels/lost.baseline.yaml: no panel beside it; expected lost.yaml" in lines


def test_no_panel_at_all_is_a_problem(check, folder):
    for path in (folder / "prompt_panels").iterdir():
        path.unlink()
    assert check()[0] == 2


def test_a_settings_file_asked_for_must_be_there(check, folder):
    code, lines = check("--config", "none.yaml")
    assert (code, lines[0]) == (2, "none.yaml: no such file; write it or leave out the option")


def test_the_settings_file_of_the_environment_is_checked(check, folder, monkeypatch):
    write(folder, mine_yaml="stor: {}\n")
    monkeypatch.setenv("MONITOR_CONFIG", "mine.yaml")
    assert check()[1][0].startswith("mine.yaml:1: unknown key 'stor'")


def test_the_json_twin_carries_file_and_line(check, folder):
    write(folder, config_yaml="\nstor: {}\n")
    code, lines = check("--json")
    body = json.loads(lines[0])
    assert (code, len(lines)) == (2, 1)
    assert (body["problems"][0]["file"], body["problems"][0]["line"]) == ("config.yaml", 2)
    assert set(body["skipped_engines"]) == {"openai", "gemini"}


def test_a_run_refuses_what_check_would_have_told(folder, capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up-key-000")
    write(folder, config_yaml="engines: {openai: {options: {serch: 1}}}\n")
    with pytest.raises(SystemExit) as stop:
        main(["run", "tea", "--dry-run"])
    assert stop.value.code == 2
    assert "unknown option 'serch'" in capsys.readouterr().err


def test_what_one_mistake_could_hide_is_told_with_it(check, folder):
    page = '{url: "https://leaf.example/a", grade: best}'
    own = '{url: "https://shop.example/", grade: required}'
    write(
        folder,
        prompt_panels__tea_yaml=PANEL.replace(
            "version: 1", "version: x\nclient: {domains: [shop.example]}"
        ),
    )
    text = BASELINE.replace("panel: tea", "panel: coffee").replace(
        "[c1]}]", f"[c1]}}, {page}, {own}]"
    )
    write(folder, **{"prompt_panels/tea.baseline.yaml": text})
    code, lines = check()
    said = "\n".join(lines)
    assert code == 2
    assert "tea.yaml:2: version: expected a whole number" in said
    assert "this baseline is for 'coffee', the panel is 'tea'" in said
    assert "the client's own" in said
    assert "'best' is not known; known: acceptable, optional, out_of_scope, required" in said
    assert "two items of prompt 'black' grade the same page" in said


def test_doubts_about_a_panel_and_its_baseline_are_warnings(check, folder):
    small = PANEL.split("  - {id: more-0")[0].replace("How long?", "How hot?")
    write(
        folder, prompt_panels__tea_yaml=small + "watch: [www.leaf.example, leaf.example, Leaf Co]\n"
    )
    text = BASELINE.split("  more-0")[0].replace("supports: [c1]", "supports: []")
    green = "green: {claims: [{id: c2, text: Cooler., category: core_fact}]}"
    draft = text.replace("2026-08-20T09:00:00Z", "null").replace("green: {}", green)
    write(folder, **{"prompt_panels/tea.baseline.yaml": draft})
    code, lines = check()
    assert (code, lines[-1]) == (0, "panels: tea; 0 errors, 7 warnings")
    for words in (
        "2 prompts give counts only: intervals take at least 10, verdicts of change 20",
        "asks word for word what the prompt on line 6 asks",
        "watch: 'www.leaf.example' is no source family; its family is 'leaf.example'",
        "watch: 'Leaf Co' is no source family; expected a host: example.org",
        "a draft: signatures made with it say `-draft`",
        "required claim 'c1' is in the `supports` of no source",
        "prompt 'green' has claims but no sources",
    ):
        assert any(words in line for line in lines), words


def test_a_baseline_page_that_does_not_open_counts_as_an_error(check, monkeypatch):
    url = "https://leaf.example/a"

    async def asked(settings, found):
        return [
            OnlineFinding("tea", "black", url, FetchStatus.NOT_FOUND),
            OnlineFinding("tea", "green", url, FetchStatus.OK),
        ]

    monkeypatch.setattr("monitor.cli.running.check_online", asked)
    code, lines = check("--online")
    assert code == 2
    assert f"tea: black: {url}: not_found" in lines
    assert lines[-1] == "panels: tea; 1 error (1 of 2 baseline pages did not open), 0 warnings"


@pytest.fixture
def dry_run(capsys):
    def call(*arguments):
        with pytest.raises(SystemExit) as stop:
            main(["run", "tea", "--dry-run", "--limit", "2", *arguments])
        said = capsys.readouterr()
        return stop.value.code, said.out, said.err

    return call


def test_a_dry_run_costs_engines_with_and_without_a_key(dry_run, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up-key-000")
    code, said, _ = dry_run("--json")
    body = json.loads(said)
    assert code == 0
    # The first two prompts, three repeats by default.
    assert [(e["engine"], e["captures"], e["key_missing"]) for e in body["engines"]] == [
        ("openai", 6, False),
        ("gemini", 6, True),
    ]
    assert body["totals"]["now"] == {
        "captures": 6,
        "micros": 6 * price_of_call(ENGINES["openai"], Settings()).micros,
    }
    assert body["totals"]["with_all_keys"]["captures"] == 12
    assert body["skipped"][0]["engine"] == "gemini"
    assert "GEMINI_API_KEY" in body["skipped"][0]["reason"]


def test_a_dry_run_without_any_key_still_says_what_the_panel_costs(dry_run, folder):
    write(folder, config_yaml="engines: {openai: {call_micros: 50000}, gemini: {call_micros: 0}}\n")
    code, said, _ = dry_run()
    assert code == 0
    assert "no key: set OPENAI_API_KEY" in said
    # Six captures of 0.05 USD and six free ones.
    assert "with all keys 12 captures, about 0.30 USD" in said
    assert "that can be asked now 0 captures, about 0.00 USD" in said


def test_a_dry_run_refuses_a_judge_that_does_not_exist(dry_run):
    code, said, error = dry_run("--judge", "nope")
    assert (code, said) == (2, "")
    assert "nope" in error


def test_workers_on_a_store_that_can_have_none_are_told_at_their_line(check, folder):
    write(folder, config_yaml="runner:\n  name: pgqueuer\n")
    code, lines = check()
    assert code == 2
    assert any("config.yaml:2: runner.name is pgqueuer, which needs" in line for line in lines)


def test_ping_urls_that_nobody_would_be_asked_by_are_told_and_not_shown(check, folder):
    (folder / "not-a-url").write_text("5ecret")
    write(
        folder,
        config_yaml="""health:
  ping_url_file: /nowhere/5ecret
  alive_ping_url_file: not-a-url
  panel_ping_urls:
    tea: https://ping.example/5ecret
    te: https://ping.example/5ecret
""",
    )
    code, lines = check()
    assert code == 2
    said = "\n".join(lines)
    assert "config.yaml:2: health.ping_url_FILE: the file it names cannot be read" in said
    assert "config.yaml:3: health.alive_ping_url_file: expected a file with one base URL" in said
    assert "config.yaml:6: warning: no panel is called 'te'; did you mean 'tea'?" in said
    assert "5ecret" not in said


def test_channels_that_could_tell_nobody_are_told_at_their_line_and_not_shown(check, folder):
    (folder / "empty").write_text("")
    (folder / "config.yaml").write_text("""\
alerts:
  channels:
    fine: {kind: webhook, url: "https://hooks.public.com/5ecret", panels: [tea], engines: [openai]}
    inner: {kind: slack, url: "https://169.254.169.254/5ecret"}
    mine: {kind: slack, url: "http://169.254.169.254/5ecret", private: true}
    gone: {kind: teams, url_file: /nowhere/5ecret}
    bare: {kind: webhook, url: "https://hooks.public.com/5ecret", secret_file: empty}
    mail: {kind: smtp, host: mail.local, sender: a@b.example, to: [c@d.example]}
    port: {kind: smtp, host: mail.public.com, port: 80, sender: a@b.example, to: [c@d.example]}
    odd:
      kind: slack
      url: "https://hooks.public.com/5ecret"
      panels: [te]
      engines: [opnai]
""")
    code, lines = check()
    told = "\n".join(lines)
    assert code == 2
    assert "5ecret" not in told
    assert [line for line in lines if "fine" in line or "mine" in line] == []
    for where, says in (
        ("config.yaml:4: alerts.channels.inner:", "the guard refused"),
        ("config.yaml:6: alerts.channels.gone.url_file:", "cannot be read"),
        ("config.yaml:7: alerts.channels.bare.secret_file:", "is empty"),
        ("config.yaml:8: alerts.channels.mail:", "the guard refused"),
        ("config.yaml:9: alerts.channels.port:", "port 80 is not asked"),
        (
            "config.yaml:13: warning: alerts.channels.odd:",
            "no panel is called 'te'; did you mean 'tea'",
        ),
        (
            "config.yaml:14: warning: alerts.channels.odd:",
            "unknown engine 'opnai'; did you mean 'openai'",
        ),
    ):
        assert [line for line in lines if line.startswith(where) and says in line], (where, told)


def test_a_name_to_listen_on_is_told_at_its_line(check, folder):
    write(folder, config_yaml="web:\n  host: example.org\n")
    code, lines = check()
    assert code == 2
    assert any("config.yaml:2: web.host: expected an address such as" in line for line in lines)


def test_alerts_about_a_measure_that_nobody_counts_are_told_at_their_line(check, folder):
    write(folder, config_yaml="alerts:\n  measures: [source_precision, source_recal]\n")
    code, lines = check()
    assert code == 2
    said = "\n".join(lines)
    assert "config.yaml:2: alerts.measures: no measure is called 'source_recal'" in said
    assert "'source_precision'" not in said.replace("did you mean 'source_precision'", "")
