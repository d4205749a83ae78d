"""Settings of judges: which one gives verdicts, and how the ones that need more are reached."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from monitor.config.parts import MOST_CALLS, MOST_USD, Part, base_address


class LlmPart(Part):
    """How a language model is asked for verdicts."""

    provider: Literal["openai", "anthropic", "gemini"] = "openai"
    """Whose interface: `openai` is that of every server compatible with chat completions."""
    model: str = ""
    """Model to ask; part of the judge's version."""
    base_url: Annotated[str | None, AfterValidator(base_address)] = None
    """Where the interface lives, without anything secret; None is the vendor's own address."""
    key: str | None = None
    """Name of the variable that holds the key (also NAME_FILE); None is the vendor's usual one.

    A server on this machine may need none.
    """
    votes: int = Field(default=1, ge=1, le=9)
    """Answers asked for each verdict; the label that most of them give counts. Odd is best."""
    concurrency: int = Field(default=4, ge=1, le=64)
    """Calls under way at once, at most."""
    per_minute: float = Field(default=120, ge=0.01, le=100_000)
    """Calls started in a minute, at most."""
    timeout_seconds: float = Field(default=60, gt=0, le=600)
    """Total time for one call."""
    attempts: int = Field(default=3, ge=1, le=10)
    """Tries of one call that failed on its way, the first one included."""
    evidence_words: int = Field(default=6000, ge=100, le=200_000)
    """Most words of evidence that are sent; of longer texts the passages nearest the claim."""
    input_micros: int | None = Field(default=None, ge=0, le=1_000_000_000)
    """Price of a million input tokens, in millionths of a USD; None looks in the table."""
    output_micros: int | None = Field(default=None, ge=0, le=1_000_000_000)
    """Price of a million output tokens, in millionths of a USD; None looks in the table."""


class NliPart(Part):
    """Which inference model gives verdicts; needs the extra `nli`."""

    model: str = ""
    """Folder or file of an ONNX cross-encoder, or its name on the hub."""
    file: str = "model.onnx"
    """The model's file within that folder or repository."""
    threads: int = Field(default=2, ge=1, le=256)
    """Threads that the model may use."""
    batch: int = Field(default=8, ge=1, le=256)
    """Passages judged at once."""


class JudgePart(Part):
    """Which judge gives verdicts; a run keeps the one it began with."""

    name: str = "embedded"
    """`embedded` reads words and needs no download and no key; `embedded_embed` also compares
    meanings by a small packaged model (extra `embed`); `nli` is an ONNX model of yours (extra
    `nli`); `llm` asks a language model; `auto` is `llm` where it has a key and a budget, else
    `embedded`, chosen once for each run."""
    calls: int | None = Field(default=None, ge=0, le=MOST_CALLS)
    """Most calls of the judge in one run, within those of the run; None is no cap of its own."""
    usd: float | None = Field(default=None, ge=0, le=MOST_USD)
    """Most money of the judge in one run, within that of the run; None is no cap of its own."""
    split: Literal["rules", "llm"] = "rules"
    """Who splits statements into claims: rules, or the language model below."""
    matrix: bool = False
    """Whether each statement is also held against each cited page, where the budget allows."""
    llm: LlmPart = LlmPart()
    nli: NliPart = NliPart()
