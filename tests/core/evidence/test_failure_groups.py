"""Groups of failures: one cause is one group whatever its parameters, and two causes are two."""

from collections.abc import Sequence

import pytest

from reknit.core.evidence.failure_groups import find_own_frame, group_failures
from reknit.core.finding import Finding

RUST = "thread 'tests::adds' (71) panicked at src/lib.rs:12:9:\nassertion `left == right` failed\n  left: 3"
OLD_RUST = "thread 'main' panicked at 'no price', src/cart.rs:4:5"
GO = "=== RUN   TestTotal\n    total_test.go:14: got 190, want 180\n--- FAIL: TestTotal (0.00s)"


def failing(subject: str, message: str, file: str = "tests/test_a.py") -> Finding:
    return Finding("T-1", "tests", "test-failed", subject, file, message=message)


def compared(number: int, expression: str = "total(cart)") -> str:
    return (
        f"AssertionError: assert {number} == {number - 10}\n"
        f"cart = <Cart object at 0x7f{number:08x}>\n\n>       assert {expression} == {number - 10}\n"
        f"E       assert {number} == {number - 10}\n\ntests/test_a.py:{number}: AssertionError"
    )


def thrown(message: str, place: str) -> str:
    return f"{message}\n>       go()\n\ntests/test_a.py:3: \n_ _ _\n\n{place}: ValueError"


def each(*messages: str) -> list[Finding]:
    return [failing(f"tests/test_a.py::test_number_{number}", message) for number, message in enumerate(messages)]


NO_FIXTURE = """\
failed on setup with "file /app/tests/test_a.py, line 3
  def test_it(NAME):
E       fixture 'NAME' not found"""

ONE_CAUSE = [
    pytest.param(each(compared(190), compared(17)), id="other numbers and addresses"),
    pytest.param(each("KeyError: 'row_17'", "KeyError: 'row_18'"), id="a numbered key"),
    pytest.param(
        [
            failing(f"t.py::test_parse[{word}-x]", f"ValueError: cannot parse '{word}'")
            for word in ("abc", "klm", "x y", "")
        ],
        id="the test's own parameters",
    ),
    pytest.param(
        [
            failing(f"a.test.js::parses {word}", f"cannot parse '{word}'", "a.test.js")
            for word in ("abc", "de", "fgh", "i")
        ],
        id="parameters in a title",
    ),
    pytest.param(each(*(f"KeyError: '{word}'" for word in "abcdefgh")), id="a literal that is new every time"),
    pytest.param(
        each("OSError: no /tmp/pytest-of-me/17/db.json", "OSError: no /tmp/pytest-of-me/18/db.json"),
        id="a temporary path",
    ),
    pytest.param(each("stale since 2026-07-26T10:00:01Z", "stale since 2025-01-02T23:59:00.5+02:00"), id="a time"),
    pytest.param(
        each("no 3f2504e0-4f89-11d3-9a0c-0305e82c3301", "no 9a0c04e0-4f89-11d3-9a0c-0305e82c33ff"), id="an id"
    ),
    pytest.param(
        each("order [1, 2, 3] is bad", "order [7] is bad", "order ['a', 2] is bad"), id="a list of another length"
    ),
    pytest.param(each(*(f"no '{a}' in '{b}'" for a in "abc" for b in "xyz")), id="two literals in every combination"),
    pytest.param(each("rows 1, 2, 3 differ", "rows 9 differ"), id="a row of numbers"),
    pytest.param(
        each("Failed: Timeout (>30.0s)\nshop/a.py:3: X", "Failed: Timeout (>5.0s)\nshop/b.py:9: X"), id="a timeout"
    ),
    pytest.param(
        [failing(f"t.py::test_of_{name}", f"fixture of test_of_{name} is gone") for name in ("cart", "order")],
        id="the test's own name",
    ),
    pytest.param(
        each("Traceback (most recent call last):\n  x\nValueError: bad 1", "ValueError: bad 2"),
        id="with a traceback or not",
    ),
    pytest.param(
        each("Failed\n\nTypeError: x is not a function", "TypeError: x is not a function"), id="after an opener"
    ),
    pytest.param(
        each("refused\na.py:1: x\n/lib/python3/a.py:2: E", "refused\nb.py:1: x\n/lib/python3/a.py:2: E"),
        id="raised in foreign code, called from two places",
    ),
]
TWO_CAUSES = [
    pytest.param(each("KeyError: 'price'", "KeyError: 'quantity'"), id="another key"),
    pytest.param(each("ValueError: bad", "TypeError: bad"), id="another type"),
    pytest.param(each("name 'x' in utf8", "name 'x' in utf16"), id="another word with a number in it"),
    pytest.param(
        each(thrown("ValueError: bad", "shop/a.py:3"), thrown("ValueError: bad", "shop/b.py:9")), id="raised elsewhere"
    ),
    pytest.param(each(compared(190), compared(190, "tax(cart)")), id="another comparison of bare numbers"),
    pytest.param(
        [failing(f"{file}::x", "expected 190 to be 180", file) for file in ("a.test.js", "b.test.js")],
        id="bare numbers in another file",
    ),
    pytest.param(
        [failing(f"{name}::adds", "expected: <190> but was: <180>", "") for name in ("com.A", "com.B")],
        id="bare numbers in another class",
    ),
    pytest.param(each("OSError: no /tmp/1/db.json", "OSError: no /tmp/1/cart.json"), id="another file missing"),
    pytest.param(each("issue #1 is open", "issue ## is open", "issue #2 is open"), id="a text that holds our own mark"),
    pytest.param(
        each(*(NO_FIXTURE.replace("NAME", name) for name in ("cart", "order"))),
        id="another fixture is missing",
    ),
    pytest.param(each("", "KeyError: 'x'"), id="a failure without words"),
    pytest.param(each(RUST, RUST.replace("lib.rs:12", "lib.rs:40")), id="another assertion in Rust"),
    pytest.param(each(GO, GO.replace("got", "have been given")), id="other words in Go"),
]


