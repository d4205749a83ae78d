"""What several write at once: one wins, the others are told, and no row is lost."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from monitor.domain.baseline import BaselineClaim, ClaimCategory
from monitor.domain.drafted import DraftedClaim, DraftPlan, DraftState, SourceDetails
from monitor.domain.source import Grade
from monitor.errors import StoreError
from monitor.store import drafts, logins, source_labels
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

    def write(connection, number):
        try:
            if number == 0:
                drafts.close_draft(connection, draft, DraftState.FROZEN, at=AT)
                return "closed"
            one = replace(act, page_hash=f"h{number}")
            return source_labels.save_label(connection, one, at=AT)
        except StoreError:
            return "refused"

    got = all_at_once(database, write)
    assert got[0] == "closed"
    given = [one for one in got if isinstance(one, int)]
    with database.write() as connection, pytest.raises(StoreError, match="frozen"):
        source_labels.save_label(connection, act, at=AT)
    with database.read() as connection:
        assert len(source_labels.load_source_labels(connection, draft)) == len(given)


def test_tries_at_a_password_are_counted_though_they_come_at_once(database):
    # Five failures are let by; whoever comes after them waits.
    got = all_at_once(database, lambda c, _: logins.begin_try(c, "ana", "203.0.113.9", at=AT))
    assert sum(wait is None for wait in got) == 5
