"""What a language model costs as a judge: list prices of tokens, with the day from which they hold.

Money is in millionths of a USD per million tokens. The operator's own prices go first, then this
table (rows of the engines' table where they name the model, else the rows below), then an estimate
on the high side. Discounts for cached input and for batches are left out, and prices of long
prompts are left out too: what a judge is sent stays below their thresholds.
"""

from dataclasses import dataclass
from datetime import date

from monitor.config.judging import LlmPart
from monitor.domain.engine import Usage
from monitor.engines.prices import PRICES as ENGINE_PRICES
from monitor.engines.prices import Price

HIGH_INPUT = 10_000_000
"""Price of a million input tokens of a model that nobody gave a price for."""
HIGH_OUTPUT = 50_000_000
"""Price of a million output tokens of such a model: that of the dearest listed here."""


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """Price of a model's tokens, and where the figures come from."""

    input: int
    """A million tokens of input, in millionths of a USD."""
    output: int
    """A million tokens of output, in millionths of a USD."""
    basis: str = "settings"
    """`settings`, `table` or `estimate`."""
    note: str = ""
    """The basis in words, for dry runs and logs."""
    thinking_apart: bool = False
    """Whether tokens of reasoning are billed as output but not counted in it."""

    def micros(self, usage: Usage | None) -> int | None:
        """What a call cost by what it used, rounded up; None where the vendor counted nothing."""
        if usage is None or usage.input_tokens is None or usage.output_tokens is None:
            return None
        thought = (usage.reasoning_tokens or 0) if self.thinking_apart else 0
        return self.of_tokens(usage.input_tokens, usage.output_tokens + thought)

    def of_tokens(self, asked: int, answered: int) -> int:
        """Price of so many tokens of input and of output, rounded up to a millionth of a USD."""
        return -(-(asked * self.input + answered * self.output) // 1_000_000)


def token_price(part: LlmPart, day: date) -> TokenPrice:
    """Price of the model of these settings on a day; an estimate where nobody knows one."""
    row = _row(part.provider, part.model, day)
    apart = part.provider == "gemini"
    if part.input_micros is not None and part.output_micros is not None:
        return TokenPrice(part.input_micros, part.output_micros, "settings", "settings", apart)
    if row is None:
        note = (
            f"no price is known for {part.model!r}: an estimate on the high side; set "
            "judge.llm.input_micros and judge.llm.output_micros (0 for a server of your own)"
        )
        asked = HIGH_INPUT if part.input_micros is None else part.input_micros
        answered = HIGH_OUTPUT if part.output_micros is None else part.output_micros
        return TokenPrice(asked, answered, "estimate", note, apart)
    asked = row.input if part.input_micros is None else part.input_micros
    answered = row.output if part.output_micros is None else part.output_micros
    note = f"table, {row.model} since {row.since} (looked up {row.looked_up})"
    return TokenPrice(asked, answered, "table", note, apart)


def _row(provider: str, model: str, day: date) -> Price | None:
    """Row that holds for a model on a day: the one with the longest name, the newest of those."""
    rows = [
        one
        for one in (*ENGINE_PRICES, *PRICES)
        if one.engine == provider and one.model and one.covers(model) and one.since <= day
    ]
    return max(rows, key=lambda one: (len(one.model), one.since), default=None)


_NOV = date(2026, 11, 30)
_OPENAI = "OpenAI's list prices as others quote them"
_ANTHROPIC = "Anthropic's page of models and prices"
_GEMINI = "Google's price page of 2026-10 as transcribed; thoughts are billed as output"

PRICES: tuple[Price, ...] = (
    Price("openai", "gpt-4o-mini", date(2024, 7, 18), _NOV, _OPENAI, input=150_000, output=600_000),
    Price("openai", "gpt-4o", date(2024, 8, 6), _NOV, _OPENAI, input=2_500_000, output=10_000_000),
    Price("openai", "gpt-4.1", date(2025, 4, 14), _NOV, _OPENAI, input=2_000_000, output=8_000_000),
    Price("openai", "gpt-4.1-mini", date(2025, 4, 14), _NOV, _OPENAI, input=400_000,
          output=1_600_000),
    Price("openai", "gpt-4.1-nano", date(2025, 4, 14), _NOV, _OPENAI, input=100_000,
          output=400_000),
    Price("openai", "gpt-5.4-mini", date(2026, 3, 1), _NOV, _OPENAI, input=750_000,
          output=4_500_000),
    Price("openai", "gpt-5.4-nano", date(2026, 3, 1), _NOV, _OPENAI, input=200_000,
          output=1_250_000),
    Price("openai", "gpt-5.5", date(2026, 5, 4), _NOV, _OPENAI, input=5_000_000,
          output=30_000_000),
    Price("anthropic", "claude-sonnet-4-6", date(2026, 2, 17), _NOV, _ANTHROPIC, input=3_000_000,
          output=15_000_000),
    Price("anthropic", "claude-haiku-5-5", date(2026, 10, 7), _NOV,
          f"{_ANTHROPIC}; five times as much where a prompt exceeds 100,000 tokens",
          input=100_000, output=500_000),
    Price("anthropic", "claude-sonnet-5-5", date(2026, 9, 28), _NOV, _ANTHROPIC, input=2_000_000,
          output=10_000_000),
    Price("anthropic", "claude-opus-4-8", date(2026, 5, 28), _NOV, _ANTHROPIC, input=5_000_000,
          output=25_000_000),
    Price("anthropic", "claude-opus-5", date(2026, 7, 24), _NOV, _ANTHROPIC, input=5_000_000,
          output=25_000_000),
    Price("anthropic", "claude-opus-5-5", date(2026, 9, 1), _NOV, _ANTHROPIC, input=4_000_000,
          output=20_000_000),
    Price("gemini", "gemini-2.5-flash", date(2025, 6, 17), _NOV, _GEMINI, input=300_000,
          output=2_500_000),
    Price("gemini", "gemini-2.5-flash-lite", date(2025, 7, 22), _NOV, _GEMINI, input=100_000,
          output=400_000),
    Price("gemini", "gemini-2.5-pro", date(2025, 6, 17), _NOV, _GEMINI, input=1_250_000,
          output=10_000_000),
    Price("gemini", "gemini-3.5-flash-lite", date(2026, 7, 1), _NOV, _GEMINI, input=300_000,
          output=2_500_000),
    Price("gemini", "gemini-3.8-flash", date(2026, 9, 1), _NOV, _GEMINI, input=750_000,
          output=3_750_000),
    Price("gemini", "gemini-3.8-flash", date(2027, 1, 1), _NOV, _GEMINI, input=1_500_000,
          output=7_500_000),
)  # fmt: skip
"""Models that judge and are no engine's; those that are stand in monitor/engines/prices.py."""
