"""Per-capture counts, their sum as a scorecard, and the signature that stands under it."""

from monitor.scoring.alce import AlceAnswer, AlceCorpus, alce_answer, alce_corpus
from monitor.scoring.bounded import (
    BoundedRecall,
    PoolCounts,
    Separation,
    closed_recall,
    higher_recall,
    pool,
    pooled_recall,
)
from monitor.scoring.overlaps import (
    family_overlap,
    panel_wide_overlap,
    repeat_overlap,
    shared_families,
    shared_groups,
)
from monitor.scoring.scorecard import (
    MacroMean,
    answer_mean,
    category_tallies,
    measure,
    prompt_mean,
    scorecard,
)
from monitor.scoring.segments import category_segment, segment_keys
from monitor.scoring.shares import concentration, family_counts, family_shares, group_counts
from monitor.scoring.signature import (
    Recipe,
    Sample,
    Signature,
    blocking_difference,
    parse_signature,
    policy_fields,
    recipe_difference,
    recipe_hash,
    recipe_line,
)
from monitor.scoring.sources import best_match, grade_counts, grade_of, selection_rate
from monitor.scoring.tally import MEASURES, SCORING_VERSION, Definition, Direction, tally

__all__ = [
    "MEASURES",
    "SCORING_VERSION",
    "AlceAnswer",
    "AlceCorpus",
    "BoundedRecall",
    "Definition",
    "Direction",
    "MacroMean",
    "PoolCounts",
    "Recipe",
    "Sample",
    "Separation",
    "Signature",
    "alce_answer",
    "alce_corpus",
    "answer_mean",
    "best_match",
    "blocking_difference",
    "category_segment",
    "category_tallies",
    "closed_recall",
    "concentration",
    "family_counts",
    "family_overlap",
    "family_shares",
    "grade_counts",
    "grade_of",
    "group_counts",
    "higher_recall",
    "measure",
    "panel_wide_overlap",
    "parse_signature",
    "policy_fields",
    "pool",
    "pooled_recall",
    "prompt_mean",
    "recipe_difference",
    "recipe_hash",
    "recipe_line",
    "repeat_overlap",
    "scorecard",
    "segment_keys",
    "selection_rate",
    "shared_families",
    "shared_groups",
    "tally",
]
