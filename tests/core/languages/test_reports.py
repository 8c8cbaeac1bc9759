import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import pytest

from reknit.core.languages.reports import read_stream, read_tests
from reknit.core.testing.command import ReportFormat
from reknit.core.testing.junit import MESSAGE_CHARS
from reknit.core.testing.reported import ReportedTests

SAMPLES = Path(__file__).parent / "samples"


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


def test_a_form_of_a_language_that_is_not_here_is_told() -> None:
    with pytest.raises(ValueError, match="no language reads reports of the form toy"):
        read_tests(cast(ReportFormat, "toy"), (b"{}",), b"", ())


def test_without_a_report_only_mocha_says_more() -> None:
    said = (SAMPLES / "mocha_load.txt").read_bytes()
    assert read_tests("mocha", (), said, ("/repo",)).results == {"test/broken.js": "failed"}
    assert read_tests("jest", (), said, ("/repo",)).results == {}


def test_a_report_that_is_nested_too_deeply_is_broken() -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        read_tests("jest", (b'{"a":' * 200_000,), b"", ())


KEY = "k" * 32
BEGIN = {"begin": "x"}


def line(number: int, record: object, key: str = KEY) -> bytes:
    return f"{key} {number} {json.dumps(record)}\n".encode()


def stream(*records: Mapping[str, object]) -> bytes:
    return b"".join(line(number, record) for number, record in enumerate(records))


def whole(*results: Mapping[str, object]) -> bytes:
    return stream(BEGIN, *results, {"end": len(results)})


def read(data: bytes, form: ReportFormat = "junit", stderr: bytes = b"") -> ReportedTests:
    return read_stream(form, data, KEY, stderr, ("/r",))


def case(name: str, result: str = "passed", **more: str) -> dict[str, str]:
    return {"suite": "pytest", "classname": "a.C", "name": name, "file": "a.py", "result": result, **more}


def test_results_have_the_ids_of_a_junit_report() -> None:
    found = read(whole(case("t[1]"), case("u", "failed", words="assert 1\nmore\n"), case("v", "skipped")))
    assert found.results == {"a.py::C::t[1]": "passed", "a.py::C::u": "failed", "a.py::C::v": "skipped"}
    assert found.messages == {"a.py::C::u": "assert 1\nmore"}
    assert found.files["a.py::C::u"] == "a.py"


def test_a_later_result_does_not_take_back_a_failure() -> None:
    assert read(whole(case("t", "failed"), case("t"))).results == {"a.py::C::t": "failed"}


def test_a_result_of_an_unknown_word_is_no_pass() -> None:
    assert read(whole(case("t", "fine"))).results == {"a.py::C::t": "failed"}


def test_a_skipped_part_counts_only_where_the_test_has_no_result_of_its_own() -> None:
    found = read(whole(case("t", "partly skipped"), case("t"), case("u", "partly skipped")))
    assert found.results == {"a.py::C::t": "passed", "a.py::C::u": "skipped"}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        pytest.param(b"", "no beginning", id="nothing"),
        pytest.param(stream({"end": 0}), "no beginning", id="no-beginning"),
        pytest.param(stream(BEGIN, case("t")), "before all of its results", id="no-end"),
        pytest.param(stream(BEGIN), "before all of its results", id="nothing-but-a-beginning"),
        pytest.param(line(0, BEGIN) + line(2, {"end": 0}), "record 1 is missing", id="a-number-is-missing"),
        pytest.param(whole(case("t")) + line(2, {"end": 1}), "record 3 is missing", id="a-number-comes-twice"),
        pytest.param(whole(case("t")) + b"x\n", "something else", id="without-the-key"),
        pytest.param(whole(case("t")) + line(3, {"end": 1}, "other"), "something else", id="another-key"),
        pytest.param(f"{KEY} 0 {{\n".encode(), "record 0 is not complete", id="no-json"),
        pytest.param(line(0, []), "record 0 is none", id="no-record"),
        pytest.param(stream(BEGIN, case("t"), {"end": 2}), "not the one that was announced", id="fewer-than-announced"),
        pytest.param(stream(BEGIN, case("t"), {"end": 1}, {"end": 1}), "not the one", id="two-ends"),
        pytest.param(stream(BEGIN, BEGIN, {"end": 1}), "not the one", id="two-beginnings"),
        pytest.param(whole({"result": "passed"}), "names no test", id="no-name"),
        pytest.param(f"{KEY} 0 {'[' * 100_000}\n".encode(), "nested too deeply", id="deep"),
    ],
)
def test_what_could_be_forged_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read(data)


def test_a_last_line_that_was_cut_off_is_no_record() -> None:
    with pytest.raises(ValueError, match="before all of its results"):
        read(stream(BEGIN, case("t")) + line(2, {"end": 1})[:-1])


def collected(count: int, *results: Mapping[str, object]) -> bytes:
    return stream(BEGIN, {"collected": count}, *results, {"end": len(results)})


def test_each_collected_test_has_a_result() -> None:
    one, two = case("t", node="a.py::C::t"), case("u", node="a.py::C::u")
    assert len(read(collected(2, one, two)).results) == 2
    with pytest.raises(ValueError, match="2 tests were collected, and 1 have a result"):
        read(collected(2, one, one))


def test_a_run_that_failed_may_have_stopped_before_its_last_test() -> None:
    red = case("t", "failed", node="a.py::C::t")
    assert read(collected(2, red)).results == {"a.py::C::t": "failed"}


def jest_file(status: str, *tests: Mapping[str, object]) -> dict[str, object]:
    file = {"name": "/r/a.test.js", "status": status, "message": "no module", "assertionResults": list(tests)}
    return {"file": file}


def test_files_of_jest() -> None:
    test = {"ancestorTitles": ["s"], "title": "t", "status": "passed", "failureMessages": []}
    found = read(whole(jest_file("passed", test), jest_file("failed"), {"file": 1}), "jest")
    assert found.results == {"a.test.js::s > t": "passed", "a.test.js": "failed"}
    assert found.messages == {"a.test.js": "no module"}


def mocha_test(result: str, title: str) -> dict[str, object]:
    return {"result": result, "title": title, "fullTitle": f"s {title}", "file": "/r/a.js", "err": {"stack": "why"}}


def test_tests_of_mocha() -> None:
    tests: Sequence[Mapping[str, object]] = [
        mocha_test(result, title) for result, title in (("passed", "a"), ("skipped", "b"), ("failed", "c"))
    ]
    found = read(whole(*tests), "mocha")
    assert found.results == {"a.js::s a": "passed", "a.js::s b": "skipped", "a.js::s c": "failed"}
    assert found.messages == {"a.js::s c": "why"}


def test_mocha_that_could_not_load_a_file_says_which() -> None:
    said = b"TypeError: x\n    at Object.<anonymous> (/r/test/a.js:1:1)\n"
    assert read(stream(BEGIN), "mocha", said).results == {"test/a.js": "failed"}
    with pytest.raises(ValueError, match="before all"):
        read(stream(BEGIN, mocha_test("passed", "a")), "mocha", said)
