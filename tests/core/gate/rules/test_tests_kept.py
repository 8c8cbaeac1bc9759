from dataclasses import replace
from textwrap import dedent

import pytest

from reknit.core.gate.rules.tests_kept import find_emptied_tests, find_removed_tests, find_skipped_tests
from reknit.core.gate.scope import BaseFacts, Scope
from reknit.core.languages.registry import LANGUAGES, list_test_readers
from reknit.core.repository.change import Change, FileChange

SCOPE = Scope((), "", 20, 1000, "pytest")
PATH = "tests/test_auth.py"


def _change(before: str, after: str | None, path: str = PATH) -> Change:
    content = None if after is None else dedent(after).encode()
    return Change((FileChange(path, dedent(before).encode(), content),))


BASE = """
    import pytest

    def test_refresh():
        token = refresh()
        assert token
        assert token.exp

    class TestLogin:
        async def test_ok(self):
            assert login()

        class TestDeep:
            def test_inner(self):
                assert True

    class Refund(unittest.TestCase):
        def test_back(self):
            self.assertEqual(back(), 1)

    class Client:
        def test_connection(self):
            return 1
    """


@pytest.mark.parametrize(
    ("old", "new", "gone"),
    [
        pytest.param(
            "def test_refresh(", "def check_refresh(", ["test_refresh"], id="renamed-so-that-it-is-not-collected"
        ),
        pytest.param(
            "class TestLogin",
            "class Login",
            ["TestLogin::test_ok", "TestLogin::TestDeep::test_inner"],
            id="class-renamed",
        ),
        pytest.param("def test_inner", "def inner", ["TestLogin::TestDeep::test_inner"], id="nested-test"),
        pytest.param("def test_back", "def back", ["Refund::test_back"], id="unittest-case"),
        pytest.param("async def test_ok", "async def ok", ["TestLogin::test_ok"], id="async-test"),
        pytest.param("def test_connection", "def connect", [], id="a-method-of-an-ordinary-class-is-no-test"),
        pytest.param("token = refresh()", "token = refresh(now)", [], id="other-edits-remove-nothing"),
    ],
)
def test_removed_tests_are_named(old: str, new: str, gone: list[str]) -> None:
    refusals = list(find_removed_tests(_change(BASE, dedent(BASE).replace(old, new)), SCOPE))
    assert [(each.rule, each.path, each.sentence) for each in refusals] == [
        ("test-removed", PATH, f"the fix removed {PATH}::{name}") for name in gone
    ]


def test_a_deleted_file_loses_all_its_tests() -> None:
    refusals = list(find_removed_tests(_change(BASE, None), SCOPE))
    assert [refusal.path for refusal in refusals] == [PATH] * 4
    assert {refusal.rule for refusal in refusals} == {"test-removed"}


def test_a_test_file_that_no_longer_parses_has_lost_its_tests() -> None:
    [refusal] = find_removed_tests(_change(BASE, "def test_refresh(:"), SCOPE)
    assert (refusal.rule, refusal.path, "unreadable" in refusal.sentence) == ("test-removed", PATH, True)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("x = 1\n", "x = (\n", id="broken-source-without-tests-is-for-the-run-to-show"),
        pytest.param("def test_(:\n", "x = 1\n", id="a-base-that-did-not-parse-had-no-tests"),
        pytest.param(
            "def test_a(): assert 1\n", "def test_a(): assert 1\ndef test_b(): assert 2\n", id="a-further-test"
        ),
    ],
)
def test_nothing_is_removed(before: str, after: str) -> None:
    assert list(find_removed_tests(_change(before, after), SCOPE)) == []


def test_other_languages_and_new_files_are_not_read_as_python() -> None:
    files = (
        FileChange("a.js", b"def test_a(): assert 1\n", b""),
        FileChange("test_b.py", None, b"def test_b(): pass\n"),
    )
    for rule in (find_removed_tests, find_skipped_tests, find_emptied_tests):
        assert list(rule(Change(files), SCOPE)) == []


TESTED_BY_DOC = 'def f():\n    """\n    >>> f()\n    1\n    """\n    return 2\n'


