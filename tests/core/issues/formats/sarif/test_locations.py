from typing import Any

import pytest

from reknit.core.issues.formats.paths import relative
from reknit.core.issues.formats.sarif.locations import Places
from reknit.core.issues.formats.sarif.model import Artifact, Run, SarifTool, ToolComponent
from reknit.core.issues.formats.sarif.reader import report
from tests.core.issues.formats.sarif.test_reader import log, one

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
    assert Places(run).path(Artifact("a.py", "LONG")) == ""


def test_a_base_of_many_results() -> None:
    places = [{"physicalLocation": {"artifactLocation": {"uri": name, "uriBaseId": "SDK"}}} for name in ("a", "b")]
    found = report(log(*({"locations": [place]} for place in places), originalUriBaseIds=BASES)).found
    assert [one.path for one in found] == ["file:///opt/sdk/a", "file:///opt/sdk/b"]


def test_a_report_of_another_checkout_is_about_this_one() -> None:
    path = path_of({"uri": "src/a%20b.py", "uriBaseId": "%SRCROOT%"})
    assert relative(path, "/home/ci/shop") == "src/a b.py"
    assert relative(path, "/home/me/work") == "src/a b.py"


def test_what_is_outside_of_another_checkout_is_outside_of_this_one() -> None:
    assert relative(path_of({"uri": "stdio.h", "uriBaseId": "SDK"}), "/home/me/work") == ""
    assert relative(path_of({"uri": "../x.py", "uriBaseId": "%SRCROOT%"}), "/home/me/work") == ""
