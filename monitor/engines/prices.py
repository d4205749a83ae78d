"""What calls cost: list prices with the day from which they hold, and the sums made with them.

Money is in millionths of a USD. A vendor's own figure for a call always goes before this table.
The figures are list prices, without free allowances, discounts for cached input and batch rates, so
that a sum errs on the high side. A price that changes gets a new row; old rows stay, for calls are
priced by their own day.
"""

import re
from dataclasses import dataclass
from datetime import date

from monitor.domain.engine import Cost, Engine, Reading, Usage

_DATED = re.compile(r"(-\d{4}(-\d{2}-\d{2})?|-\d{6,8}|-latest)?")
"""What may follow a model's name without making it another model."""


@dataclass(frozen=True, slots=True)
class Price:
    """List price of one engine's calls, of one model or of all, from a day on."""

    engine: str
    model: str
    """Name of the model, which a date or `-latest` may follow; empty for all models."""
    since: date
    """First day on which calls cost this, as far as known."""
    looked_up: date
    source: str
    """Where the figures stand, and what they leave out."""
    call: int = 0
    """A call, whatever it uses."""
    input: int = 0
    """A million tokens of input."""
    output: int = 0
    """A million tokens of output."""
    search: int = 0
    """One search that the engine makes."""
    thinking_apart: bool = False
    """Whether tokens of reasoning are billed as output but not counted in it."""
    typical: Usage | None = None
    """What a call uses, for estimates; None where too little is known."""

    def covers(self, model: str | None) -> bool:
        """Whether this is the price of a model."""
        if not self.model:
            return True
        name = model or ""
        return name.startswith(self.model) and bool(_DATED.fullmatch(name[len(self.model) :]))

    @property
    def by_usage(self) -> bool:
        """Whether a call's price depends on what it used."""
        return bool(self.input or self.output or self.search)


@dataclass(frozen=True, slots=True)
class CallPrice:
    """Price of a call before it is made, and where the figure comes from."""

    micros: int
    basis: str
    """`settings`, `table` or `estimate`."""
    row: Price | None = None
    """Row of the table that calls are priced by afterwards; None where there is none."""

    @property
    def note(self) -> str:
        """The basis in words, with the row's model and day."""
        if self.row is None or self.basis == "settings":
            return self.basis
        name = self.row.model or "any model"
        return f"{self.basis}, {name} since {self.row.since} (looked up {self.row.looked_up})"


def price_at(engine: str, model: str | None, day: date) -> Price | None:
    """Row that holds for a model on a day: the one with the longest name, the newest of those."""
    rows = [
        one for one in PRICES if one.engine == engine and one.covers(model) and one.since <= day
    ]
    return max(rows, key=lambda one: (len(one.model), one.since), default=None)


def used_micros(price: Price, usage: Usage | None, *, queries: int = 0) -> int | None:
    """What a call cost by what it used, rounded to a millionth; None where the counts are missing.

    `queries` stands for the searches of a vendor that lists them and counts none.
    """
    if not price.by_usage:
        return price.call
    used = usage or Usage()
    if used.input_tokens is None or used.output_tokens is None:
        return None
    thought = (used.reasoning_tokens or 0) if price.thinking_apart else 0
    tokens = used.input_tokens * price.input + (used.output_tokens + thought) * price.output
    searches = queries if used.searches is None else used.searches
    return price.call + searches * price.search + (tokens + 500_000) // 1_000_000


def call_price(engine: Engine, model: str | None, day: date, own: int | None = None) -> CallPrice:
    """Price of one call about to be made; `own` is the operator's figure and goes first."""
    row = price_at(engine.name, model or engine.default_model, day)
    if own is not None:
        return CallPrice(own, "settings", row)
    known = row is not None and (row.typical is not None or not row.by_usage)
    micros = used_micros(row, row.typical) if row is not None and known else None
    if micros is None:
        return CallPrice(engine.call_micros, "estimate", row)
    return CallPrice(micros, "table", row)


def cost_of(engine: Engine, reading: Reading, day: date, *, estimate: CallPrice) -> Cost:
    """What a call cost: the vendor's figure in USD, else by the table, else the estimate."""
    if reading.cost is not None and reading.cost.currency == "USD":
        return reading.cost
    if estimate.basis != "settings":
        model = reading.served_model or reading.requested_model or engine.default_model
        row = price_at(engine.name, model, day)
        micros = used_micros(row, reading.usage, queries=len(reading.queries)) if row else None
        if micros is not None:
            return Cost(micros, basis="priced")
    return Cost(estimate.micros, basis="estimate")


