"""One pinned run for each panel, replaced and cleared."""

from datetime import timedelta

from monitor.store import references, runs


def test_a_panel_has_one_reference_that_a_later_one_replaces(c, run, at):
    assert references.list_references(c) == ()
    references.pin(c, run.panel, run.id, at=at)
    references.pin(c, run.panel, run.id, at=at + timedelta(days=1))
    (kept,) = references.list_references(c)
    assert kept == references.Reference(run.panel, run.id, run.public_id, at)
    other = runs.plan_run(c, run.panel_id, "another", (), caps=runs.Caps(), config={}, at=at)
    later = at + timedelta(days=2)
    references.pin(c, run.panel, other.id, at=later)
    (now,) = references.list_references(c, run.panel)
    assert (now.run, now.pinned_at) == (other.public_id, later)
    assert references.list_references(c, "nobody") == ()
    assert references.unpin(c, run.panel)
    assert not references.unpin(c, run.panel)
