"""`monitor evaluate`: files of answers with their evidence, judged and counted without a store."""

from monitor.pipeline.evaluation.answers import FLUENCY, GROUPS, Choice
from monitor.pipeline.evaluation.inputs import Format, Source, open_source
from monitor.pipeline.evaluation.judging import evaluation_caps, opened_judge_for, priced_judge_for
from monitor.pipeline.evaluation.making import Finished, evaluate
from monitor.pipeline.evaluation.planning import Planned, plan
from monitor.store.judge_spend import IN_SETTINGS

__all__ = [
    "FLUENCY",
    "GROUPS",
    "IN_SETTINGS",
    "Choice",
    "Finished",
    "Format",
    "Planned",
    "Source",
    "evaluate",
    "evaluation_caps",
    "open_source",
    "opened_judge_for",
    "plan",
    "priced_judge_for",
]
