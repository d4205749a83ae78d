"""Measures of the support matrix are levels: no comparison tests them, no alert may want them."""

from monitor.changes import compare
from monitor.config.settings import Settings
from monitor.domain.score import MATRIX_MEASURES, Rate
from monitor.pipeline.reaching import measures_problem
from tests.assessed import tally


def month(hits, *, matrix):
    """Forty prompts in which every measure has so many hits of ten."""
    names = ("citation_recall", *(sorted(MATRIX_MEASURES) if matrix else ()))
    return [tally(f"p{n}", measures=dict.fromkeys(names, Rate(hits, 10))) for n in range(40)]


def compared(*, matrix):
    return compare(
        month(2, matrix=matrix), month(9, matrix=matrix),
        engine="alpha", panel_version="p@1", before_id="a", after_id="b",
    )  # fmt: skip


def test_a_matrix_beside_them_changes_nothing_of_what_is_compared():
    assert [row.name for row in compared(matrix=True).measures] == ["citation_recall"]
    assert compared(matrix=True).measures == compared(matrix=False).measures


def test_an_alert_about_the_matrix_is_refused_with_what_to_do():
    settings = Settings(alerts={"measures": ["citation_recall", "source_necessity"]})
    problem = measures_problem(settings)
    assert problem.startswith("alerts.measures: source_necessity: measures of the support matrix")
    assert "take them out" in problem
    assert measures_problem(Settings()) is None
