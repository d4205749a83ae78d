"""robots.txt as RFC 9309 reads it."""

import pytest

from monitor.pages.robots import ALLOW_ALL, DISALLOW_ALL, parse_robots, product_token

RULES = """
User-agent: *
Disallow: /private
Allow: /private/open
Disallow: /*.pdf$
Disallow: /*?session=
Disallow: /a%3cb

User-agent: GPTBot
User-agent: other-bot   # two names, one group
Disallow: /

User-Agent: friendbot
Disallow:

Sitemap: https://paper.com/map.xml
user-agent: gptbot
allow: /press
"""


@pytest.mark.parametrize(
    ("agent", "target", "allowed"),
    [
        ("my-bot/1.0", "/", True),
        ("my-bot/1.0", "/private", False),
        ("my-bot/1.0", "/privately", False),
        ("my-bot/1.0", "/private/open/x", True),
        ("my-bot/1.0", "/x.pdf", False),
        ("my-bot/1.0", "/x.pdf?y", True),
        ("my-bot/1.0", "/x?session=1", False),
        ("my-bot/1.0", "/a%3Cb", False),
        ("GPTBot/1.2 (+https://x)", "/x", False),
        ("GPTBot/1.2", "/press/1", True),
        ("Other-Bot", "/x", False),
        ("Other-Bot", "/robots.txt", True),
        ("FriendBot", "/private", True),
    ],
)
def test_the_longest_rule_of_the_named_group_decides(agent, target, allowed):
    assert parse_robots(RULES).allows(agent, target) is allowed


def test_allow_wins_a_tie_and_an_empty_file_allows_all():
    rules = parse_robots("user-agent: *\ndisallow: /x\nallow: /x")
    assert rules.allows("bot", "/x")
    assert parse_robots("<html>not a robots file</html>\nDisallow: /").allows("bot", "/")
    assert ALLOW_ALL.allows("bot", "/")
    assert not DISALLOW_ALL.allows("bot", "/")


def test_many_wildcards_cannot_stall_the_match():
    rules = parse_robots("user-agent: *\ndisallow: /" + "*a" * 2000 + "$")
    assert rules.allows("bot", "/" + "a" * 1999)
    assert not rules.allows("bot", "/" + "a" * 2000)


def test_product_tokens_are_the_first_word_in_lower_case():
    assert product_token("Citation-Monitor/1.0 (+https://x)") == "citation-monitor"
    assert product_token(" 123") == ""
