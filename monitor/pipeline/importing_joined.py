"""Answers of several files as one import: pictures put to their answer, no answer counted twice."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from monitor.capture.imports.parts import Caps, ImportFileError
from monitor.pipeline.importing_asked import Questions, plain_question
from monitor.pipeline.importing_found import FoundAnswer, FoundPicture, Wanted
from monitor.pipeline.importing_typed import pictured_answer


def with_pictures(
    answers: Sequence[FoundAnswer],
    pictures: Sequence[FoundPicture],
    questions: Questions,
    wanted: Wanted,
    *,
    caps: Caps,
) -> list[FoundAnswer]:
    """Answers, and pictures put to the one they show: all pictures of a command show one answer.

    Beside a document with one answer they are evidence of that; by themselves, or with what was
    typed off them, they are an answer of their own.
    """
    if not pictures:
        if wanted.text is not None:
            raise ImportFileError("--text is the text of a picture, and no picture was handed in")
        return list(answers)
    if wanted.urls or wanted.text is not None or not answers:
        return [*answers, pictured_answer(pictures, questions, wanted, caps=caps)]
    if len(answers) > 1:
        raise ImportFileError(
            f"{len(pictures)} pictures beside {len(answers)} answers: hand in the pictures with "
            "the one answer they show"
        )
    return [replace(answers[0], pictures=tuple(pictures))]


def once_each(answers: Sequence[FoundAnswer]) -> tuple[tuple[FoundAnswer, ...], tuple[str, ...]]:
    """Each answer once, in its most complete form, and what was left out for that, in words.

    The same answer is one of the same engine to the same prompt with the same name on the surface,
    or with the same text where it comes in another form, or without a name.
    """
    kept: dict[tuple[str, str], list[_Told]] = {}
    told = []
    for place, one in sorted(enumerate(answers), key=lambda pair: (pair[1].rank, pair[0])):
        others = kept.setdefault((one.engine, one.prompt.id), [])
        own = _Told(place, one, plain_question(one.turn.reading.text) or one.kept_sha256)
        twin = next((other.answer for other in others if own.is_same(other)), None)
        if twin is None:
            others.append(own)
        else:
            told.append(
                f"{one.file.name}: the answer to {one.prompt.id} is that of {twin.file.name}, "
                "which tells more or came first; it counts once"
            )
    every = sorted((one for same in kept.values() for one in same), key=lambda one: one.place)
    return tuple(one.answer for one in every), tuple(told)


@dataclass(frozen=True, slots=True)
class _Told:
    """An answer with what it is known by."""

    place: int
    answer: FoundAnswer
    words: str
    """Its text; the hash of its record where it has none."""

    def is_same(self, other: "_Told") -> bool:
        """Whether another one, to the same prompt by the same engine, is this answer."""
        one, two = self.answer, other.answer
        if one.turn.id is not None and one.turn.id == two.turn.id:
            return True
        named = one.turn.id is not None and two.turn.id is not None and one.form == two.form
        return not named and self.words == other.words
