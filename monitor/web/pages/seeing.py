"""Who saw what engines cite: whether a baseline was drawn blind is told from it."""

from collections.abc import Mapping

from monitor.domain.access import Role, Visitor, Way
from monitor.pipeline.one_answer import load_held
from monitor.store import answers_seen
from monitor.store.answers_seen import UNNAMED, SeenAnswer
from monitor.web.desk import Desk


def note_seen(desk: Desk, capture: int, who: Visitor) -> None:
    """Remember who opened an answer."""
    name = _name_of(who)
    if name is None or not desk.bench.read(lambda c: answers_seen.unseen_of(c, name, [capture])):
        return
    held = load_held(desk.answers, capture)
    if held is not None:
        _note(desk, name, held[0].panel, {capture: held[1].prompt.id})


def note_cited(desk: Desk, panel: str, prompts: Mapping[int, str], who: Visitor) -> None:
    """Remember who was told what answers cite without opening any: capture -> its prompt.

    One answer a prompt says as much as all of them.
    """
    name = _name_of(who)
    if name is None:
        return
    of_prompt = {prompt: capture for capture, prompt in sorted(prompts.items(), reverse=True)}
    unseen = desk.bench.read(lambda c: answers_seen.unseen_of(c, name, of_prompt.values()))
    left = {capture: prompt for prompt, capture in of_prompt.items() if capture in unseen}
    if left:
        _note(desk, name, panel, left)


def _name_of(who: Visitor) -> str | None:
    """Under which it is noted what somebody saw; None where it is not.

    Who gave no name yet may give one later, if they may grade; programs count where they may, too.
    """
    may_grade = who.role.covers(Role.ANNOTATOR)
    if not may_grade and (who.name is None or who.way is Way.TOKEN):
        return None
    return who.name or UNNAMED


def _note(desk: Desk, name: str, panel: str, prompts: Mapping[int, str]) -> None:
    at = desk.bench.clock.now()
    every = [SeenAnswer(name, panel, prompt, capture) for capture, prompt in prompts.items()]
    desk.bench.write(lambda c: answers_seen.note_seen(c, *every, at=at))
