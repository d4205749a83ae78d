"""Words that turn a meaning: negators, hedges, sweeping words, opposites."""

from functools import lru_cache

from monitor.judge.embedded.words import stem


def _stems(listed: str) -> frozenset[str]:
    return frozenset(stem(word) for word in listed.split())


NEGATORS = _stems(
    "not no never none neither nor without cannot can't won't don't doesn't didn't isn't aren't"
    " wasn't weren't hasn't haven't hadn't wouldn't shouldn't couldn't mustn't needn't lack lacks"
    " lacked unable nobody nothing nowhere hardly barely"
)
"""Stems that deny; contractions are single tokens."""

DENYING = _stems(
    "free abolish ban bar exclude exempt fail refuse reject stop cease prevent avoid miss missing"
    " absent empty deny prohibit forbid forbidden illegal unnecessary impossible unlikely"
    " except unless spare waive scrap cancel discontinue withdraw revoke void failing dispense"
)
"""Stems that can say the same as a denial in other words."""

DENYING_VERBS = _stems(
    "fail refuse reject deny prohibit forbid ban unable cease abolish exempt scrap cancel waive"
    " withdraw"
)
"""Verbs among them that turn what follows them into its contrary."""

HEDGES = _stems(
    "may might could possibly perhaps probably likely potentially suggests suggest suggested"
    " appears appear seems some few sometimes rarely occasionally reportedly allegedly usually"
    " generally often typically tend presumably apparently estimated believed thought expected"
    " risk mostly partly"
)
"""Stems that weaken a statement; losing one makes a claim stronger than its source."""

ALLOWING = HEDGES | _stems(
    "can able allowed permitted possible chance up most many several about rough if when should"
    " ought help part right cannot entitled eligible"
)
"""Stems by which a claim keeps a hedge, a permission or a condition in other words."""

SWEEPING = _stems(
    "all every always everyone everybody everything everywhere only entirely completely"
    " guaranteed guarantees proves proven never none solely definitely certainly whatever"
    " whatsoever automatically fully"
)
"""Stems that make a claim sweeping; a claim that has one needs a source that has one like it."""

_KINDS_OF_SWEEPING = """
all every everyone everybody everything everywhere always any each whole entire entirely
completely fully both whatever whatsoever full without generally;
only solely just alone unless except exclusively one single;
never none no not nobody cannot nothing;
guaranteed guarantees proves proven definitely certainly automatically ensure
"""


def _alike() -> dict[str, frozenset[str]]:
    groups = [_stems(group) for group in _KINDS_OF_SWEEPING.split(";")]
    return {word: frozenset().union(*(g for g in groups if word in g)) for word in SWEEPING}


SWEEPING_ALIKE = _alike()
"""Sweeping stem -> the stems that say the same in a source."""

CONDITIONS = _stems("if unless except provided excluding")
"""Words that open a condition or an exception."""

KEEPING_CONDITIONS = CONDITIONS | _stems(
    "when whenever where whether while without until only apart outside other not no may some"
    " exception condition depend depends generally usually who whoever those tend could might can"
)
"""Words by which a claim keeps a condition in other words."""

_TURNING = """
increase decrease; increase reduce; increase decline; increase lower; raise lower; raise reduce;
rise fall; rise decline; rise drop; grow shrink; grow decline; grow fall; more less; more few;
more fewer; higher lower; high low; above below; over under; better worse; best worst; large
small; larger smaller; largest smallest; big small; bigger smaller; long short; longer shorter;
longest shortest; fast slow; faster slower; faster slowly; early late; earlier later; earliest
latest; before after; gain lose; expand contract; expensive cheap; dearer cheaper; upper lower;
most least; maximum minimum; older younger; younger newer; older newer; up down; raise cut; rise
sink; climb drop; climb fall; gain decline; widen narrow; speed slow; accelerate slow; deeper
shallower; strengthen weaken; heavier lighter; warmer colder; warmer cooler; hotter colder; hotter
cooler; harder softer; exceed below; increase fall; increase drop; decrease rise; decrease grow;
stronger weaker; north south; northern southern; east west; eastern western; northeast southwest;
northwest southeast; eastbound westbound; northbound southbound; left right; inside outside;
internal external; interior exterior; indoor outdoor; indoors outdoors; ascend descend; import
export; enter leave; arrive depart; majority minority; profit loss; surplus deficit; advance
retreat; lengthen shorten; warm cool; improve worsen; inflow outflow; buy sell; lend borrow; heat
cool; quicken slow; more half; twice half; double halve; outnumber fewer; brighter darker; richer
poorer; wider narrower; thicker thinner; louder quieter; safer riskier; nearer farther; closer
farther
"""
"""Pairs that turn the direction of a comparison or of a change."""

