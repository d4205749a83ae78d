"""Files people write: YAML 1.2 values, their lines, and what cannot be read."""

import os
from pathlib import Path

import pytest

from monitor.config.tree import MAX_VALUES, core_value
from monitor.config.yaml import Document, Problem, read_file, read_yaml


def value_of(text):
    document = read_yaml(text, "f.yaml")
    assert isinstance(document, Document)
    return document.value


def refusal_of(text):
    problem = read_yaml(text, "f.yaml")
    assert isinstance(problem, Problem)
    return problem


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("NO", "NO"),
        ("yes", "yes"),
        ("off", "off"),
        ("true", True),
        ("False", False),
        ("~", None),
        ("", None),
        ("12", 12),
        ("-3", -3),
        ("0x1F", 31),
        ("0o17", 15),
        ("1_000", "1_000"),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        ("2024-02-30", "2024-02-30"),
        ("12:30", "12:30"),
        ("1.2.3", "1.2.3"),
    ],
)
def test_plain_scalars_follow_the_core_schema(text, value):
    assert core_value(text) == value
    assert type(core_value(text)) is type(value)


def test_norway_stays_norway_even_where_the_file_asks_for_yaml_1_1():
    assert value_of("%YAML 1.1\n---\njurisdiction: NO\n") == {"jurisdiction": "NO"}


def test_quoted_and_tagged_scalars_stay_text():
    assert value_of("a: '3'\nb: !!str 3\nc: |\n  x\n") == {"a": "3", "b": "3", "c": "x\n"}


def test_keys_are_text_as_written():
    assert value_of("1: a\nNO: b\n2024: c\n") == {"1": "a", "NO": "b", "2024": "c"}


def test_a_number_is_kept_as_written_beside_its_value():
    document = read_yaml("version: 1.10\n", "f.yaml")
    assert document.value == {"version": 1.1}
    assert document.written["version",] == "1.10"


def test_every_key_and_item_knows_its_line():
    document = read_yaml("a:\n  - x\n  - y: 1\n\nb: 2\n", "f.yaml")
    lines = [document.line(p) for p in (("a",), ("a", 0), ("a", 1, "y"), ("b",), ("a", 1, "z"))]
    assert lines == [1, 2, 3, 5, 3]


def test_a_key_that_stands_twice_is_told_and_the_rest_is_read():
    document = read_yaml("a: 1\nb: 2\na:\n  x: 3\nb: 4\n", "f.yaml")
    assert document.value == {"a": 1, "b": 2}
    assert [str(p) for p in document.problems] == [
        "f.yaml:3: key 'a' stands twice (first on line 1); keep one",
        "f.yaml:5: key 'b' stands twice (first on line 2); keep one",
    ]


def test_unreadable_scalars_are_told_at_their_lines():
    text = 'a: .inf\nb: 1e999\nc: .nan\nd: "\\0"\ne: "\\ud800"\nf: !make x\n' + f"g: {'9' * 5000}\n"
    document = read_yaml(text, "f.yaml")
    assert [p.line for p in document.problems] == [1, 2, 3, 4, 5, 6, 7]
    assert set(document.value.values()) == {None}
    assert document.is_broken(("b",))


def test_a_merge_key_is_told_not_merged():
    document = read_yaml("x: &x {a: 1}\ny:\n  <<: *x\n  b: 2\n", "f.yaml")
    assert document.value == {"x": {"a": 1}, "y": {"b": 2}}
    assert str(document.problems[0]).startswith("f.yaml:3: merge keys (<<) are not read")


def test_an_alias_shares_the_value_of_its_anchor():
    assert value_of("a: &a [1, 2]\nb: *a\nc: &a 3\nd: *a\n") == {
        "a": [1, 2],
        "b": [1, 2],
        "c": 3,
        "d": 3,
    }


def test_an_alias_bomb_is_refused_before_it_unfolds():
    lines = ["l0: &l0 [x, x, x, x, x, x, x, x, x, x]"]
    for n in range(1, 8):
        lines.append(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]")
    problem = refusal_of("\n".join(lines))
    # l0..l4 unfold to 11 + 111 + 1 111 + 11 111 + 111 111 values; four more l4 in l5 pass 500 000.
    assert problem.line == 6
    assert f"more than {MAX_VALUES} values" in problem.message


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a:\n\tb: 1\n", 2, "a tab stands here"),
        ("a: 1\nb: \x00\n", 2, "NUL byte"),
        ("a: \x07\n", 1, "U+0007"),
        ("a: b: c\n", 1, "not readable as YAML"),
        ("a: 'open\n", 2, "not readable as YAML"),
        ("a: 1\n---\nb: 2\n", 2, "second document"),
        ("a: *nobody\n", 1, "no anchor before it"),
        ("a: &a [*a]\n", 1, "contains itself"),
        ("? [1, 2]\n: 3\n", 1, "keys are words"),
        ("&k a: 1\n*k : 2\n", 2, "alias as a key"),
        ("[" * 100_000, 1, "levels deep"),
        ("\n".join("  " * n + "a:" for n in range(40)), 31, "levels deep"),
    ],
)
def test_what_stops_the_reading_names_its_line(text, line, words):
    problem = refusal_of(text)
    assert problem.line == line
    assert words in problem.message


def test_an_empty_file_is_a_document_of_nothing():
    assert value_of("# only words\n") is None


def test_a_file_that_is_no_utf8_is_a_problem_with_its_line(tmp_path):
    path = tmp_path / "f.yaml"
    path.write_bytes(b"a: 1\nb: \xff\n")
    problem = read_file(path)
    assert (problem.line, "byte 8 is not UTF-8" in problem.message) == (2, True)


def test_a_byte_order_mark_is_no_part_of_the_first_key(tmp_path):
    path = tmp_path / "f.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert value_of(read_file(path)) == {"a": 1}


def test_a_folder_or_a_missing_file_is_a_problem_not_a_traceback(tmp_path):
    assert "cannot be read" in read_file(tmp_path).message
    assert "cannot be read" in read_file(tmp_path / "none.yaml").message


def test_a_pipe_or_a_device_in_the_place_of_a_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "device.yaml").symlink_to("/dev/zero")
    for name in ("pipe.yaml", "device.yaml"):
        assert "is a pipe or a device" in read_file(tmp_path / name).message


def test_what_a_shell_hands_on_as_a_file_is_read():
    reading, writing = os.pipe()
    os.write(writing, b"a: 1")
    os.close(writing)
    try:
        assert value_of(read_file(Path(f"/dev/fd/{reading}"))) == {"a": 1}
    finally:
        os.close(reading)
