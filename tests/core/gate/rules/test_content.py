import pytest

from reknit.core.gate.rules.content import find_unreadable
from reknit.core.gate.scope import Scope
from reknit.core.repository.change import Change, FileChange

SCOPE = Scope((), "", 20, 1000, "pytest")
NEWER = b"def f(: 1\n"


def _refused(path: str, before: bytes | None, after: bytes | None) -> list[str]:
    refusals = list(find_unreadable(Change((FileChange(path, before, after),)), SCOPE))
    assert all((refusal.rule, refusal.path) == ("unreadable", path) for refusal in refusals)
    return [refusal.sentence for refusal in refusals]


@pytest.mark.parametrize(
    ("path", "before", "after", "said"),
    [
        ("src/a.abi3.so", None, b"x", "is compiled or packed"),
        ("src/A.CLASS", b"a", b"b", "is compiled or packed"),
        ("lib/x.jar", None, b"", "is compiled or packed"),
        ("src/a.py", b"x = 1\n", b"x = 1\0\n", "is not text"),
        ("logo.png", b"\0a", b"\0b", "is not text"),
        ("src/a.js", b"a", b"\xff\xfe", "is not UTF-8"),
        ("src/a.py", b"x = 1\n", NEWER, "cannot be parsed as Python 3."),
        ("src/a.py", None, NEWER, "cannot be parsed as Python 3."),
        ("src/a.py", b"x = 1\n", b"# -*- coding: utf-7 -*-\nx = 1\n", "is now encoded in utf7"),
        (
            "src/a.py",
            b"x = 1\n",
            b"\n# vim: set fileencoding=unicode_escape :\nx = 1\n",
            "is now encoded in unicodeescape",
        ),
        ("src/a.py", b"x = 1\n", b"\xef\xbb\xbf#!/bin/x\r# coding: rot13\nx = 1\n", "is now encoded in rot13"),
        ("src/a.py", b"# coding: utf-8\n", b"# coding: latin-1\n", "is now encoded in latin1"),
    ],
)
def test_what_nobody_can_read_is_refused(path: str, before: bytes | None, after: bytes, said: str) -> None:
    [sentence] = _refused(path, before, after)
    assert sentence.startswith(f"{path} {said}")


@pytest.mark.parametrize(
    "ending",
    [
        ".so", ".pyd", ".dll", ".dylib", ".pyc", ".pyo", ".class", ".jar", ".war", ".wasm", ".node", ".exe", ".o", ".a",
        ".egg", ".whl", ".zip",
    ],
)  # fmt: skip
def test_what_is_compiled_or_packed_is_refused_whatever_it_holds(ending: str) -> None:
    assert len(_refused(f"src/x{ending}", None, b"text")) == 1
    assert _refused(f"src/x{ending}.md", None, b"text") == []


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        pytest.param("src/a.py", b"x = 1\n", b"# coding: utf-8-sig\nx = 1\n", id="with-a-byte-order-mark"),
        pytest.param("src/a.py", b"x = 1\n", b"# coding: ascii\nx = 1\n", id="ascii"),
        pytest.param("src/a.py", b"x = 1\n", b"# coding: US_ASCII\nx = 1\n", id="us-ascii"),
        pytest.param("src/a.py", b"x = 1\n", b"# coding: utf-8\nx = 1\n", id="plain-encoding"),
        pytest.param("src/a.py", b"# coding: utf-8\n", b"x = 1\n", id="cookie-taken-out"),
        pytest.param("src/a.py", b"# coding: latin-1\nx = 1\n", b"# coding: latin-1\nx = '\xe9'\n", id="as-base"),
        pytest.param("src/a.py", b"x = 1\n", b"x = 1\n# coding: rot13\n", id="a-comment-after-code"),
        pytest.param("src/a.py", NEWER, NEWER + b"x = 1\n", id="base-was-of-another-version"),
        pytest.param("src/a.js", b"\xff", b"\xff\xfe", id="base-was-in-another-encoding"),
        pytest.param("src/a.js", b"a", b"def f(: 1\n", id="no-python"),
        pytest.param("src/a.so", b"a", None, id="deleted"),
        pytest.param("src/a.so", b"a", b"a", id="the-same"),
        pytest.param("src/class.py", b"a", "x = 'é'\n".encode(), id="text"),
    ],
)
def test_what_can_be_read(path: str, before: bytes | None, after: bytes | None) -> None:
    assert _refused(path, before, after) == []
