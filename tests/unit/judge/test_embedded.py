"""The embedded judge on a synthetic page: what it must and must not say."""

import pytest

from monitor.domain.claim import Support
from monitor.judge import make_judge

JUDGE = make_judge("embedded")
PAGE = """\
Harbour Lane Museum: visiting information

The Harbour Lane Museum opened to the public on 14 May 1987 in a former rope factory on the east quay. It was designed by the architect Mira Stolz and cost 3.7 million euros to convert. The museum is open from Tuesday to Sunday between 10 a.m. and 6 p.m. and is closed on Mondays. Entry costs 12 euros for adults; children under 14 enter free.

The collection holds about 8,400 objects, most of them tools used by rope makers. Some visitors may experience long queues in July. In 2019 the museum received 132,000 visitors, an increase of 15% over the year before. The north wing was not damaged in the flood of 2002, but the cellar was under water for three days.

A study by the University of Norde suggests that the wooden beams could be older than the building itself. Researchers took twenty-five samples. The oldest beam dates from 1742. Photography is allowed without flash. Dogs are not allowed inside. The restaurant serves regional dishes and is open until 9 p.m. on Fridays.

Parking is available for 60 cars. Bus 7 stops in front of the entrance every 20 minutes. The nearest railway station is Norde East, 900 metres away. Groups of more than ten people need to book two weeks ahead. Guided tours are offered in English, German and Polish.
"""
MARKET = " ".join(
    f"The weekly market in square {number} sells bread, cheese and flowers from spring to autumn."
    for number in range(40)
)
LONG_PAGE = f"{PAGE}\n\n{MARKET}"

BORNE_OUT = [
    "The Harbour Lane Museum opened to the public on 14 May 1987 in a former rope factory on the east quay.",
    "Harbour Lane Museum opened on 14 May 1987 in a former rope factory.",
    "The museum was designed by the architect Mira Stolz.",
    "In 2019 the museum had 132,000 visitors, an increase of 15% over the year before.",
    "Children under 14 enter free.",
    "Adults pay 12 euros for entry.",
    "The museum is closed on Mondays.",
    "The oldest beam dates from 1742.",
    "Dogs are not allowed inside the museum.",
    "Guided tours are offered in English, German and Polish.",
    "The collection holds about 8,400 objects, mostly rope makers' tools.",
    "Researchers took 25 samples.",
    "Converting the building cost 3.7 million euros.",
]
UNRELATED = [
    "Statins lower cholesterol by blocking an enzyme in the liver.",
    "The 2024 Olympic Games were held in Paris.",
    "Ruby was created by Yukihiro Matsumoto in the mid-1990s.",
    "Tesla delivered 1.8 million cars in 2023.",
]
ALTERED = [
    "The Harbour Lane Museum opened to the public on 14 May 1978 in a former rope factory on the east quay.",
    "In 2019 the museum received 232,000 visitors.",
    "In 2019 the museum received 132,000 visitors, an increase of 25% over the year before.",
    "Entry costs 14 euros for adults.",
    "Children under 12 enter free.",
    "The museum cost 7.3 million euros to convert.",
    "Bus 20 stops in front of the entrance every 7 minutes.",
    "Parking is available for 900 cars.",
    "The museum was designed by the architect Otto Brandt.",
    "The Riverside Gallery is closed on Mondays.",
    "Guided tours are offered in English, German and Spanish.",
]
TURNED = [
    "Dogs are allowed inside.",
    "The museum is not closed on Mondays.",
    "In 2019 the museum received 132,000 visitors, a decrease of 15% over the year before.",
    "The north wing was damaged in the flood of 2002.",
    "Photography is not allowed without flash.",
    "Entry costs 18 euros for adults.",
    "The oldest beam dates from 1842.",
    "Parking is available for 80 cars.",
]
STRETCHED = [
    "A study by the University of Norde shows that the wooden beams are older than the building itself.",
    "Visitors experience long queues in July.",
    "All visitors experience long queues in July.",
]


@pytest.mark.parametrize("page", [PAGE, LONG_PAGE], ids=["short", "long"])
@pytest.mark.parametrize("claim", BORNE_OUT)
def test_copied_and_lightly_reworded_claims_are_full(claim, page):
    verdict = JUDGE.verdict(claim, (page,))
    assert verdict.support is Support.FULL
    assert verdict.score >= 0.6


@pytest.mark.parametrize("page", [PAGE, LONG_PAGE], ids=["short", "long"])
@pytest.mark.parametrize("claim", UNRELATED)
def test_unrelated_claims_are_unsupported(claim, page):
    verdict = JUDGE.verdict(claim, (page,))
    assert verdict.support is Support.UNSUPPORTED
    assert verdict.quote is None


@pytest.mark.parametrize("claim", ALTERED)
def test_a_changed_number_or_name_is_never_full(claim):
    assert JUDGE.verdict(claim, (PAGE,)).support is not Support.FULL


@pytest.mark.parametrize("claim", TURNED)
def test_a_turned_claim_is_contradicted_and_says_why(claim):
    verdict = JUDGE.verdict(claim, (PAGE,))
    assert verdict.support is Support.CONTRADICTED
    assert verdict.score <= 0.4
    assert verdict.reasons
    assert verdict.gaps


