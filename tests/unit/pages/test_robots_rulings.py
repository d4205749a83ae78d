"""What a robots.txt says to one crawler, with the line that decides; all files are made up."""

import pytest

from monitor.domain.eligibility import Because
from monitor.pages.robots import ABSENT, DISALLOW_ALL, RATE_LIMITED, UNREACHABLE, parse_robots

URL = "https://oak.example/a"
FILE = """\
# line 1
User-agent: GPTBot
User-agent: oai-searchbot
Crawl-delay: 5
User-agent: PerplexityBot/1.0
Disallow: /news
Allow: /news/open

USER-AGENT: *
disallow: /private   # for all others

User-agent: OAI-SearchBot
Disallow: /*.pdf$
"""


@pytest.mark.parametrize(
    ("token", "target", "expected"),
    [
        # The group of three names, a Crawl-delay between them parts nothing.
        ("GPTBot", "/news", (False, "rule", "gptbot", 6, "Disallow: /news")),
        ("PerplexityBot", "/news/x", (False, "rule", "perplexitybot", 6, "Disallow: /news")),
        ("PerplexityBot", "/news/open", (True, "rule", "perplexitybot", 7, "Allow: /news/open")),
        # Two groups of one name are one; case of names does not matter.
        ("OAI-SearchBot", "/news", (False, "rule", "oai-searchbot", 6, "Disallow: /news")),
        ("OAI-SearchBot", "/x.pdf", (False, "rule", "oai-searchbot", 13, "Disallow: /*.pdf$")),
        ("GPTBot", "/x.pdf", (True, "no_rule", "gptbot", None, None)),
        # A crawler with a group of its own does not heed `*`; one without does.
        ("GPTBot", "/private", (True, "no_rule", "gptbot", None, None)),
        ("Bingbot", "/private/x",
         (False, "rule", "*", 10, "disallow: /private   # for all others")),
        # A name that begins like another is another one.
        ("Google-Extended", "/private", (False, "rule", "*", 10,
         "disallow: /private   # for all others")),
        ("Bingbot", "/robots.txt", (True, "no_rule", "*", None, None)),
    ],
)  # fmt: skip
def test_the_line_that_decides_is_quoted(token, target, expected):
    one = parse_robots(FILE).ruling(token, target, url=URL)
    assert (one.allowed, one.because.value, one.group, one.line, one.rule) == expected
    assert (one.token, one.url) == (token, URL)
    assert parse_robots(FILE).allows(token, target) is one.allowed


@pytest.mark.parametrize(
    ("rules", "allowed", "line"),
    [
        ("Disallow: /a\nAllow: /a", True, 3),  # the same length: allow
        ("Allow: /a\nDisallow: /a", True, 2),
        ("Disallow: /\nAllow: /a\nDisallow: /a/b", True, 3),
        ("Allow: /\nDisallow: /a", False, 3),
        ("Disallow:", True, None),  # forbids nothing
        ("Disallow: a", True, None),  # no path begins so
        ("Disallow: *a", False, 2),
        ("Disallow: /%61", False, 2),
        ("Noindex: /a", True, None),
    ],
)
def test_the_longest_rule_decides_and_is_the_one_quoted(rules, allowed, line):
    one = parse_robots(f"User-agent: bot\n{rules}").ruling("bot", "/a", url=URL)
    assert (one.allowed, one.line) == (allowed, line)


@pytest.mark.parametrize("ends", ["\n", "\r", "\r\n"])
def test_lines_are_numbered_whatever_ends_them(ends):
    text = "\ufeff" + ends.join(["User-agent: bot", "", "Disallow: /"])
    assert parse_robots(text).ruling("bot", "/a", url=URL).line == 3


def test_other_separators_do_not_end_a_line():
    text = "User-agent: bot\nDisallow: /x\u2028Disallow: /\nDisallow: /y\x0cDisallow: /"
    assert parse_robots(text).allows("bot", "/a")


def test_rules_before_any_group_and_groups_without_a_name_bind_nobody():
    text = "Disallow: /\nUser-agent:\nDisallow: /\nUser-agent: 123\nDisallow: /"
    one = parse_robots(text).ruling("bot", "/a", url=URL)
    assert (one.allowed, one.group) == (True, None)


def test_half_a_rule_at_a_cut_is_no_rule():
    text = "User-agent: *\nDisallow: /private\nDisallow: /"
    assert not parse_robots(text).allows("bot", "/a")
    assert parse_robots(text, is_cut=True).allows("bot", "/a")
    assert parse_robots(text, is_cut=True).is_cut


@pytest.mark.parametrize(
    ("robots", "allowed", "because"),
    [
        (ABSENT, True, Because.ABSENT),
        (DISALLOW_ALL, False, Because.SERVER_ERROR),
        (RATE_LIMITED, False, Because.RATE_LIMITED),
        (UNREACHABLE, False, Because.UNREACHABLE),
    ],
)
def test_without_a_file_its_state_decides(robots, allowed, because):
    one = robots.ruling("bot", "/a", url=URL)
    assert (one.allowed, one.because, one.line, one.rule) == (allowed, because, None, None)
    assert robots.allows("bot", "/a") is allowed


def letters(number):
    return "".join(chr(97 + int(digit)) for digit in str(number))


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    [
        "\n" * 500_000,
        "User-agent: *\nDisallow: /\n" * 19_000,
        # Every name is bound to every rule: that must not be written out.
        "".join(f"User-agent: {letters(n)}\n" for n in range(12_000))
        + "".join(f"Disallow: /{n}\n" for n in range(12_000)),
        "".join(f"User-agent: bot\nUser-agent: {letters(n)}\nDisallow: /{n}\n" for n in range(9_000)),
        "User-agent: *\nDisallow: /" + "*a" * 250_000,
        "User-agent: *\n" + "Disallow: /*a*b*c*d*e$\n" * 20_000,
    ],
    ids=["empty", "repeated", "all_to_all", "one_of_many", "wildcards", "patterns"],
)  # fmt: skip
def test_a_hostile_file_is_read_in_a_moment(text):
    robots = parse_robots(text[: 512 * 1024])
    for token in ("bot", "OAI-SearchBot", "a"):
        robots.ruling(token, "/" + "ab" * 1000, url=URL)