@pytest.mark.parametrize("findings", ONE_CAUSE)
def test_one_cause_is_one_group(findings: Sequence[Finding]) -> None:
    (group,) = group_failures(findings, most=100)
    assert group.findings == tuple(findings)


@pytest.mark.parametrize("findings", TWO_CAUSES)
def test_two_causes_are_two_groups(findings: Sequence[Finding]) -> None:
    assert len(group_failures(findings, most=100)) == 2


def test_a_literal_with_few_forms_over_many_failures_names_its_cause() -> None:
    keys = [f"KeyError: '{word}'" for word in ("price", "name", "city", "street", "zip") for _ in range(20)]
    assert [len(group.findings) for group in group_failures(each(*keys), most=100)] == [20] * 5


def test_so_does_a_number_when_its_forms_are_very_few() -> None:
    status = [f"wrong answer {code} of the service" for code in (404, 500) for _ in range(30)]
    assert len(group_failures(each(*status), most=100)) == 2
    digits = [f"wrong sum {a} of parts {b}" for a in range(10) for b in range(10) for _ in range(20)]
    assert len(group_failures(each(*digits), most=100)) == 1


def test_the_largest_comes_first_and_equal_ones_stay_in_order() -> None:
    groups = group_failures(each("small a", "small b", "large", "large"), most=100)
    assert [group.headline for group in groups] == ["large", "small a", "small b"]


@pytest.mark.parametrize(
    ("most", "count"),
    [
        pytest.param(9, 9, id="as fine as it can be"),
        pytest.param(8, 3, id="without the place"),
        pytest.param(2, 1, id="without the names"),
        pytest.param(0, 1, id="never coarser than the words"),
    ],
)
def test_groups_get_coarser_when_there_are_too_many(most: int, count: int) -> None:
    findings = each(
        *(thrown(f"ValueError: no '{word}'", f"shop/{file}.py:1") for word in ("a", "b", "c") for file in "def")
    )
    assert len(group_failures(findings, most=most)) == count


def test_a_traceback_without_a_known_error_is_told_by_its_last_line() -> None:
    (group,) = group_failures(each("Traceback (most recent call last):\n  x\nboom"), most=9)
    assert group.headline == "boom"


def test_a_message_of_openers_only_is_told_by_its_first() -> None:
    assert [group.headline for group in group_failures(each("\nAssertionError\n\n", " \n "), most=9)] == [
        "AssertionError",
        "",
    ]


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
    frame = find_own_frame(text.splitlines())
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
    assert find_own_frame(text.splitlines()) is None


def test_a_hostile_line_takes_no_time() -> None:
    assert (
        find_own_frame(["at " + "a (" * 200_000, "/" * 500_000 + ":", "thread '" + "' panicked at " * 90_000]) is None
    )


def test_in_a_whole_log_the_end_is_searched() -> None:
    frame = find_own_frame(["a.py:1: x", *["10:30 ok"] * 9_000, "b.py:2: x"])
    assert frame
    assert (frame.index, frame.path) == (9_001, "b.py")
    assert find_own_frame(["a.py:1: x", *["10:30 ok"] * 9_000]) is None
