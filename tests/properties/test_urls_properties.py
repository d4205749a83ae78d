"""Properties of URL identity that hold for any string."""

from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.domain.source import UrlFlag
from monitor.urls import identify

_HOSTS = st.sampled_from(
    [
        "example.com", "www.example.com", "m.www.amp.example.co.uk", "www.gov.uk", "EXAMPLE.com.",
        "en.m.wikipedia.org", "www.youtube.com", "youtu.be", "old.reddit.com", "redd.it",
        "twitter.com", "github.com", "raw.githubusercontent.com", "gist.github.com",
        "www.google.de", "translate.google.com", "web.archive.org", "archive.ph", "dx.doi.org",
        "export.arxiv.org", "www.ncbi.nlm.nih.gov", "pubmed.ncbi.nlm.nih.gov", "www.amazon.de",
        "a.blogspot.co.uk", "uk.linkedin.com", "m.facebook.com", "math.stackexchange.com",
        "a-b.translate.goog", "a-b.cdn.ampproject.org", "t.co", "192.0.2.1", "[2001:db8::1]",
        "x.medium.com", "open.substack.com", "bing.com", "l.facebook.com", "medium.com",
        "webcache.googleusercontent.com", "r.search.yahoo.com", "en.wiktionary.org",
        "urldefense.com", "href.li", "t.me", "fxtwitter.com", "hdl.handle.net", "12ft.io", "archive.org",
        "click.redditmail.com", "a.awstrack.me", "a.page.link", "www.anrdoezrs.net", "threads.net",
        "x.amp.cloudflare.com", "x.us1.list-manage.com", "translate.yandex.com",
        "www.pubmedcentral.nih.gov",
    ]
)  # fmt: skip
_PIECES = st.sampled_from(
    [
        "a", "A", "..", ".", "%2e", "amp", "index.php", "index.html", "x-y-z-12345", "2020/01/02",
        ";jsessionid=1", "(S(4hqa0555fwsecu455xqckv45))", "%41", "%2F", "%", "%zz", "&amp;", "c/s",
        "wiki", "watch", "shorts", "r", "Python", "comments", "1abC", "status", "12", "blob",
        "raw", "dp", "B08N5WRWNW", "abs", "1706.03762v2", "10.1000", "pmc", "articles", "PMC12",
        "web", "20200101", "https:", "http://example.com", "url", "u", "@Me", "in", "é", " ", "[",
        "w", "search", "questions", "77", "RU=https%3a%2f%2fexample.com", "amp.html", "story.amp",
        "", "/", "gp", "product", "i", "q", "pub", "name", "p", "embed", "hep-th", "9901001",
        "v3", "__https:", "x*y__;Iw!!A!b$", "**Ax__;JCU!!A!b$", "CL0", "L0", "https:%2F%2Fexample.com%2Fa",
        "a&utm_source=openai", "a%3Futm_source=x", "école", "ßa", "s", "refs", "heads", "tree", "labs",
        "links", "type", "dlg", "ii", "w680", "doi.org", "10.1000.json", "articlerender.fcgi", "index.php",
    ]
)  # fmt: skip
_TOKENS = st.sampled_from(
    [
        "", "a=1", "b=2", "B", "=", "a==b", "utm_source=openai", "UTM_X", "amp", "amp=1", "m=1",
        "print=1", "ref=hn", "ref=main", "v=AAA", "list=PL", "title=Foo bar", "title=a/b",
        "title=..", "oldid=3", "action=view", "q=https://example.com/a?b=c", "q=cache:abcdef:x.de",
        "url=http%3A%2F%2Fexample.com%2F%26x", "u=a1aHR0cHM6Ly9leGFtcGxlLmNvbS8", "u=%2Fwatch",
        "amp;x=1", "%26amp%3Bx=1", "x=%E9", "x=%2B", "x=+", "x=é", "sid=" + "0" * 32, "page=2",
        "term=12", "%75tm_a=1", "a;b=1", "uddg=https://example.com", "tab=x", "plain=1",
        "x=1?utm_source=a", "?utm_id=1", "x?utm_a=1", "x=%3Futm%5Fsource%3Db", "x=1%3Futm_a%3Db%26c=1",
        "v=AAA?si=b", "v=AAA%3Fsi%3Db", "fbid=1", "set=a.1", "artid=12", "title=école", "https://example.com/a",
        "url=https%253A%252F%252Fexample.com", "u=example.com/a", "link=https://example.com", "to=https://a.de",
    ]
)  # fmt: skip
_FRAGMENTS = st.sampled_from(["", "#", "#a", "#!/x", "#/x?utm_id=1", "#!a&amp;b", "#/%41:~:text=x"])


@st.composite
def _urls(draw: st.DrawFn) -> str:
    path = "/".join(draw(st.lists(_PIECES, max_size=6)))
    query = "&".join(draw(st.lists(_TOKENS, max_size=4)))
    scheme = draw(st.sampled_from(["https://", "http://", "HTTP://u:p@", "//", ""]))
    port = draw(st.sampled_from(["", "", "", ":80", ":443", ":8080"]))
    return f"{scheme}{draw(_HOSTS)}{port}/{path}?{query}{draw(_FRAGMENTS)}"


@given(st.one_of(st.text(max_size=80), _urls()), st.booleans())
@settings(max_examples=400, deadline=None)
def test_any_text_gives_an_identity_or_a_rejection(text, prose):
    identity = identify(text, prose=prose)
    is_rejected = UrlFlag.REJECTED in identity.flags
    assert identity.raw == text
    assert (identity.page_key is None, identity.clean_url is None) == (is_rejected, is_rejected)


@given(_urls())
@settings(max_examples=800, deadline=None)
def test_a_page_key_is_its_own_page_key(url):
    key = identify(url).page_key or "https://example.com/"
    assert identify(key).page_key == key


@given(_urls())
@settings(max_examples=400, deadline=None)
def test_a_page_key_has_the_family_and_unit_of_its_url(url):
    identity = identify(url)
    again = identify(identity.page_key or "")
    assert (again.family, again.unit) == (identity.family, identity.unit)


@given(_urls())
@settings(max_examples=400, deadline=None)
def test_a_clean_url_leads_to_the_same_page(url):
    identity = identify(url)
    assert identify(identity.clean_url or "").page_key == identity.page_key


@given(_urls())
@settings(max_examples=200, deadline=None)
def test_a_tracking_tag_never_changes_the_page(url):
    bare = url.partition("#")[0]
    assert identify(f"{bare}&utm_source=openai").page_key == identify(bare).page_key
