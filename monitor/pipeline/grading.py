"""Which baseline a prompt is held against."""

from monitor.domain.baseline import Baseline, PromptBaseline
from monitor.domain.panel import Prompt
from monitor.domain.score import Undefined, UndefinedReason


def baseline_for(baseline: Baseline | None, prompt: Prompt) -> PromptBaseline | Undefined:
    """The baseline of one prompt version, or why there is none."""
    own = baseline.prompts.get(prompt.id) if baseline else None
    if baseline is None or own is None:
        return Undefined(UndefinedReason.NO_BASELINE)
    if baseline.bound.get(prompt.id) != prompt.version_key:
        return Undefined(UndefinedReason.BASELINE_STALE)
    return own
