"""The kind of a failure, from what runners say."""

import pytest

from reknit.core.tamper_checks.failures import HarnessResult, find_failure_kind, is_same_message, read_harness_output

PYTEST = """assert 190 == 180
 +  where 190 = discount(200, 10)
def test_discount():
>       assert discount(200, 10) == 180
E       assert 190 == 180

tests/test_price.py:5: AssertionError"""
THROUGH_CALLS = """ValueError: no
tests/test_price.py:5:
    parse("1")
shop/parse.py:2: in parse
    check(text)
shop/parse.py:9: PriceError"""
UNITTEST = """AssertionError: 190 != 180
Traceback (most recent call last):
  File "/w/tests/test_price.py", line 8, in test_discount
    self.assertEqual(discount(200, 10), 180)
shop.errors.PriceError: 190 != 180
"""
CHAINED = """Traceback (most recent call last):
KeyError: 1

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "a.py", line 8, in b
StopIteration
"""


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        pytest.param("assert 190 == 180", "AssertionError", id="pytest-leaves-the-kind-of-assert-out"),
        pytest.param("json.decoder.JSONDecodeError: Expecting value", "JSONDecodeError", id="without-its-module"),
        pytest.param("Failed: DID NOT RAISE <class 'ValueError'>", "Failed", id="nothing-was-raised"),
        pytest.param('failed on setup with "KeyError: 1"', "KeyError", id="a-fixture-failed"),
        pytest.param(PYTEST, "AssertionError", id="pytest"),
        pytest.param(THROUGH_CALLS, "PriceError", id="where-it-was-raised-counts"),
        pytest.param(UNITTEST, "PriceError", id="unittest"),
        pytest.param(CHAINED, "StopIteration", id="the-last-of-a-chain"),
        pytest.param("Traceback (most recent call last):\n  File", "", id="a-traceback-that-is-cut-off"),
        pytest.param("price_test.go:9: got 190", "", id="go-names-none"),
        pytest.param("a.py:9: failed", "", id="a-word-is-no-kind"),
        pytest.param("Values differ:\n\nAssertionError [ERR_ASSERTION]: Values differ", "AssertionError", id="node"),
        pytest.param("x is not a function\nTypeError: x is not a function\n    at y", "TypeError", id="node-type"),
        pytest.param("Error: expect(received).toBe(expected) // Object.is", "AssertionError", id="jest"),
        pytest.param("Error: no\n    at Object.<anonymous>", "Error", id="an-error-without-a-name"),
        *(
            pytest.param(f"  a.b.{kind}: no", kind, id=kind)
            for kind in ("KeyError", "MyException", "UserWarning", "SystemExit", "KeyboardInterrupt", "StopIteration")
        ),
        pytest.param('failed on teardown with "KeyError: 1"', "KeyError", id="a-fixture-failed-afterwards"),
        pytest.param("asserting is no kind", "", id="a-word-that-begins-like-assert"),
        pytest.param("Traceback (most recent call last):\n  File\nBare", "Bare", id="any-name-ends-a-traceback"),
        pytest.param("a.py:1: KeyError\na.py:2: ValueError", "ValueError", id="the-last-crash"),
        pytest.param("a.go:1: KeyError", "", id="a-place-in-another-language"),
        pytest.param("x" * 1999 + "\nTypeError: late", "", id="too-late-in-a-long-message"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_the_kind(message: str, kind: str) -> None:
    assert find_failure_kind(message) == kind


@pytest.mark.parametrize(
    ("message", "failure", "expected"),
    [
        pytest.param("got 190", "    price_test.go:7: got 190\n", True, id="beside-a-place"),
        pytest.param("failed left: 1 right: 2", "panicked at x\nfailed\n  left: 1\n right: 2\n", True, id="wrapped"),
        pytest.param("port 4711 at 0xc0ffee", "port 17 at 0x1", True, id="other-numbers"),
        pytest.param("no database", "got 190", False, id="other-words"),
        pytest.param("got 190", "got nothing", False, id="no-number"),
        pytest.param("x" * 300, "x" * 250, True, id="a-stored-message-is-shorter"),
        pytest.param("x" * 200 + "y", "x" * 200, True, id="what-follows-may-be-missing"),
        pytest.param("x" * 199 + "y", "x" * 200, False, id="what-comes-before-may-not"),
    ],
)
def test_a_runner_said_the_same(message: str, failure: str, expected: bool) -> None:
    assert is_same_message(message, failure) is expected


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