_OPPOSED = """
win lose; victory defeat; success failure; succeed fail; accept reject; approve reject; approve
deny; allow forbid; allow ban; allow prohibit; permit prohibit; permit forbid; permit ban; permit
bar; allow bar; legal illegal; safe dangerous; safe unsafe; safe harmful; effective ineffective;
beneficial harmful; benefit harm; help harm; positive negative; true false; correct wrong; right
wrong; hot cold; rich poor; strong weak; young old; new old; newest oldest; youngest oldest; open
close; begin end; start end; start stop; start finish; begin stop; begin finish; include exclude;
major minor; many few; common rare; frequent rare; public private; male female; man woman; husband
wife; mother father; brother sister; son daughter; king queen; day night; morning evening; cause
prevent; support oppose; welcome criticise; welcome criticize; praise criticise; praise criticize;
alive die; birth die; add remove; easy difficult; easy hard; simple complex; urban rural; domestic
foreign; temporary permanent; voluntary mandatory; voluntary compulsory; optional mandatory;
optional required; optional compulsory; possible impossible; able unable; likely unlikely; known
unknown; visible invisible; stable unstable; necessary unnecessary; available unavailable; confirm
deny; agree disagree; appear disappear; connect disconnect; same different; full empty; light
dark; light heavy; bright dark; wet dry; thick thin; wide narrow; deep shallow; clean dirty; loud
quiet; active inactive; hero villain; first last; gross net; fixed variable; raw cooked; raw
pasteurised; raw pasteurized; fresh stale; fresh frozen; sweet sour; soft hard; smooth rough;
sharp blunt; tight loose; odd even; guilty innocent; acquit convict; hire dismiss; hire fire;
appoint dismiss; attack defend; love hate; friend enemy; ally enemy; teacher student; employer
employee; landlord tenant; seller buyer; parent child; doctor patient; debit credit; asset
liability; income expense; revenue cost; supply demand; question answer; present absent; former
current; former present; ancient modern; old modern; past future; yesterday tomorrow; winter
summer; spring autumn; sunrise sunset; solid liquid; natural artificial; organic synthetic; real
fake; genuine fake; clockwise anticlockwise; vertical horizontal; odd common; normal abnormal;
sick healthy; ill healthy; asleep awake; live recorded; vacant occupied; wild tame; wild domestic;
married single; single double; alone together; separate together; join leave; resume break; resume
suspend; continue stop; continue end; open shut; lock unlock; build demolish; build destroy;
create destroy; repair damage; protect damage; hide reveal; secret public; encourage discourage;
attract repel; absorb release; freeze melt; freeze thaw; sink float; push pull; lift lower; send
receive; pass fail; grant refuse; grant deny; admit deny; remember forget; find lose; hit miss; on
off; adult child; indefinite limited; unlimited limited; consistent conflicting; consistent
inconsistent; consistent mixed; sealed opened; covered uncovered; popular unpopular; peace war;
civil military; amateur professional; local national; local global; manual automatic; digital
analogue; online offline; liberal conservative; democrat republican; oxygenate deplete; acidic
alkaline; acid alkaline; benign malignant; acute chronic; dominant recessive; predator prey;
wholesale retail; gold silver; plural singular; literal figurative; guest host; debtor creditor;
drunk sober; generous stingy; humid dry; rural metropolitan; junior senior; rookie veteran;
arrival departure; entrance exit; front back; front rear; top bottom; head tail; male women;
female men; favour against; for against; pro anti; praise condemn; commend condemn; reward punish;
celebrate mourn
"""


def _opposites(pairs: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in pairs.replace("\n", " ").split(";"):
        one, other = (stem(word) for word in pair.split())
        if one != other:
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


TURNING = _opposites(_TURNING)
"""Stems and those that say the contrary about a direction, a rank or a change."""

OPPOSITES = _opposites(f"{_TURNING};{_OPPOSED}")
"""Stems and the stems that say the contrary; common pairs only, so absence proves nothing."""

_PREFIXES = (("un", 4), ("non", 4), ("in", 6), ("im", 6), ("ir", 6), ("dis", 5))
"""Prefixes that deny, and the shortest stem they are believed before."""
_NOT_DENIED = _stems("formation vitation dustry surance stitute terest vest port press pact cover")


@lru_cache(maxsize=16_384)
def contraries(one: str) -> frozenset[str]:
    """Stems that say the contrary: listed ones, and the stem with or without a denying prefix."""
    found = set(OPPOSITES.get(one, ()))
    for prefix, least in _PREFIXES:
        bare = one.removeprefix(prefix)
        if one not in _NOT_DENIED and len(one) >= least:
            found.add(prefix + one)
        if bare != one and bare not in _NOT_DENIED and len(bare) >= least:
            found.add(bare)
    return frozenset(found)


_ALIKE = """
begin start open launch; end finish stop close; buy purchase acquire; big large; show demonstrate
reveal indicate; help assist aid; use utilise utilize employ; get receive obtain; need require;
make produce create; build construct erect; show display; near close; fast quick rapid; car
automobile vehicle; film movie; tv television; doctor physician; kid child; begin commence; choose
select pick; keep retain; give provide supply offer; let allow permit; say state tell; think
believe; house home; job work; pay cost; sick ill; country nation; town city; firm company
business; shop store; photo photograph picture; author writer; big huge major; many numerous;
about approximat rough around; per each; also too; but however; because since as; person people;
woman female; man male; main chief primary; own hold; lie stand situate locate; die death pass;
name call; type kind sort; also additional; rise increase grow climb; fall drop decline decrease
sink; lower reduce cut; raise lift increase; live reside; near beside; must has have; can may;
will shall; wins win; hold contain; area region; show appear; run operate; found establish set;
visitor tourist guest; ship boat vessel; road street; plane aircraft; money fund; law rule;
attempt try; total sum altogether; annual yearly year; daily day; weekly week; monthly month;
within in; on upon; through via; until till; whole entire full; join enter; leave depart; earth
world; sea ocean; wood forest; hit strike; own possess; fix repair mend; change alter modify;
permission consent licence license; pupil student
"""


def _same() -> frozenset[frozenset[str]]:
    groups = [sorted(_stems(group)) for group in _ALIKE.replace("\n", " ").split(";")]
    return frozenset(frozenset({a, b}) for group in groups for a in group for b in group if a != b)


SYNONYMS = _same()
"""Pairs of stems that may stand for each other."""
