"""Labels read from files: shapes that are taken, and what is said of those that are not."""

import json
import tracemalloc

import pytest

from monitor.baseline.agreement import agreement
from monitor.baseline.labels import read_labels
from monitor.errors import MonitorError
from monitor.statistics import Level, gwet, krippendorff_alpha, label_counts, raw_agreement

CSV = """subject,annotator,label,answer
s1,r1,full,a1
s1,r2,full,a1
s2,r1,none,a1
s2,r2,partial,a1
s3,r1,partial,a2
s3,r2,,a2
"""
ORDER = ("none", "partial", "full")


def read(text, **options):
    return read_labels(text.encode(), source="labels.csv", **options)


def refused(text, **options):
    with pytest.raises(MonitorError) as refusal:
        read(text, **options)
    return str(refusal.value).split("\n")


def test_labels_become_a_table_of_annotators_and_subjects():
    got = read(CSV, level=Level.ORDINAL, order=ORDER)
    assert (got.annotators, got.subjects) == (("r1", "r2"), ("s1", "s2", "s3"))
    assert got.ratings == ((2, 0, 1), (2, 1, None))
    assert got.answers == (0, 0, 1)
    assert (got.given, got.missing) == (5, 1)


def test_json_lines_read_as_csv_does():
    lines = [line.split(",") for line in CSV.splitlines()[1:]]
    names = ("subject", "annotator", "label", "answer")
    rows = [dict(zip(names, line, strict=True)) for line in lines]
    rows[-1]["label"] = None
    text = "\n\n".join(json.dumps(row) for row in rows)
    assert read(text) == read(CSV)


@pytest.mark.parametrize(
    "text",
    [
        CSV.replace(",", ";"),
        CSV.replace(",", "\t"),
        CSV.replace("\n", "\r\n"),
        "\ufeff" + CSV,
        CSV.replace("subject,annotator", "subject , annotator"),
        CSV.replace("s1,r1,full", '"s1",r1, full '),
    ],
)
def test_tables_as_spreadsheets_save_them_read_alike(text):
    assert read(text) == read(CSV)


def test_subjects_without_an_answer_stand_by_themselves():
    got = read("subject,annotator,label\ns1,r1,x\ns2,r1,y\n")
    assert got.answers == (0, 1)


def test_numbers_of_json_and_of_csv_are_the_same_labels():
    rows = [{"subject": n, "annotator": "r", "label": n / 2} for n in (1, 2, 4)]
    got = read("\n".join(json.dumps(row) for row in rows), level=Level.INTERVAL)
    assert (got.scale, got.values) == (("0.5", "1", "2"), (0.5, 1, 2))
    assert got.subjects == ("1", "2", "4")


def test_a_cell_may_hold_commas_and_line_feeds():
    got = read('subject,annotator,label\n"a, or\nb",r1,x\n')
    assert got.subjects == ("a, or\nb",)


def test_all_labels_may_be_missing():
    got = read("subject,annotator,label\ns1,r1,\ns1,r2,\n")
    assert (got.given, got.missing) == (0, 2)
    report = agreement(got, level=Level.NOMINAL, seed=1)
    assert {one.coefficient.reason for one in report.measures} == {"no_pairs"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "",
            "line 1: no column subject, got nothing; expected subject, annotator, label[, answer]",
        ),
        ("subject,label\n", "line 1: no column annotator, got subject, label; "),
        ("subject,annotator,label\n", "no labels; expected rows of subject, annotator, label"),
        ("subject,annotator,label\ns,r\n", "line 2: 2 cells; the header has 3"),
        ("subject,annotator,label\n,r,x\n", "line 2: subject is empty; expected a name"),
        ("subject,annotator,label\ns, ,x\n", "line 2: annotator is empty; expected a name"),
        ('subject,annotator,label\ns,r,"x\n', "line 2: not CSV ("),
        ("{\n", "line 1: not JSON; expected one object a line"),
        ('{"subject": 1, "annotator": 2, "label": NaN}', "line 1: not JSON; "),
        ("[1]\n", "line 1: got list; expected one object a line"),
        ('{"subject": 1}', "line 1: no annotator; expected subject, annotator, label"),
        ('{"subject": 1, "annotator": 2, "label": [3]}', "line 1: label is a list; expected text"),
        ("subject,annotator,label\ns,r,x\ns,r,y\n", "line 3: r labelled s already on line 2;"),
        (
            "subject,annotator,label,answer\ns,r,x,a1\ns,q,y,a2\n",
            "line 3: s stands in answer a2, on line 2 in a1; expected one answer",
        ),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(text, said):
    assert refused(text)[0].startswith(f"labels.csv: {said}")


@pytest.mark.parametrize(
    ("label", "options", "said"),
    [
        ("fair", {"level": Level.INTERVAL}, "label 'fair' is no number; expected numbers"),
        ("inf", {"level": Level.INTERVAL}, "label 'inf' is no number; expected numbers"),
        ("fair", {"level": Level.ORDINAL}, "expected numbers; words need --order, least to most"),
        ("fair", {"level": Level.ORDINAL, "order": ORDER}, "not in --order none,partial,full"),
    ],
)
def test_labels_that_fit_no_scale_are_named_with_their_line(label, options, said):
    found = refused(f"subject,annotator,label\ns,r,{label}\n", **options)
    assert found[0].startswith("labels.csv: line 2: ")
    assert found[0].endswith(said)


