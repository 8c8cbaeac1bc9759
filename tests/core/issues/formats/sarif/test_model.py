"""The parts of SARIF that are read: declared names only, and lists by index."""

import msgspec
import pytest

from reknit.core.issues.formats.sarif.model import Log, Result, at


@pytest.mark.parametrize(
    ("items", "index", "found"),
    [
        pytest.param(["a", "b"], 1, "b", id="there"),
        pytest.param(["a", "b"], -1, None, id="-1 means none, not the last"),
        pytest.param(["a", "b"], 2, None, id="beyond the end"),
        pytest.param(["a"], None, None, id="no index"),
        pytest.param([], 0, None, id="an empty list"),
        pytest.param(None, 0, None, id="no list"),
    ],
)
def test_an_index_refers_to_an_item_or_to_none(items: list[str] | None, index: int | None, found: str | None) -> None:
    assert at(items, index) == found


def test_names_are_those_of_the_standard_and_the_rest_is_skipped() -> None:
    text = b'{"ruleId": "E1", "rule_id": "no", "locations": [], "codeFlows": {"any": ["shape"]}}'
    result = msgspec.json.decode(text, type=Result)
    assert (result.rule_id, result.locations, result.message) == ("E1", [], None)


def test_results_are_not_decoded_with_their_log() -> None:
    text = b'{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "T"}}, "results": [{"ruleId": 7}]}]}'
    log = msgspec.json.decode(text, type=Log)
    assert log.runs is not None
    assert log.runs[0].results is not None
    assert bytes(log.runs[0].results[0]) == b'{"ruleId": 7}'
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(log.runs[0].results[0], type=Result)


def test_a_run_without_a_tool_is_no_run() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"version": "2.1.0", "runs": [{"results": []}]}', type=Log)
