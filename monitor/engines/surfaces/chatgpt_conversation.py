"""Turns of a ChatGPT conversation object, as an account's export and shared pages hold it.

What is searched is told by messages a reader does not see (`search_queries`, tools named after the
web) and by `search_result_groups`; an empty list of these says that nothing was. A search without
citations is an answer that cites nothing. Marks whose references are missing are another thing:
where nothing else is cited, the layout is unknown.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from monitor.domain.engine import Outcome, Reading, Retrieval, Role
from monitor.domain.turn import Completeness, Layout, Turn
from monitor.engines.shapes.citing import distinct, distinct_words
from monitor.engines.shapes.payload import optional_string
from monitor.engines.surfaces.chatgpt_answer import Answer, answer_of
from monitor.engines.surfaces.chatgpt_messages import (
    KNOWN,
    Message,
    is_visible,
    kind_of,
    moment_of,
    part,
    raw_text,
    role_of,
    shown_messages,
)
from monitor.engines.surfaces.chatgpt_references import queries_of, retrieved_of
from monitor.engines.surfaces.chatgpt_text import read_words

_SEARCHES = ("web", "browser", "search")
_CUT = frozenset({"max_tokens", "interrupted", "user_canceled", "length"})


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question and all messages up to the next one."""

    prompt: str | None
    messages: tuple[Message, ...]


def conversation_turns(conversation: Mapping[str, Any]) -> tuple[Turn, ...]:
    """Questions with their answers; a question that no words answer is left out."""
    default = optional_string(conversation.get("default_model_slug"))
    turns: list[Turn] = []
    for asked in _asked(shown_messages(conversation)):
        visible = [one for one in asked.messages if role_of(one) == "assistant" and is_visible(one)]
        if visible:
            turns.append(_turn(len(turns), asked, visible, default=default))
    return tuple(turns)


def _asked(messages: Iterable[Message]) -> Iterator[_Asked]:
    prompt: str | None = None
    following: list[Message] = []
    for message in messages:
        if role_of(message) == "user" and is_visible(message):
            yield _Asked(prompt, tuple(following))
            prompt, following = read_words(raw_text(message), ()).text.strip() or None, []
        else:
            following.append(message)
    yield _Asked(prompt, tuple(following))


def _turn(index: int, asked: _Asked, visible: Sequence[Message], *, default: str | None) -> Turn:
    spoken = [one for one in visible if raw_text(one).strip()] or visible
    last = part(spoken[-1], "metadata")
    answer = answer_of(spoken)
    behind = [part(one, "metadata") for one in asked.messages]
    outcome, reason = _outcome(answer, spoken[-1])
    served = optional_string(last.get("resolved_model_slug")) or optional_string(
        last.get("model_slug")
    )
    reading = Reading(
        outcome,
        reason,
        text=answer.text,
        citations=answer.citations,
        retrieved=distinct(one for metadata in behind for one in retrieved_of(metadata)),
        queries=distinct_words(query for metadata in behind for query in queries_of(metadata)),
        retrieval=_retrieval(asked.messages, answer),
        requested_model=optional_string(last.get("default_model_slug")) or default,
        served_model=served,
        warnings=(*answer.warnings, *_unread(asked.messages)),
        shopping=answer.shopping,
        hidden_citations=None if answer.lost else 0,
    )
    completeness = Completeness(
        hidden_citations=reading.hidden_citations,
        offsets_exact=answer.exact,
        model_known=served is not None,
        locale_known=False,
        retrieved_known=any("search_result_groups" in metadata for metadata in behind),
    )
    return Turn(
        index=index,
        id=optional_string(spoken[-1].get("id")),
        prompt=asked.prompt,
        reading=reading,
        completeness=completeness,
        answered_at=moment_of(spoken[-1]),
        layout=Layout(in_document=answer.pills + answer.lost, shown=answer.pills),
    )


def _outcome(answer: Answer, last: Message) -> tuple[Outcome, str | None]:
    if not answer.text.strip():
        return Outcome.ERROR, "empty"
    if answer.lost and not answer.citations:
        return Outcome.LAYOUT_UNKNOWN, None
    ended = part(part(last, "metadata"), "finish_details").get("type")
    if last.get("status") == "in_progress" or (isinstance(ended, str) and ended in _CUT):
        return Outcome.TRUNCATED, None
    return Outcome.ANSWERED, None


def _retrieval(messages: Sequence[Message], answer: Answer) -> Retrieval:
    """What the messages tell of a search; citations show one, their absence shows nothing."""
    behind = [part(one, "metadata") for one in messages]
    if any(one.role in {Role.DISPLAYED, Role.LISTED} for one in answer.citations):
        return Retrieval.USED
    if any(True for metadata in behind for _ in (*retrieved_of(metadata), *queries_of(metadata))):
        return Retrieval.USED
    if any(_is_search(one) for one in messages):
        return Retrieval.USED
    told = [one["search_result_groups"] for one in behind if "search_result_groups" in one]
    return Retrieval.NOT_USED if told and not any(told) else Retrieval.UNKNOWN


def _is_search(message: Message) -> bool:
    """Whether a message calls a search of the web, or is what such a tool gave."""
    name = part(message, "author").get("name") if role_of(message) == "tool" else None
    called = message.get("recipient") if role_of(message) == "assistant" else name
    return isinstance(called, str) and called.split(".")[0] in _SEARCHES


def _unread(messages: Iterable[Message]) -> Iterator[str]:
    """Kinds of content that nobody has seen, once each."""
    for kind in sorted({kind for one in messages if (kind := kind_of(one)) is not None} - KNOWN):
        yield f"content of the unknown kind {kind!r} is not read"
