"""The samples are what mocha 12 wrote and printed, with its paths shortened."""

import json
from pathlib import Path

import pytest

from reknit.core.testing.formats.mocha import load_failure, parse, printed

SAMPLES = Path(__file__).parent / "samples"


def test_every_test_has_a_result_and_a_hook_is_a_failure_of_its_file() -> None:
    found = parse((SAMPLES / "mocha.json").read_bytes(), ("/repo",))
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
def test_a_file_that_cannot_be_loaded_is_named(sample: str, file: str, first: str) -> None:
    found = load_failure((SAMPLES / sample).read_bytes(), ("/repo",))
    assert found.results == {file: "failed"}
    assert found.messages[file].startswith(f"{first}\n")
    assert found.files == {file: file}


@pytest.mark.parametrize("output", [b"", b"Error: /elsewhere/test/a.js", b"warning: /repo/test/a.js is old"])
def test_other_output_names_no_file(output: bytes) -> None:
    assert load_failure(output, ("/repo",)).results == {}


@pytest.mark.parametrize("document", [b"[]", b"{}", b'{"stats": 1}', b"{"])
def test_another_document_is_no_report(document: bytes) -> None:
    with pytest.raises(ValueError):
        parse(document, ())


def test_odd_values_are_not_trusted() -> None:
    report = {"stats": {}, "passes": 1, "failures": [{"fullTitle": "a", "err": 2}, 3]}
    assert parse(json.dumps(report).encode(), ()).results == {"a": "failed"}


def test_a_report_that_was_printed_is_found_between_what_the_tests_print() -> None:
    report = json.dumps({"stats": {"tests": 1}, "passes": [{"fullTitle": "a b"}]}, indent=2)
    (document,) = printed(b'{"stats": 0}\n' + report.encode() + b"\n{ more: 1 }\n")
    assert parse(document, ()).results == {"a b": "passed"}
    assert printed(b"nothing") == ()
