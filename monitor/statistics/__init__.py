"""Intervals, permutation, jackknife, bounds and overlap: numpy in, numbers out."""

from monitor.statistics.agreement import (
    Coefficient,
    LabelCounts,
    Level,
    ResampledInterval,
    gwet,
    krippendorff_alpha,
    label_counts,
    raw_agreement,
    resampled_interval,
)
from monitor.statistics.bounds import (
    closed_bounds,
    difference_bounds,
    is_separated,
    mean_bounds,
    pooled_bounds,
    weighted_bounds,
)
from monitor.statistics.concentration import (
    CrossPromptHhi,
    HhiChange,
    PromptPairs,
    cross_prompt_change,
    cross_prompt_hhi,
    effective,
    hhi,
    hhi_bounds,
    prompt_pairs,
)
from monitor.statistics.distributions import (
    beta_quantile,
    incomplete_beta,
    normal_quantile,
    t_quantile,
    t_tail,
)
from monitor.statistics.intervals import (
    ClusteredShare,
    clustered_interval,
    korn_graubard,
    wilson,
    wilson_interval,
)
from monitor.statistics.kappa import Kappa, Weighting, cohen_kappa
from monitor.statistics.multiple import benjamini_hochberg
from monitor.statistics.overlap import Overlap, jaccard, mean_or_none, mean_overlap, pairs_overlap
from monitor.statistics.paired import PairedChange, change_seed, paired_change
from monitor.statistics.planning import (
    VarianceComponents,
    change_error,
    smallest_detectable,
    variance_components,
)
from monitor.statistics.resampling import (
    ClusterDraws,
    Resampled,
    resampled_difference,
    resampled_mean,
)

__all__ = [
    "ClusterDraws",
    "ClusteredShare",
    "Coefficient",
    "CrossPromptHhi",
    "HhiChange",
    "Kappa",
    "LabelCounts",
    "Level",
    "Overlap",
    "PairedChange",
    "PromptPairs",
    "Resampled",
    "ResampledInterval",
    "VarianceComponents",
    "Weighting",
    "benjamini_hochberg",
    "beta_quantile",
    "change_error",
    "change_seed",
    "closed_bounds",
    "clustered_interval",
    "cohen_kappa",
    "cross_prompt_change",
    "cross_prompt_hhi",
    "difference_bounds",
    "effective",
    "gwet",
    "hhi",
    "hhi_bounds",
    "incomplete_beta",
    "is_separated",
    "jaccard",
    "korn_graubard",
    "krippendorff_alpha",
    "label_counts",
    "mean_bounds",
    "mean_or_none",
    "mean_overlap",
    "normal_quantile",
    "paired_change",
    "pairs_overlap",
    "pooled_bounds",
    "prompt_pairs",
    "raw_agreement",
    "resampled_difference",
    "resampled_interval",
    "resampled_mean",
    "smallest_detectable",
    "t_quantile",
    "t_tail",
    "variance_components",
    "weighted_bounds",
    "wilson",
    "wilson_interval",
]
