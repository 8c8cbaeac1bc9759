"""The samples are what cargo 1.95 printed for a workspace, with its paths shortened."""

import json
from pathlib import Path

import pytest

from reknit.core.languages.rust.reports import parse, to_plain_output

SAMPLES = Path(__file__).parents[1] / "samples"
OUT, ERR = (SAMPLES / "cargo.txt").read_bytes(), (SAMPLES / "cargo_stderr.txt").read_bytes()


def test_every_test_has_a_result_by_the_file_of_its_crate() -> None:
    found = parse(OUT, ERR, ("/repo",))
    assert found.results == {
        "a/src/lib.rs::tests::is_two": "passed",
        "a/tests/outer.rs::outer": "failed",
        "src/lib.rs::tests::adds": "passed",
        "src/lib.rs::tests::slow": "skipped",
        "src/lib.rs::tests::wrong": "failed",
        "src/lib.rs::tests::panics": "passed",
        "src/main.rs": "passed",
        "tests/cart.rs::works": "failed",
        "src/lib.rs::doc add": "failed",
    }
    assert "left: 3" in found.messages["src/lib.rs::tests::wrong"]
    assert found.messages["tests/cart.rs::works"] == 'Error: "no"'
    assert found.files["a/tests/outer.rs::outer"] == "a/tests/outer.rs"
    assert "panicked at src/lib.rs:5" in found.messages["src/lib.rs::doc add"]


def test_a_crate_that_does_not_compile_is_named_with_the_compilers_words() -> None:
    found = parse((SAMPLES / "cargo_broken.txt").read_bytes(), b"error: could not compile `shop`\n", ("/repo",))
    assert found.results == {"tests/cart.rs": "failed"}
    assert found.messages["tests/cart.rs"].startswith("error[E0308]: mismatched types")


def _run(text: str, *, headers: int = 1) -> dict[str, str]:
    target = {"src_path": "/repo/src/lib.rs"}
    artifact = {"reason": "compiler-artifact", "target": target, "executable": "/repo/target/debug/deps/shop-1"}
    stderr = "     Running unittests src/lib.rs (target/debug/deps/shop-1)\n" * headers
    return dict(
        parse(f"{json.dumps(artifact, separators=(',', ':'))}\n{text}".encode(), stderr.encode(), ("/repo",)).results
    )


def test_a_test_program_that_died_is_a_failure_of_its_file() -> None:
    assert _run("running 2 tests\ntest a ... ok\n") == {"src/lib.rs::a": "passed", "src/lib.rs": "failed"}


@pytest.mark.parametrize("lines", ["test a ... ok\ntest a ... FAILED\n", "test a ... FAILED\ntest a ... ok\n"])
def test_a_line_that_tested_code_prints_does_not_take_back_a_failure(lines: str) -> None:
    done = f"running 1 test\n{lines}\ntest result: ok. 1 passed; 0 failed; 0 filtered out\n"
    assert _run(done) == {"src/lib.rs::a": "failed"}


def test_programs_that_cannot_be_told_apart_have_no_file() -> None:
    done = "running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 filtered out\n"
    assert _run(done, headers=2) == {"a": "passed"}


def test_a_program_whose_tests_were_not_chosen_shows_nothing() -> None:
    other = "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 3 filtered out\n"
    chosen = "running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 filtered out\n"
    assert _run(chosen + other, headers=2) == {"src/lib.rs::a": "passed"}


def test_what_a_failed_test_printed_is_no_result() -> None:
    text = (
        "running 1 test\ntest a ... FAILED\n\nfailures:\n\n---- a stdout ----\ntest b ... ok\nwhy\n\n\n"
        "failures:\n    a\n\ntest result: FAILED. 0 passed; 1 failed; 0 filtered out\n"
    )
    assert _run(text) == {"src/lib.rs::a": "failed"}


@pytest.mark.parametrize("line", ['{"reason":', '{"reason":[', '{"reason":' * 100_000, "hello"])
def test_what_a_test_printed_is_no_message(line: str) -> None:
    assert _run(line, headers=0) == {}


def test_a_message_without_a_target_or_an_error_is_nothing() -> None:
    lines = ['{"reason":"x","target":1}', '{"reason":"x","message":{"level":"warning"}}']
    assert parse("\n".join(lines).encode(), b"", ()).results == {}


def test_people_read_the_output_without_json() -> None:
    text = to_plain_output(OUT)
    assert text.startswith("\nrunning 1 test\n")
    assert '"reason"' not in text
