"""`monitor accounts` and `monitor tokens`: who may do what in the web application."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from monitor.cli.console import OUT, table
from monitor.cli.options import AsJson, Config
from monitor.config.settings import load_settings
from monitor.domain.access import Account, ApiToken, Role, Visitor, Way
from monitor.domain.moments import utc_second
from monitor.errors import AccessError
from monitor.pipeline import accounts as changing
from monitor.pipeline.bench import Bench, open_bench
from monitor.report.words import visible
from monitor.store import accounts, tokens

Name = Annotated[str, typer.Argument(metavar="NAME", help="Of the account.")]
TokenName = Annotated[str, typer.Argument(metavar="NAME", help="Of what uses the token.")]
RoleOf = Annotated[Role, typer.Option("--role", help="What it may do.")]
PasswordFile = Annotated[
    Path | None,
    typer.Option("--password-file", help="Its first line is the password; else asked for."),
]

_HERE = Visitor(None, Role.ADMIN, Way.COMMAND)
"""Who can run commands on the store may do anything with it."""


_LONGEST_LINE = 64 * 1024


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    people = typer.Typer(no_args_is_help=True, help="Accounts: who may log in, and do what.")
    for name, command in (
        ("add", accounts_add), ("list", accounts_list), ("disable", accounts_disable),
        ("enable", accounts_enable), ("password", accounts_password), ("role", accounts_role),
    ):  # fmt: skip
        people.command(name)(command)
    app.add_typer(people, name="accounts")
    programs = typer.Typer(no_args_is_help=True, help="Tokens: by which programs ask.")
    for name, command in (
        ("add", tokens_add), ("list", tokens_list), ("revoke", tokens_revoke),
    ):  # fmt: skip
        programs.command(name)(command)
    app.add_typer(programs, name="tokens")


def accounts_add(
    name: Name,
    role: RoleOf = Role.VIEWER,
    password_file: PasswordFile = None,
    no_password: Annotated[
        bool, typer.Option("--no-password", help="Only a trusted proxy names this one.")
    ] = False,
    config: Config = None,
) -> int:
    """Add an account; everybody must log in from then on.

    The first one is an admin.
    """
    if no_password and password_file is not None:
        raise AccessError("--no-password and --password-file exclude each other; leave one out")
    with open_bench(load_settings(config)) as bench:
        is_first = not bench.read(accounts.any_enabled)
        password = None if no_password else _password(password_file)
        added = changing.add_account(bench, _HERE, name, role=role, password=password)
    OUT.print(f"added {added.name}, {added.role.value}")
    if is_first:
        print("Everybody must log in to the web application from now on.")
    return 0


def accounts_list(config: Config = None, as_json: AsJson = False) -> int:
    """List accounts, disabled ones too."""
    with open_bench(load_settings(config)) as bench:
        found = bench.read(accounts.list_accounts)
    if as_json:
        print(json.dumps([_account_json(one) for one in found], ensure_ascii=True))
    elif found:
        table(
            "",
            ("name", "role", "password", "state", "since"),
            [_account_row(one) for one in found],
            texts=5,
        )
    else:
        print("there is no account: nobody is asked for a password at this machine")
    return 0


def accounts_disable(
    name: Name,
    even_last: Annotated[
        bool, typer.Option("--even-last", help="The last admin too: then nobody must log in.")
    ] = False,
    config: Config = None,
) -> int:
    """Have an account open nothing; its sessions end."""
    return _do(
        config,
        lambda bench: changing.set_enabled(bench, _HERE, name, enabled=False, even_last=even_last),
        f"disabled {name}",
    )


def accounts_enable(name: Name, config: Config = None) -> int:
    """Enable a disabled account again."""
    return _do(
        config,
        lambda bench: changing.set_enabled(bench, _HERE, name, enabled=True),
        f"enabled {name}",
    )


def accounts_password(name: Name, password_file: PasswordFile = None, config: Config = None) -> int:
    """Give an account another password; its sessions end."""
    with open_bench(load_settings(config)) as bench:
        changing.require_account(bench, name)
        changing.change_password(bench, _HERE, name, _password(password_file))
    OUT.print(f"changed the password of {name}")
    return 0


def accounts_role(
    name: Name,
    role: Annotated[Role, typer.Argument(metavar="ROLE", help="viewer, annotator or admin.")],
    config: Config = None,
) -> int:
    """Give an account another role; its sessions end."""
    return _do(
        config,
        lambda bench: changing.change_role(bench, _HERE, name, role),
        f"{name} is {role.value} now",
    )


def tokens_add(name: TokenName, role: RoleOf = Role.VIEWER, config: Config = None) -> int:
    """Add a token and print it, this once."""
    with open_bench(load_settings(config)) as bench:
        secret = changing.add_token(bench, _HERE, name, role)
    print(secret)
    return 0


def tokens_list(config: Config = None, as_json: AsJson = False) -> int:
    """List tokens, revoked ones too."""
    with open_bench(load_settings(config)) as bench:
        found = bench.read(tokens.list_tokens)
    if as_json:
        print(json.dumps([_token_json(one) for one in found], ensure_ascii=True))
    elif found:
        table(
            "",
            ("name", "role", "made by", "made", "last used", "state"),
            [_token_row(one) for one in found],
            texts=6,
        )
    else:
        print("there is no token")
    return 0


def tokens_revoke(name: TokenName, config: Config = None) -> int:
    """Have a token open nothing, for ever."""
    return _do(config, lambda bench: changing.revoke_token(bench, _HERE, name), f"revoked {name}")


def _do(config: Path | None, change: Callable[[Bench], None], said: str) -> int:
    with open_bench(load_settings(config)) as bench:
        change(bench)
    OUT.print(said)
    return 0


def _password(file: Path | None) -> str:
    """A password from a file or a person, never from an argument, which others could see."""
    if file is None:
        answer: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True)
        return answer
    try:
        with file.open("rb") as lines:
            return lines.readline(_LONGEST_LINE).decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        raise AccessError(f"--password-file {file}: expected a text in UTF-8") from None
    except OSError as error:
        raise AccessError(
            f"--password-file {file}: {error.strerror}; expected a file that you may read"
        ) from error


def _account_row(one: Account) -> tuple[str, ...]:
    return (
        visible(one.name),
        one.role.value,
        "set" if one.has_password else "none",
        "enabled" if one.is_enabled else "disabled",
        utc_second(one.created_at),
    )


def _account_json(one: Account) -> dict[str, object]:
    return {
        "name": one.name,
        "role": one.role.value,
        "password": one.has_password,
        "enabled": one.is_enabled,
        "created_at": utc_second(one.created_at),
    }


def _token_row(one: ApiToken) -> tuple[str, ...]:
    return (
        visible(one.name),
        one.role.value,
        visible(one.made_by or ""),
        utc_second(one.created_at),
        "never" if one.used_at is None else utc_second(one.used_at),
        "valid" if one.revoked_at is None else f"revoked {utc_second(one.revoked_at)}",
    )


def _token_json(one: ApiToken) -> dict[str, object]:
    return {
        "name": one.name,
        "role": one.role.value,
        "made_by": one.made_by,
        "created_at": utc_second(one.created_at),
        "used_at": None if one.used_at is None else utc_second(one.used_at),
        "revoked_at": None if one.revoked_at is None else utc_second(one.revoked_at),
    }
