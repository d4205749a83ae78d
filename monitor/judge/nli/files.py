"""Where an inference model's files lie: a folder, a file, or a repository of the hub."""

import hashlib
import importlib
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from monitor.config.judging import NliPart
from monitor.errors import JudgeError
from monitor.judge.extras import missing_extra

_HUB_NAME = re.compile(r"(?P<repo>[A-Za-z0-9][\w.-]*/[\w.-]+)(?:@(?P<revision>[\w./-]+))?")
_BESIDE = ("tokenizer.json", "config.json", "tokenizer_config.json")


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """An inference model on this machine."""

    model: Path
    tokenizer: Path
    config: Mapping[str, Any]
    """What config.json says: labels by number, longest input."""
    longest: int | None
    """Longest input that the tokenizer's settings name, in tokens."""
    name: str
    """The model's name as the judge's version says it."""
    digest: str
    """Short hash over the model, its weights beside it, its tokenizer and its labels."""


def find_files(part: NliPart) -> ModelFiles:
    """Files of the model that the settings name; JudgeError says which one is missing."""
    if not part.model:
        raise JudgeError(
            "judge.nli.model names no model; expected a folder with model.onnx, tokenizer.json and "
            "config.json, an .onnx file beside them, or a name on the hub such as owner/model"
        )
    path = Path(part.model)
    if path.is_file():
        return _read(path, path.resolve().parent, path.stem)
    if path.is_dir():
        return _read(path / part.file, path, path.resolve().name)
    if not (hub := _HUB_NAME.fullmatch(part.model)):
        raise JudgeError(f"judge.nli.model {part.model}: no such folder or file")
    folder = _from_hub(hub["repo"], hub["revision"], part.file)
    return _read(folder / part.file, folder, hub["repo"])


def missing_library(library: str) -> JudgeError:
    """What to say where a library of the extra is not installed."""
    return missing_extra("judge nli", "nli", library)


def _read(model: Path, root: Path, named: str) -> ModelFiles:
    """The files of one model, its own folder searched first, then the root it came from."""
    if not model.is_file():
        raise JudgeError(
            f"{model}: no such file; judge.nli.file names the model's file within its folder"
        )
    tokenizer = _beside(model, root, "tokenizer.json")
    if tokenizer is None:
        raise JudgeError(
            f"{root}: no tokenizer.json; it is the fast tokenizer's file, which exports of models "
            "write beside config.json"
        )
    config = _beside(model, root, "config.json")
    if config is None:
        raise JudgeError(f"{root}: no config.json; its id2label says what the model's labels mean")
    settings = _beside(model, root, "tokenizer_config.json")
    longest = _json(settings).get("model_max_length") if settings else None
    return ModelFiles(
        model,
        tokenizer,
        _json(config),
        int(longest) if isinstance(longest, int | float) and 0 < longest < 1e6 else None,
        re.sub(r"[^\w.-]+", "-", named).strip("-") or "model",
        _digest((model, *_weights_beside(model), tokenizer, config)),
    )


def _beside(model: Path, root: Path, name: str) -> Path | None:
    """A file beside the model, else in the root."""
    places = (model.parent / name, root / name)
    return next((one for one in places if one.is_file()), None)


def _weights_beside(model: Path) -> tuple[Path, ...]:
    """Weights that a model of more than two GB keeps in files of their own."""
    named = (model.with_name(f"{model.name}_data"), model.with_name(f"{model.name}.data"))
    return tuple(one for one in named if one.is_file())


def _json(path: Path) -> Mapping[str, Any]:
    try:
        read = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise JudgeError(f"{path}: cannot be read as JSON ({error})") from error
    if not isinstance(read, dict):
        raise JudgeError(f"{path}: got {type(read).__name__}; expected a JSON object")
    return read


def _digest(paths: tuple[Path, ...]) -> str:
    total = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            total.update(hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()[:12]


def _from_hub(repo: str, revision: str | None, file: str) -> Path:
    """Folder with the repository's files; what was fetched once is not asked for again."""
    try:
        hub = importlib.import_module("huggingface_hub")  # it comes with the extra's tokenizers
    except ImportError as error:
        raise missing_library("huggingface_hub") from error
    wanted = {
        "repo_id": repo,
        "revision": revision,
        "allow_patterns": [file, f"{file}_data", f"{file}.data", *_BESIDE],
    }
    with suppress(Exception):  # whatever the hub's client raises: it is not here yet
        folder = Path(hub.snapshot_download(**wanted, local_files_only=True))
        if (folder / file).is_file():
            return folder
    try:
        return Path(hub.snapshot_download(**wanted))
    except Exception as error:
        raise JudgeError(
            f"judge.nli.model {repo}: neither a folder here nor to be had from the hub "
            f"({type(error).__name__}); check the name, or fetch it where the hub is in reach and "
            "give its folder"
        ) from error
