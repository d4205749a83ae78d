"""Fluency by MAUVE (Pillutla et al., 2021): how near a model's texts lie to people's.

Needs the extra `mauve` and a language model of yours as ONNX, whose last hidden state stands for a
text. The figure depends on that model and means little for fewer than some hundred texts.
"""

import string
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from monitor.errors import JudgeError
from monitor.judge.extras import missing_extra

_MOST_WORDS = 100
_MOST_TOKENS = 512
_SEED = 25


def fluency_text(question: str, answer: str) -> str:
    """A question and its answer as ALCE compares them: at most 100 words, no stop at the end."""
    words = f"{question} {answer.strip()}".split()[:_MOST_WORDS]
    return " ".join(words).rstrip(string.punctuation)


def fluency(model: Path, human: Sequence[str], written: Sequence[str]) -> float:
    """MAUVE of the written texts against the human ones, 0 to 1.

    `model` is a folder with model.onnx and tokenizer.json. JudgeError where the extra, the model or
    a second text is missing.
    """
    if min(len(human), len(written)) < 2:
        raise JudgeError(f"fluency needs two texts of each side at least, got {len(human)}")
    reader = FeatureReader(model)
    compare = _mauve()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = compare(
            p_features=reader.features(human),
            q_features=reader.features(written),
            seed=_SEED,
            verbose=False,
        )
    return float(found.mauve)


def _mauve() -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from mauve import compute_mauve
    except ImportError as error:
        raise missing_extra("fluency", "mauve", error.name) from error
    return compute_mauve


class FeatureReader:
    """Turns texts into the last hidden state of their last token."""

    def __init__(self, folder: Path) -> None:
        """Open the model; JudgeError says what is missing in the folder or in the model."""
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as error:
            raise missing_extra("fluency", "mauve", error.name) from error
        for name in ("model.onnx", "tokenizer.json"):
            if not (folder / name).is_file():
                raise JudgeError(
                    f"{folder}: no {name}; expected a language model as ONNX with its tokenizer"
                )
        try:
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
            self._session = onnxruntime.InferenceSession(str(folder / "model.onnx"))
        except Exception as error:  # both libraries raise what their native parts throw
            raise JudgeError(f"{folder}: the model cannot be read ({str(error)[:200]})") from error
        self._tokenizer.enable_truncation(_MOST_TOKENS)
        self._inputs = [one.name for one in self._session.get_inputs()]
        self._output = _hidden(folder, [one.name for one in self._session.get_outputs()])

    def features(self, texts: Sequence[str]) -> Any:
        """One row of numbers for each text."""
        return np.stack([self._feature(text) for text in texts])

    def _feature(self, text: str) -> Any:
        ids = self._tokenizer.encode(text).ids or [0]
        row = np.asarray([ids], dtype=np.int64)
        known = {
            "input_ids": row,
            "attention_mask": np.ones_like(row),
            "token_type_ids": np.zeros_like(row),
            "position_ids": np.arange(len(ids), dtype=np.int64)[None, :],
        }
        strange = [name for name in self._inputs if name not in known]
        if strange:
            raise JudgeError(
                f"the fluency model wants {', '.join(strange)}; expected only {', '.join(known)}"
            )
        fed = {name: known[name] for name in self._inputs}
        return self._session.run([self._output], fed)[0][0, -1].astype(np.float32)


def _hidden(folder: Path, outputs: Sequence[str]) -> str:
    found = next((name for name in outputs if "hidden" in name), None)
    if found is None:
        raise JudgeError(
            f"{folder}: the model gives {', '.join(outputs)}; expected last_hidden_state"
        )
    return found
