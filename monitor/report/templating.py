"""Templates as reports and pages place them: everything escaped, control characters shown."""

import re
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from monitor.report import numbers, words

_TICKED = re.compile(r"`([^`\n]+)`")


def environment(folder: Path) -> jinja2.Environment:
    """Templates of a folder, which refuse unknown names and values that are absent."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_printed,
    )
    made.filters |= {
        "link": words.open_link,
        "clip": words.clipped,
        "short": words.short,
        "moment": numbers.moment,
        "money": numbers.money,
        "percent": numbers.percent,
        "plural": words.plural,
        "said": words.outcome_words,
        "tight": words.tight,
        "ticked": _ticked,
        "spaced": lambda text: str(text).replace("_", " "),
    }
    return made


def _ticked(text: str) -> Markup:
    """A sentence whose commands, told in backticks, are set as code; all of it is escaped."""
    safe = str(escape(words.visible(text)))
    return Markup(_TICKED.sub(r"<code>\1</code>", safe))  # noqa: S704 - escaped in the line above


def _printed(value: Any) -> Any:
    """What an expression prints: text with its control characters made visible."""
    if value is None:
        raise ValueError("a template printed a value that is absent; say it in words")
    return words.visible(value) if type(value) is str else value
