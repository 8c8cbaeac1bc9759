"""What the second harness printed."""

import pytest

from reknit.core.tamper_checks.harness_output import HarnessResult, read_harness_output

NONCE = "n0nce"


def _output(*lines: str) -> bytes:
    return "".join(f"{NONCE}{line}\n" for line in lines).encode()


def test_each_line_behind_the_nonce_is_a_result() -> None:
    said = _output('{"test": "a", "ok": true}', '{"test": "b", "ok": false, "kind": "E", "message": "m"}', '{"end": 2}')
    assert read_harness_output(b"noise\n" + said + b"more", NONCE) == {
        "a": HarnessResult(is_green=True),
        "b": HarnessResult(is_green=False, kind="E", message="m"),
    }


@pytest.mark.parametrize(
    "output",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(_output('{"test": "a", "ok": true}'), id="no-end"),
        pytest.param(_output('{"test": "a", "ok": true}', '{"end": 2}'), id="a-line-is-missing"),
        pytest.param(_output('{"test": "a"}', '{"test": "a", "ok": true}', '{"end": 2}'), id="a-test-twice"),
        pytest.param(
            _output('{"test": "a"}', '{"test": "a", "ok": true}', '{"end": 1}'), id="a-test-twice-counted-once"
        ),
        pytest.param(_output('{"end": 0}', '{"test": "a", "ok": true}', '{"end": 2}'), id="more-after-its-end"),
        pytest.param(_output('{"test": "a", "ok": tru', '{"end": 1}'), id="a-line-that-is-cut-off"),
    ],
)
def test_what_is_not_complete_says_nothing(output: bytes) -> None:
    assert read_harness_output(output, NONCE) == {}


def test_a_test_that_is_not_said_to_be_green_is_red() -> None:
    assert read_harness_output(_output('{"test": "a"}', '{"end": 1}'), NONCE) == {"a": HarnessResult(is_green=False)}


def test_an_empty_run_that_came_to_its_end_has_no_results() -> None:
    assert read_harness_output(_output('{"end": 0}'), NONCE) == {}
