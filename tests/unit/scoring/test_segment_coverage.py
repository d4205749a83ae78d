from monitor.domain.engine import Outcome
from monitor.domain.score import Coverage
from monitor.scoring.segments import slice_coverage
from tests.assessed import capture


def test_a_slice_counts_its_own_captures_only():
    declined = capture(outcome=Outcome.NO_ANSWER, reason="declined")
    late = capture(outcome=Outcome.TIMEOUT)
    # 1 answered + 1 declined are heard; the timeout was attempted and not heard.
    assert slice_coverage((capture(), declined, late)) == Coverage(
        planned=3,
        attempted=3,
        heard=2,
        answered=1,
        outcomes={"answered": 1, "no_answer/declined": 1, "timeout": 1},
    )
