"""The signature line: written, read back, compared."""

from dataclasses import replace

import pytest

from monitor.domain.assessment import AdequacyPolicy, PartialPolicy, Policy, RelevanceWeights
from monitor.domain.panel import Risk
from monitor.errors import StoreError
from monitor.scoring import (
    Recipe,
    Sample,
    Signature,
    blocking_difference,
    parse_signature,
    policy_fields,
    recipe_difference,
    recipe_hash,
)
from monitor.scoring.signature import with_labels

RECIPE = Recipe(
    panel="clinical@3", engine="alpha", access="api", locale="en-GB", baseline="clinical@2026-11",
    urls="1", families="1+0000", claims="1", judge="embedded@1", profile="monitor", partial="half",
    adequate="any", relevance="abcd0123", request="00ff00ff", parse="1", pages="1", scoring="1",
)  # fmt: skip
SAMPLE = Sample("2026-11-01..02", "model-1", "120", "118/120", "7", "0.1.0")


def test_line_has_recipe_first_and_sample_after_the_double_bar():
    assert Signature(RECIPE, SAMPLE).line == (
        "panel:clinical@3|engine:alpha|access:api|locale:en-GB|baseline:clinical@2026-11|urls:1"
        "|families:1+0000|claims:1|judge:embedded@1|profile:monitor|partial:half|adequate:any"
        "|relevance:abcd0123|request:00ff00ff|parse:1|pages:1|scoring:1"
        "||window:2026-11-01..02|served:model-1|n:120|answered:118/120|seed:7|version:0.1.0"
    )


@pytest.mark.parametrize("served", ["vendor/model:free", "a|b", "100%|%7C", "", "two\nlines"])
def test_line_reads_back(served):
    signature = Signature(RECIPE, replace(SAMPLE, served=served))
    assert parse_signature(signature.line) == signature


def test_labels_stand_at_the_end_and_a_line_without_any_is_what_it_was():
    plain = Signature(RECIPE, SAMPLE).line
    assert with_labels(plain, 0) == plain
    labelled = with_labels(plain, 36)
    assert labelled == f"{plain}|labels:36"
    told = parse_signature(labelled)
    assert (told.sample.labels, told.line) == ("36", labelled)
    assert recipe_hash(told.recipe) == recipe_hash(RECIPE)
    assert with_labels(labelled, 40) == f"{plain}|labels:40"
    # Lines of before the key was there read as ever.
    assert parse_signature(plain) == Signature(RECIPE, SAMPLE)


@pytest.mark.parametrize("line", ["", "panel:x", "panel:x||window:y"])
def test_broken_line_names_what_is_wrong(line):
    with pytest.raises(StoreError, match="signature"):
        parse_signature(line)


def test_hash_stands_for_the_recipe_alone():
    assert recipe_hash(RECIPE) == recipe_hash(replace(RECIPE))
    assert recipe_hash(RECIPE) != recipe_hash(replace(RECIPE, partial="none"))
    assert len(recipe_hash(RECIPE)) == 16


def test_difference_names_the_keys():
    other = replace(RECIPE, scoring="2", judge="nli@1")
    assert recipe_difference(RECIPE, other) == ("judge", "scoring")
    assert recipe_difference(RECIPE, RECIPE) == ()


def test_what_can_be_scored_anew_does_not_block():
    other = replace(RECIPE, scoring="2", panel="clinical@4", baseline="clinical@2026-12")
    assert blocking_difference(RECIPE, other) == ()


def test_access_locale_and_other_panels_block():
    other = replace(RECIPE, access="browser", locale="de-DE", panel="retail@3")
    assert blocking_difference(RECIPE, other) == ("panel", "access", "locale")


def test_engine_differs_only_across_engines_and_judge_only_rejudged():
    other = replace(RECIPE, engine="beta", request="ffff", judge="nli@1")
    assert blocking_difference(RECIPE, other) == ("engine", "judge", "request")
    assert blocking_difference(RECIPE, other, across_engines=True, rejudged=True) == ()


def test_policy_is_written_out():
    fields = policy_fields(Policy())
    plain = policy_fields(Policy(adequacy=dict.fromkeys(Risk, AdequacyPolicy.GRADED)))
    assert (fields["profile"], fields["partial"]) == ("monitor", "half")
    assert fields["adequate"] == "any,ymyl=required_or_acceptable"
    assert plain["adequate"] == "graded"


def test_every_choice_of_a_user_shows_in_the_recipe():
    base = policy_fields(Policy())
    weights = policy_fields(Policy(relevance=RelevanceWeights(authority=2)))
    partial = policy_fields(Policy(partial=PartialPolicy.SPLIT))
    assert base["relevance"] != weights["relevance"]
    assert base["partial"] != partial["partial"]