@pytest.mark.parametrize(
    ("path", "old", "new", "count"),
    [
        pytest.param("src/doc.py", "    1\n", "    2\n", 1, id="expectation-changed"),
        pytest.param("src/doc.py", "    >>> f()\n    1\n", "", 1, id="example-removed"),
        pytest.param("src/doc.py", "return 2", "return 1", 0, id="source-repaired"),
        pytest.param("src/doc.js", "    1\n", "    2\n", 0, id="another-language"),
    ],
)
def test_doctests_are_kept(path: str, old: str, new: str, count: int) -> None:
    refusals = list(find_removed_tests(_change(TESTED_BY_DOC, TESTED_BY_DOC.replace(old, new), path), SCOPE))
    assert len(refusals) == count
    assert all((each.rule, each.path) == ("test-removed", path) and "`f()`" in each.sentence for each in refusals)


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ("import pytest\n@pytest.mark.skip\ndef test_a():\n    assert f()\n", f"{PATH}::test_a with pytest.mark.skip"),
        ("@pytest.mark.skipif(True)\ndef test_a():\n    assert f()\n", f"{PATH}::test_a with pytest.mark.skipif"),
        ("@pytest.mark.xfail(strict=False)\ndef test_a():\n    assert f()\n", f"{PATH}::test_a with pytest.mark.xfail"),
        ("@unittest.expectedFailure\ndef test_a():\n    assert f()\n", f"{PATH}::test_a with unittest.expectedFailure"),
        ("def test_a():\n    pytest.skip('later')\n    assert f()\n", f"{PATH}::test_a with pytest.skip"),
        ("def test_a():\n    if slow:\n        skip('later')\n    assert f()\n", f"{PATH}::test_a with skip"),
        ("def test_a():\n    raise unittest.SkipTest('x')\n    assert f()\n", f"{PATH}::test_a with unittest.SkipTest"),
        (
            "pytestmark = [pytest.mark.slow, pytest.mark.skip]\ndef test_a():\n    assert f()\n",
            f"tests of {PATH} with pytest.mark.skip",
        ),
        ("__test__ = False\ndef test_a():\n    assert f()\n", f"tests of {PATH} with __test__"),
        (
            "np = pytest.importorskip('np')\ndef test_a():\n    assert f()\n",
            f"tests of {PATH} with pytest.importorskip",
        ),
        (
            "if linux:\n    pytest.skip(allow_module_level=True)\ndef test_a():\n    assert f()\n",
            f"tests of {PATH} with pytest.skip",
        ),
    ],
)
def test_new_skips_are_seen(after: str, said: str) -> None:
    [refusal] = find_skipped_tests(_change("def test_a():\n    assert f()\n", after), SCOPE)
    assert (refusal.rule, refusal.path) == ("test-skipped", PATH)
    assert refusal.sentence == f"the fix skips {said}"


def test_a_class_that_is_skipped_is_named() -> None:
    before = "class TestA:\n    def test_a(self):\n        assert f()\n"
    [refusal] = find_skipped_tests(_change(before, "@pytest.mark.skip\n" + before), SCOPE)
    assert refusal.sentence == f"the fix skips the class {PATH}::TestA with pytest.mark.skip"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "@pytest.mark.skip\ndef test_a(): assert 1\n",
            "@pytest.mark.skip\ndef test_a(): assert 2\n",
            id="skip-was-there",
        ),
        pytest.param("def test_a(): assert 1\n", "@pytest.mark.slow\ndef test_a(): assert 1\n", id="another-mark"),
        pytest.param(
            "def test_a(): assert 1\n", "__test__ = True\ndef test_a(): assert 1\n", id="collected-on-purpose"
        ),
        pytest.param(
            "def test_a(): assert 1\n", "[x] = __test__ = f.g\ndef test_a(): raise\n", id="unusual-assignments"
        ),
        pytest.param("def read(): pass\n", "def read(s):\n    s.skip(4)\n    skip(s)\n", id="source-that-skips-bytes"),
        pytest.param("def read(): pass\n", "pytest.skip()\n", id="no-tests-in-the-file"),
        pytest.param(
            "def test_a(): assert 1\n", "x = reader.skip(4)\na.b = 1\ndef test_a(): assert 1\n", id="another-skip"
        ),
    ],
)
def test_what_is_no_new_skip(before: str, after: str) -> None:
    assert list(find_skipped_tests(_change(before, after), SCOPE)) == []


FULL = """
    @pytest.mark.parametrize("a", [1, 2, 3])
    @pytest.mark.parametrize(argnames="b", argvalues=(1, 2))
    def test_a(a, b):
        assert f(a)
        self.assertEqual(1, 1)
        with pytest.raises(ValueError):
            g(b)
        raise AssertionError
    """


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("    assert f(a)\n", "", "4 assertions before, 3 now"),
        ("    self.assertEqual(1, 1)\n", "", "4 assertions before, 3 now"),
        ("    with pytest.raises(ValueError):\n        g(b)\n", "", "4 assertions before, 3 now"),
        ("    raise AssertionError\n", "    raise ValueError\n", "4 assertions before, 3 now"),
        ("    raise AssertionError\n", "    raise\n", "4 assertions before, 3 now"),
        ("[1, 2, 3]", "[1]", "5 parameter sets before, 3 now"),
        ("(1, 2)", "(1,)", "5 parameter sets before, 4 now"),
        ("    assert f(a)\n", "    return\n    assert f(a)\n", "it ends before it checks anything"),
        (
            "    assert f(a)\n",
            '    "words"\n    pass\n    ...\n    return\n    assert f(a)\n',
            "it ends before it checks anything",
        ),
        ("@pytest", "def test_a(): assert 1\n@pytest", "a second definition hides the first"),
    ],
)
def test_weaker_tests_are_seen(old: str, new: str, what: str) -> None:
    [refusal] = find_emptied_tests(_change(FULL, dedent(FULL).replace(old, new, 1)), SCOPE)
    assert (refusal.rule, refusal.path) == ("test-emptied", PATH)
    assert refusal.sentence == f"the fix weakened {PATH}::test_a: {what}"


