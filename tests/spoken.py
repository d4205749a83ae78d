"""Lines of documents and files that call `monitor`, and whether the command line takes them."""

import re
import shlex
from functools import cache

import typer

from monitor.cli import build

PREFIX = r"(?:sudo )?(?:-u monitor )?(?:docker compose exec \w+ )?(?:systemd-run(?: -\S+(?: \S+=\S+)?)* )?"
CALL = re.compile(rf"^{PREFIX}(?:\w+=\S+ )*(?:\S*/bin/)?monitor( .*)?$")
"""A line that calls the program, whoever calls it; what comes after the program's name."""


def calls(markdown):
    """Words after `monitor` of every call in a document's blocks of text."""
    blocks = re.findall(r"```text\n(.*?)```", markdown, re.DOTALL)
    return [words for block in blocks for line in lines_of(block) if (words := call_of(line))]


def mentions(markdown):
    """Words after `monitor` of every code span of a document; they may leave arguments out."""
    bare = re.sub(r"```.*?```", "", markdown, flags=re.DOTALL)
    spans = re.findall(r"`(monitor [^`|]+)`", bare)
    return [words for one in spans if (words := call_of(" ".join(one.split())))]


def lines_of(block):
    """Shell lines of a block: joined where they go on, parted where one follows another."""
    joined = re.sub(r"\\\n\s*", "", block)
    return [one.strip() for line in joined.splitlines() for one in re.split(r"&&|\|", line)]


def call_of(line):
    """Words after the program's name, comments left out; None where a line calls something else."""
    found = CALL.match(re.split(r"\s#|\s>", line, maxsplit=1)[0].strip())
    return shlex.split(found[1] or "") if found else None


def refusal(words, *, whole=True):
    """Why the command line does not take these words; None where it does, or where some lack."""
    try:
        parsed(program(), "monitor", list(words), None)
    except typer.Exit:
        return None  # --help
    except Exception as error:  # noqa: BLE001 - whatever the library refuses by
        if not whole and type(error).__name__ == "MissingParameter":
            return None
        return f"monitor {' '.join(words)}: {getattr(error, 'message', None) or error!r}"
    return None


@cache
def program():
    """The command line with all of its commands."""
    return typer.main.get_command(build(None))


def parsed(command, name, words, parent):
    """Parse the words of a command and of the one that they name, and run nothing."""
    context = command.make_context(name, words, parent=parent)
    if not hasattr(command, "commands"):
        return
    rest = [*context._protected_args, *context.args]
    if rest:
        inner, found, left = command.resolve_command(context, rest)
        parsed(found, inner, left, context)
