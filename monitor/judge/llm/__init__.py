"""Verdicts and claims by a language model: any server compatible with OpenAI, Anthropic, Gemini.

`llm_judge(part, means, key=...)` makes the judge; `llm_splitter` takes the same and splits
statements. `key` is the secret itself or None (a server of one's own may need none);
`usual_key(part)` names the variable it stands in. Without a `price` the settings are looked in,
then the table, then an estimate on the high side is taken, as `token_price` does and says in its
`note`. The client among the means is one for all of a process, made by `llm_client`.

The judge's `version`, such as `llm/openai/gpt-4.1-mini@1-k3`, is known before any call.
`verdicts()` reserves by `ledger` before each call and settles after it. BudgetError becomes
not_assessable(pending) for that question and the later ones, `held` then says which cap it was;
what was answered before is replayed from the artifacts for nothing. A refused key and an unknown
model raise JudgeError once all verdicts before it were given. `estimate(question)` is the most that
a question costs when nothing is asked twice.

`LlmSplitter.split(statements)` gives ((claim, start, end), ...) for each statement, or None where
the rule-based split is to be kept (nothing valid came back, or a cap was reached: see `held`).
"""

import httpx

from monitor.config.judging import LlmPart
from monitor.judge.llm.endpoint import Means
from monitor.judge.llm.judge import LlmJudge, llm_judge
from monitor.judge.llm.prices import TokenPrice, token_price
from monitor.judge.llm.providers import PROVIDERS
from monitor.judge.llm.splitter import LlmSplitter, Parts, llm_splitter
from monitor.judge.llm.votes import INJECTION

__all__ = [
    "INJECTION",
    "LlmJudge",
    "LlmSplitter",
    "Means",
    "Parts",
    "TokenPrice",
    "llm_client",
    "llm_judge",
    "llm_splitter",
    "token_price",
    "usual_key",
]


def usual_key(part: LlmPart) -> str:
    """Name of the variable that holds the key (also NAME_FILE): the set one, else the vendor's."""
    return part.key or PROVIDERS[part.provider].auth.variables[0]


def llm_client(part: LlmPart) -> httpx.Client:
    """A client for judge and splitter: no proxy or login of the environment, no redirects."""
    limits = httpx.Limits(max_connections=2 * part.concurrency)
    return httpx.Client(trust_env=False, follow_redirects=False, limits=limits)
