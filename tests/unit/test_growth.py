"""The measure of growth tells what grows with a length from what grows with its square."""

from tests.growth import grows_in_proportion, steps


def in_one_pass(size):
    return [one for one in range(size) if one % 2]


def in_a_pass_for_each(size):
    return [any(one == other for other in range(size)) for one in range(size)]


def test_one_pass_grows_in_proportion():
    assert steps(in_one_pass, 800) > 800
    assert grows_in_proportion(in_one_pass, 100)


def test_a_pass_for_each_part_does_not():
    assert not grows_in_proportion(in_a_pass_for_each, 20)
