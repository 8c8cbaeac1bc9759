from pathlib import Path

import pytest

from reknit.core.testing.command import ReportFormat
from reknit.core.testing.junit_messages import MESSAGE_CHARS
from reknit.core.testing.reports import read_tests

SAMPLES = Path(__file__).parent / "formats" / "samples"


@pytest.mark.parametrize(
    ("form", "sample", "roots", "test"),
    [
        ("jest", "jest.json", ("/repo",), "test/shop.test.js::top"),
        ("mocha", "mocha.json", ("/repo",), "test/shop.js::top"),
        ("playwright", "playwright.json", ("/repo",), "tests/shop.spec.js::top"),
        ("go", "go.txt", ("example.com/shop",), "cart::TestAdd"),
        ("go", "go.txt", (), "example.com/shop/cart::TestAdd"),
    ],
)
def test_each_format_has_its_reader(form: ReportFormat, sample: str, roots: tuple[str, ...], test: str) -> None:
    found = read_tests(form, ((SAMPLES / sample).read_bytes(),), b"", roots)
    assert found.results[test] == "passed"
    assert all(len(message) <= MESSAGE_CHARS + 3 for message in found.messages.values())


def test_junit_and_cargo_are_read_too() -> None:
    assert read_tests("junit", (b'<testsuite><testcase name="t"/></testsuite>',), b"", ()).results == {"t": "passed"}
    out, err = (SAMPLES / "cargo.txt").read_bytes(), (SAMPLES / "cargo_stderr.txt").read_bytes()
    assert read_tests("cargo", (out,), err, ("/repo",)).results["tests/cart.rs::works"] == "failed"


def test_without_a_report_only_mocha_says_more() -> None:
    said = (SAMPLES / "mocha_load.txt").read_bytes()
    assert read_tests("mocha", (), said, ("/repo",)).results == {"test/broken.js": "failed"}
    assert read_tests("jest", (), said, ("/repo",)).results == {}


def test_a_report_that_is_nested_too_deeply_is_broken() -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        read_tests("jest", (b'{"a":' * 200_000,), b"", ())
