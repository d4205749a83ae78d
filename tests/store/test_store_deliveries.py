"""The outbox: one message per key, in order per target, claimed by one, overtaken by a later one."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest

from monitor.store import deliveries
from monitor.store.deliveries import Message

LEASE = timedelta(seconds=90)
START = Message("ping:r1:start", "ping", "panel:tea", {"ping": "start"})
END = replace(START, key="ping:r1:success")
OTHER = replace(START, key="ping:r9:start", target="panel:coffee")


@pytest.fixture
def box(database, at):
    return Box(database, at)


class Box:
    """The outbox at a moment that only tests move."""

    def __init__(self, database, at):
        self.database, self.at = database, at

    def later(self, seconds):
        self.at += timedelta(seconds=seconds)

    def save(self, message, *overtaken):
        with self.database.write() as c:
            return deliveries.save(c, message, at=self.at, instead_of=overtaken, lease=LEASE)

    def claim(self):
        with self.database.write() as c:
            return deliveries.claim(c, at=self.at, lease=LEASE)

    def sent(self, one):
        with self.database.write() as c:
            deliveries.mark_sent(c, one, at=self.at)

    def failed(self, one, pause=None):
        due = None if pause is None else self.at + timedelta(seconds=pause)
        with self.database.write() as c:
            deliveries.mark_failed(c, one, "answered 500", due=due)

    def load(self, message):
        with self.database.read() as c:
            return deliveries.load(c, message.key)

    def next_due(self):
        with self.database.read() as c:
            return deliveries.next_due(c)


def test_a_message_saved_twice_is_one_message(box):
    assert (box.save(START), box.save(START)) == (True, False)
    box.sent(box.claim())
    assert not box.save(START)
    assert box.claim() is None


def test_a_message_goes_with_the_transaction_it_was_saved_in(box):
    def undone():
        with box.database.write() as c:
            deliveries.save(c, START, at=box.at)
            raise RuntimeError("the run was not moved")

    with pytest.raises(RuntimeError):
        undone()
    assert box.load(START) is None


def test_a_claimed_message_is_nobody_elses_until_its_lease_ends(box):
    box.save(START)
    first = box.claim()
    assert (first.attempts, box.claim()) == (1, None)
    box.later(90)
    second = box.claim()
    assert (second.id, second.attempts) == (first.id, 2)


def test_who_lost_its_claim_marks_nothing(box):
    box.save(START)
    slow = box.claim()
    box.later(90)
    box.claim()
    box.sent(slow)
    box.failed(slow)
    assert box.load(START).state == "waiting"


def test_messages_of_one_target_keep_their_order_and_others_pass(box):
    box.save(START)
    box.save(END)
    box.save(OTHER)
    first = box.claim()
    assert (first.message, box.claim().message) == (START, OTHER)
    assert box.claim() is None
    box.failed(first, pause=10)
    assert box.claim() is None
    assert box.next_due() == box.at + timedelta(seconds=10)
    box.later(10)
    box.sent(box.claim())
    assert box.claim().message == END


def test_a_message_given_up_is_kept_and_blocks_nobody(box):
    box.save(START)
    box.save(END)
    box.failed(box.claim())
    kept = box.load(START)
    assert (kept.state, kept.error, kept.attempts) == ("given_up", "answered 500", 1)
    assert box.claim().message == END


def test_an_error_is_forgotten_once_the_message_was_taken(box):
    box.save(START)
    box.failed(box.claim(), pause=5)
    box.later(5)
    box.sent(box.claim())
    kept = box.load(START)
    assert (kept.state, kept.error, kept.sent_at) == ("sent", None, box.at)


def test_the_end_of_a_run_overtakes_its_untried_start_at_once(box):
    box.save(START)
    box.save(END, START.key)
    assert box.load(START) is None
    assert box.claim().message == END


def test_the_end_of_a_run_waits_for_a_start_that_may_be_under_way(box):
    box.save(START)
    box.claim()
    box.later(60)
    box.save(END, START.key)
    assert box.claim() is None
    box.later(30)
    assert box.claim().message == END


def test_an_overtaken_message_that_was_sent_stays(box):
    box.save(START)
    box.sent(box.claim())
    box.save(END, START.key)
    assert box.load(START).state == "sent"
    assert box.claim().message == END


def test_many_workers_claim_every_message_once_and_one_target_in_order(box):
    for n in range(40):
        box.save(Message(f"ping:{n}", "ping", f"panel:{n % 20}", {}))
    claimed = []

    def work():
        while (one := box.claim()) is not None:
            claimed.append(one.id)
            box.sent(one)

    with ThreadPoolExecutor(8) as pool:
        for ended in [pool.submit(work) for _ in range(8)]:
            ended.result(timeout=60)
    # A target's second message is blocked while its first is under way: some are left for a look.
    work()
    assert len(claimed) == len(set(claimed)) == 40
    order = {n: claimed.index(n) for n in claimed}
    first = min(claimed)
    assert all(order[first + n] < order[first + n + 20] for n in range(20))


def test_what_was_given_up_or_pauses_is_tried_now_and_what_is_under_way_is_left(box):
    digests = [Message(f"digest:{n}", "digest", f"channel:{n}", {}) for n in range(5)]
    for one in digests[:4]:
        box.save(one)
    box.save(START)
    for pause in (None, 3600, 60, None):
        box.failed(box.claim(), pause=pause)
    box.failed(box.claim())
    box.save(digests[4])
    assert box.claim().message == digests[4]
    with box.database.write() as c:
        changed = deliveries.revive(c, "digest", at=box.at)
    assert changed == 4
    kept = [box.load(one) for one in digests]
    assert [(one.state, one.attempts, one.due_at - box.at) for one in kept] == [
        ("waiting", 0, timedelta()),
        ("waiting", 1, timedelta()),
        ("waiting", 1, timedelta()),
        ("waiting", 0, timedelta()),
        ("waiting", 1, LEASE),
    ]
    assert box.load(START).state == "given_up"


def test_one_target_is_revived_and_forgotten_without_another(box):
    ops, chat = (Message(f"digest:{n}", "digest", f"channel:{n}", {}) for n in ("ops", "chat"))
    for one in (ops, chat):
        box.save(one)
        box.failed(box.claim())
    with box.database.write() as c:
        assert deliveries.revive(c, "digest", target="channel:ops", at=box.at) == 1
        assert deliveries.forget(c, "digest", target="channel:ops") == 0
        assert deliveries.forget(c, "digest") == 1
    assert (box.load(ops).state, box.load(chat)) == ("waiting", None)


def test_a_sent_message_is_never_withdrawn(box):
    box.save(START)
    box.save(OTHER)
    box.sent(box.claim())
    with box.database.write() as c:
        deliveries.withdraw(c, START.key)
        deliveries.withdraw(c, OTHER.key)
    assert (box.load(START).state, box.load(OTHER)) == ("sent", None)


def test_messages_are_listed_by_kind_state_and_the_start_of_their_key(box):
    for key in ("digest:run:tea:1:a", "digest:run:tea:1%:b", "digest:run:tea:12:c"):
        box.save(Message(key, "digest", key, {}))
    box.save(START)
    box.sent(box.claim())
    with box.database.read() as c:
        listed = deliveries.load_all(c, kind="digest")
        waiting = deliveries.load_all(c, kind="digest", states=("waiting",), limit=1)
        begun = deliveries.load_of(c, "digest:run:tea:1%:")
    assert [one.message.key[-1] for one in listed] == ["c", "b", "a"]
    assert [one.message.key[-1] for one in waiting] == ["c"]
    assert [one.message.key[-1] for one in begun] == ["b"]
