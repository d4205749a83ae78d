"""The interfaces of language models, in one table."""

from collections.abc import Mapping

from monitor.judge.llm.anthropic import ANTHROPIC
from monitor.judge.llm.gemini import GEMINI
from monitor.judge.llm.interface import Provider
from monitor.judge.llm.openai import OPENAI

PROVIDERS: Mapping[str, Provider] = {one.name: one for one in (OPENAI, ANTHROPIC, GEMINI)}
"""By the name a person writes in the settings."""
