"""The parts of SARIF that are read: declared names only, and lists by index."""

from typing import Any

import msgspec
import pytest

from reknit.core.issues.formats.paths import resolve_path
from reknit.core.issues.formats.sarif.model import Artifact, Log, Places, Result, Run, SarifTool, ToolComponent, get_at
from reknit.core.issues.formats.sarif.reader import read_report
from tests.core.issues.formats.sarif.test_reader import log, one


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
    assert get_at(items, index) == found


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


BASES = {
    "%SRCROOT%": {"uri": "file:///home/ci/shop/"},
    "SRC": {"uri": "src", "uriBaseId": "%SRCROOT%"},
    "BARE": {"description": {"text": "somewhere"}},
    "FOLDER": {"uri": "lib/"},
    "SDK": {"uri": "file:///opt/sdk"},
    "LOOP": {"uri": "x/", "uriBaseId": "LOOP"},
    "LONG": {"uri": "y" * 2000},
}


def path_of(artifact: dict[str, Any]) -> str:
    place = {"physicalLocation": {"artifactLocation": artifact}}
    listed = [{"location": {"uri": "listed.py", "uriBaseId": "SRC"}}, {"location": {}}, {}]
    return one({"locations": [place]}, originalUriBaseIds=BASES, artifacts=listed).path


@pytest.mark.parametrize(
    ("artifact", "path"),
    [
        pytest.param({"uri": "a.py"}, "a.py", id="relative"),
        pytest.param({"uri": "a%20b.py"}, "a b.py", id="with-an-escape"),
        pytest.param({"uri": "/x/a%20b.py"}, "/x/a b.py", id="absolute-with-an-escape"),
        pytest.param({"uri": "file:///x/a%20b.py"}, "file:///x/a%20b.py", id="an-address"),
        pytest.param({"uri": "C:\\x\\a%20.py"}, "C:\\x\\a%20.py", id="a-drive"),
        pytest.param({"uri": "a.py", "uriBaseId": "SRC"}, "file:///home/ci/shop/src/a.py", id="two-bases"),
        pytest.param({"uri": "a.py", "uriBaseId": "SDK"}, "file:///opt/sdk/a.py", id="a-base-without-a-slash"),
        pytest.param({"uri": "a.py", "uriBaseId": "FOLDER"}, "lib/a.py", id="a-relative-base"),
        pytest.param({"uri": "a.py", "uriBaseId": "BARE"}, "a.py", id="a-base-of-no-address"),
        pytest.param({"uri": "a.py", "uriBaseId": "UNKNOWN"}, "a.py", id="an-unknown-base"),
        pytest.param({"uri": "file:///x/a.py", "uriBaseId": "SDK"}, "file:///x/a.py", id="an-address-needs-no-base"),
        pytest.param({"uri": "a.py", "uriBaseId": "LOOP"}, "", id="bases-in-a-circle"),
        pytest.param({"uri": "a.py", "uriBaseId": "LONG"}, "", id="an-endless-base"),
        pytest.param({"index": 0}, "file:///home/ci/shop/src/listed.py", id="by-number"),
        pytest.param({"index": 1}, "", id="by-number-of-nothing"),
        pytest.param({"index": 2}, "", id="by-number-without-a-location"),
        pytest.param({"index": 3}, "", id="by-a-wrong-number"),
        pytest.param({}, "", id="nothing"),
    ],
)
def test_paths(artifact: dict[str, Any], path: str) -> None:
    assert path_of(artifact) == path


def test_an_endless_base_is_not_even_put_together() -> None:
    run = Run(SarifTool(ToolComponent("T")), original_uri_base_ids={"LONG": Artifact("y" * 2000)})
    assert Places(run).find_path(Artifact("a.py", "LONG")) == ""


def test_a_base_of_many_results() -> None:
    places = [{"physicalLocation": {"artifactLocation": {"uri": name, "uriBaseId": "SDK"}}} for name in ("a", "b")]
    found = read_report(log(*({"locations": [place]} for place in places), originalUriBaseIds=BASES)).results
    assert [one.path for one in found] == ["file:///opt/sdk/a", "file:///opt/sdk/b"]


def test_a_report_of_another_checkout_is_about_this_one() -> None:
    path = path_of({"uri": "src/a%20b.py", "uriBaseId": "%SRCROOT%"})
    assert resolve_path(path, "/home/ci/shop") == "src/a b.py"
    assert resolve_path(path, "/home/me/work") == "src/a b.py"


def test_what_is_outside_of_another_checkout_is_outside_of_this_one() -> None:
    assert resolve_path(path_of({"uri": "stdio.h", "uriBaseId": "SDK"}), "/home/me/work") == ""
    assert resolve_path(path_of({"uri": "../x.py", "uriBaseId": "%SRCROOT%"}), "/home/me/work") == ""
