"""Words whose full stop need not end a sentence, in the languages that answers are written in.

Lower case, without the last stop. One list serves all languages, so a word that ends sentences in
one of them stands only where what follows can tell the two uses apart.
"""


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


NEVER_END = _words("""
    mr mrs ms mx dr prof rev hon sen rep gov gen col capt cpt lt sgt maj pres supt messrs adm cmdr
    e.g eg i.e ie cf vs v viz approx ca incl excl resp dept mt ft st avg
    mme mlle bd av ste bzw ggf evtl vgl sog inkl exkl zzgl abzgl lt dipl
    sra srta dra ud uds avda ee sta sto sig sigg dott avv ing dhr mevr bijv bl.a t.ex f.eks
    dn ul tj m.in ул им проф акад т.е
""")
"""Always followed by more: titles, `e.g.`, street names."""

BEFORE_NUMBER = _words("""
    no nos fig figs vol p pp ch sec art eq par para ver op tab app ed
    jan feb mar apr jun jul aug sep sept oct nov dec
    nr nrn abs ziff kap max env aprox num núm pág pag ok np стр рис
    h hr hrs min mins lb lbs oz mi kr руб
""")
"""Abbreviations before a number, and units; before a word they end like any other."""

MAY_END = _words("""
    inc ltd co corp llc bros jr sr etc al est a.m p.m ph.d b.a b.sc m.a m.sc m.d d.c u.s u.k e.u u.n
    u.s.a univ assn blvd ave rd natl med usw usf mio mrd jh enz ecc itd г гг млн млрд тыс
""")
"""Ends a sentence only where the next word likes to begin one."""

LETTERED = _words("""
    vitamin plan hepatitis type class part phase option group grade appendix category model team
    exhibit tier level zone stage gate influenza schedule klasse typ gruppe teil anhang
""")
"""Words whose single letter is a name and not an initial: `vitamin C.`"""

ORDINAL = _words("""
    januar jänner februar märz april mai juni juli august september oktober november dezember
    jahrhundert jahrhunderts jh jahrtausend lebensjahr geburtstag weltkrieg weltkriegs platz klasse
    auflage kapitel etage stock stockwerk woche tag monat semester quartal staffel liga bundesliga
""")
"""What a German number with a full stop counts: `3. März`, `19. Jahrhundert`."""

NAMES_WITH_MARK = _words("yahoo jeopardy")
"""Names that end with an exclamation mark."""

STARTERS = _words("""
    the a an it its this that these those there here in on at by for from with within without of as
    he she they we you i his her their our your one two both each every many most some several all
    no not but and or so yet if when while where since because although though however therefore
    thus also additionally moreover furthermore meanwhile after before during until once under over
    between among despite unlike according experts researchers users people patients studies what
    how why who which then today currently overall
    der die das ein eine er sie es wir ihr im am an auf bei mit von zu aus nach vor für und aber
    oder wenn weil dann danach dort hier diese dieser dieses heute
    le la les un une il elle ils elles ce cette ces nous vous dans au aux sur avec pour par mais
    el los las una esto este esta con para pero lo gli de het een dit deze
    он она оно они это в на с по из и но а как сейчас его её их
""")
"""Words that often begin a sentence; a capital alone proves nothing behind an abbreviation."""
