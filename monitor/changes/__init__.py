"""What changed between two samples of the same prompts, whether it is noise, and what to tell."""

from monitor.changes.compare import compare
from monitor.changes.panel import PromptKey, prompt_id
from monitor.changes.raising import EngineRun, raise_alerts
from monitor.changes.reviewing import Past, Review, review
from monitor.changes.standing import Standing, is_still_seen, settle

__all__ = [
    "EngineRun",
    "Past",
    "PromptKey",
    "Review",
    "Standing",
    "compare",
    "is_still_seen",
    "prompt_id",
    "raise_alerts",
    "review",
    "settle",
]
