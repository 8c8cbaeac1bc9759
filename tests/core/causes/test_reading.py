"""The words that decide: the exception that ended the test, and what directly caused it."""

import pytest

from reknit.core.causes.reading import (
    MAX_MESSAGE_CHARS,
    FailingLines,
    find_failing_lines,
    has_earlier_exception,
    read_message,
)
from reknit.core.causes.tree_facts import TreeFacts

CHAIN = """RuntimeError: no rates
E   OSError: unreachable

The above exception was the direct cause of the following exception:

tests/t.py:3: in test_it
E   RuntimeError: no rates"""


def test_a_direct_cause_decides_and_what_happened_before_does_not() -> None:
    assert "OSError: unreachable" in read_message(CHAIN).words
    handled = CHAIN.replace("The above exception was the direct cause of", "During handling of the above exception,")
    assert "OSError" not in read_message(handled).words
    assert (has_earlier_exception(read_message(handled)), has_earlier_exception(read_message(CHAIN))) == (True, False)
    assert "inner" in read_message("Error: outer\n    at a (/w/a.js:1:1)\n[cause]: inner").words


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ("boom\ntests/t.py:3: in test_it\n", "own"),
        ("boom\n/x/site-packages/a.py:3: in f\n/x/importlib/__init__.py:1: in g\n", "foreign"),
        ('Traceback\n  File "/w/a.py", line 3\nValueError: x', "own"),
        ("boom", "unknown"),
    ],
)
def test_where_it_was_raised(message: str, place: str) -> None:
    assert read_message(message).origin == place


def test_hosts_and_the_python_that_ran() -> None:
    found = read_message("x https://a.org:81/ and host='b.org', port=5 and 127.0.0.1:9\n/usr/lib/python3.9/os.py")
    assert found.find_hosts() == [("a.org", "81"), ("b.org", "5"), ("127.0.0.1", "9")]
    assert (found.python_version, read_message("x").python_version) == ((3, 9), (0, 0))


def test_assertions_and_long_or_empty_messages() -> None:
    assert [
        read_message(text).is_assertion for text in ("AssertionError: x", "assert 1 == 2", "ValueError: assert", "")
    ] == [
        True,
        True,
        False,
        False,
    ]
    assert len(read_message("x" * 3 * MAX_MESSAGE_CHARS).text) <= MAX_MESSAGE_CHARS + 1


FILE = "tests/test_x.py"
TEXT = "import os\n\n\ndef test_it(tmp_path):\n    client = make()\n    client.connect(\n        '/run/a.sock'\n    )\n"
FACTS = TreeFacts(texts={FILE: TEXT, "conftest.py": "def ready():\n    start()\n", "setup.py": "setup()\n"})
CONNECTS = (("def test_it(tmp_path):", "    client = make()"), "    client.connect(        '/run/a.sock'")
STARTS = (("def ready():",), "    start()")


@pytest.mark.parametrize(
    ("places", "expected", "is_last"),
    [
        pytest.param(f"{FILE}:6: X", CONNECTS, True, id="the test itself"),
        pytest.param(f"{FILE}:6: \n\nshop/a.py:3: X", CONNECTS, False, id="product code"),
        pytest.param(f"{FILE}:6: \n\n/x/site-packages/a.py:3: X", CONNECTS, True, id="a package"),
        pytest.param("conftest.py:2: X", STARTS, True, id="a fixture"),
        pytest.param(f"{FILE}::test_it\n\nsetup.py:1: X", ((), ""), False, id="another file"),
        pytest.param(f"{FILE}:99: X", ((), ""), False, id="a line that is not there"),
        pytest.param("X", ((), ""), False, id="no place"),
        pytest.param(f"{FILE}:1: X", ((), "import os"), True, id="outside a function"),
    ],
)
def test_where_a_test_failed(places: str, expected: tuple[tuple[str, ...], str], is_last: bool) -> None:
    lines = find_failing_lines(read_message(f"E  X\n\n{places}", FILE), FACTS)
    assert lines == FailingLines(*expected, is_last=is_last)


