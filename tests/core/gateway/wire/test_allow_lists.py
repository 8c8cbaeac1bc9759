"""Every wire is an allow-list at every level: a field nobody listed never passes, wherever it stands."""

from typing import Any

import pytest

from reknit.core.gateway.access import ProviderName
from reknit.core.gateway.wire import WIRES
from reknit.core.gateway.wire.gemini import to_camel
from tests.core.gateway.wire.bodies import BODIES, OWN, changed, places, value_at

UNKNOWN = "a_field_nobody_listed"
FIELD_VALUES: list[Any] = ["https://evil.test", True, 7, {"url": "https://evil.test"}, [{"type": "text"}]]
KINDS: list[Any] = ["a_new_kind", None, 7, ["text"], {}]
EMPTY: list[Any] = [None, "", [], {}]


def refusal(provider: ProviderName, content: Any) -> str:
    wire = WIRES[provider]
    return wire.find_refusal(wire.drop_telemetry(content), allow_search=True)


@pytest.mark.parametrize("provider", WIRES)
def test_what_the_agents_send_passes_unchanged(provider: ProviderName) -> None:
    content: Any = BODIES[provider].content
    assert refusal(provider, content) == ""
    assert WIRES[provider].drop_telemetry(content) == content


@pytest.mark.parametrize("provider", WIRES)
def test_a_field_nobody_listed_passes_at_no_level(provider: ProviderName) -> None:
    body = BODIES[provider]
    levels = [path for path in places(body) if isinstance(value_at(body.content, path), dict)]
    outside = [path for path in levels if not (path and path[-1] in body.own)]
    assert len(outside) >= 25
    passed = [
        (path, value)
        for path in outside
        for value in (*FIELD_VALUES, *(EMPTY if path else []))
        if refusal(provider, changed(body.content, (*path, UNKNOWN), value)) == ""
    ]
    assert passed == []


@pytest.mark.parametrize("provider", WIRES)
@pytest.mark.parametrize("value", EMPTY)
def test_a_field_that_is_neither_listed_nor_set_is_taken_out(provider: ProviderName, value: Any) -> None:
    content: Any = BODIES[provider].content
    assert WIRES[provider].drop_telemetry({**content, UNKNOWN: value}) == content


@pytest.mark.parametrize("provider", WIRES)
def test_telemetry_is_taken_out(provider: ProviderName) -> None:
    content, name = BODIES[provider].content, BODIES[provider].dropped
    assert WIRES[provider].drop_telemetry({**content, name: {"id": "x"}}) == content


@pytest.mark.parametrize("provider", WIRES)
def test_an_object_does_not_pass_in_the_place_of_a_plain_value(provider: ProviderName) -> None:
    body = BODIES[provider]
    leaves = [path for path in places(body) if not isinstance(value_at(body.content, path), dict | list)]
    for path in leaves:
        assert refusal(provider, changed(body.content, path, {UNKNOWN: 1})), path
        assert refusal(provider, changed(body.content, path, [{UNKNOWN: 1}])), path


@pytest.mark.parametrize("provider", WIRES)
def test_nothing_else_passes_in_the_place_of_an_object_or_a_list(provider: ProviderName) -> None:
    body = BODIES[provider]
    for path in places(body):
        value = value_at(body.content, path)
        holds_objects = isinstance(value, dict) or (isinstance(value, list) and isinstance(value[0], dict))
        if not path or path[-1] in body.own or not holds_objects:
            continue
        assert refusal(provider, changed(body.content, path, 7)), path
        if isinstance(value, list):
            assert refusal(provider, changed(body.content, path, [*value, {UNKNOWN: 1}])), path


@pytest.mark.parametrize("provider", ["anthropic", "openai", "openai_chat"])
def test_a_kind_nobody_listed_passes_nowhere(provider: ProviderName) -> None:
    """Where the fields depend on it; elsewhere a kind is a plain value, as the role of a message is."""
    body = BODIES[provider]
    typed = [path for path in places(body) if path and path[-1] == "type" and isinstance(path[-2], int)]
    whole = {"edits", "citations", "annotations", "sources", "tool_calls"}
    found = [path for path in typed if path[-3] not in whole and "tool_choice" not in path]
    results = [path for path in found if path[-3] == "content" and value_at(body.content, path) == "web_search_result"]
    assert len(found) >= 7
    for path in found:
        for kind in KINDS:
            is_message = provider == "openai" and path[0] == "input" and len(path) == 3
            is_tool = provider == "anthropic" and path[0] == "tools"
            if path in results or (kind is None and (is_message or is_tool)):
                continue
            assert refusal(provider, changed(body.content, path, kind)), (path, kind)


@pytest.mark.parametrize("provider", WIRES)
def test_the_agents_own_data_may_hold_anything(provider: ProviderName) -> None:
    body = BODIES[provider]
    own = [path for path in places(body) if path and path[-1] in body.own]
    assert len(own) >= 2
    for path in own:
        if value_at(body.content, path) == OWN:
            assert refusal(provider, changed(body.content, (*path, UNKNOWN), {"x": [1]})) == ""


@pytest.mark.parametrize("name", ["thread", "mcp_servers", "previous_response_id", "cachedContent", "plugins"])
@pytest.mark.parametrize("provider", WIRES)
def test_what_the_vendor_would_act_on_is_refused_by_its_name(provider: ProviderName, name: str) -> None:
    shown = to_camel(name) if provider == "gemini" else name
    assert refusal(provider, {**BODIES[provider].content, name: "x"}) == f"not allowed: {shown}"


@pytest.mark.parametrize("provider", WIRES)
def test_a_listed_field_may_be_null(provider: ProviderName) -> None:
    assert refusal(provider, {"tools": None, "stream": None, "messages": None, "contents": None, "input": None}) == ""
