"""What several write at once: one wins, the others are told, and no row is lost."""

import threading
from concurrent.futures import ThreadPoolExecutor, wait

import pytest
from sqlalchemy import select, update

from monitor.domain.baseline import BaselineClaim, ClaimCategory
from monitor.domain.drafted import DraftedClaim, DraftPlan, DraftState, SourceDetails
from monitor.domain.source import Grade
from monitor.errors import StoreError
from monitor.store import drafts, logins, source_labels
from monitor.store.tables import draft_claim
from tests.store.conftest import AT, build_panel

WRITERS = 8


@pytest.fixture
def draft(database):
    plan = DraftPlan(build_panel(), ("ana", "ben"), 0.2, 7)
    start = drafts.DraftStart("2026-11", "1", plan, "lead")
    with database.write() as connection:
        return drafts.begin_draft(connection, start, at=AT)


def all_at_once(database, work):
    """What each of some writers got, every one in a transaction of its own, begun together."""
    ready = threading.Barrier(WRITERS)

    def write(number):
        ready.wait(timeout=30)
        with database.write() as connection:
            return work(connection, number)

    with ThreadPoolExecutor(WRITERS) as pool:
        return list(pool.map(write, range(WRITERS)))


def edit(draft, number, seen=None):
    words = BaselineClaim("c1", f"Oaks grow, says {number}.", ClaimCategory.CORE_FACT)
    return drafts.ClaimEdit(draft, "muscle", "c1", words, annotator=f"writer {number}", seen=seen)


def test_of_claims_written_at_once_one_is_kept_and_the_others_are_shown_it(database, draft):
    got = all_at_once(database, lambda c, n: drafts.save_claim(c, edit(draft, n), at=AT))
    kept = [one for one in got if isinstance(one, int)]
    told = [one for one in got if isinstance(one, DraftedClaim)]
    assert len(kept) == 1
    assert {one.id for one in told} == set(kept)
    with database.read() as connection:
        (claim,) = drafts.load_claims(connection, draft)
    assert claim.id == kept[0]
    # Who saw that row may write over it.
    with database.write() as connection:
        later = drafts.save_claim(connection, edit(draft, 9, seen=claim.id), at=AT)
    assert later > claim.id


def test_no_grade_is_given_into_a_draft_that_ends_meanwhile(database, draft):
    act = source_labels.GradeAct(
        draft, "muscle", "h1", Grade.REQUIRED, SourceDetails(),
        annotator="ana", guideline="1", blind=True, seconds=None, seen=None,
    )  # fmt: skip

    def grade():
        with database.write() as connection:
            return source_labels.save_label(connection, act, at=AT)

    with ThreadPoolExecutor(1) as pool:
        with database.write() as connection:
            drafts.close_draft(connection, draft, DraftState.FROZEN, at=AT)
            late = pool.submit(grade)
            # Time enough for one that does not wait to see the draft open and write into it.
            wait([late], timeout=0.5)
        with pytest.raises(StoreError, match="frozen"):
            late.result(timeout=30)
    with database.read() as connection:
        assert source_labels.load_source_labels(connection, draft) == ()


def test_a_claim_goes_by_the_id_of_its_row(database, draft):
    with database.write() as connection:
        drafts.save_claim(connection, edit(draft, 1), at=AT)
        body = dict(connection.execute(select(draft_claim.c.body)).scalar_one())
        del body["id"]
        connection.execute(update(draft_claim).values(body=body))
    with database.read() as connection:
        (claim,) = drafts.load_claims(connection, draft)
    assert claim.words == edit(draft, 1).words


def test_tries_at_a_password_are_counted_though_they_come_at_once(database):
    # Five failures are let by; whoever comes after them waits.
    got = all_at_once(database, lambda c, _: logins.begin_try(c, "ana", "203.0.113.9", at=AT))
    assert sum(wait is None for wait in got) == 5
