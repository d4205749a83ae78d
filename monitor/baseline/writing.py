"""A Baseline -> the text of its file, as people read and compare it: one source or claim a line."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields
from datetime import UTC, date, datetime
from enum import Enum
from typing import Any

from monitor.domain.baseline import (
    Baseline,
    BaselineClaim,
    BaselineSource,
    EvidenceType,
    Match,
)

_ODD = re.compile(
    "[\x7f-\xa0\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\uffff\ud800-\udfff]"
)
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_WORDS_OF_YAML = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


def write_baseline(baseline: Baseline, *, note: str = "") -> str:
    """Text that reads back as an equal baseline; `note` says what is to be known of it."""
    head = [
        f"panel: {_word(baseline.panel)}",
        f"version: {_quoted(baseline.version)}",
        f"annotators: [{', '.join(map(_word, baseline.annotators))}]",
        f"drawn_blind: {_written(baseline.drawn_blind)}",
        f"frozen_at: {_written(baseline.frozen_at)}",
        f"guideline: {_quoted(baseline.guideline)}",
    ]
    if note:
        head.append(f"note: {_quoted(note)}")
    if not baseline.prompts:
        return "\n".join([*head, "prompts: {}", ""])
    lines = [*head, "prompts:"]
    for prompt_id, one in baseline.prompts.items():
        lines.append(f"  {_word(prompt_id)}:")
        lines += _listed("sources", map(_source, one.sources))
        lines += _listed("claims", map(_claim, one.claims))
    return "\n".join([*lines, ""])


def _listed(name: str, rows: Iterable[str]) -> list[str]:
    """A list with one flow mapping a line, or an empty list."""
    written = [f"      - {row}" for row in rows]
    return [f"    {name}:", *written] if written else [f"    {name}: []"]


def _source(one: BaselineSource) -> str:
    """One source: its target, its grade, then whatever was said of it."""
    parts: dict[str, Any] = {}
    if one.match is Match.UNIT:
        parts["unit"] = one.key
    elif one.url is None:
        parts["family"] = one.key
    else:
        parts["url"] = one.url
    parts |= {"grade": one.grade, "match": one.match, "supports": one.supports}
    parts |= {
        "evidence_type": None if one.evidence_type is EvidenceType.OTHER else one.evidence_type,
        "published": one.published,
        "updated": one.updated,
        "jurisdiction": one.jurisdiction,
        "known_limitation": one.known_limitation,
        "reason": one.reason,
        "annotator": one.annotator,
        "adjudication": one.adjudication,
        "relevance": _said(one.relevance),
        "roles": _said(one.roles),
    }
    return _flow(parts)


def _claim(one: BaselineClaim) -> str:
    """One claim, its words first."""
    parts = {field.name: getattr(one, field.name) for field in fields(one)}
    return _flow(parts)


def _said(value: Any) -> Mapping[str, Any] | None:
    """The fields of a small value that say something; None where there is no value."""
    if value is None:
        return None
    every = {field.name: getattr(value, field.name) for field in fields(value)}
    return {name: one for name, one in every.items() if one is not None}


def _flow(parts: Mapping[str, Any]) -> str:
    """A mapping on one line, without what says nothing."""
    kept = {name: one for name, one in parts.items() if one is not None and one not in ("", ())}
    return "{" + ", ".join(f"{name}: {_written(one)}" for name, one in kept.items()) + "}"


def _written(value: Any) -> str:
    """One value as it stands in the file."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return _flow(value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, float | int):
        return json.dumps(value)
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    return _word(value.value) if isinstance(value, Enum) else _quoted(str(value))


def _word(text: str) -> str:
    """A name without quotes where no reader could take it for anything else."""
    plain = _PLAIN.fullmatch(text) and text.lower() not in _WORDS_OF_YAML
    return text if plain else _quoted(text)


def _quoted(text: str) -> str:
    """Text in double quotes; what no eye sees is written as its number."""
    return _ODD.sub(_escape, json.dumps(text, ensure_ascii=False))


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return "\\ufffd" if 0xD800 <= code <= 0xDFFF else f"\\u{code:04x}"
