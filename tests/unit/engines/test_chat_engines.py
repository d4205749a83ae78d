import pytest

from monitor.domain.engine import (
    EngineSettings,
    Exchange,
    Outcome,
    Reading,
    Request,
    Retrieval,
    Role,
)
from monitor.domain.panel import Prompt
from monitor.engines import ENGINES
from monitor.errors import PayloadError
from tests.unit.engines.payloads_a import (
    CHAT,
    CHAT_TEXT,
    ELM,
    LINK,
    OAK,
    ROUTER,
    SONAR,
    as_bytes,
    as_stream,
    changed,
    completion,
    nested,
)

PROMPT = Prompt("p1", "How old do oaks get?", "nl-NL")
CONTENT = ("choices", 0, "message", "content")


def parse(engine, payload, status=None) -> Reading:
    body = payload if isinstance(payload, bytes) else as_bytes(payload)
    return ENGINES[engine].parse([Exchange(body, status)])


def shown(reading: Reading) -> list[str]:
    return [reading.text[s.start : s.end] for c in reading.citations for s in c.spans]


def chunk(finish=None, **delta):
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"object": "chat.completion.chunk", "model": "made-up", "choices": [choice]}


def test_a_nested_annotation_is_displayed_with_its_span():
    reading = parse("openai_chat_search", CHAT)
    assert [(c.url, c.role) for c in reading.citations] == [(OAK, Role.DISPLAYED)]
    assert shown(reading) == [LINK]
    assert reading.retrieval is Retrieval.USED


def test_without_annotations_nobody_knows_whether_a_search_model_searched():
    reading = parse("openai_chat_search", completion("Sunny."))
    assert (reading.outcome, reading.retrieval) == (Outcome.ANSWERED, Retrieval.UNKNOWN)


def test_links_of_a_message_without_annotations_key_are_links():
    payload = {"choices": [{"message": {"content": f"See [Elm]({ELM})."}, "finish_reason": "stop"}]}
    reading = parse("openai_chat_search", payload)
    assert [(c.url, c.role) for c in reading.citations] == [(ELM, Role.LINK)]
    assert any("no such key" in warning for warning in reading.warnings)


