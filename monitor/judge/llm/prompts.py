"""Prompts as files with versions: `NAME_VERSION.txt`, in parts under lines such as `[system]`.

A prompt's version also stands for how it is sent: temperature 0 where the model takes one, replies
of 2,048 tokens (8,192 once one was cut), a schema where the endpoint takes one. Whoever changes
any of it adds a file with the next number.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from monitor.judge.llm.interface import Rung

_HEAD = re.compile(r"^\[([a-z ]+)\]\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Template:
    """One prompt, read."""

    version: str
    system: str
    user: str
    forms: tuple[tuple[Rung, str], ...]
    repair: str

    def question(self, block: str, rung: Rung) -> str:
        """What the model is asked, with the form of its reply."""
        form = dict(self.forms)[rung]
        # The block is put in last: it is a stranger's text and may hold braces.
        return self.user.replace("{form}", form).replace("{block}", block)

    def objection(self, fault: str) -> str:
        """What the model is told where its reply cannot be used."""
        return self.repair.replace("{fault}", fault)


@cache
def template(name: str) -> Template:
    """The prompt of a file, by its name without suffix, such as `judge_1`."""
    text = (files("monitor.judge.llm") / "prompts" / f"{name}.txt").read_text("utf-8")
    cut = _HEAD.split(text)
    parts = {head: body.strip() for head, body in zip(cut[1::2], cut[2::2], strict=True)}
    forms = tuple((rung, parts[f"form {rung.value}"]) for rung in Rung)
    version = name.rpartition("_")[2]
    return Template(version, parts["system"], parts["user"], forms, parts["repair"])
