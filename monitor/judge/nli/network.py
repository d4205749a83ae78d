"""The network and its tokenizer: pairs of texts in, probabilities out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monitor.config.judging import NliPart
from monitor.errors import JudgeError
from monitor.judge.nli.files import ModelFiles, missing_library
from monitor.judge.nli.labels import LabelOrder

MOST_TOKENS = 512
"""Longest input read at once, also where a model reads more: memory grows with its square."""
_KNOWN_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
_PLACES_KEPT = {"roberta": 2, "xlm-roberta": 2, "camembert": 2}
"""Places of position tables that no token may take, by kind of model."""

Pair = tuple[str, str]
"""A premise and a claim."""


@dataclass(frozen=True, slots=True)
class Chances:
    """What the model makes of one pair; probabilities."""

    entailment: float
    contradiction: float
    """0 for models that do not know it."""


@dataclass(frozen=True, slots=True)
class Network:
    """A loaded model; safe to ask again and again, one thread at a time."""

    session: Any
    counting: Any
    """Tokenizer that cuts nothing."""
    pairing: Any
    """Tokenizer that cuts premises to what fits, never a claim."""
    order: LabelOrder
    inputs: tuple[tuple[str, Any], ...]
    """Names of the model's inputs with their number type."""
    most_tokens: int
    fixed_length: bool
    """Whether the model takes inputs of just that length."""
    batch: int
    fixed_batch: bool

    def room(self, claim: str) -> int:
        """Tokens left for a premise beside the whole claim."""
        own = self.counting.num_special_tokens_to_add(True)
        return self.most_tokens - int(own) - len(self._tokens(claim))

    def sizes(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text by itself."""
        return [len(one) for one in self.counting.encode_batch(texts, add_special_tokens=False)]

    def pieces(self, text: str, room: int) -> list[tuple[int, int]]:
        """Ranges of a text too long for one input, each of at most so many tokens."""
        offsets = self.counting.encode(text, add_special_tokens=False).offsets
        firsts = range(0, len(offsets), room)
        starts = [offsets[first][0] if first else 0 for first in firsts]
        return list(zip(starts, [*starts[1:], len(text)], strict=True))

    def chances(self, pairs: Sequence[Pair]) -> list[Chances]:
        """Probabilities of every pair, in order; those of like length are asked together."""
        encoded = self.pairing.encode_batch(list(pairs))
        by_length = sorted(range(len(encoded)), key=lambda place: len(encoded[place]))
        made: list[Chances | None] = [None] * len(encoded)
        for start in range(0, len(by_length), self.batch):
            places = by_length[start : start + self.batch]
            told = self._run([encoded[place] for place in places])
            for place, row in zip(places, told, strict=True):
                made[place] = row
        return [one for one in made if one is not None]

    def _tokens(self, text: str) -> list[int]:
        return list(self.counting.encode(text, add_special_tokens=False).ids)

    def _run(self, encoded: Sequence[Any]) -> list[Chances]:
        """One call of the model."""
        length = self.most_tokens if self.fixed_length else max(len(one) for one in encoded)
        rows = self.batch if self.fixed_batch else len(encoded)
        fields = {"input_ids": "ids", "attention_mask": "attention_mask",
                  "token_type_ids": "type_ids"}  # fmt: skip
        fed = {}
        for name, kind in self.inputs:
            filled = np.zeros((rows, length), dtype=kind)
            if name == "input_ids":
                filled += self._padding()
            for place, one in enumerate(encoded):
                filled[place, : len(one)] = getattr(one, fields[name])
            fed[name] = filled
        return self._read(self._asked(fed), len(encoded))

    def _asked(self, fed: dict[str, Any]) -> Any:
        try:
            return self.session.run(None, fed)[0]
        except Exception as error:
            raise JudgeError(
                f"the inference model failed on its input ({_said(error)}); does tokenizer.json "
                "belong to this model?"
            ) from error

    def _read(self, logits: Any, rows: int) -> list[Chances]:
        """Softmax over the labels of each row; JudgeError where the shape is another one."""
        found = np.asarray(logits, dtype=np.float64)
        if found.ndim != 2 or found.shape[0] < rows or found.shape[1] != self.order.size:
            raise JudgeError(
                f"the inference model gave numbers of shape {found.shape}; expected one row for "
                f"each pair with {self.order.size} numbers, as config.json names its labels"
            )
        if not np.isfinite(found).all():
            raise JudgeError("the inference model gave numbers that are no numbers; is it damaged?")
        shares = _softmax(found[:rows])
        against = self.order.contradiction
        return [
            Chances(
                float(row[self.order.entailment]), 0.0 if against is None else float(row[against])
            )
            for row in shares
        ]

    def _padding(self) -> int:
        """The token that fills what is short; masked, so that it only has to exist."""
        for name in ("[PAD]", "<pad>"):
            if (found := self.counting.token_to_id(name)) is not None:
                return int(found)
        return 0


def _softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: NDArray[np.float64] = raised / raised.sum(axis=1, keepdims=True)
    return shares


def open_network(files: ModelFiles, order: LabelOrder, part: NliPart) -> Network:
    """Load a model and its tokenizer; JudgeError says what does not fit."""
    session = _session(files, part.threads)
    named = session.get_inputs()
    unknown = [one.name for one in named if one.name not in _KNOWN_INPUTS]
    if unknown or "input_ids" not in {one.name for one in named}:
        raise JudgeError(
            f"{files.model}: its inputs are {', '.join(one.name for one in named)}; expected "
            "input_ids, and attention_mask and token_type_ids where the model wants them"
        )
    rows, length = (named[0].shape[place] if len(named[0].shape) == 2 else None for place in (0, 1))
    most = _most_tokens(files, length)
    counting, pairing = _tokenizers(files, most)
    return Network(
        session,
        counting,
        pairing,
        order,
        tuple((one.name, np.int32 if "int32" in one.type else np.int64) for one in named),
        most,
        fixed_length=isinstance(length, int),
        batch=rows if isinstance(rows, int) else part.batch,
        fixed_batch=isinstance(rows, int),
    )


def _session(files: ModelFiles, threads: int) -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise missing_library("onnxruntime") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # lengths differ from call to call
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(
            str(files.model), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        raise JudgeError(f"{files.model}: no ONNX model that loads ({_said(error)})") from error


def _tokenizers(files: ModelFiles, most: int) -> tuple[Any, Any]:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise missing_library("tokenizers") from error
    try:
        counting, pairing = (Tokenizer.from_file(str(files.tokenizer)) for _ in range(2))
    except Exception as error:
        raise JudgeError(f"{files.tokenizer}: no tokenizer that loads ({_said(error)})") from error
    counting.no_truncation()
    counting.no_padding()
    pairing.enable_truncation(most, strategy="only_first")
    pairing.no_padding()
    return counting, pairing


def _most_tokens(files: ModelFiles, length: Any) -> int:
    """Tokens of the longest input: what the model, its settings and our own cap allow."""
    if isinstance(length, int):
        return length
    places = files.config.get("max_position_embeddings")
    kept = _PLACES_KEPT.get(str(files.config.get("model_type")), 0)
    table = places - kept if isinstance(places, int) and places > kept else None
    return min(one for one in (files.longest, table, MOST_TOKENS) if one is not None)


def _said(error: Exception) -> str:
    """What a library said, on one line and short."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:200]
