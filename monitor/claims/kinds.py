"""What a statement is, by rules over its words: does it need a citation, and if not, why not."""

import re

from monitor.claims.blocks import BlockKind
from monitor.domain.claim import StatementKind

_QUESTION = re.compile(r"[?？؟][\"'”’)\]]*$")
_DIGIT = re.compile(r"\d")
_FIGURE = re.compile(r"(?<![^\W\d_])\d")
"""A number that is no part of a name such as A5."""
_TRANSITION = re.compile(
    r"(?:here(?:'s|’s| is| are)|below (?:is|are)|the following"
    r"|(?:now )?let(?:'s|’s| me| us) (?-i:[a-z])"
    r"|sure[,!.]|certainly[,!.]|of course[,!.]|great question|good question|absolutely[,!.]"
    r"|would you like|do you want|if you(?:'d|’d| would) like|feel free|let me know|i hope"
    r"|i (?-i:can|could|will|searched|found|looked|checked|was|do not|(?:was|could|do)n['’]t)\b"
    r"|if you (?:tell|give|send) me\b|if you share\b"
    r"|i['’](?:ll|ve|m)\b|please let|sources?:|references?:"
    r"|based on (?:the|my) (?:search|results|sources)"
    r"|as an ai\b|happy to)",
    re.IGNORECASE,
)
_SUMMARY = re.compile(
    r"(?:in (?:summary|short|brief|conclusion|essence)|to (?:sum up|summari[sz]e|conclude|recap)"
    r"|all in all|(?:summary|fazit|(?:key )?takeaways?)(?=:)|tl;?dr|(?:the )?bottom line(?! of\b)"
    r"|in a nutshell"
    r"|taken (?:together|as a whole)|zusammenfassend|zusammengefasst|kurz gesagt|alles in allem"
    r"|en résumé|en conclusion|pour résumer|en resumen|en conclusión|in sintesi|em resumo"
    r"|samenvattend|kortom)\b|总之|总的来说|总而言之|總之|要するに|まとめると|요약하면",
    re.IGNORECASE,
)
_WEAK_SUMMARY = re.compile(
    r"(?:overall|ultimately|in general|put simply|simply put),", re.IGNORECASE
)
_OPINION = re.compile(
    r"\b(?:i (?:think|believe|feel|suspect|prefer|would (?:say|argue))|in my (?:opinion|view)"
    r"|i['’]d (?:say|argue)|personally(?=,| i\b)|arguably|to my mind)\b|^to me,",
    re.IGNORECASE,
)
_ADVICE = re.compile(
    r"(?:(?:if|when|before|after|during|for|to)\b[^,.;:]{2,80}, )?"
    r"(?:(?:always|never|please|first|then|next|also|so|instead|finally),? )?"
    r"(?:(?:consult|ask|check|talk|speak|seek|avoid|try|ensure|consider|remember|verify|compare|choose"
    r"|start|stop|keep|follow|review|discuss|look (?:for|at|out)|make sure"
    r"|be (?:sure|careful|aware)|don['’]t|do not|aim for|opt for|turn (?:on|off|up|down))"
    r" (?!(?:is|are|was|were|has|have|of|can|may|will)\b"
    r"|(?:(?-i:[A-Z])[\w'’-]* ){1,4}(?:is|was|are|were|has|had)\b)"
    r"|(?:use|take|get|set|add|contact|visit|call|see|read|test|wear|drink|eat|book|bring|leave|pack"
    r"|wait|stay|plan|apply|reserve|pay|install|open|close|press|click|select|download|update|run|save"
    r"|store|wash|remove|replace|clean|rinse|put|go)"
    r" (?:a|an|the|your|this|these|it|them|only|at|in advance|caution|more|less|plenty|if|now"
    r"|early|ahead|online|directly|tickets|\d+)\b"
    r"|(?:go|wait|stay|apply|plan|pay) (?:to|for|until|on)\b)"
    r"|(?:achten|beachten|bleiben|buchen|denken|fragen|halten|informieren|kontaktieren|lassen|lesen"
    r"|nehmen|nutzen|planen|prüfen|rufen|sprechen|stellen|trinken|vergleichen|vermeiden|verwenden"
    r"|wählen|wenden) (?-i:Sie)\b"
    r"|(?:consultez|évitez|vérifiez|choisissez|pensez|veillez|demandez|assurez-vous|n['’]oubliez)\b"
    r"|(?:consulte|evite|verifique|asegúrese|recuerde|no olvide)\b",
    re.IGNORECASE,
)
_SHOULD = re.compile(
    r"\b(?:you (?:should|must|need to|may want to|might want to|ought to|can consider)"
    r"|it(?:'s|’s| is) (?:best|advisable|recommended|important|wise|worth|a good idea)"
    r" (?:to\b|[a-z]+ing\b)|(?:we|i) (?:recommend|suggest|advise)\b"
    r"|i['’]d (?:recommend|suggest)|sie sollten|vous devriez|usted debería)",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|do|does|did|can|could|may|might|must|will|would|shall"
    r"|should|includes?|contains?|causes?|means|remains?|costs?|offers?|provides?|uses|requires?|helps?"
    r"|shows?|found|says?|said|began|became|won|made|makes|\w{3,}ed)\b",
    re.IGNORECASE,
)
_STOP = re.compile(r"[.!?。！？…।][\"'”’)\]]*$")
_NOTE = re.compile(r"(?:please )?note(?: that|:) +(?=\S)", re.IGNORECASE)
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
    words = _NOTE.sub("", words, count=1) if _NOTE.match(words) else words
    if _SUMMARY.match(words) or (_WEAK_SUMMARY.match(words) and not _FIGURE.search(words)):
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
    words = _NOTE.sub("", words, count=1) if _NOTE.match(words) else words
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
    told = has_verb(words.partition(" ")[2])
    plain = not _STOP.search(words) and not _DIGIT.search(words) and not told
    return plain and count <= 8 and words[:1].isupper() and "," not in words
