"""The samples are what Playwright 1.65 wrote for two projects, with its paths shortened."""

import json
from pathlib import Path

import pytest

from reknit.core.testing.formats.playwright import parse

SAMPLES = Path(__file__).parent / "samples"


def test_every_test_has_one_result_for_all_projects() -> None:
    found = parse((SAMPLES / "playwright.json").read_bytes(), ("/repo",))
    shop = "tests/shop.spec.js::shop (big) > "
    assert found.results == {
        "tests/shop.spec.js::top": "passed",
        f"{shop}two numbers": "passed",
        f"{shop}wrong: a > b [x] $1": "failed",
        f"{shop}later": "skipped",
        f"{shop}fix me": "skipped",
    }
    assert found.messages[f"{shop}wrong: a > b [x] $1"].startswith("Error: ")
    assert set(found.files.values()) == {"tests/shop.spec.js"}


def test_a_file_that_cannot_be_loaded_is_named() -> None:
    found = parse((SAMPLES / "playwright_load.json").read_bytes(), ("/repo",))
    assert found.results == {"tests/broken.spec.js": "failed"}
    assert found.messages["tests/broken.spec.js"].startswith("Error: Cannot find module './missing'")


@pytest.mark.parametrize(
    ("words", "result"),
    [
        (["expected", "skipped"], "passed"),
        (["flaky"], "passed"),
        (["expected", "unexpected"], "failed"),
        (["skipped"], "skipped"),
        ([], "skipped"),
    ],
)
def test_the_projects_agree_on_one_result(words: list[str], result: str) -> None:
    spec = {"title": "t", "file": "a.spec.ts", "tests": [{"status": word} for word in words]}
    report = {"config": {"rootDir": "/r/e2e"}, "suites": [{"file": "a.spec.ts", "specs": [spec]}]}
    assert parse(json.dumps(report).encode(), ("/r",)).results == {"e2e/a.spec.ts::t": result}


@pytest.mark.parametrize("document", [b"[]", b"{}", b'{"suites": 1}', b"{"])
def test_another_document_is_no_report(document: bytes) -> None:
    with pytest.raises(ValueError):
        parse(document, ())


def test_odd_values_are_not_trusted_and_nesting_is_bounded() -> None:
    suite: dict[str, object] = {"specs": [{"title": "deep"}]}
    for _ in range(300):
        suite = {"suites": [suite]}
    report = {"config": 1, "suites": [suite], "errors": [{"message": "m"}, {"location": 1}, {"location": {}}]}
    assert parse(json.dumps(report).encode(), ()).results == {}