_NOV = date(2026, 11, 30)
_OPENAI = "OpenAI's list prices as others quote them: tokens, and 10 USD per 1,000 web searches"
_ANTHROPIC = "Anthropic's price page: tokens, and 10 USD per 1,000 web searches"
_GEMINI = (
    "Google's price page of 2026-10 as transcribed: tokens, thoughts as output, and 14 USD per "
    "1,000 search queries"
)
_SERPAPI = "SerpApi's plan of 75 USD for 5,000 searches; only successful ones are billed"
_DATAFORSEO = "DataForSEO's price page, live mode; each task also reports what it cost"
_PERPLEXITY = "Perplexity's price page, small search context; each call also reports what it cost"

PRICES: tuple[Price, ...] = (
    Price("openai", "gpt-5.2", date(2025, 12, 11), _NOV, _OPENAI, input=1_750_000,
          output=14_000_000, search=10_000, typical=Usage(15_000, 700, searches=1)),
    Price("openai", "gpt-5", date(2025, 8, 7), _NOV, _OPENAI, input=1_250_000,
          output=10_000_000, search=10_000, typical=Usage(20_000, 1_700, searches=2)),
    Price("openai", "gpt-5-mini", date(2025, 8, 7), _NOV, _OPENAI, input=250_000,
          output=2_000_000, search=10_000, typical=Usage(20_000, 3_000, searches=2)),
    Price("openai", "gpt-5.4", date(2026, 3, 1), _NOV, _OPENAI, input=2_500_000,
          output=15_000_000, search=10_000, typical=Usage(15_000, 700, searches=1)),
    Price("openai_chat_search", "gpt-5-search-api", date(2025, 10, 14), _NOV,
          "OpenAI's list prices as others quote them: tokens as gpt-5, one search of 10 USD per "
          "1,000 a call",
          call=10_000, input=1_250_000, output=10_000_000,
          typical=Usage(1_000, 700)),
    Price("perplexity", "sonar", date(2025, 4, 18), _NOV, _PERPLEXITY, call=5_000,
          input=1_000_000, output=1_000_000, typical=Usage(50, 500)),
    Price("perplexity", "sonar-pro", date(2025, 4, 18), _NOV, _PERPLEXITY, call=6_000,
          input=3_000_000, output=15_000_000, typical=Usage(50, 700)),
    Price("perplexity", "sonar-reasoning-pro", date(2025, 4, 18), _NOV, _PERPLEXITY, call=6_000,
          input=2_000_000, output=8_000_000, typical=Usage(50, 1_500)),
    Price("xai", "grok-4.3", date(2026, 4, 30), _NOV,
          "xAI's price page: tokens, and 5 USD per 1,000 web searches; each call also reports "
          "what it cost",
          input=1_250_000, output=2_500_000, search=5_000),
    Price("mistral", "mistral-medium", date(2026, 4, 29), _NOV,
          "Mistral's list prices as others quote them: tokens of Medium 3.5; 30 USD per 1,000 "
          "searches as of 2025-12",
          input=1_500_000, output=7_500_000, search=30_000),
    Price("gemini", "gemini-3.5-flash", date(2026, 5, 19), _NOV, _GEMINI, input=1_500_000,
          output=9_000_000, search=14_000, thinking_apart=True,
          typical=Usage(600, 300, 1_000, searches=3)),
    Price("anthropic", "claude-sonnet-5", date(2026, 6, 30), _NOV, _ANTHROPIC, input=2_000_000,
          output=10_000_000, search=10_000, typical=Usage(18_000, 1_000, searches=2)),
    Price("anthropic", "claude-sonnet-4-5", date(2025, 9, 29), _NOV, _ANTHROPIC, input=3_000_000,
          output=15_000_000, search=10_000, typical=Usage(15_000, 700, searches=2)),
    Price("anthropic", "claude-haiku-4-5", date(2025, 10, 15), _NOV, _ANTHROPIC,
          input=1_000_000, output=5_000_000, search=10_000, typical=Usage(15_000, 500, searches=1)),
    Price("google_ai_overview", "", date(2026, 8, 1), date(2026, 8, 1), _SERPAPI, call=15_000),
    Price("google_ai_mode", "", date(2026, 8, 1), date(2026, 8, 1), _SERPAPI, call=15_000),
    Price("google_ai_overview_dataforseo", "", date(2026, 8, 1), _NOV,
          f"{_DATAFORSEO}; with the fee for an overview that loads late", call=4_000),
    Price("google_ai_mode_dataforseo", "", date(2026, 8, 1), _NOV, _DATAFORSEO, call=4_000),
)  # fmt: skip
"""The table, one row a price; docs/prices.md shows it."""
