"""The words that decide: the exception that ended the test, and what directly caused it."""

import pytest

from reknit.core.causes.reading import MOST_CHARS, happened_before, read

CHAIN = """RuntimeError: no rates
E   OSError: unreachable

The above exception was the direct cause of the following exception:

tests/t.py:3: in test_it
E   RuntimeError: no rates"""


def test_a_direct_cause_decides_and_what_happened_before_does_not() -> None:
    assert "OSError: unreachable" in read(CHAIN).words
    handled = CHAIN.replace("The above exception was the direct cause of", "During handling of the above exception,")
    assert "OSError" not in read(handled).words
    assert (happened_before(read(handled)), happened_before(read(CHAIN))) == (True, False)
    assert "inner" in read("Error: outer\n    at a (/w/a.js:1:1)\n[cause]: inner").words


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
    assert read(message).raised == place


def test_hosts_and_the_python_that_ran() -> None:
    found = read("x https://a.org:81/ and host='b.org', port=5 and 127.0.0.1:9\n/usr/lib/python3.9/os.py")
    assert found.hosts() == [("a.org", "81"), ("b.org", "5"), ("127.0.0.1", "9")]
    assert (found.python, read("x").python) == ((3, 9), (0, 0))


def test_assertions_and_long_or_empty_messages() -> None:
    assert [read(text).is_assertion for text in ("AssertionError: x", "assert 1 == 2", "ValueError: assert", "")] == [
        True,
        True,
        False,
        False,
    ]
    assert len(read("x" * 3 * MOST_CHARS).text) <= MOST_CHARS + 1
