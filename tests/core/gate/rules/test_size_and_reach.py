from dataclasses import replace

import pytest

from reknit.core.gate.rules.size_and_reach import count_lines, find_out_of_reach, find_too_much, find_vendored_files
from reknit.core.gate.scope import BaseFacts, Scope
from reknit.core.repository.change import Change, FileChange

SCOPE = Scope((), "", 2, 10, "pytest")


@pytest.mark.parametrize(
    ("path", "root", "is_refused"),
    [
        ("src/a.py", "", False),
        ("api/src/a.py", "api", False),
        ("web/src/a.py", "api", True),
        ("apiary/a.py", "api", True),
        ("api", "api", True),
        ("vendor/x.go", "", False),
    ],
)
def test_a_fix_stays_in_its_project(path: str, root: str, is_refused: bool) -> None:
    refusals = list(find_out_of_reach(Change((FileChange(path, b"a", b"b"),)), replace(SCOPE, project_root=root)))
    assert [(each.rule, each.path) for each in refusals] == ([("out-of-reach", path)] if is_refused else [])


@pytest.mark.parametrize(
    ("path", "is_vendored"),
    [
        ("node_modules/x/index.js", True),
        ("web/Node_Modules/x.js", True),
        ("vendor/x.go", True),
        ("third_party/x.c", True),
        ("dist/app.js", True),
        (".venv/lib/x.py", True),
        ("src/__pycache__/a.pyc", True),
        ("src/vendor.py", False),
        ("src/distance/a.py", False),
    ],
)
def test_what_others_made_is_named(path: str, is_vendored: bool) -> None:
    refusals = list(find_vendored_files(Change((FileChange(path, b"a", b"b"),)), SCOPE))
    assert [(each.rule, each.path) for each in refusals] == ([("vendored-file", path)] if is_vendored else [])


@pytest.mark.parametrize(
    ("path", "is_vendored"),
    [
        ("shop/vendor/models.py", False),
        ("shop/vendor/deep/models.py", False),
        ("shop/vendor/node_modules/x.js", True),
        ("vendor/x.go", True),
        ("geo/dist/__init__.py", True),
    ],
)
def test_a_package_of_the_product_may_be_called_vendor(path: str, is_vendored: bool) -> None:
    known = replace(SCOPE, facts=BaseFacts(folders=frozenset({"shop/vendor", "vendor", "shop"})))
    assert bool(list(find_vendored_files(Change((FileChange(path, b"a", b"b"),)), known))) is is_vendored


def test_dependencies_and_single_files_are_in_reach() -> None:
    scope = replace(SCOPE, project_root="api", also_in_reach=("lib", "index.js"))
    files = [FileChange(path, b"a", b"b") for path in ("api/a.py", "lib/a.py", "index.js", "library/a.py", "other.js")]
    assert [refusal.path for refusal in find_out_of_reach(Change(tuple(files)), scope)] == ["library/a.py", "other.js"]


@pytest.mark.parametrize(
    ("files", "lines", "sentences"),
    [
        pytest.param(2, 5, [], id="at-both-limits"),
        pytest.param(3, 1, ["the fix changes 3 files; the limit is 2"], id="one-file-more"),
        pytest.param(1, 11, ["the fix changes 11 lines; the limit is 10"], id="one-line-more"),
    ],
)
def test_a_fix_stays_small(files: int, lines: int, sentences: list[str]) -> None:
    change = Change(tuple(FileChange(f"{number}.py", None, b"x\n" * lines) for number in range(files)))
    assert [(each.rule, each.path, each.sentence) for each in find_too_much(change, SCOPE)] == [
        ("too-much", "", sentence) for sentence in sentences
    ]


def test_removed_lines_count_too() -> None:
    change = Change((FileChange("a.py", b"a\nb\nc\n", b"a\nx\n"), FileChange("b.py", b"a\n", None)))
    assert count_lines(change) == (1, 3)
    assert list(find_too_much(change, replace(SCOPE, changed_lines=3))) != []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param("a\rb\r" * 6, ["the fix changes 12 lines; the limit is 10"], id="ended-by-carriage-returns"),
        pytest.param("a\r\n" * 10, [], id="windows-lines-count-once"),
        pytest.param("a" * 2000, [], id="one-long-line-at-the-limit"),
        pytest.param("a" * 2001, ["the fix changes 11 lines; the limit is 10"], id="one-longer-line"),
        pytest.param("😀" * 1000, [], id="bytes-at-the-limit"),
        pytest.param("😀" * 1001, ["the fix changes 4004 bytes; the limit is 4000"], id="bytes"),
    ],
)
def test_what_a_person_must_read_counts(content: str, said: list[str]) -> None:
    change = Change((FileChange("a.py", None, content.encode()),))
    assert [(each.rule, each.path, each.sentence) for each in find_too_much(change, SCOPE)] == [
        ("too-much", "", sentence) for sentence in said
    ]
