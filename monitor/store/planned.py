"""What a run is planned to ask: engine by engine, and the row of every capture."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from monitor.domain.engine import Access, EngineSettings
from monitor.domain.panel import Prompt
from monitor.store.codec import decode, encode
from monitor.store.panels import PromptKey, key_of


@dataclass(frozen=True, slots=True)
class PlannedEngine:
    """What one engine is to be asked in a run."""

    engine: str
    access: Access
    settings: EngineSettings
    request_key: str
    """Hash of the settings without the model: part of the signature."""
    prompts: tuple[Prompt, ...]
    repeats: int
    canaries: tuple[Prompt, ...] = ()
    """Asked once each, to learn which locale it serves."""


def planned_captures(
    run_id: int, plan: Sequence[PlannedEngine], ids: Mapping[PromptKey, int]
) -> Iterator[dict[str, Any]]:
    """Rows round by round, so that a run cut short has every prompt before any repeat."""
    for part in plan:
        for canary in part.canaries:
            yield _planned_capture(run_id, part, ids[key_of(canary)], purpose="canary")
    for repeat in range(1, max((part.repeats for part in plan), default=0) + 1):
        for part in plan:
            for prompt in part.prompts if repeat <= part.repeats else ():
                yield _planned_capture(run_id, part, ids[key_of(prompt)], repeat=repeat)


def _planned_capture(
    run_id: int,
    part: PlannedEngine,
    prompt_version_id: int,
    *,
    repeat: int = 1,
    purpose: str = "panel",
) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "prompt_version_id": prompt_version_id,
        "engine": part.engine,
        "access": part.access.value,
        "repeat": repeat,
        "state": "planned",
        "request_key": part.request_key,
        "purpose": purpose,
    }


def plan_document(part: PlannedEngine, ids: Mapping[PromptKey, int]) -> dict[str, Any]:
    """One engine's part of a plan, as it is stored."""
    return {
        "engine": part.engine,
        "access": part.access.value,
        "settings": encode(EngineSettings, part.settings),
        "request_key": part.request_key,
        "prompts": [ids[key_of(prompt)] for prompt in part.prompts],
        "repeats": part.repeats,
        "canaries": [ids[key_of(prompt)] for prompt in part.canaries],
    }


def planned_of(part: Mapping[str, Any], prompts: Mapping[int, Prompt]) -> PlannedEngine:
    """One engine's part of a plan, as it was stored; prompts by the id of their version."""
    return PlannedEngine(
        engine=part["engine"],
        access=Access(part["access"]),
        settings=decode(EngineSettings, part["settings"]),
        request_key=part["request_key"],
        prompts=tuple(prompts[prompt_id] for prompt_id in part["prompts"]),
        repeats=part["repeats"],
        canaries=tuple(prompts[prompt_id] for prompt_id in part.get("canaries", ())),
    )
