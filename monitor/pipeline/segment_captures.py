"""Which captures of a run's engine lie in a segment, as scoring sliced them."""

from collections.abc import Callable, Mapping

from monitor.domain.panel import Panel, Prompt
from monitor.pipeline.bench import Bench
from monitor.scoring.segments import EVERYTHING, SHOPPING
from monitor.store import run_captures, runs

_FORMAT = "answer_format"
_OF_PROMPT: Mapping[str, Callable[[Prompt], str | None]] = {
    "intent": lambda prompt: prompt.intent,
    "topic": lambda prompt: prompt.topic,
    "risk": lambda prompt: prompt.risk.value,
    "locale": lambda prompt: prompt.locale,
}
"""Field of a segment that prompts have -> its value."""


def segment_captures(
    bench: Bench, run: runs.Run, panel: Panel, *, engine: str, segment: str = EVERYTHING
) -> tuple[int, ...]:
    """Ids of the captures of an engine in a segment; a claim category is counted in every one."""
    found = bench.read(lambda c: run_captures.counted_captures(c, run.id, engine))
    field, _, value = segment.partition("=")
    if field == _FORMAT:
        shapes = bench.read(lambda c: run_captures.answer_shapes(c, run.id, engine))
        return tuple(one for one in found if _shape(shapes.get(one)) == value)
    told = _OF_PROMPT.get(field)
    if told is None:
        return tuple(found)
    prompts = bench.read(lambda c: runs.load_prompts(c, set(found.values()), panel))
    return tuple(one for one, prompt in found.items() if told(prompts[prompt]) == value)


def _shape(shape: tuple[bool, str | None] | None) -> str | None:
    """Format of an answer; shopping where it shows products."""
    if shape is None:
        return None
    has_products, form = shape
    return SHOPPING if has_products else form
