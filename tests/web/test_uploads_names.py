"""What an upload is called: a plain name, whatever its sender calls it."""

import pytest

from monitor.pipeline.spool import plain_name


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("../../etc/passwd", "passwd"), ("C:\\x\\y.zip", "y.zip"), ("..", ""), ("a/", ""),
        ("\x00\n", ""), ("a" * 500, "a" * 200), ("\ud800.txt", "?.txt"),
    ],
)  # fmt: skip
def test_names_of_files_open_nothing(name, plain):
    assert plain_name(name) == plain
