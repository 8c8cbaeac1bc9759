"""The words by which a file is mentioned."""

import pytest

from reknit.core.gate.mention_words import (
    collect_words,
    find_template_folder,
    is_data,
    list_import_words,
    list_use_words,
    to_qualified_name,
)
from reknit.core.gate.scope import BaseFacts
from reknit.core.repository.change import Change, FileChange

JS = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
FACTS = BaseFacts(near=frozenset({"shop/price.py", "data/a.csv"}))


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("data/cases.csv", ("cases.csv", '"cases"', "'cases'", "data/", '"data"', "'data'")),
        ("shop/cases.csv", ("cases.csv", '"cases"', "'cases'")),
        ("t/cases.csv", ("cases.csv", '"cases"', "'cases'")),
        ("src/shop/same.py", ("shop.same", "shop import same", ".same import", ". import same")),
        ("same/__init__.py", ("import same", "from same import", ".same import", ". import same")),
        ("src/testing/same.js", ('/same"', "/same'", "/same.js")),
        *((f"src/a/same{end}", ('/same"', "/same'", f"/same{end}")) for end in JS),
        ("abc/cases.csv", ("cases.csv", '"cases"', "'cases'", "abc/", '"abc"', "'abc'")),
        ("ab/cases.csv", ("cases.csv", '"cases"', "'cases'")),
        ("same.py", ("import same", "from same import", ".same import", ". import same")),
        ("src/testing/index.ts", ('/testing"', "/testing'", "/index.ts")),
        ("internal/testutil/equal.go", ('/testutil"',)),
        ("equal.go", ()),
        ("src/shop/Same.java", ("shop.Same", " Same.", "(Same.", "extends Same")),
    ],
)
def test_how_a_file_is_used(path: str, words: tuple[str, ...]) -> None:
    assert list_use_words(path, FACTS) == words


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("src/main/java/org/junit/Assert.java", "org.junit.Assert"),
        ("src/test/java/shop/A.java", "shop.A"),
        ("a/src/main/kotlin/shop/A.kt", "shop.A"),
        ("A.java", "A"),
        ("web/src/test/kotlin/shop/A.kt", "shop.A"),
        ("src/shop/A.java", "shop.A"),
        ("notsrc/shop/A.java", "notsrc.shop.A"),
    ],
)
def test_the_name_of_a_class(path: str, name: str) -> None:
    assert to_qualified_name(path) == name
    assert list_import_words(path) == (name,)


def test_only_what_others_can_tell_is_asked() -> None:
    def asked(path: str, before: str | None, after: str | None = "y\n") -> tuple[str, ...]:
        old, new = (None if text is None else text.encode() for text in (before, after))
        return collect_words(Change((FileChange(path, old, new),)), FACTS)

    assert asked("shop/price.py", "def f():\n    return 1\n") == ()
    assert asked("shop/price.py", "import pytest\n") == list_use_words("shop/price.py", FACTS)
    assert asked("shop/price.py", "import pytest\n", "import pytest\n") == ()
    endings = ("*.csv", "}.csv", '".csv"', "'.csv'")
    assert asked("data/cases.csv", "1\n", None) == (*list_use_words("data/cases.csv", FACTS), *endings)
    assert {*asked("data/cases", "1\n", None)} >= {*list_use_words("data/cases", FACTS)}
    assert asked("data/cases.csv", None) == ()
    assert asked("shop/new.py", None) == ("import new", "from new import", "from new.")
    assert asked("shop/new.js", None) == ()
    assert asked("src/shop/New.java", None) == asked("src/shop/New.kt", None) == ("shop.New",)
    assert asked("shop/same.py", "def same(a):\n    assert a\n") == list_use_words("shop/same.py", FACTS)
    assert asked("shop/run.py", "import subprocess\n") == list_use_words("shop/run.py", FACTS)
    assert asked("data/expected/c.txt", None) == list_use_words("data/expected/c.txt", FACTS)
    assert asked("tests/data/c.json", None) == list_use_words("tests/data/c.json", FACTS)
    assert asked("README.md", "x\n") == asked("package.json", "x\n") == ()


def test_of_an_unusual_file_it_is_asked_who_reads_it() -> None:
    def asked(path: str, before: bytes | None = b"x\n") -> tuple[str, ...]:
        return collect_words(Change((FileChange(path, before, b"y\n"),)), FACTS)

    words = ('"{}"', "'{}'", '/{}"', "/{}'")
    for path in (".drone.yml", "a/.gitignore", "web/package.json", "bin/build", "ci.toml", "a/grammar.xyz"):
        name = path.rpartition("/")[2]
        assert asked(path, None)[:4] == asked(path)[:4] == tuple(word.format(name) for word in words)
    folder = ("project-templates/", '"project-templates"', "'project-templates'")
    assert asked("a/project-templates/b/.gitignore", None)[4:] == folder
    assert asked("a/.gitignore", None)[4:] == asked("a.py") == asked("shop/a.json", None) == ()


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("templates/a", "templates"),
        ("src/shop/Template/b/templates/a", "src/shop/Template"),
        ("src/new_skeleton/a", "src/new_skeleton"),
        ("a/scaffolding/b", "a/scaffolding"),
        ("a/stubs/b", "a/stubs"),
        ("a/starter/b", "a/starter"),
        ("src/contemplates/a", ""),
        ("templates", ""),
        ("a/templates.py", ""),
    ],
)
def test_a_folder_of_templates_is_known_by_its_name(path: str, folder: str) -> None:
    assert find_template_folder(path) == folder


def test_what_is_data() -> None:
    assert [path for path in ("a.csv", "a.txt", "a.md", "a.py", "Makefile", "a") if is_data(path)] == [
        "a.csv",
        "a.txt",
        "a",
    ]
