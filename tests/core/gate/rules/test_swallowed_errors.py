"""An error that nobody sees is not repaired."""

import pytest

from reknit.core.gate.rules.suppressions import find_swallowed_errors
from reknit.core.gate.scope import Scope
from reknit.core.repository.change import Change, FileChange

SCOPE = Scope((), "", 20, 1000, "pytest")


def _refused(path: str, before: str | None, after: str | None) -> bool:
    old, new = (None if text is None else text.encode() for text in (before, after))
    return [each.rule for each in find_swallowed_errors(Change((FileChange(path, old, new),)), SCOPE)] == [
        "error-swallowed"
    ]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "try:\n    f()\nexcept Exception:\n    pass\n"),
        ("a.py", "try:\n    f()\nexcept:\n    ...\n"),
        ("a.py", "for x in y:\n    try:\n        f()\n    except (ValueError, BaseException):\n        continue\n"),
        ("a.py", "with contextlib.suppress(Exception):\n    f()\n"),
        ("a.py", "with suppress(KeyError, BaseException):\n    f()\n"),
        ("a.py", "try:\n    f()\nexcept builtins.Exception:\n    'why'\n    pass\n"),
        ("a.py", "try:\n    f()\nexcept builtins.BaseException as e:\n    pass\n"),
        ("a.js", "try { f(); } catch (e) {\n}\n"),
        ("a.ts", "try { f(); } catch {}\n"),
        ("A.java", "try { f(); } catch (Throwable ignored) { }\n"),
    ],
)
def test_a_swallowed_error_is_named(path: str, text: str) -> None:
    assert _refused(path, None, text)
    assert _refused(path, "x\n", text)
    assert not _refused(path, text, text + "x\n"), "as base has it"
    assert not _refused(path, text, None)
    assert not _refused(f"tests/{path}", "x\n", text)


@pytest.mark.parametrize(
    "ending", [".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".java", ".kt", ".cs"]
)
def test_an_empty_catch_is_named_in_every_language_that_has_one(ending: str) -> None:
    assert _refused(f"src/A{ending}", "x\n", "try { f(); } catch (e) {}\n")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "try:\n    f()\nexcept Exception:\n    pass\n    raise\n"),
        ("a.py", "try:\n    f()\nexcept ValueError:\n    pass\n"),
        ("a.py", "try:\n    f()\nexcept Exception:\n    log(x)\n"),
        ("a.py", "try:\n    f()\nexcept Exception:\n    x = 1\n"),
        ("a.py", "with suppress(KeyError), other(Exception):\n    f()\n"),
        ("a.py", "def (except"),
        ("a.js", "try { f(); } catch (e) { log(e); }\ncatch_all = {}\n"),
        ("a.js", "x = {}\n"),
        ("a.go", "catch {}\n"),
    ],
)
def test_what_swallows_nothing(path: str, text: str) -> None:
    assert not _refused(path, "x\n", text)
