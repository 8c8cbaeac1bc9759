"""The samples are what Go 1.19 printed; newer events are from its documentation."""

import json
from pathlib import Path

import pytest

from reknit.core.languages.go.reports import parse, read_module_path, to_plain_output

SAMPLES = Path(__file__).parents[1] / "samples"
OUT, ERR = (SAMPLES / "go.txt").read_bytes(), (SAMPLES / "go_stderr.txt").read_bytes()


def test_every_test_has_a_result_by_its_folder() -> None:
    found = parse(OUT, ERR, "example.com/shop")
    assert found.results == {
        ".::TestTop": "passed",
        "boom::TestBefore": "passed",
        "boom::TestBoom": "failed",
        "cart::TestAdd": "passed",
        "cart::TestWrong": "failed",
        "cart::TestSkip": "skipped",
        "cart::TestTable": "failed",
        "cart::TestTable/a_b": "failed",
        "cart::TestTable/c/d": "passed",
        "bad": "failed",
        "dep": "failed",
        "mainfail": "failed",
        "missing": "failed",
    }
    assert found.files["cart::TestWrong"] == "cart/cart_test.go"
    assert found.messages["cart::TestWrong"] == "    cart_test.go:4: hello\n    cart_test.go:4: got 3\n"
    assert found.messages["cart::TestTable"] == "    cart_test.go:6: sub\n"
    assert found.messages["boom::TestBoom"].startswith("panic: ouch")


def test_a_package_that_is_not_built_says_what_the_compiler_said() -> None:
    messages = parse(OUT, ERR, "example.com/shop").messages
    assert messages["bad"] == "bad/bad.go:2:23: undefined: y\n"
    assert messages["missing"].startswith("missing/m_test.go:2:20: no required module provides package")
    assert "bad/bad.go:2:23: undefined: y\n" in messages["dep"]
    assert messages["mainfail"] == "setup died\n"


def test_without_a_known_module_ids_are_import_paths() -> None:
    assert "example.com/shop/cart::TestAdd" in parse(OUT, ERR, "").results


def test_newer_versions_report_the_build_as_events() -> None:
    events = [
        {"ImportPath": "m/bad", "Action": "build-output", "Output": "bad/bad.go:2:23: undefined: y\n"},
        {"ImportPath": "m/bad", "Action": "build-fail"},
        {"Action": "start", "Package": "m/bad"},
        {"Action": "output", "Package": "m/bad", "Output": "FAIL\tm/bad [build failed]\n"},
        {"Action": "fail", "Package": "m/bad", "FailedBuild": "m/bad"},
    ]
    found = parse("\n".join(map(json.dumps, events)).encode(), b"", "m")
    assert (found.results, found.messages) == ({"bad": "failed"}, {"bad": "bad/bad.go:2:23: undefined: y\n"})


def test_a_test_in_which_the_process_died_has_failed() -> None:
    events = [{"Action": "run", "Package": "m", "Test": "TestDies"}, {"Action": "fail", "Package": "m"}]
    assert parse("\n".join(map(json.dumps, events)).encode(), b"", "m").results == {".::TestDies": "failed"}


@pytest.mark.parametrize("line", [b"{", b"[1]", b'{"a": ' * 100_000, b"hello", b"# \nx\n"])
def test_what_a_test_printed_is_no_event(line: bytes) -> None:
    assert parse(line, line, "m").results == {}


@pytest.mark.parametrize(
    ("text", "module"),
    [("// x\nmodule example.com/shop // y\n", "example.com/shop"), ('module "a/b"', "a/b"), ("go 1.19\n", "")],
)
def test_the_module_is_read_from_go_mod(text: str, module: str) -> None:
    assert read_module_path(text) == module


def test_people_read_the_output_without_json() -> None:
    text = to_plain_output(OUT)
    assert "--- FAIL: TestWrong (0.00s)\n" in text
    assert "FAIL\texample.com/shop/bad [build failed]\n" in text
    assert '"Action"' not in text