@pytest.mark.parametrize(
    ("level", "order", "said"),
    [
        (Level.NOMINAL, ("a", "b"), "--order is for ordinal labels; got --level nominal"),
        (Level.ORDINAL, ("a", "a"), "expected every label once"),
        (Level.ORDINAL, ("a", ""), "expected every label once"),
    ],
)
def test_an_order_that_means_nothing_is_refused(level, order, said):
    with pytest.raises(MonitorError, match=said):
        read(CSV, level=level, order=order)


def test_all_problems_are_named_at_once_up_to_twenty():
    rows = "".join(f"s{n},,x\n" for n in range(30))
    found = refused(f"subject,annotator,label\n{rows}")
    assert len(found) == 21
    assert found[0].startswith("labels.csv: line 2: ")
    assert found[-1] == "labels.csv: and 10 more"


def test_free_text_is_no_scale():
    rows = "".join(f"s{n},r,words {n}\n" for n in range(201))
    assert refused(f"subject,annotator,label\n{rows}") == [
        "labels.csv: 201 different labels; expected at most 200"
    ]


def test_bytes_that_are_not_utf_8_are_named():
    with pytest.raises(MonitorError, match="byte 4 is not UTF-8"):
        read_labels(b"caf,\xe9", source="labels.csv")


def table(raters=2):
    rows = [
        f"s{n},r{r},{(n + (r * n) % 2) % 3},a{n // 2}" for n in range(20) for r in range(raters)
    ]
    return "subject,annotator,label,answer\n" + "\n".join(rows)


def test_the_report_holds_the_coefficients_of_the_table():
    labels = read(table(), level=Level.ORDINAL)
    given = label_counts(labels.ratings)
    report = agreement(labels, level=Level.ORDINAL, seed=7)
    found = {one.name: one.coefficient for one in report.measures}
    assert found == {
        "raw_agreement": raw_agreement(given),
        "krippendorff_alpha": krippendorff_alpha(given, Level.ORDINAL),
        "gwet_ac2": gwet(given, quadratic=True),
    }


def test_names_have_ac1_and_only_two_annotators_a_kappa():
    two = agreement(read(table()), level=Level.NOMINAL, seed=7, resamples=20)
    three = agreement(read(table(3)), level=Level.NOMINAL, seed=7, resamples=20)
    assert [one.name for one in two.measures][-1] == "gwet_ac1"
    assert two.kappa.value is not None
    assert three.kappa is None


def test_a_scale_given_in_order_counts_labels_that_nobody_used():
    labels = read(CSV.replace("partial", "none"), level=Level.ORDINAL, order=ORDER)
    assert labels.scale == ORDER
    report = agreement(labels, level=Level.ORDINAL, seed=1)
    given = label_counts(labels.ratings, [0, 1, 2])
    assert report.measures[-1].coefficient == gwet(given, quadratic=True)


def test_the_same_seed_gives_the_same_intervals():
    labels = read(table(3))
    first, second = (agreement(labels, level=Level.NOMINAL, seed=3) for _ in range(2))
    assert first.measures == second.measures
    assert first.measures[1].resampled.interval is not None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('"subject,annotator,label\n1,a,x\n', "line 2: not CSV (unexpected end of data)"),
        (f"subject,annotator,label,{'x' * 200_000}\n", "line 1: not CSV (field larger than"),
        ("subject,annotator,label,label\n1,a,x,y\n", "line 1: column label stands there 2 times"),
        ("answer,subject,annotator,label,answer\n", "line 1: column answer stands there 2 times"),
    ],
)
def test_a_header_that_cannot_be_read_is_named(text, said):
    (line,) = refused(text)
    assert said in line


def test_a_column_of_other_names_is_no_annotator_and_fills_no_memory():
    rows = "".join(f"s{n},n{n},x\n" for n in range(20_000))
    (line,) = refused(f"subject,annotator,label\n{rows}")
    assert "20000 annotators; expected at most 100" in line


def test_a_file_of_a_million_rows_is_refused_and_not_resampled():
    rows = "".join(f"{n},{a},x\n" for n in range(500_000) for a in "ab")
    (line,) = refused(f"subject,annotator,label\n{rows}")
    assert "1000000 rows; expected at most 100000" in line


def test_no_message_repeats_a_cell_without_end():
    long = "a" * 100_000
    for row, options in (
        (f"{long},{long},x,1\n{long},{long},x,1\n", {}),
        (f"{long},a,x,{long}\n{long},b,x,1\n", {}),
        (f"1,a,{long},1\n", {"level": Level.INTERVAL}),
        (f"1,a,{long},1\n", {"level": Level.ORDINAL, "order": ("none", long[:-1])}),
    ):
        assert all(
            len(line) < 600
            for line in refused(CSV.split("\n", maxsplit=1)[0] + "\n" + row, **options)
        )


def test_many_scores_are_resampled_in_little_memory():
    # Answers times kinds of subjects as one table were 12,000 x 5,000 numbers.
    rows = "".join(f"{n},a,{n % 101}\n{n},b,{n // 101 % 101}\n" for n in range(12_000))
    labels = read(f"subject,annotator,label\n{rows}", level=Level.INTERVAL)
    tracemalloc.start()
    agreement(labels, level=Level.INTERVAL, seed=1, resamples=2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 150_000_000
