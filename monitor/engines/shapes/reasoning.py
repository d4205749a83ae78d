"""Thoughts that reasoning models write in front of their answer's text."""

import re

_THOUGHT = re.compile(r"\s*<think>.*?(?:</think>\s*|\Z)", re.DOTALL)


def without_thoughts(content: str) -> str:
    """Text after leading `<think>` blocks; "" where the only block never ends."""
    start = 0
    while match := _THOUGHT.match(content, start):
        start = match.end()
    content = content[start:]
    before, closed, after = content.partition("</think>")
    return after.lstrip() if closed and "<think>" not in before else content