def test_a_body_of_pass_alone_is_empty() -> None:
    [refusal] = find_emptied_tests(_change("def test_a():\n    f()\n", "def test_a():\n    pass\n"), SCOPE)
    assert "ends before" in refusal.sentence


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "def test_a():\n    assert f()\n", "def test_a():\n    assert f()\n    assert g()\n", id="stronger"
        ),
        pytest.param("def test_a():\n    pass\n", "def test_a():\n    'now with words'\n", id="was-empty-before"),
        pytest.param(
            "@m.parametrize('a', A)\ndef test_a(a): f(a)\n",
            "@m.parametrize('a', B)\ndef test_a(a): f(a)\n",
            id="not-literal",
        ),
        pytest.param(
            "try:\n    def test_a(): assert 1\nexcept E:\n    x = 1\nelse:\n    y = 1\nfinally:\n    z = 1\n",
            "with x():\n    def test_a(): assert 1\n",
            id="inside-blocks",
        ),
        pytest.param("@(f or g)\ndef test_a(): assert 1\n", "@(f or g)\ndef test_a(): assert 1\n", id="odd-decorator"),
    ],
)
def test_what_is_not_weaker(before: str, after: str) -> None:
    assert list(find_emptied_tests(_change(before, after), SCOPE)) == []


@pytest.mark.parametrize(
    ("path", "before"),
    [
        *(
            ("a.test.js", f"{word}('a', () => {{ expect(1).toBe(1); }});\n")
            for word in ("it", "test", "specify", "fit", "xit")
        ),
        *(
            (f"a.test{ending}", "it('a', () => { f(); });\n")
            for ending in (".mjs", ".cjs", ".jsx", ".mts", ".cts", ".tsx")
        ),
        *(("a_test.go", f"package a\nfunc {word}A() {{ f() }}\n") for word in ("Test", "Fuzz", "Example")),
        *(("A.java", f"class A {{ @{mark} void a() {{ f(); }} }}\n") for mark in ("Test", "Property", "Theory")),
        ("A.java", "class A extends TestCase { void testA() { f(); } }\n"),
    ],
)
def test_a_removed_test_is_seen_in_every_language(path: str, before: str) -> None:
    assert len(list(find_removed_tests(_change(before, "", path), SCOPE))) == 1


@pytest.mark.parametrize("ending", list_test_readers(tuple(LANGUAGES)))
@pytest.mark.parametrize("name", ["{}", "tests/{}", "tests/{}{}"], ids=["top", "below", "twice"])
def test_a_name_that_is_only_an_ending_stops_no_rule(name: str, ending: str) -> None:
    change = Change((FileChange(name.format(ending.upper(), ending), b"", None),))
    for find in (find_removed_tests, find_skipped_tests, find_emptied_tests):
        assert list(find(change, SCOPE)) == []


def test_a_doctest_may_move_with_its_function_to_another_file() -> None:
    old = FileChange("old.py", TESTED_BY_DOC.encode(), b"from new import f\n")
    moved, changed = (
        FileChange("new.py", None, text.encode())
        for text in (TESTED_BY_DOC, TESTED_BY_DOC.replace("    1\n", "    2\n"))
    )
    assert list(find_removed_tests(Change((old, moved)), SCOPE)) == []
    assert len(list(find_removed_tests(Change((old, changed)), SCOPE))) == 1
    twice = FileChange("other.py", TESTED_BY_DOC.encode(), None)
    assert len(list(find_removed_tests(Change((old, moved, twice)), SCOPE))) == 1


@pytest.mark.parametrize(
    ("path", "head", "is_refused"),
    [
        pytest.param("shop/db.py", "", False, id="a-function-of-the-product"),
        pytest.param("shop/db.py", "import pytest\n", True, id="a-test-in-a-source-file"),
        pytest.param("shop/test_db.py", "", True, id="a-test-file"),
    ],
)
def test_a_function_is_a_test_where_a_runner_looks_for_it(path: str, head: str, is_refused: bool) -> None:
    before = head + "def test_connection(host):\n    assert host\n"
    known = replace(SCOPE, facts=BaseFacts())
    assert bool(list(find_removed_tests(_change(before, head, path), known))) is is_refused
    assert list(find_removed_tests(_change(before, head, path), SCOPE)) != []