@pytest.mark.parametrize(
    ("finish", "content", "outcome", "reason"),
    [
        ("length", "Half", Outcome.TRUNCATED, None),
        ("length", "", Outcome.ERROR, "empty"),
        ("content_filter", None, Outcome.NO_ANSWER, "declined"),
        ("stop", "  ", Outcome.ERROR, "empty"),
        ("stop", [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
         Outcome.ANSWERED, None),
    ],
)  # fmt: skip
def test_how_a_chat_ended_decides_its_outcome(finish, content, outcome, reason):
    payload = changed(completion(content), ("choices", 0, "finish_reason"), finish)
    reading = parse("openai_chat_search", payload)
    assert (reading.outcome, reading.reason) == (outcome, reason)


def test_a_chat_refusal_is_declined():
    payload = changed(completion(None), ("choices", 0, "message", "refusal"), "No.")
    reading = parse("openai_chat_search", payload)
    assert (reading.reason, reading.text) == ("declined", "No.")


def test_a_chat_stream_grows_from_its_deltas():
    events = (
        chunk(role="assistant", content=""),
        chunk(content="Oaks "),
        chunk(content=LINK, annotations=[nested(OAK, 5, 5 + len(LINK))]),
        chunk("stop"),
        {"object": "chat.completion.chunk", "choices": [], "usage": {"prompt_tokens": 3}},
    )
    reading = parse("openai_chat_search", as_stream(*events) + b"data: [DONE]\n\n")
    assert (reading.outcome, shown(reading)) == (Outcome.ANSWERED, [LINK])
    assert reading.usage.input_tokens == 3


def test_a_chat_stream_without_finish_reason_is_truncated():
    reading = parse("perplexity", as_stream(chunk(content="Oaks gr")))
    assert reading.outcome is Outcome.TRUNCATED
    assert "stream ended" in reading.warnings[0]


def test_a_chat_stream_without_choices_is_refused():
    with pytest.raises(PayloadError, match="without choices"):
        parse("perplexity", as_stream({"kind": "ping"}))


def test_sonar_cites_only_what_its_markers_point_at_in_their_order():
    reading = parse("perplexity", SONAR)
    assert [(c.url, c.marks, c.role) for c in reading.citations] == [
        ("https://c.example/", 2, Role.DISPLAYED),
        ("https://a.example/", 1, Role.DISPLAYED),
    ]
    assert shown(reading) == ["[3]", "[3]", "[1]"]
    assert reading.citations[1].snippet == "about a"


def test_sonar_retrieved_everything_once_cited_or_not():
    reading = parse("perplexity", SONAR)
    assert [(r.url, r.title) for r in reading.retrieved] == [
        ("https://a.example/", "A"),
        ("https://b.example/", "B"),
        ("https://c.example/", "C"),
    ]


def test_sonar_reports_money_searches_and_thought():
    reading = parse("perplexity", SONAR)
    assert (reading.cost.micros, reading.cost.basis) == (5_190, "reported")
    assert (reading.usage.searches, reading.usage.reasoning_tokens) == (2, 4)


def test_a_marker_past_the_list_is_a_warning_and_no_citation():
    reading = parse("perplexity", changed(SONAR, CONTENT, "Elms.[4] Oaks.[0] Firs.[2]"))
    assert [c.url for c in reading.citations] == ["https://b.example/"]
    assert "[4], [0]" in reading.warnings[0]


def test_a_numbered_link_is_no_marker():
    reading = parse("perplexity", changed(SONAR, CONTENT, f"Elms [1]({ELM}) and [[2]]({ELM})."))
    assert [(c.url, c.role, c.marks) for c in reading.citations] == [(ELM, Role.LINK, 2)]


def test_an_address_in_sonars_prose_is_a_link_not_a_source():
    reading = parse("perplexity", changed(SONAR, CONTENT, "See https://made.example/up."))
    assert [(c.url, c.role) for c in reading.citations] == [("https://made.example/up", Role.LINK)]


def test_thoughts_are_cut_before_markers_are_counted():
    content = "<think>\nmaybe [2]?\n</think>\n\nElms.[1]"
    reading = parse("perplexity", changed(SONAR, CONTENT, content))
    assert reading.text == "Elms.[1]"
    assert [c.url for c in reading.citations] == ["https://a.example/"]


def test_a_thought_that_never_ends_leaves_no_answer():
    payload = changed(SONAR, CONTENT, "<think> still thinking")
    reading = parse("perplexity", changed(payload, ("choices", 0, "finish_reason"), "length"))
    assert (reading.outcome, reading.reason) == (Outcome.ERROR, "empty")


def test_search_results_serve_where_citations_are_empty():
    reading = parse("perplexity", changed(SONAR, ("citations",), []))
    assert [c.url for c in reading.citations] == ["https://c.example/", "https://a.example/"]


def test_markers_without_any_list_are_a_drifted_shape():
    payload = {k: v for k, v in SONAR.items() if k not in {"citations", "search_results"}}
    with pytest.raises(PayloadError, match="markers in the text"):
        parse("perplexity", payload)


@pytest.mark.parametrize(
    ("searches", "disabled", "retrieval"),
    [
        (0, False, Retrieval.NOT_USED),
        (None, True, Retrieval.NOT_USED),
        (None, False, Retrieval.UNKNOWN),
        (1, False, Retrieval.USED),
    ],
)
def test_sonar_without_sources_searched_only_if_it_says_so(searches, disabled, retrieval):
    payload = completion("Trees.", citations=[], usage={"num_search_queries": searches})
    request = Request("POST", "https://x.example/", json={"disable_search": disabled})
    reading = ENGINES["perplexity"].parse([Exchange(as_bytes(payload), 200, (), request)])
    assert reading.retrieval is retrieval


def test_a_login_page_from_the_edge_is_auth():
    page = b"<html><title>401 Authorization Required</title></html>"
    assert parse("perplexity", page, 401).reason == "auth"


def test_sonar_stream_keeps_the_last_lists():
    first = chunk(content="Elms.") | {"citations": ["https://a.example/"]}
    last = chunk("stop", content="[2]") | {"citations": ["https://a.example/", ELM]}
    reading = parse("perplexity", as_stream(first, last))
    assert (reading.text, [c.url for c in reading.citations]) == ("Elms.[2]", [ELM])


def test_zero_offsets_keep_payload_order_and_a_link_in_prose_is_the_span():
    reading = parse("openrouter", ROUTER)
    assert [(c.url, c.role, c.marks) for c in reading.citations] == [
        (OAK, Role.DISPLAYED, 1),
        (ELM, Role.DISPLAYED, 1),
    ]
    assert shown(reading) == [f"[elm.example]({ELM})"]
    assert reading.citations[0].snippet == "an excerpt"
    assert (reading.cost.micros, reading.retrieval) == (7_651, Retrieval.USED)


def test_sonar_behind_openrouter_gets_spans_from_its_markers():
    payload = completion(
        "Oaks.[2] Elms.[2]", nested(OAK, 0, 0), nested(ELM, 0, 0), model="perplexity/sonar"
    )
    reading = parse("openrouter", payload)
    assert [(c.url, c.marks, len(c.spans)) for c in reading.citations] == [
        (OAK, 1, 0),
        (ELM, 2, 2),
    ]
    assert "1 annotated sources" in reading.warnings[0]


def test_real_offsets_of_openrouter_are_believed():
    payload = completion(CHAT_TEXT, nested(OAK, 18, 18 + len(LINK)), model="openai/made-up")
    assert shown(parse("openrouter", payload)) == [LINK]


@pytest.mark.parametrize(
    ("error", "outcome", "reason"),
    [
        ({"code": 402, "message": "This request requires more credits"}, Outcome.ERROR, "quota"),
        ({"code": 401, "message": "No auth credentials found"}, Outcome.ERROR, "auth"),
        ({"code": 429, "message": "slow"}, Outcome.BLOCKED, "rate_limit"),
        ({"code": 502, "message": "Provider returned error"}, Outcome.ERROR, "server"),
        ({"code": 403, "message": "Your input was flagged"}, Outcome.NO_ANSWER, "declined"),
    ],
)
def test_openrouter_errors_inside_http_200(error, outcome, reason):
    reading = parse("openrouter", {"error": error, "user_id": "u"}, 200)
    assert (reading.outcome, reading.reason) == (outcome, reason)


def test_an_error_in_the_middle_of_a_stream_truncates():
    broken = chunk("error", content="") | {"error": {"code": 502, "message": "lost"}}
    body = b": OPENROUTER PROCESSING\n\n" + as_stream(chunk(content="Oaks gr"), broken)
    reading = parse("openrouter", body, 200)
    assert (reading.outcome, reading.text) == (Outcome.TRUNCATED, "Oaks gr")
    assert "lost" in reading.warnings[0]


def test_an_error_before_any_text_of_a_stream_is_that_error():
    broken = chunk("error", content="") | {"error": {"code": 502, "message": "lost"}}
    reading = parse("openrouter", as_stream(broken), 200)
    assert (reading.outcome, reading.reason) == (Outcome.ERROR, "server")


@pytest.mark.parametrize("engine", ["openai_chat_search", "perplexity", "openrouter"])
@pytest.mark.parametrize("payload", [{"id": "x"}, {"choices": []}, {"choices": [{"text": "old"}]}])
def test_a_drifted_chat_shape_is_refused(engine, payload):
    with pytest.raises(PayloadError):
        parse(engine, payload)


def test_the_place_of_a_search_model_goes_one_level_deeper():
    request = ENGINES["openai_chat_search"].request(PROMPT, EngineSettings())
    assert request.json["web_search_options"] == {
        "user_location": {"type": "approximate", "approximate": {"country": "NL"}}
    }


def test_the_sonar_request_carries_country_context_and_filters():
    settings = EngineSettings(options={"search_domain_filter": ["-elm.example"]})
    request = ENGINES["perplexity"].request(PROMPT, settings)
    assert request.url == "https://api.perplexity.ai/chat/completions"
    assert request.json["web_search_options"] == {
        "search_context_size": "low",
        "user_location": {"country": "NL"},
    }
    assert request.json["search_domain_filter"] == ["-elm.example"]


@pytest.mark.parametrize(("model", "tools"), [(None, True), ("perplexity/sonar", False)])
def test_openrouter_adds_its_search_tool_unless_the_model_searches_itself(model, tools):
    request = ENGINES["openrouter"].request(PROMPT, EngineSettings(model=model))
    assert ("tools" in request.json) is tools
