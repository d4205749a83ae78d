"""Judges by name: which there are, which are paid, and what each lacks under these settings."""

from functools import lru_cache
from urllib.parse import urlsplit

from monitor.config.judging import LlmPart, NliPart
from monitor.config.settings import Settings, secret
from monitor.config.words import nearest
from monitor.domain.claim import Judge
from monitor.errors import JudgeError
from monitor.judge import JUDGES, make_judge
from monitor.judge.llm import usual_key
from monitor.judge.nli import nli_judge
from monitor.pipeline.planning import month_caps
from monitor.store.runs import Caps

AUTO, LLM, NLI, FALLBACK = "auto", "llm", "nli", "embedded"

NAMES = (*JUDGES, NLI, LLM, AUTO)
"""Judges that settings may name."""

PAID = frozenset({LLM})
"""Judges whose verdicts cost money."""

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def llm_problem(part: LlmPart) -> str | None:
    """Why the language model of these settings cannot be asked; None where it can."""
    if not part.model:
        return "judge.llm.model names no model: name one, or choose another judge"
    if api_key(part) is not None or (part.base_url is not None and part.key is None):
        return None
    name = usual_key(part)
    return f"no key for the judge llm: set {name} (or {name}_FILE), or choose another judge"


def api_key(part: LlmPart) -> str | None:
    """The key itself; None where there is none.

    A server on this machine is sent a key only where the settings name one for it.
    """
    here = part.base_url is not None and urlsplit(part.base_url).hostname in _LOOPBACK
    return None if here and part.key is None else secret(usual_key(part))


def has_budget(settings: Settings, caps: Caps) -> bool:
    """Whether any call of a judge that is paid could be made."""
    month, judge = month_caps(settings), settings.judge
    return 0 not in (caps.calls, caps.micros, month.calls, month.micros, judge.calls, judge.usd)


def free_judge(name: str, settings: Settings) -> Judge:
    """A judge that costs nothing; JudgeError lists the names, or says what is missing."""
    if name not in NAMES or name in {LLM, AUTO}:
        raise JudgeError(
            f"no judge is called {name!r}{nearest(name, NAMES)}; expected one of: "
            f"{', '.join(NAMES)}"
        )
    return _inference(settings.judge.nli) if name == NLI else make_judge(name)


@lru_cache(maxsize=2)
def _inference(part: NliPart) -> Judge:
    """The inference model of these settings; loading one takes its time."""
    return nli_judge(part)
