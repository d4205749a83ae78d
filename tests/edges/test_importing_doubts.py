"""Files that say what cannot be, or hold what must not be kept, handed in in good faith."""

import os
from datetime import UTC, datetime

import pytest

from monitor.capture.imports.parts import ImportFileError
from monitor.pipeline.plain_files import changed_at
from tests.edges.importing import OAKS, found_in, kept_in
from tests.unit.imports import handed

AT = datetime(2026, 11, 3, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    "moment", ["0001-01-01T00:00:00+23:59", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"]
)
def test_a_time_at_which_nobody_can_have_seen_it_is_not_believed(tmp_path, moment):
    said = handed.thread(OAKS.text, updated_datetime=moment)
    (answer,) = found_in(kept_in(tmp_path, "t.json", said)).answers
    assert answer.dated_by == "file"
    inside = handed.entry(
        "https://www.perplexity.ai/rest/thread/x", said, startedDateTime="2026-11-20T08:00:00Z"
    )
    (answer,) = found_in(kept_in(tmp_path, "t.har", handed.har(inside))).answers
    assert (answer.dated_by, answer.captured_at.year) == ("inside", 2026)


def test_a_file_that_is_dated_ahead_counts_as_of_now(tmp_path):
    path = kept_in(tmp_path, "t.json", handed.thread(OAKS.text))
    os.utime(path, (4e9, 4e9))
    (answer,) = found_in(path).answers
    assert answer.captured_at <= datetime.now(UTC)
    for seconds in (4e9, 1e12, 1e300):
        assert changed_at(seconds, AT) == AT


def test_a_copied_text_with_a_key_in_it_is_refused(tmp_path):
    path = kept_in(tmp_path, "answer.txt", b"Oaks lean. Bearer SECRET0123456789abc")
    with pytest.raises(ImportFileError, match="a token or key") as refused:
        found_in(path, engine="gemini_app", prompt="lean")
    assert "SECRET" not in str(refused.value)


def test_a_copied_text_that_begins_like_a_page_is_told_what_is_wrong(tmp_path):
    path = kept_in(tmp_path, "answer.txt", b"<b>Oaks</b> lean.")
    with pytest.raises(ImportFileError, match=r"this is html, .* must be plain text"):
        found_in(path, engine="gemini_app", prompt="lean")
