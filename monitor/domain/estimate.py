"""Why a statistic has no value; undefined is never 0 and never NaN."""

from enum import StrEnum


class NoEstimate(StrEnum):
    """Why a statistic could not be computed."""

    FEW_PROMPTS = "few_prompts"
    """Too few prompts that say something about it."""
    NO_CITATIONS = "no_citations"
    """One side cites no family at all."""
    NO_SHARED_FAMILY = "no_shared_family"
    """No family is cited by two prompts, so that concentration across prompts is zero."""
    ONE_PROMPT_CARRIES = "one_prompt_carries"
    """Without one of the prompts nothing is left to estimate, so that there is no error."""
    NO_VARIATION = "no_variation"
    """Leaving prompts out changes nothing, so that there is no error to test against."""
    FEW_ANSWERS = "few_answers"
    """Fewer than two answers to resample."""
    NO_PAIRS = "no_pairs"
    """No subject has two labels."""
    ONE_LABEL_ONLY = "one_label_only"
    """One label was used throughout: agreement by chance cannot be told from agreement."""
