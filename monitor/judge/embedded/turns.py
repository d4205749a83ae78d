"""Words that turn a meaning: negators, hedges, sweeping words, opposites."""

from monitor.judge.embedded.words import stem


def _stems(listed: str) -> frozenset[str]:
    return frozenset(stem(word) for word in listed.split())


NEGATORS = _stems(
    "not no never none neither nor without cannot can't won't don't doesn't didn't isn't aren't"
    " wasn't weren't hasn't haven't hadn't wouldn't shouldn't couldn't lack lacks lacked unable"
    " nobody nothing nowhere hardly barely"
)
"""Stems that deny; contractions are single tokens."""

HEDGES = _stems(
    "may might could possibly perhaps probably likely potentially suggests suggest suggested"
    " appears appear seems some few sometimes rarely occasionally reportedly allegedly"
)
"""Stems that weaken a statement; losing one makes a claim stronger than its source."""

SWEEPING = _stems(
    "all every always everyone only entirely completely guaranteed proves never none solely"
)
"""Stems that make a claim sweeping; a claim that has one needs a source that has it."""

_PAIRS = """
increase decrease; increase reduce; increase decline; increase lower; raise lower; raise reduce;
rise fall; rise decline; rise drop; grow shrink; grow decline; grow fall; more less; more few;
higher lower; high low; above below; over under; better worse; best worst; large small; larger
smaller; largest smallest; big small; bigger smaller; long short; longer shorter; longest
shortest; fast slow; faster slower; early late; earlier later; earliest latest; before after;
first last; win lose; victory defeat; success failure; succeed fail; accept reject; approve
reject; approve deny; allow forbid; allow ban; allow prohibit; permit prohibit; legal illegal;
safe dangerous; safe unsafe; safe harmful; effective ineffective; beneficial harmful; benefit
harm; improve worsen; help harm; positive negative; true false; correct wrong; hot cold; warm
cool; hotter colder; rich poor; strong weak; stronger weaker; young old; younger older; youngest
oldest; new old; newest oldest; open close; begin end; start end; start stop; start finish; buy
sell; import export; north south; northern southern; east west; eastern western; left right;
inside outside; internal external; include exclude; enter leave; arrive depart; major minor;
majority minority; maximum minimum; most least; many few; common rare; public private; male
female; man woman; husband wife; mother father; brother sister; son daughter; actor actress; king
queen; day night; morning evening; cause prevent; support oppose; alive die; birth die; add
remove; gain lose; profit loss; expand contract; expensive cheap; easy difficult; easy hard;
simple complex; urban rural; domestic foreign; temporary permanent; voluntary mandatory; optional
mandatory; optional required; upper lower; possible impossible; able unable; likely unlikely;
known unknown; visible invisible; stable unstable; necessary unnecessary; available unavailable;
confirm deny; agree disagree; appear disappear; connect disconnect; same different; full empty;
light dark; light heavy; wet dry; thick thin; wide narrow; deep shallow; clean dirty; loud quiet;
active inactive; hero villain
"""


def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _PAIRS.replace("\n", " ").split(";"):
        one, other = (stem(word) for word in pair.split())
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


OPPOSITES = _opposites()
"""Stems and the stems that say the contrary; common pairs only, so absence proves nothing."""
