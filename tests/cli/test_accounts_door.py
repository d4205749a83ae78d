"""`monitor accounts` and `monitor tokens`: made, listed and taken back, no secret in an argument."""

import json

import pytest

from monitor.config.settings import load_settings
from monitor.domain.access import Way
from monitor.pipeline import passwords
from monitor.pipeline.bench import open_bench
from monitor.store import accounts, audit, tokens

SECRET = "oaks grow slowly"


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """Settings over an empty store, and a file that holds a password."""
    monkeypatch.chdir(tmp_path)
    store = f'{{database: "sqlite:///{tmp_path}/monitor.db", artifacts: "{tmp_path}/artifacts"}}'
    (tmp_path / "config.yaml").write_text(f"store: {store}\n", "utf-8")
    (tmp_path / "secret").write_text(f"{SECRET}\r\nsecond line\n", "utf-8")
    return tmp_path


def read(work):
    with open_bench(load_settings(None)) as bench:
        return bench.read(work)


def test_the_first_account_is_an_admin_and_closes_the_door(call):
    code, _, error = call("accounts", "add", "bo", "--role", "viewer", "--password-file", "secret")
    assert (code, "add an admin first" in error) == (2, True)
    code, out, _ = call("accounts", "add", "ada", "--role", "admin", "--password-file", "secret")
    assert (code, out.splitlines()) == (
        0, ["added ada, admin", "Everybody must log in to the web application from now on."],
    )  # fmt: skip
    code, out, _ = call("accounts", "add", "bo", "--password-file", "secret")
    assert (code, out) == (0, "added bo, viewer\n")
    ada = read(lambda c: accounts.find_account(c, "ada"))
    stored = read(lambda c: accounts.password_hash(c, ada.id))
    assert passwords.checked(stored, SECRET).is_right


def test_a_password_is_asked_for_twice_and_not_shown(call, monkeypatch):
    asked = []

    def prompt(text, **more):
        asked.append((text, more["hide_input"], more["confirmation_prompt"]))
        return SECRET

    monkeypatch.setattr("typer.prompt", prompt)
    code, out, error = call("accounts", "add", "ada", "--role", "admin")
    assert (code, asked) == (0, [("Password", True, True)])
    assert SECRET not in out + error
    assert call("accounts", "add", "ada", "--password", SECRET)[0] == 2


def test_a_short_password_is_refused_and_says_why(call, place):
    (place / "secret").write_text("eleven char", "utf-8")
    code, _, error = call("accounts", "add", "ada", "--role", "admin", "--password-file", "secret")
    assert code == 2
    assert "has 11 characters; expected 12 at least: shorter ones are guessed" in error
    assert "eleven char" not in error
    assert read(accounts.list_accounts) == ()


def test_a_password_file_that_cannot_be_read_is_named(call, place):
    (place / "odd").write_bytes(b"\xff\xfe")
    for name, why in (("odd", "expected a text in UTF-8"), ("gone", "No such file")):
        code, _, error = call("accounts", "add", "ada", "--role", "admin", "--password-file", name)
        assert (code, name in error, why in error) == (2, True, True)


def test_accounts_are_listed_changed_and_disabled(call):
    call("accounts", "add", "ada", "--role", "admin", "--password-file", "secret")
    call("accounts", "add", "bo", "--no-password")
    assert call("accounts", "role", "bo", "annotator")[:2] == (0, "bo is annotator now\n")
    assert call("accounts", "disable", "bo")[0] == 0
    listed = json.loads(call("accounts", "list", "--json")[1])
    found = [(one["name"], one["role"], one["password"], one["enabled"]) for one in listed]
    assert found == [("ada", "admin", True, True), ("bo", "annotator", False, False)]
    assert call("accounts", "enable", "bo")[0] == 0
    out = call("accounts", "list")[1]
    assert [line.split()[:4] for line in out.splitlines()[1:]] == [
        ["ada", "admin", "set", "enabled"], ["bo", "annotator", "none", "enabled"],
    ]  # fmt: skip
    assert "$argon2" not in out


def test_the_last_admin_goes_only_where_that_is_meant(call):
    call("accounts", "add", "ada", "--role", "admin", "--password-file", "secret")
    for words in (("disable", "ada"), ("role", "ada", "viewer")):
        code, _, error = call("accounts", *words)
        assert (code, "last admin" in error) == (2, True)
    assert call("accounts", "disable", "ada", "--even-last")[0] == 0
    assert not read(accounts.any_enabled)
    code, out, _ = call("accounts", "add", "cy", "--role", "admin", "--password-file", "secret")
    assert (code, "from now on" in out) == (0, True)


def test_another_password_voids_what_was_before(call, place):
    call("accounts", "add", "ada", "--role", "admin", "--password-file", "secret")
    before = read(lambda c: accounts.find_account(c, "ada"))
    (place / "secret").write_text("beeches grow slowly", "utf-8")
    assert call("accounts", "password", "ada", "--password-file", "secret")[0] == 0
    after = read(lambda c: accounts.find_account(c, "ada"))
    assert after.changed_at > before.changed_at
    stored = read(lambda c: accounts.password_hash(c, after.id))
    assert not passwords.checked(stored, SECRET).is_right
    assert passwords.checked(stored, "beeches grow slowly").is_right


@pytest.mark.parametrize(
    "words",
    [
        ("accounts", "password", "nobody", "--password-file", "secret"),
        ("accounts", "disable", "nobody"), ("accounts", "role", "nobody", "admin"),
        ("tokens", "revoke", "nobody"), ("accounts", "add", "a\x00b", "--password-file", "secret"),
        ("tokens", "add", "x" * 65), ("accounts", "role", "ada", "owner"),
        ("accounts", "add", "ada", "--no-password", "--password-file", "secret"),
    ],
)  # fmt: skip
def test_what_is_not_there_or_cannot_be_is_told(call, words):
    code, out, error = call(*words)
    assert (code, out) == (2, "")
    assert error.startswith("error: ")


def test_a_token_is_printed_once_listed_and_revoked(call):
    code, out, _ = call("tokens", "add", "ci", "--role", "annotator")
    secret = out.strip()
    assert (code, secret[:4], len(secret)) == (0, "mon_", 47)
    assert read(lambda c: tokens.find_token(c, "ci")).role.value == "annotator"
    assert call("tokens", "add", "ci")[0] == 2
    (listed,) = json.loads(call("tokens", "list", "--json")[1])
    assert (listed["name"], listed["used_at"], listed["revoked_at"]) == ("ci", None, None)
    assert secret not in call("tokens", "list")[1]
    assert call("tokens", "revoke", "ci")[:2] == (0, "revoked ci\n")
    assert call("tokens", "revoke", "ci")[0] == 2
    assert "revoked 2" in call("tokens", "list")[1]


def test_what_commands_did_is_noted(call):
    call("accounts", "add", "ada", "--role", "admin", "--password-file", "secret")
    secret = call("tokens", "add", "ci")[1].strip()
    deeds = read(lambda c: audit.list_deeds(c, limit=9))
    assert [(one.way, one.action, one.subject) for one in deeds] == [
        (Way.COMMAND, "add token", "ci"), (Way.COMMAND, "add account", "ada"),
    ]  # fmt: skip
    assert secret not in str(deeds)
    assert SECRET not in str(deeds)


def test_an_empty_store_says_what_that_means(call):
    assert "nobody is asked for a password" in call("accounts", "list")[1]
    assert call("tokens", "list")[1] == "there is no token\n"
    assert call("accounts", "list", "--json")[1] == "[]\n"
