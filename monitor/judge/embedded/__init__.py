"""The judge that needs no model file, no download and no key: it compares words."""

from monitor.judge.embedded.judge import EmbeddedJudge, embedded_judge
from monitor.judge.embedded.meaning_judge import meaning_judge

__all__ = ["EmbeddedJudge", "embedded_judge", "meaning_judge"]