@pytest.mark.parametrize("claim", STRETCHED)
def test_a_lost_or_added_qualifier_is_partial(claim):
    verdict = JUDGE.verdict(claim, (PAGE,))
    assert verdict.support is Support.PARTIAL
    assert any(reason.startswith("qualifier") for reason in verdict.reasons)


@pytest.mark.parametrize("claim", [*BORNE_OUT, *TURNED, *STRETCHED])
def test_the_quote_stands_verbatim_where_its_span_says(claim):
    evidence = (MARKET, PAGE)
    verdict = JUDGE.verdict(claim, evidence)
    start, end = verdict.quote_span
    assert evidence[verdict.evidence][start:end] == verdict.quote


def test_the_missing_number_is_named():
    verdict = JUDGE.verdict("Bus 7 stops every 35 minutes.", ("Bus 7 stops here.",))
    assert "number 35 not in evidence" in verdict.reasons
    assert verdict.score < 0.5


def test_numbers_are_compared_by_value():
    page = (
        "The bridge cost 1,500 dollars and carries one and a half thousand cars, 40% of them red."
    )
    assert JUDGE.verdict("The bridge cost $1.5k.", (page,)).support is Support.FULL
    assert JUDGE.verdict("40 percent of cars are red.", (page,)).support is not Support.CONTRADICTED


def test_a_rounded_number_is_borne_out_by_a_near_one():
    page = "The lake covers 3,987 hectares in summer."
    assert (
        JUDGE.verdict("The lake covers about 4,000 hectares in summer.", (page,)).support
        is Support.FULL
    )
    assert (
        JUDGE.verdict("The lake covers 4,000 hectares in summer.", (page,)).support
        is not Support.FULL
    )


def test_citation_marks_are_no_numbers():
    page = "The lake was formed by a glacier.[4]"
    assert JUDGE.verdict("The lake was formed by a glacier [12].", (page,)).support is Support.FULL


def test_two_evidence_texts_are_read_together():
    evidence = ("Ann Rudd was born in Norde.", "The weather was fine.")
    verdict = JUDGE.verdict("Ann Rudd was born in Norde.", evidence)
    assert (verdict.support, verdict.evidence) == (Support.FULL, 0)


@pytest.mark.parametrize("evidence", [(), ("",), (" \n", "...")])
def test_no_text_is_not_assessable(evidence):
    verdict = JUDGE.verdict("Ann is 40.", evidence)
    assert (verdict.support, verdict.reason) == (Support.NOT_ASSESSABLE, "no_text")


def test_a_claim_without_words_is_unclear():
    verdict = JUDGE.verdict("...", ("Ann is 40.",))
    assert (verdict.support, verdict.reason) == (Support.NOT_ASSESSABLE, "judge_unclear")


def test_the_unclear_band_still_gives_a_score():
    page = "The old mill by the river grinds wheat for bakers in three villages."
    claim = "The old mill supplies barley to brewers along the river."
    verdict = JUDGE.verdict(claim, (page,))
    assert verdict.reason == "judge_unclear"
    assert "not in evidence: barley" in verdict.reasons
    assert 0.3 < verdict.score < 0.8


def test_scripts_without_spaces_are_compared_by_character_pairs():
    page = "东京是日本的首都，人口约一千四百万。大阪是第二大城市。"
    assert JUDGE.verdict("东京是日本的首都。", (page,)).support is Support.FULL
    assert JUDGE.verdict("北京是日本的首都。", (page,)).support is not Support.FULL


def test_the_same_input_gives_the_same_verdict():
    assert JUDGE.verdict(TURNED[0], (PAGE,)) == JUDGE.verdict(TURNED[0], (PAGE,))


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "noise", ["a", "[1", "1,", "not ", ". ", "x.y.", "中", "A. ", "(", "1.1.1."]
)
def test_hostile_text_is_judged(noise):
    verdict = JUDGE.verdict(BORNE_OUT[0], (noise * (300_000 // len(noise)), PAGE))
    assert verdict.support is Support.FULL
    assert JUDGE.verdict(noise * (100_000 // len(noise)), (PAGE,)).judge == "embedded@2"


def test_what_is_lacking_is_named_in_the_claims_own_spelling():
    verdict = JUDGE.verdict(
        "Measurements above the threshold are averaged.", ("Barley is sown in spring.",)
    )
    lacking = {reason.partition(": ")[2] for reason in verdict.reasons if ": " in reason}
    assert lacking <= {"Measurements", "above", "threshold", "averaged"}
    assert lacking


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The ferry crosses in 45 hours.", "The ferry crosses in 45 minutes."),
        ("The permit lasts three months.", "The permit lasts three years."),
        ("A ticket costs 5 euros.", "A ticket costs $5."),
        ("The tank holds 20 gallons.", "The tank holds 20 litres."),
    ],
)
def test_the_same_number_of_another_unit_is_never_full(claim, evidence):
    verdict = JUDGE.verdict(claim, (evidence,))
    assert verdict.support is not Support.FULL
    assert any(reason.startswith("unit differs") for reason in verdict.reasons)


def test_a_unit_that_the_evidence_also_uses_for_the_number_is_fine():
    evidence = "The ferry takes 45 minutes in calm weather and 45 hours on the long route."
    assert "unit" not in str(JUDGE.verdict("The ferry takes 45 minutes.", (evidence,)).reasons)
