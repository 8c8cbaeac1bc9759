"""What tests stand on stays as it is."""

from itertools import pairwise

import pytest

from reknit.core.gate.mention_words import collect_words
from reknit.core.gate.rules.test_support import find_test_support, supports_a_new_test
from reknit.core.gate.scope import BaseFacts, Scope, gather_facts
from reknit.core.repository.change import Change, FileChange

TEST = "tests/test_price.py"
CHECKS = "def same(a, b):\n    assert a == b\n"


def refused(files: dict[str, str], changed: dict[str, str | None], *, failure: str = "", **more: object) -> list[str]:
    """`files`: base."""
    edits = tuple(FileChange(path, _bytes(files.get(path)), _bytes(after)) for path, after in changed.items())
    change = Change(edits)
    facts = gather_facts(change.paths, tuple(files), files.__getitem__)
    mentions = {
        word: found
        for word in collect_words(change, facts)
        if (found := tuple(path for path, text in files.items() if word in text))
    }
    known = type(facts)(facts.near, facts.folders, mentions)
    scope = Scope((TEST,), "", 20, 1000, "pytest", facts=known, failure=failure)
    refusals = list(find_test_support(change, scope))
    assert all(refusal.rule == "test-support" and refusal.sentence.startswith(refusal.path) for refusal in refusals)
    return [refusal.path for refusal in refusals]


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


@pytest.mark.parametrize(
    ("path", "others", "is_refused"),
    [
        pytest.param("data/cases.csv", {TEST: "open('data/cases.csv')"}, True, id="only-a-test-reads-it"),
        pytest.param(
            "data/cases.csv", {TEST: "open('data/cases.csv')", "shop/a.py": "'cases.csv'"}, False, id="product-too"
        ),
        pytest.param(
            "data/cases.csv", {TEST: "open('data/cases.csv')", "docs/a.md": "cases.csv"}, True, id="and-prose"
        ),
        pytest.param("data/cases.csv", {TEST: "glob('data/*')"}, True, id="a-test-reads-the-folder"),
        pytest.param(
            "data/cases.csv", {TEST: "glob('data/*')", "shop/a.py": "'cases.csv'"}, False, id="product-reads-it"
        ),
        pytest.param("shop/fixtures/euro.json", {TEST: "1"}, False, id="nobody-mentions-it"),
        pytest.param("shop/fixtures/euro.json", {TEST: "fixtures = ['euro']"}, True, id="by-its-stem"),
        pytest.param("testdata/x.txt", {TEST: "'x.txt'"}, False, id="for-protected-test"),
    ],
)
def test_data_that_only_tests_read_stays(path: str, others: dict[str, str], is_refused: bool) -> None:
    assert refused({path: "1\n", **others}, {path: "2\n"}) == ([path] if is_refused else [])
    assert refused({path: "1\n", **others}, {path: None}) == ([path] if is_refused else [])


@pytest.mark.parametrize(
    ("path", "text", "others", "is_refused"),
    [
        pytest.param("shop/same.py", CHECKS, {TEST: "from shop.same import same"}, True, id="checks"),
        pytest.param("shop/same.py", CHECKS, {}, False, id="checks-that-nobody-uses"),
        pytest.param(
            "shop/same.py", CHECKS, {"shop/a.py": "from .same import same"}, False, id="checks-of-the-product"
        ),
        pytest.param("shop/fix.py", "import pytest\n", {}, True, id="imports-a-test-library"),
        pytest.param("shop/fix.py", "import pytest\n", {"shop/a.py": "import shop.fix"}, False, id="of-the-product"),
        pytest.param(
            "shop/fix.py", "import pytest\n", {"pyproject.toml": "shop.fix"}, False, id="a-plugin-that-is-sold"
        ),
        pytest.param(
            "shop/price.py", "def f():\n    return 1\n", {TEST: "from shop.price import f"}, False, id="product"
        ),
        pytest.param("tools/run.py", "import subprocess\n", {TEST: "import tools.run"}, True, id="starts-programs"),
        pytest.param("shop/git.py", "import subprocess\n", {}, False, id="starts-programs-for-no-test"),
        pytest.param(TEST, "import pytest\n", {}, False, id="a-test-is-for-protected-test"),
    ],
)
def test_helpers_of_tests_stay(path: str, text: str, others: dict[str, str], is_refused: bool) -> None:
    assert refused({path: text, **others}, {path: text + "x = 1\n"}) == ([path] if is_refused else [])


BASE = {TEST: "from hamcrest import equal_to\nimport json\n", "shop/__init__.py": "", "shop/a.py": "", "go.mod": ""}


