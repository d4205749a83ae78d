"""docs/scale.md against the script that makes its tables."""

from benchmarks import scale
from benchmarks.scale import Line, Window, simulated


def test_tables_of_the_page_are_those_that_the_script_prints():
    page = scale.PAGE_DOC.read_text("utf-8")
    assert scale.tables() in page
    assert scale.written(page) == page


def test_simulated_runs_keep_to_their_windows():
    for window in scale.WINDOWS:
        hours, busy = scale.whole_run(window)
        assert window.hours * 0.5 < hours <= window.hours
        assert busy <= scale.BUSY


def test_places_bound_a_line_of_calls():
    # 3,600 calls of a second on average through 10 places: about 360 s, a tenth of an hour.
    hours, busy = simulated([Line(3_600, 10, None, 1.0, 0.0)], workers=1)
    assert 0.095 < hours < 0.11
    assert busy == 0


def test_turns_bound_a_line_of_calls():
    # 600 calls at 60 a minute take ten minutes, however many places there are.
    hours, _ = simulated([Line(600, 100, 60, 1.0, 0.0)], workers=1)
    assert 10 / 60 - 0.001 < hours < 10.2 / 60


def test_a_core_bounds_a_line_of_calls_and_a_second_worker_halves_it():
    # 1,000 calls that each need half a second of a core: 500 s on one core.
    line = Line(1_000, 100, None, 0.1, 0.5)
    alone, busy = simulated([line], workers=1)
    both, _ = simulated([line], workers=2)
    assert 500 / 3600 < alone < 510 / 3600
    assert busy > 0.98
    assert both < 0.6 * alone


def test_a_shorter_window_needs_larger_quotas():
    days, day = Window(120, 16, 2), Window(24, 128, 8)
    assert day.per_minute > 4 * days.per_minute
    assert day.places > days.places
    assert days.workers == 2
