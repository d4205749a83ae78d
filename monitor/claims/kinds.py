"""What a statement is, by rules over its words: does it need a citation, and if not, why not."""

import re

from monitor.claims.blocks import BlockKind
from monitor.domain.claim import StatementKind

_QUESTION = re.compile(r"[?？][\"'”’)\]]*$")
_DIGIT = re.compile(r"\d")
_TRANSITION = re.compile(
    r"(?:here(?:'s|’s| is| are)|below (?:is|are)|the following|let(?:'s|’s| me| us)\b"
    r"|sure[,!.]|certainly[,!.]|of course[,!.]|great question|good question|absolutely[,!.]"
    r"|would you like|do you want|if you(?:'d|’d| would) like|feel free|let me know|i hope"
    r"|i (?:can|could|will|searched|found|looked|checked|was|do not|(?:was|could|do)n['’]t)\b"
    r"|i['’](?:ll|ve|m)\b|please (?:note|let)|note:|sources?:|references?:"
    r"|based on (?:the|my) (?:search|results|sources)"
    r"|as an ai\b|happy to)",
    re.IGNORECASE,
)
_SUMMARY = re.compile(
    r"(?:in (?:summary|short|brief|conclusion|essence)|to (?:sum up|summari[sz]e|conclude|recap)"
    r"|all in all|summary:|tl;?dr|(?:the )?bottom line|(?:key )?takeaways?:|in a nutshell)\b",
    re.IGNORECASE,
)
_WEAK_SUMMARY = re.compile(
    r"(?:overall|ultimately|in general|put simply|simply put),", re.IGNORECASE
)
_OPINION = re.compile(
    r"\b(?:i (?:think|believe|feel|suspect|prefer|would (?:say|argue))|in my (?:opinion|view)"
    r"|i['’]d (?:say|argue)|personally|arguably|to my mind)\b",
    re.IGNORECASE,
)
_ADVICE = re.compile(
    r"(?:(?:always|never|please|first|then|next|also|so|instead|finally),? )?"
    r"(?:(?:consult|ask|check|talk|speak|seek|avoid|try|ensure|consider|remember|verify|compare|choose"
    r"|start|stop|keep|follow|review|discuss|look (?:for|at|out)|make sure"
    r"|be (?:sure|careful|aware)|don['’]t|do not|aim for|opt for)"
    r" (?!(?:is|are|was|were|has|have|of|can|may|will)\b)"
    r"|(?:use|take|get|set|add|contact|visit|call|see|read|test|wear|drink|eat)"
    r" (?:a|an|the|your|this|it|only|at|caution|more|less|plenty|if)\b)",
    re.IGNORECASE,
)
_SHOULD = re.compile(
    r"\b(?:you (?:should|must|need to|may want to|might want to|ought to|can consider)"
    r"|it(?:'s|’s| is) (?:best|advisable|recommended|important|wise|worth|a good idea)"
    r" (?:to\b|[a-z]+ing\b)|(?:we|i) (?:recommend|suggest|advise)\b"
    r"|i['’]d (?:recommend|suggest))",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|do|does|did|can|could|may|might|must|will|would|shall"
    r"|should|includes?|contains?|causes?|means|remains?|costs?|offers?|provides?|uses|requires?|helps?"
    r"|shows?|found|says?|said|began|became|won|made|makes|\w{3,}ed)\b",
    re.IGNORECASE,
)
_STOP = re.compile(r"[.!?。！？…।][\"'”’)\]]*$")
_LEAD_IN_WORDS = 14
"""A line that ends with a colon and has at most so many words only introduces what follows."""


def has_verb(words: str) -> bool:
    """Whether a piece of English holds a finite verb our list knows."""
    return bool(_VERB.search(words))


def statement_kind(words: str, block: BlockKind, *, cited: bool) -> StatementKind:
    """Kind of one statement; a citation behind a line keeps it from being read as a heading."""
    if block in {BlockKind.HEADING, BlockKind.HEADER}:
        return StatementKind.HEADING
    if _QUESTION.search(words):
        return StatementKind.QUESTION
    if not cited and _is_lead(words):
        return StatementKind.SUMMARY if _SUMMARY.match(words) else StatementKind.TRANSITION
    if not cited and block is BlockKind.PROSE and is_title(words):
        return StatementKind.HEADING
    return _by_words(words)


def _by_words(words: str) -> StatementKind:
    has_number = bool(_DIGIT.search(words))
    if _SUMMARY.match(words) or (_WEAK_SUMMARY.match(words) and not has_number):
        return StatementKind.SUMMARY
    if _TRANSITION.match(words):
        return StatementKind.TRANSITION
    if _OPINION.search(words):
        return StatementKind.OPINION
    if _ADVICE.match(words) or _SHOULD.search(words):
        return StatementKind.ADVICE
    return StatementKind.CLAIM


_REASONS = {
    StatementKind.CLAIM: "states a fact that a reader may ask the source of",
    StatementKind.HEADING: "is a heading",
    StatementKind.QUESTION: "is a question",
    StatementKind.TRANSITION: "leads over to something else",
    StatementKind.SUMMARY: "sums up what was said",
    StatementKind.OPINION: "is the opinion of the speaker",
    StatementKind.ADVICE: "tells the reader what to do",
}
_TELLING = {
    StatementKind.TRANSITION: (_TRANSITION.match,),
    StatementKind.SUMMARY: (_SUMMARY.match, _WEAK_SUMMARY.match),
    StatementKind.OPINION: (_OPINION.search,),
    StatementKind.ADVICE: (_ADVICE.match, _SHOULD.search),
}


def kind_reason(kind: StatementKind, words: str) -> str:
    """Why a statement has its kind: what it does, and the words that tell, if any do."""
    telling = next((found for rule in _TELLING.get(kind, ()) if (found := rule(words))), None)
    if telling:
        return f'{_REASONS[kind]} ("{telling[0].strip(" ,:")}")'
    if _is_lead(words) and kind in {StatementKind.TRANSITION, StatementKind.SUMMARY}:
        return "only introduces what follows"
    return _REASONS[kind]


def _is_lead(words: str) -> bool:
    return words.endswith((":", "：")) and len(words.split()) <= _LEAD_IN_WORDS


def is_title(words: str) -> bool:
    """Whether a line without full stop, verb or digits reads as a heading."""
    count = len(words.split())
    plain = not _STOP.search(words) and not _DIGIT.search(words) and not has_verb(words)
    return plain and count <= 8 and words[:1].isupper() and "," not in words
