"""Numbers as words: the one place where anything is rounded.

A percentage never stands alone for a count, and what has no value reads "not measured".
"""

import re
from datetime import UTC, datetime

from monitor.domain.score import Bounds, Interval, Rate

NOT_MEASURED = "not measured"

_FINE_BELOW = 0.1
"""Shares under this, and as close to 1, get one decimal: whole percents would hide them."""


def percent(value: float | None) -> str:
    """Share as a percentage; whole, with one decimal where a whole one would mislead."""
    return NOT_MEASURED if value is None else f"{share(value)} %"


def share(value: float) -> str:
    """Share in percent without its sign; never 0 or 100 unless it is exactly that."""
    points = 100 * value
    if points in {0, 100}:
        return f"{points:.0f}"
    if 0 < points < 0.05:
        return "under 0.1"
    if 99.95 <= points < 100:
        return "over 99.9"
    return f"{points:.1f}" if _is_fine(value) else f"{points:.0f}"


def _is_fine(value: float) -> bool:
    """Whether a share needs a decimal: small ones, and those that would round to 100."""
    return value < _FINE_BELOW or 0.995 <= value < 1


def span(low: float, high: float) -> str:
    """Two shares in percent as `69-91`, both with the same number of decimals; one if equal."""
    digits = 1 if low < _FINE_BELOW and high < 2 * _FINE_BELOW else 0
    if low < high and f"{100 * low:.0f}" == f"{100 * high:.0f}":
        digits = 1
    a, b = f"{100 * low:.{digits}f}", f"{100 * high:.{digits}f}"
    return a if a == b else f"{a}-{b}"


def interval(value: Interval | Bounds | None) -> str:
    """Interval or bounds of a share as `69-91` in percent; empty where there is none."""
    return "" if value is None else span(value.low, value.high)


def between(bounds: Bounds) -> str:
    """Bounds of a share as `between 7 and 67 %`, or as one percentage where they meet."""
    low, dash, high = span(bounds.low, bounds.high).partition("-")
    return f"between {low} and {high} %" if dash else f"{low} %"


def signed_points(value: float | None) -> str:
    """Difference of two shares in percentage points, with its sign."""
    return NOT_MEASURED if value is None else f"{_signed(value)} points"


def signed_interval(value: Interval | None) -> str:
    """Interval of a difference in percentage points as `-12.1 to -3.0`; empty where none."""
    return "" if value is None else f"{_signed(value.low)} to {_signed(value.high)}"


def _signed(value: float) -> str:
    """Percentage points with a sign, except for what rounds to nothing."""
    text = f"{100 * value:+.1f}"
    return "0.0" if text in {"+0.0", "-0.0"} else text


def points(value: float | None) -> str:
    """Size of a difference in percentage points, without a sign."""
    return NOT_MEASURED if value is None else f"{100 * abs(value):.1f} points"


def count(value: float) -> str:
    """Count; whole where it is whole, else with one decimal (half credit, weights)."""
    whole = round(value)
    return f"{whole}" if abs(value - whole) < 1e-9 else f"{value:.1f}"


def counts(rate: Rate) -> str:
    """Hits of the total, as `34 of 41`."""
    return f"{count(rate.hits)} of {count(rate.total)}"


def rate_text(rate: Rate, sampling: Interval | None = None) -> str:
    """Rate in full: `34 of 41 (83 %, 69-91)`; without a total it was not measured."""
    if rate.value is None:
        return NOT_MEASURED
    tail = f", {interval(sampling)}" if sampling else ""
    return f"{counts(rate)} ({percent(rate.value)}{tail})"


def p_value(value: float | None) -> str:
    """Probability with two significant digits; `not tested` where there was no test."""
    if value is None:
        return "not tested"
    if value < 0.001:
        return "< 0.001"
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def p_words(text: str) -> str:
    """A sentence whose adjusted p, written out when it was tested, reads as everywhere else."""
    return _P_WRITTEN.sub(lambda found: f"adjusted p {p_value(float(found[1]))}", text)


_P_WRITTEN = re.compile(r"\badjusted p (\d+(?:\.\d+)?(?:e-?\d+)?)(?![\d.]\d)")


def odds(adjusted: float | None) -> str:
    """An adjusted p in words, as `about 1 in 77`: the part of such findings that is chance."""
    if adjusted is None:
        return "not tested"
    if adjusted < 0.001:
        return "under 1 in 1,000"
    return f"about 1 in {round(1 / adjusted):,}"


def index(value: float | None) -> str:
    """Concentration index between 0 and 1 with three decimals."""
    return NOT_MEASURED if value is None else f"{value:.3f}"


def signed_index(value: float | None) -> str:
    """Difference of two concentration indexes with its sign; the words where there is none."""
    return NOT_MEASURED if value is None else f"{value:+.3f}"


def times(ratio: float, between: Interval | None = None) -> str:
    """How many times as large something is, as `1.41 times (1.20 to 1.66)`."""
    tail = f" ({between.low:.2f} to {between.high:.2f})" if between else ""
    return f"{ratio:.2f} times{tail}"


def sources(value: float | None) -> str:
    """Effective number of sources with one decimal."""
    return NOT_MEASURED if value is None else f"{value:.1f}"


def money(micros: int) -> str:
    """Millionths of a US dollar as dollars; two decimals, more for parts of a cent."""
    digits = 2 if micros >= 100_000 or micros == 0 else 4
    return f"{micros / 1_000_000:.{digits}f} USD"


def moment(value: datetime | None) -> str:
    """Point in time in UTC to the second; `time not known` where there is none."""
    if value is None:
        return "time not known"
    return value.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
