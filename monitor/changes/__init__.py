"""What changed between two samples of the same prompts, and whether it is noise."""

from monitor.changes.compare import compare
from monitor.changes.panel import PromptKey, prompt_id

__all__ = ["PromptKey", "compare", "prompt_id"]
