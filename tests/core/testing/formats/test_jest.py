"""The samples are what jest 30 wrote, with its paths shortened."""

import json
from pathlib import Path

import pytest

from reknit.core.testing.formats.jest import parse

SAMPLE = (Path(__file__).parent / "samples" / "jest.json").read_bytes()


def test_every_test_has_a_result_by_file_and_titles() -> None:
    found = parse(SAMPLE, ("/elsewhere", "/repo/"))
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
def test_another_document_is_no_report(document: bytes) -> None:
    with pytest.raises(ValueError):
        parse(document, ())


def test_odd_values_are_not_trusted() -> None:
    odd = {"ancestorTitles": 1, "title": 2, "failureMessages": 3, "status": "failed"}
    report = {"testResults": [7, {"name": "/x/a.js", "assertionResults": [odd, 8], "status": "failed"}]}
    assert parse(json.dumps(report).encode(), ("/x",)).results == {"a.js::": "failed"}