def test_a_test_in_one_line_has_a_head_and_a_statement() -> None:
    facts = TreeFacts(texts={FILE: "def test_it() -> None: assert os.getenv('A_B')\n"})
    lines = find_failing_lines(read_message(f"E  X\n\n{FILE}:1: X", FILE), facts)
    assert lines == FailingLines(("def test_it() -> None:",), " assert os.getenv('A_B')", is_last=True)


def test_without_a_file_nothing_is_known() -> None:
    assert find_failing_lines(read_message("E  X\n\nshop/a.py:3: X"), FACTS) == FailingLines()


@pytest.mark.parametrize(
    ("head", "before", "kind", "is_last", "expected"),
    [
        pytest.param("def test_it():", "shop.configure()", "variable", True, True, id="a call should set it"),
        pytest.param("def test_it(ready):", "pass", "variable", True, True, id="a fixture should set it"),
        pytest.param("def test_it(self):", "if os.getenv('A_B'):", "variable", True, False, id="only read before"),
        pytest.param("def test_it():", "shop.start()", "service", True, False, id="the test connects"),
        pytest.param("def test_it(tmp_path):", "pass", "host-file", False, True, id="another folder was given"),
        pytest.param("def test_it(tmp_path):", "pass", "service", False, False, id="a folder is no service"),
        pytest.param("def test_it(monkeypatch):", "pass", "service", False, True, id="something was replaced"),
        pytest.param("def test_it():", "pass", "host-file", False, False, id="nothing was given"),
        pytest.param("def test_it():", "with pytest.raises(E):", "variable", False, True, id="to raise another error"),
        pytest.param("def test_it():", "with pytest.raises(E):", "service", True, False, id="the test itself raised"),
    ],
)
def test_when_product_code_may_be_at_fault(head: str, before: str, kind: str, is_last: bool, expected: bool) -> None:
    lines = FailingLines((head, f"    {before}"), "    shop.load()", is_last=is_last)
    assert lines.may_blame_product(kind) is expected


NONE = "AttributeError: 'NoneType' object has no attribute 'x'"
BELOW = f"{NONE}\n/usr/lib/python3.11/subprocess.py:1: X"


@pytest.mark.parametrize(
    ("before", "statement", "message", "expected"),
    [
        ("key = os.getenv('A_B')", "assert key.x", NONE, "environment variable A_B"),
        ("key = os.getenv('A_B')", "assert shop.find(key).x", NONE, ""),
        ("key = os.getenv('A_B')", "assert keys.x", NONE, ""),
        ("key = os.getenv('A_B')", "assert other.x", NONE, ""),
        ("key = os.getenv('A_B')", "assert key.x", "ValueError: x", ""),
        ("shop.start()", "assert os.getenv('A_B').x", NONE, ""),
        ("if os.getenv('A_B'):", "assert shop.x", NONE, ""),
        ("pass", "run([shutil.which('jq')])", BELOW, "jq: command not found"),
        ("pass", "assert shutil.which('jq')", "assert None", "jq: command not found"),
        ("pass", "assert shop.tool() == shutil.which('jq')", "assert None == '/usr/bin/jq'", ""),
        ("pass", "assert os.getenv('A_B') == shop.x()", "assert 'a' == None", ""),
        ("pass", "assert time.tzname == ('A', 'B')", "assert ('C', 'C') == ('A', 'B')", "another time zone"),
        ("pass", "assert time.timezone == shop.zone()", "assert 0 == 3600", ""),
        ("pass", "assert shop.zone() == time.timezone", "assert 0 == 3600", ""),
    ],
)
def test_what_the_test_asked_in_vain(before: str, statement: str, message: str, expected: str) -> None:
    lines = FailingLines(("def test_it():", f"    {before}"), f"    {statement}", is_last=True)
    assert lines.find_unanswered_question(read_message(message)) == expected
    assert FailingLines(lines.before, lines.statement).find_unanswered_question(read_message(message)) == ""
