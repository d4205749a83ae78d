"""Names of runs taken apart."""

import pytest

from monitor.domain.keys import slot_of


@pytest.mark.parametrize(
    ("run", "slot"),
    [
        ("run:trees:2026-01", "2026-01"),
        ("run:trees:2026-11-30T16:24:00Z", "2026-11-30T16:24:00Z"),
        ("run:trees:", "run:trees:"),
        ("r1", "r1"),
        ("", ""),
    ],
)
def test_the_slot_is_all_that_follows_the_panel(run, slot):
    assert slot_of(run) == slot
