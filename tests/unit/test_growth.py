"""The measure of growth tells what grows with a length from what grows with its square."""

from tests.growth import grows_in_proportion


def test_one_pass_grows_in_proportion():
    assert grows_in_proportion(lambda n: sum(range(n * 1_000)), 100)


def test_a_pass_for_every_part_does_not():
    assert not grows_in_proportion(lambda n: [sum(range(n)) for _ in range(n)], 300)
