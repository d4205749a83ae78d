"""Verdicts of an inference model, with a tiny one whose numbers can be computed by hand."""

from dataclasses import replace

import pytest
from onnx import TensorProto

from monitor.config.judging import NliPart
from monitor.domain.claim import GapKind, Question, Support
from monitor.judge.nli import nli_judge
from monitor.judge.nli.windows import about, windows
from tests.unit.judge.tiny_nli import LABELS, write_model

FERRY = "The ferry takes forty minutes."
BRIDGE = "The bridge has three arches."
TEA = "Tea is hot."
FILLER = "Deep rivers run and stone walls stand. "


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("nli") / "tiny")


def judge_of(folder, **settings):
    return nli_judge(NliPart(model=str(folder), **settings))


@pytest.fixture(scope="module")
def judge(folder):
    return judge_of(folder)


CASES = [
    # Share of words 1: logits 2.4, 0, -14 -> 0.9168.
    (FERRY, (FERRY,), Support.FULL, 0.9168),
    # Four words of five: share 0.8, logits 0, 0, -14 -> a half.
    ("The ferry takes forty walls.", (FERRY,), Support.NOT_ASSESSABLE, 0.5),
    # Two words of five: share 0.4, logits -4.8, 0, -14 -> 0.0082.
    ("The ferry needs green tea.", (FERRY,), Support.UNSUPPORTED, 0.0082),
    # All words, and one side denies: logits -27.6, 0, 10 -> contradicted.
    ("Tea is not hot.", (TEA,), Support.CONTRADICTED, 0.0),
    (TEA, ("Tea is not hot.",), Support.CONTRADICTED, 0.0),
]


@pytest.mark.parametrize(("claim", "evidence", "support", "score"), CASES)
def test_known_words_give_known_verdicts(judge, claim, evidence, support, score):
    made = judge.verdict(claim, evidence)
    assert (made.support, made.score) == (support, pytest.approx(score, abs=1e-4))


@pytest.mark.parametrize("labels", [LABELS[::-1], (LABELS[1], LABELS[2], LABELS[0])])
@pytest.mark.parametrize(("claim", "evidence", "support", "score"), CASES)
def test_the_order_of_labels_changes_nothing(tmp_path, labels, claim, evidence, support, score):
    made = judge_of(write_model(tmp_path / "m", labels=labels)).verdict(claim, evidence)
    assert (made.support, made.score) == (support, pytest.approx(score, abs=1e-4))


@pytest.mark.parametrize("labels", [("not_entailment", "entailment"), ("entailment", "neutral")])
def test_a_model_of_two_labels_never_contradicts(tmp_path, labels):
    judge = judge_of(write_model(tmp_path / "m", labels=labels))
    assert judge.verdict(FERRY, (FERRY,)).support is Support.FULL
    assert judge.verdict("Tea is not hot.", (TEA,)).support is Support.UNSUPPORTED


def test_names_of_labels_are_read_however_they_are_spelt(tmp_path):
    shouted = ("CONTRADICTION", "Not Enough Info", " Entailment ")
    made = write_model(tmp_path / "m", labels=shouted, outputs=LABELS[::-1])
    assert judge_of(made).verdict("Tea is not hot.", (TEA,)).support is Support.CONTRADICTED


def test_the_sentence_that_says_it_is_quoted_with_its_place(judge):
    evidence = ("Bread needs salt.", f"Old stone walls stand. {FERRY} Tea is green.")
    made = judge.verdict(FERRY, evidence)
    start, end = made.quote_span
    assert (made.evidence, made.quote, evidence[1][start:end]) == (1, FERRY, FERRY)


def test_what_denies_a_claim_is_quoted(judge):
    made = judge.verdict(TEA, (f"Green tea is old. {FERRY}\nTea is not hot.",))
    assert (made.support, made.quote) == (Support.CONTRADICTED, "Tea is not hot.")


def test_evidence_at_the_end_of_a_long_page_is_found(judge):
    page = FILLER * 400 + FERRY
    made = judge.verdict(FERRY, (page,))
    assert (made.support, made.quote_span) == (Support.FULL, (len(page) - len(FERRY), len(page)))


def test_broken_characters_are_read_and_quoted_as_they_are(judge):
    page = "Old \x00 walls. The ferry takes \udcff forty minutes. Tea \u202e is hot."
    made = judge.verdict("The ferry takes \ud800 forty minutes.", (page,))
    assert made.support is Support.FULL
    assert made.quote == "The ferry takes \udcff forty minutes."
    assert page[slice(*made.quote_span)] == made.quote


def test_a_long_run_without_full_stops_is_read_in_pieces(judge):
    page = "green tea and cold rivers " * 60 + FERRY
    made = judge.verdict(FERRY, (page,))
    assert made.support is Support.FULL
    assert "ferry takes forty minutes" in made.quote
    assert page[slice(*made.quote_span)] == made.quote


def test_windows_cover_every_sentence_and_fit(judge):
    page = f"{FILLER * 30}\n{'tea ' * 100}\n{FERRY}"
    network, room = judge.network, 20
    found = windows((page, TEA), room, network)
    texts = [one.text((page, TEA)) for one in found]
    assert max(network.sizes(texts)) <= room
    covered = {place for one in found for span in one.spans if not span.evidence
               for place in range(span.start, span.end)}  # fmt: skip
    assert {place for place, char in enumerate(page) if not char.isspace()} <= covered
    assert texts[-1] == TEA


