"""The samples are what jest 30, mocha 12 and Playwright 1.65 wrote and printed, with their paths shortened."""

import json
from pathlib import Path

import pytest

from reknit.core.languages.javascript.reports import (
    find_printed_mocha,
    parse_jest,
    parse_mocha,
    parse_mocha_load_failure,
    parse_playwright,
)

SAMPLES = Path(__file__).parents[1] / "samples"
JEST = (SAMPLES / "jest.json").read_bytes()


def test_jest_gives_every_test_a_result_by_file_and_titles() -> None:
    found = parse_jest(JEST, ("/elsewhere", "/repo/"))
    shop = "test/shop.test.js::shop (big) > adds > "
    assert found.results == {
        f"{shop}two numbers": "passed",
        f"{shop}wrong: a > b [x] $1": "failed",
        f"{shop}later": "skipped",
        f"{shop}pair 1 2": "passed",
        f"{shop}pair 3 4": "passed",
        "test/shop.test.js::top": "passed",
        "test/shop.test.js::someday": "skipped",
        "test/hook.test.js::hooked > never": "failed",
        "test/broken.test.js": "failed",
        "test/empty.test.js": "failed",
    }
    assert found.messages["test/broken.test.js"].startswith("Cannot find module '../src/missing.js'")
    assert found.messages["test/hook.test.js::hooked > never"].startswith("Error: hook died")
    assert found.files["test/shop.test.js::top"] == "test/shop.test.js"


@pytest.mark.parametrize("document", [b"[]", b"{}", b'{"testResults": 1}', b"{"])
def test_jest_another_document_is_no_report(document: bytes) -> None:
    with pytest.raises(ValueError):
        parse_jest(document, ())


def test_jest_odd_values_are_not_trusted() -> None:
    odd = {"ancestorTitles": 1, "title": 2, "failureMessages": 3, "status": "failed"}
    report = {"testResults": [7, {"name": "/x/a.js", "assertionResults": [odd, 8], "status": "failed"}]}
    assert parse_jest(json.dumps(report).encode(), ("/x",)).results == {"a.js::": "failed"}


def test_mocha_gives_every_test_a_result_and_a_hook_is_a_failure_of_its_file() -> None:
    found = parse_mocha((SAMPLES / "mocha.json").read_bytes(), ("/repo",))
    assert found.results == {
        "test/shop.js::top": "passed",
        "test/shop.js::shop (big) adds two numbers": "passed",
        "test/shop.js::shop (big) adds wrong: a > b [x] $1": "failed",
        "test/shop.js::shop (big) adds later": "skipped",
        "test/shop.js::shop (big) adds pending": "skipped",
        "test/hook.js": "failed",
    }
    hooks = found.messages["test/hook.js"]
    assert hooks.startswith('hooked "before all" hook for "never"\nError: hook died')
    assert "Error: each died" in hooks


@pytest.mark.parametrize(
    ("sample", "file", "first"),
    [
        ("mocha_load.txt", "test/broken.js", "Exception during run: Error: Cannot find module './missing'"),
        ("mocha_syntax.txt", "test/uses.js", "SyntaxError: Function statements require a function name"),
    ],
)
def test_mocha_a_file_that_cannot_be_loaded_is_named(sample: str, file: str, first: str) -> None:
    found = parse_mocha_load_failure((SAMPLES / sample).read_bytes(), ("/repo",))
    assert found.results == {file: "failed"}
    assert found.messages[file].startswith(f"{first}\n")
    assert found.files == {file: file}


@pytest.mark.parametrize("output", [b"", b"Error: /elsewhere/test/a.js", b"warning: /repo/test/a.js is old"])
def test_mocha_other_output_names_no_file(output: bytes) -> None:
    assert parse_mocha_load_failure(output, ("/repo",)).results == {}


@pytest.mark.parametrize("document", [b"[]", b"{}", b'{"stats": 1}', b"{"])
def test_mocha_another_document_is_no_report(document: bytes) -> None:
    with pytest.raises(ValueError):
        parse_mocha(document, ())


def test_mocha_odd_values_are_not_trusted() -> None:
    report = {"stats": {}, "passes": 1, "failures": [{"fullTitle": "a", "err": 2}, 3]}
    assert parse_mocha(json.dumps(report).encode(), ()).results == {"a": "failed"}


def test_mocha_a_report_that_was_printed_is_found_between_what_the_tests_print() -> None:
    report = json.dumps({"stats": {"tests": 1}, "passes": [{"fullTitle": "a b"}]}, indent=2)
    (document,) = find_printed_mocha(b'{"stats": 0}\n' + report.encode() + b"\n{ more: 1 }\n")
    assert parse_mocha(document, ()).results == {"a b": "passed"}
    assert find_printed_mocha(b"nothing") == ()


def test_playwright_gives_every_test_one_result_for_all_projects() -> None:
    found = parse_playwright((SAMPLES / "playwright.json").read_bytes(), ("/repo",))
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


def test_playwright_a_file_that_cannot_be_loaded_is_named() -> None:
    found = parse_playwright((SAMPLES / "playwright_load.json").read_bytes(), ("/repo",))
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
def test_playwright_the_projects_agree_on_one_result(words: list[str], result: str) -> None:
    spec = {"title": "t", "file": "a.spec.ts", "tests": [{"status": word} for word in words]}
    report = {"config": {"rootDir": "/r/e2e"}, "suites": [{"file": "a.spec.ts", "specs": [spec]}]}
    assert parse_playwright(json.dumps(report).encode(), ("/r",)).results == {"e2e/a.spec.ts::t": result}


@pytest.mark.parametrize("document", [b"[]", b"{}", b'{"suites": 1}', b"{"])
def test_playwright_another_document_is_no_report(document: bytes) -> None:
    with pytest.raises(ValueError):
        parse_playwright(document, ())


def test_playwright_odd_values_are_not_trusted_and_nesting_is_bounded() -> None:
    suite: dict[str, object] = {"specs": [{"title": "deep"}]}
    for _ in range(300):
        suite = {"suites": [suite]}
    report = {"config": 1, "suites": [suite], "errors": [{"message": "m"}, {"location": 1}, {"location": {}}]}
    assert parse_playwright(json.dumps(report).encode(), ()).results == {}