@pytest.mark.parametrize(
    ("path", "is_refused"),
    [
        ("hamcrest.py", True),
        ("hamcrest/__init__.py", True),
        ("lib/hamcrest.py", True),
        ("shop/hamcrest.py", False),
        ("shop/json.py", False),
        ("other.py", False),
        ("shop/a/__init__.py", True),
        ("shop/b/__init__.py", False),
        ("node_modules/assert/index.js", True),
        ("vendor/x/x.go", True),
        ("shop/vendor/x.py", False),
        ("Readme.java", False),
    ],
)
def test_an_import_leads_where_it_led(path: str, is_refused: bool) -> None:
    assert refused(BASE, {path: "x = 1\n"}) == ([path] if is_refused else [])


def test_a_module_that_the_failing_test_misses_is_welcome() -> None:
    assert refused(BASE, {"hamcrest.py": "x = 1\n"}, failure="No module named 'hamcrest'") == []


def test_a_file_does_not_take_the_place_of_its_neighbour() -> None:
    base = {"src/price.ts": "", "src/other.css": ""}
    assert refused(base, {"src/price.js": "x"}) == ["src/price.js"]
    assert refused(base, {"src/price.js": "x", "src/price.ts": None}) == []
    assert refused(base, {"src/other.js": "x"}) == []
    family = [f"src/a{ending}" for ending in (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")]
    for one, other in pairwise([*family, family[0]]):
        assert refused({one: ""}, {other: "x"}) == [other]
        assert refused({one: ""}, {one: "x"}) == []


def test_a_class_of_a_dependency_stays_outside() -> None:
    base = {
        "src/test/java/shop/PriceTest.java": "import org.junit.jupiter.api.Assertions;\nimport shop.Money;\n",
        "src/main/java/shop/Price.java": "",
        "src/main/java/org/acme/Tool.java": "",
    }
    junit = "src/main/java/org/junit/jupiter/api/Assertions.java"
    own = {"src/main/java/shop/Money.java": "class Money {}", "src/main/java/org/acme/More.java": ""}
    assert refused(base, {junit: "class Assertions {}", **own}) == [junit]
    for root in ("src/main/java", "src/main/kotlin", "src"):
        for ending in (".java", ".kt"):
            path = f"{root}/org/junit/jupiter/api/Assertions{ending}"
            assert refused(base, {path: "x"}) == [path]
    assert refused(base, {"src/main/java/org/junit/jupiter/api/Assertions.scala": "x"}) == []


def test_nothing_is_said_where_nothing_is_known() -> None:
    change = Change((FileChange("data/cases.csv", b"1", b"2"),))
    assert list(find_test_support(change, Scope((TEST,), "", 20, 1000, "pytest"))) == []


def test_a_file_that_only_changes_its_mode_is_for_another_rule() -> None:
    assert refused({"data/cases.csv": "1", TEST: "'cases.csv'"}, {"data/cases.csv": "1"}) == []


FACTS = BaseFacts(
    folders=frozenset({"tests"}),
    mentions={"old.json": ("tests/test_old.py",), "import helper": ("tests/test_old.py",)},
)
SCOPE = Scope(("tests/test_old.py",), "", 20, 1000, "pytest", facts=FACTS)


@pytest.mark.parametrize(
    ("path", "is_welcome"),
    [
        ("tests/data/new.json", True),
        ("tests/data/old.json", False),
        ("tests/__snapshots__/test_new.ambr", True),
        ("tests/__snapshots__/test_new.py.snap", True),
        ("tests/__snapshots__/test_old.ambr", False),
        ("tests/__snapshots__/test_new.SNAP", True),
        ("tests/__snapshots__/unit.snap", False),
        ("tests/pytest.py", False),
        ("tests/package.json", False),
        ("unit/__init__.py", False),
        ("tests/unit/__init__.py", True),
        ("tests/__init__.py", False),
        ("tests/more/__init__.py", False),
        ("tests/builders.py", True),
        ("tests/helper.py", False),
        ("tests/json.py", False),
        ("tests/conftest.py", False),
    ],
)
def test_what_a_new_test_may_bring(path: str, is_welcome: bool) -> None:
    file = FileChange(path, None, b"x")
    test = FileChange("tests/unit/test_new.py", None, b"def test_new(): pass\n")
    assert supports_a_new_test(file, Change((file, test)), SCOPE) is is_welcome
    assert not supports_a_new_test(file, Change((file,)), SCOPE)
    recorded = FileChange("testdata/test_x.py", None, b"x")
    assert not supports_a_new_test(file, Change((file, recorded)), SCOPE)


def test_one_of_several_new_tests_is_enough() -> None:
    tests = tuple(FileChange(f"tests/{name}/test_new.py", None, b"def test_a(): pass\n") for name in ("api", "unit"))
    for path in ("tests/unit/__init__.py", "tests/unit/__snapshots__/test_new.snap"):
        file = FileChange(path, None, b"x")
        assert supports_a_new_test(file, Change((file, *tests)), SCOPE)


def test_nothing_is_welcome_where_nothing_is_known() -> None:
    file, test = (FileChange(path, None, b"x") for path in ("tests/data/new.json", "tests/test_new.py"))
    assert not supports_a_new_test(file, Change((file, test)), Scope((), "", 20, 1000, "pytest"))
