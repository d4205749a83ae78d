"""Domain values as JSON documents: any of ours in, the same out, old documents still readable."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.panel import Panel
from monitor.domain.score import Measure, Rate, Undefined, UndefinedReason
from monitor.errors import StoreError
from monitor.store.codec import decode, encode

MEASURES = st.builds(
    Measure,
    name=st.text(max_size=5),
    rate=st.one_of(
        st.builds(Undefined, st.sampled_from(UndefinedReason)),
        st.builds(
            Rate,
            hits=st.integers(0, 5),
            total=st.integers(5, 9),
            not_assessable=st.dictionaries(st.text(max_size=3), st.integers(0, 3), max_size=2),
        ),
    ),
    prompts=st.integers(0, 9),
)


@dataclass(frozen=True)
class Sample:
    when: datetime
    day: date | None
    pairs: Mapping[tuple[str, int], float]
    free: Any = None
    many: tuple[Rate, ...] = field(default=())


@given(measure=MEASURES)
def test_measure_survives_json(measure):
    document = json.loads(json.dumps(encode(Measure, measure)))
    assert decode(Measure, document) == measure


def test_dates_pairs_and_free_json_survive():
    sample = Sample(
        datetime(2026, 1, 2, 3, tzinfo=UTC), None, {("a", 1): 2.5}, {"x": [{"y": 1}]}, (Rate(1, 2),)
    )
    assert decode(Sample, json.loads(json.dumps(encode(Sample, sample)))) == sample


def test_order_of_a_mapping_survives_sorting_of_keys():
    sample = Sample(datetime(2026, 1, 2, tzinfo=UTC), None, {("z", 1): 1.0, ("a", 1): 2.0})
    document = json.loads(json.dumps(encode(Sample, sample), sort_keys=True))
    assert list(decode(Sample, document).pairs) == [("z", 1), ("a", 1)]


def test_old_document_takes_defaults_and_newer_fields_are_ignored():
    document = {"when": "2026-01-02T00:00:00+00:00", "day": None, "pairs": [], "later": 1}
    assert decode(Sample, document).many == ()


def test_document_that_does_not_fit_is_told(panel):
    document = encode(Panel, panel)
    del document["name"]
    with pytest.raises(StoreError, match="stored Panel cannot be read"):
        decode(Panel, document)
    with pytest.raises(StoreError, match=r"keys .* fit none of"):
        decode(Measure, {"name": "m", "rate": {"odd": 1}})


def test_type_without_a_form_is_refused():
    with pytest.raises(StoreError, match="no JSON form for"):
        encode(complex, 1j)
