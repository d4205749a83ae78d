"""Measured quality stays at or above its pinned floors, on the very material it was pinned on."""

import pytest

from tests.gate.measured import GATES, AbsentError, Measured, strangers
from tests.gate.update import COMMAND, load_floors, lowered, pinned, update

FLOORS = load_floors()


@pytest.mark.parametrize("name", sorted(GATES))
def test_measured_quality_is_not_below_its_floor(name):
    floor = FLOORS[name]
    try:
        measured = GATES[name]()
    except AbsentError as absent:
        pytest.skip(f"reference material {absent} is not here; set MONITOR_CORPORA")
    assert measured.corpus == floor["corpus"], f"other material; `{COMMAND}` pins it anew"
    assert measured.rows == floor["rows"], f"other rows; `{COMMAND}` pins them anew"
    assert measured.value >= floor["floor"], f"{name}: {measured.value:.4f} < {floor['floor']}"


def test_every_gate_has_a_floor_and_every_floor_a_gate():
    assert set(FLOORS) == set(GATES)


def test_strangers_are_claims_beside_passages_of_other_bases():
    pairs = [(row.base, other.base) for row, other in strangers()]
    assert len(set(pairs)) == len(pairs) == 288
    assert all(base != other for base, other in pairs)


def fixed(value, rows=10, corpus="c"):
    return lambda: Measured(value, rows, corpus)


def absent():
    raise AbsentError("judge/rows.jsonl")


def test_a_floor_is_the_measured_value_rounded_down():
    assert pinned(Measured(0.71996, 3, "c")) == {"floor": 0.719, "rows": 3, "corpus": "c"}
    assert pinned(Measured(0.9, 3, "c"))["floor"] == 0.9


def test_update_refuses_to_lower_a_floor_and_names_the_command(tmp_path, capsys):
    path = tmp_path / "floors.json"
    assert update(path, {"a": fixed(0.8)}, allow_regression=False) == 0
    before = path.read_bytes()
    assert update(path, {"a": fixed(0.7)}, allow_regression=False) == 1
    assert path.read_bytes() == before
    told = capsys.readouterr().err
    assert "sink from 0.8 to 0.7" in told
    assert f"{COMMAND} --allow-regression" in told


def test_update_lowers_a_floor_where_that_is_asked_for(tmp_path):
    path = tmp_path / "floors.json"
    update(path, {"a": fixed(0.8)}, allow_regression=False)
    assert update(path, {"a": fixed(0.7)}, allow_regression=True) == 0
    assert load_floors(path)["a"]["floor"] == 0.7


def test_a_gate_that_vanishes_or_shrinks_is_a_regression():
    old = {"a": pinned(Measured(0.8, 10, "c")), "b": pinned(Measured(0.8, 10, "c"))}
    new = {"a": pinned(Measured(0.9, 5, "c"))}
    assert len(lowered(old, new)) == 2


def test_a_gate_without_its_material_keeps_its_floor(tmp_path):
    path = tmp_path / "floors.json"
    update(path, {"a": fixed(0.8)}, allow_regression=False)
    assert update(path, {"a": absent}, allow_regression=False) == 0
    assert load_floors(path)["a"]["floor"] == 0.8
