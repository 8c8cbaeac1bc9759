"""Frames: the deepest one in the repository's own code, in the forms of the usual runners."""

import pytest

from reknit.core.evidence.frames import own_frame

PYTEST = """\
tests/test_a.py:12: in test_total
    total(cart)
shop/pricing.py:7: in total
    return json.loads(text)
/usr/lib/python3.11/json/__init__.py:346: in loads
    return _default_decoder.decode(s)
E   json.decoder.JSONDecodeError: Expecting value"""
TRACEBACK = """\
Traceback (most recent call last):
  File "/app/tests/test_a.py", line 3, in test_x
    total({})
  File "/app/shop/pricing.py", line 9, in total
    return cart["price"]
KeyError: 'price'"""
JAVASCRIPT = """\
TypeError: Cannot read properties of undefined (reading 'price')
    at Array.reduce (<anonymous>)
    at total (/app/src/pricing.js:3:41)
    at Object.<anonymous> (/app/test/pricing.test.js:5:10)
    at node:internal/process/task_queues:95:5"""
NODE_FIRST = """\
Error: ENOENT
    at Object.openSync (node:fs:596:3)
    at load (file:///app/src/load.mjs:2:9)"""
VITEST = " ❯ total src/pricing.ts:4:11\n ❯ src/pricing.test.ts:6:12"
RUST = "thread 'tests::adds' (71) panicked at src/lib.rs:12:9:\nassertion `left == right` failed\n  left: 3"
OLD_RUST = "thread 'main' panicked at 'no price', src/cart.rs:4:5"
GO = "=== RUN   TestTotal\n    total_test.go:14: got 190, want 180\n--- FAIL: TestTotal (0.00s)"
JAVA = """\
org.opentest4j.AssertionFailedError: expected: <180> but was: <190>
\tat org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:55)
\tat java.base/java.util.ArrayList.forEach(ArrayList.java:1511)
\tat com.shop.PricingTest.adds(PricingTest.java:14)"""


@pytest.mark.parametrize(
    ("text", "place", "is_deepest"),
    [
        pytest.param(PYTEST, "shop/pricing.py:7", False, id="pytest, raised in the standard library"),
        pytest.param(TRACEBACK, "/app/shop/pricing.py:9", True, id="a Python traceback"),
        pytest.param(JAVASCRIPT, "/app/src/pricing.js:3", True, id="JavaScript"),
        pytest.param(NODE_FIRST, "/app/src/load.mjs:2", False, id="JavaScript, raised inside of node"),
        pytest.param(VITEST, "src/pricing.ts:4", True, id="vitest"),
        pytest.param(RUST, "src/lib.rs:12", True, id="a Rust panic"),
        pytest.param(OLD_RUST, "src/cart.rs:4", True, id="a panic of an older Rust"),
        pytest.param(GO, "total_test.go:14", True, id="Go"),
        pytest.param(JAVA, "PricingTest.java:14", False, id="the JVM"),
    ],
)
def test_the_deepest_own_frame(text: str, place: str, *, is_deepest: bool) -> None:
    frame = own_frame(text.splitlines())
    assert frame
    assert (f"{frame.path}:{frame.line}", frame.is_deepest) == (place, is_deepest)
    assert frame.path.rsplit("/", 1)[-1] in text.splitlines()[frame.index]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("AssertionError: 190 != 180", id="none at all"),
        pytest.param("at 10:30 the job stopped", id="a time of day"),
        pytest.param("/x/site-packages/a.py:3: KeyError", id="only foreign code"),
        pytest.param("", id="no text"),
    ],
)
def test_no_frame(text: str) -> None:
    assert own_frame(text.splitlines()) is None


def test_a_hostile_line_takes_no_time() -> None:
    assert own_frame(["at " + "a (" * 200_000, "/" * 500_000 + ":", "thread '" + "' panicked at " * 90_000]) is None


def test_in_a_whole_log_the_end_is_searched() -> None:
    frame = own_frame(["a.py:1: x", *["10:30 ok"] * 9_000, "b.py:2: x"])
    assert frame
    assert (frame.index, frame.path) == (9_001, "b.py")
    assert own_frame(["a.py:1: x", *["10:30 ok"] * 9_000]) is None