def test_neighbouring_windows_share_a_sentence(judge):
    first, second = windows((f"{FERRY} {BRIDGE} {TEA} {BRIDGE}",), 20, judge.network)[:2]
    assert first.spans[-1] == second.spans[0]


def test_a_claim_longer_than_the_model_reads_is_not_judged(judge):
    made = judge.verdict(FERRY * 9, (FERRY,))
    assert (made.support, made.reasons[0]) == (Support.NOT_ASSESSABLE, "judge_unclear")


@pytest.mark.parametrize("evidence", [(), ("",), (" \n", "...")])
def test_without_words_to_read_nothing_is_judged(judge, evidence):
    made = judge.verdict(FERRY, evidence)
    assert (made.support, made.reason) == (Support.NOT_ASSESSABLE, "no_text")


BOTH = "The mill is old, and the bridge has three arches."


def test_a_clause_that_nothing_bears_out_makes_it_partial(judge):
    made = judge.verdict(BOTH, ("The mill is old. Tea is hot.",))
    (gap,) = made.gaps
    assert (made.support, made.quote) == (Support.PARTIAL, "The mill is old.")
    assert BOTH[gap.start : gap.end] == gap.claimed == "the bridge has three arches."
    assert gap.kind is GapKind.MISSING
    assert made.score <= 0.45


def test_a_predicate_is_judged_with_the_subject_it_shares(judge):
    claim = "The mill was old and has three arches."
    made = judge.verdict(claim, ("The mill was old.",))
    assert (made.support, [one.claimed for one in made.gaps]) == (
        Support.PARTIAL, ["has three arches."]
    )  # fmt: skip
    assert made.reasons == ("clause not entailed: The mill has three arches.",)


def test_clauses_borne_out_by_different_texts_make_it_full(judge):
    made = judge.verdict(BOTH, ("The mill is old.", BRIDGE))
    assert made.support is Support.FULL


def test_only_the_window_about_the_claim_may_contradict_it(judge):
    # Each of these windows denies something, and so turns against any claim that denies nothing.
    others = "Old walls stand not deep. Green rivers run not cold. " * 40
    assert judge.verdict(FERRY, (others,)).support is Support.UNSUPPORTED
    assert judge.verdict(FERRY, (f"{others} The ferry takes not forty minutes.",)).support is (
        Support.CONTRADICTED
    )


def test_a_page_that_says_both_is_unclear(judge):
    # Two windows of one text each: one holds the claim, one its denial.
    evidence = (f"The ferry takes not forty minutes. {FERRY[:-1]} and not cold.", FERRY)
    made = judge.verdict(FERRY, evidence)
    assert (made.support, made.reasons[0]) == (Support.NOT_ASSESSABLE, "judge_unclear")


def test_how_much_a_text_is_about_a_claim_counts_rare_words_first():
    # `tea` stands in both texts and weighs ln 2, `salt` in one and weighs ln 3; `oak` in none: ln 3.
    near = about("Tea, salt, oak.", ["salt tea", "tea"])
    assert near == pytest.approx([(0.6931 + 1.0986) / 2.8904, 0.6931 / 2.8904], abs=1e-4)
    assert about("...", ["tea"]) == [0.0]


@pytest.mark.parametrize(
    "made",
    [
        {"inputs": ("input_ids",)},
        {"inputs": ("input_ids", "attention_mask")},
        {"shape": (2, 40)},
        {"shape": (1, 40)},
        {"shape": ("batch", 40)},
        {"kind": TensorProto.INT32},
    ],
)
def test_models_of_other_inputs_give_the_same_verdicts(tmp_path, made):
    judge = judge_of(write_model(tmp_path / "m", **made))
    asked = [Question(claim, evidence) for claim, evidence, _, _ in CASES]
    assert [one.support for one in judge.verdicts(asked)] == [case[2] for case in CASES]


def test_many_at_once_are_judged_as_one_by_one(folder, judge):
    asked = [Question(claim, evidence) for claim, evidence, _, _ in CASES] * 3
    asked.append(Question(BOTH, (FILLER * 50, BRIDGE)))
    for batch in (1, 3, 64):
        several = judge_of(folder, batch=batch)
        told = list(several.verdicts(asked))
        alone = [judge.verdict(one.claim, one.evidence) for one in asked]
        assert [replace(one, score=0) for one in told] == [replace(one, score=0) for one in alone]
        assert [one.score for one in told] == pytest.approx([one.score for one in alone], abs=1e-3)


def test_no_more_claims_are_taken_than_are_worked_on_together(folder):
    taken = []

    def asked():
        for number in range(20):
            taken.append(number)
            yield Question(FERRY, (FERRY,))

    next(judge_of(folder, batch=4).verdicts(asked()))
    assert len(taken) == 4


def test_the_version_names_the_model_and_what_it_is_made_of(tmp_path, judge):
    assert judge.version.startswith("nli-tiny@1.")
    assert judge.verdict(FERRY, (FERRY,)).judge == judge.version
    again = judge_of(write_model(tmp_path / "tiny"))
    turned = judge_of(write_model(tmp_path / "turned" / "tiny", labels=LABELS[::-1]))
    assert (again.version == judge.version, turned.version == judge.version) == (True, False)


def test_it_costs_nothing_and_is_never_held(judge):
    assert (judge.held, judge.verdict(FERRY, (FERRY,)).cost_micros) == (None, 0)
