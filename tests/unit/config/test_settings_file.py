"""Settings: every problem at once with its line or its variable, and keys that never leak."""

import pytest

from monitor.config.settings import load_settings, read_settings, secret
from monitor.config.words import nearest
from monitor.domain.assessment import AdequacyPolicy
from monitor.domain.panel import Risk
from monitor.errors import ConfigError


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch):
    import os

    for name in list(os.environ):
        if name.upper().startswith("MONITOR_"):
            monkeypatch.delenv(name)


def told(text):
    settings, problems = read_settings(text, "config.yaml")
    assert settings is None
    return [str(p) for p in problems]


def test_no_file_and_an_empty_file_give_the_defaults():
    for text in (None, "", "# nothing set\n"):
        settings, problems = read_settings(text, "config.yaml")
        assert (settings.budget.calls, problems) == (5000, ())


def test_all_problems_of_a_settings_file_are_told_at_once():
    text = (
        "store: {databse: x}\n"
        "engines:\n"
        "  openai: {modle: x}\n"
        "  gemini: {per_minute: -1, country: gb}\n"
        "budget: {usd: 1e300, calls: many}\n"
        "judge: embedded\n"
        "budget: {}\n"
        "stoer: {}\n"
    )
    problems = told(text)
    assert [int(p.split(":")[1]) for p in sorted(problems)] == [1, 3, 4, 4, 5, 5, 6, 7, 8]
    assert any("did you mean 'database'?" in p for p in problems)
    assert any("did you mean 'model'?" in p for p in problems)
    assert any("did you mean 'store'?" in p for p in problems)


@pytest.mark.parametrize("text", ["- a\n- b\n", "just words\n", "3\n"])
def test_a_file_that_is_no_mapping_is_told(text):
    assert told(text) == ["config.yaml:1: expected sections such as `store:` and `engines:`"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("scoring: {adequacy: {ymyl: anny}}", "'anny' is not known; did you mean 'any'?"),
        ("scoring: {adequacy: {ymil: any}}", "'ymil' is not known; did you mean 'ymyl'?"),
        ("scoring: {profile: mnitor}", "did you mean 'monitor'?"),
        ("scoring: {partial: halv}", "did you mean 'half'?"),
        ("scoring: {relevance: {authorty: 1}}", "did you mean 'authority'?"),
        ("scoring: {relevance: {authority: -1}}", "greater than or equal to 0"),
        (
            "scoring: {relevance: {topical_fit: 0, authority: 0, freshness: 0, support: 0}}",
            "at least one weight is more than 0",
        ),
        ("families: {a.com: 3}", "expected a family such as 'example.org'"),
        ("families: {a.com: {famly: b.com}}", "expected a family such as 'example.org'"),
        ("engines: {openai: {base_url: ftp://x}}", "expected an address"),
        ("engines: {openai: {options: {a: .inf}}}", ".inf is no finite number"),
        ("_env_file: /etc/passwd", "unknown key '_env_file'"),
        ("_cli_parse_args: true", "unknown key '_cli_parse_args'"),
    ],
)
def test_a_wrong_value_is_told_with_what_is_expected(text, words):
    problems = told(text)
    assert len(problems) == 1
    assert words in problems[0]


def test_a_risk_class_left_out_keeps_its_own_policy():
    settings, _ = read_settings("scoring: {adequacy: {standard: graded}}", "config.yaml")
    assert settings.scoring.adequacy == {
        Risk.STANDARD: AdequacyPolicy.GRADED,
        Risk.YMYL: AdequacyPolicy.REQUIRED_OR_ACCEPTABLE,
    }


def test_a_password_in_an_address_is_refused_and_not_printed_back():
    problems = told("engines: {openai: {base_url: 'https://me:hunter2@api.example.org'}}")
    assert "no login, query or fragment here" in problems[0]
    assert "hunter2" not in problems[0]


def test_a_wrong_variable_is_told_by_its_name_not_by_a_line(monkeypatch):
    monkeypatch.setenv("MONITOR_BUDGET__CALLS", "abc")
    monkeypatch.setenv("MONITOR_STORE__DATABSE", "x")
    monkeypatch.setenv("MONITOR_STOR", "x")
    monkeypatch.setenv("MONITOR_SANDBOX__CA_FILE", "x")
    assert sorted(p.split(":")[0] for p in told("budget: {usd: 1}\n")) == [
        "MONITOR_BUDGET__CALLS",
        "MONITOR_SANDBOX__CA_FILE",
        "MONITOR_STOR",
        "MONITOR_STORE__DATABSE",
    ]


def test_variables_win_over_the_file_and_leave_its_other_keys(monkeypatch):
    monkeypatch.setenv("MONITOR_ENGINES__OPENAI__MODEL", "m2")
    settings, _ = read_settings("engines: {openai: {model: m1, attempts: 2}}", "config.yaml")
    assert (settings.engine("openai").model, settings.engine("openai").attempts) == ("m2", 2)


def test_broken_json_in_a_variable_is_a_problem(monkeypatch):
    monkeypatch.setenv("MONITOR_ENGINES", "{broken")
    assert "engines" in told("")[0]


def test_a_settings_file_asked_for_must_be_there(tmp_path):
    with pytest.raises(ConfigError, match="no such file"):
        load_settings(tmp_path / "none.yaml")


def test_a_settings_file_that_is_a_folder_or_no_utf8_is_a_config_error(tmp_path):
    bad = tmp_path / "bad.yaml"
    bad.write_bytes(b"\xff\xfe")
    for path in (tmp_path, bad):
        with pytest.raises(ConfigError):
            load_settings(path)


def test_a_key_comes_from_its_variable_or_from_the_file_beside(tmp_path):
    file = tmp_path / "key"
    file.write_text("  sk-from-file\n")
    assert secret("K", {"K": " sk-direct\n"}) == "sk-direct"
    assert secret("K", {"K_FILE": str(file)}) == "sk-from-file"
    assert secret("K", {"K": "  ", "K_FILE": ""}) is None
    assert secret("K", {}) is None


def test_an_unreadable_key_file_is_told_without_its_value(tmp_path):
    for value in ("sk-pasted-key-instead-of-a-path", str(tmp_path)):
        with pytest.raises(ConfigError) as caught:
            secret("K", {"K_FILE": value})
        assert "K_FILE: the file it names cannot be read" in str(caught.value)
        assert value not in str(caught.value)


@pytest.mark.parametrize("value", ["sk-one\nsk-two", "sk-\u201cquoted\u201d", "sk-\x07"])
def test_a_key_that_no_header_can_carry_is_refused_without_echo(value):
    with pytest.raises(ConfigError) as caught:
        secret("K", {"K": value})
    assert value not in str(caught.value)


def test_a_near_miss_is_named_and_long_lists_are_cut():
    assert nearest("prompt-1o", [f"prompt-{n}" for n in range(20)]) == "; did you mean 'prompt-1'?"
    assert nearest("zzz", ["a", "b"]) == "; known: a, b"
    assert nearest("zzz", [f"n{n:03d}" for n in range(600)]).endswith("n014 and 585 more")
    assert nearest("x", []) == ""
