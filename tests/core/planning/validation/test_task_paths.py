"""The files that a task's title names."""

from collections.abc import Collection, Iterator

import pytest

from reknit.core.planning.validation.task_paths import Creation, TaskFile, find_task_files

TRACKED = (
    "CHANGELOG.md", "README.md", "Makefile", "docs/STATE.md", "docs/guide.md", "docs/a b.md",
    "cmd/radioactive_ralph/run.go",
    "internal/supervisor/pool.go", "internal/supervisor/pool_test.go", "src/a.py", "src/pkg/__init__.py",
    "src/other/__init__.py", "tests/test_a.py", "app/[id]/page.tsx", "vendor/lib/only.py", ".github/workflows/ci.yml",
    "Case/File.md", "node.js", "docs/v1.2.md", "[slug].tsx",
)  # fmt: skip


def files_of(title: str, tracked: Collection[str]) -> tuple[TaskFile, ...]:
    return find_task_files([title], tracked)[0]


def there(path: str, *, new: bool = False) -> TaskFile:
    return TaskFile(path, exists=True, may_be_new=new)


def created(path: str) -> TaskFile:
    return TaskFile(path, exists=False, may_be_new=True)


def lacking(path: str) -> TaskFile:
    return TaskFile(path, exists=False, may_be_new=False)


THERE, LACKING, CREATED = (True, False), (False, False), (False, True)


def folder(path: str, state: tuple[bool, bool]) -> TaskFile:
    return TaskFile(path, *state, kind="folder")


def pattern(path: str, state: tuple[bool, bool]) -> TaskFile:
    return TaskFile(path, *state, kind="pattern")


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        # every task and path of the mission's text
        ("Backfill CHANGELOG entries for the last 5 releases", [there("CHANGELOG.md", new=True)]),
        ("Refresh docs/STATE.md frontmatter", [there("docs/STATE.md")]),
        ("Scaffold .github/dependabot.yml", [created(".github/dependabot.yml")]),
        ("Wire cmd/radioactive_ralph/run.go", [there("cmd/radioactive_ralph/run.go")]),
        ("Finish internal/supervisor/", [folder("internal/supervisor/", THERE)]),
        # there
        ("Fix src/a.py", [there("src/a.py")]),
        ("Fix `src/a.py`.", [there("src/a.py")]),
        (
            "Fix (src/a.py), “docs/guide.md”; 'README.md'!",
            [there("src/a.py"), there("docs/guide.md"), there("README.md")],
        ),
        ("Fix src/a.py: it fails", [there("src/a.py")]),
        ("Fix src/a.py:12", [there("src/a.py")]),
        ("Fix src/a.py:12-14 and src/a.py#L20", [there("src/a.py")]),
        ("Fix tests/test_a.py::test_x[1]", [there("tests/test_a.py")]),
        ("Fix ./src/a.py", [there("src/a.py")]),
        ("Fix README.md's links", [there("README.md")]),
        ("Is src/a.py right?", [there("src/a.py")]),
        ("Fix [docs/guide.md](docs/guide.md)", [there("docs/guide.md")]),
        ("Fix app/[id]/page.tsx", [there("app/[id]/page.tsx")]),
        ("Fix [slug].tsx.", [there("[slug].tsx")]),
        ("Fix `docs/a b.md`", [there("docs/a b.md")]),
        ("Fix case/file.md", [there("Case/File.md")]),
        ("Fix run.go", [there("cmd/radioactive_ralph/run.go")]),
        ("Fix STATE.md", [there("docs/STATE.md")]),
        ("Fix each __init__.py", [there("src/other/__init__.py"), there("src/pkg/__init__.py")]),
        ("Fix node.js", [there("node.js")]),
        ("Fix docs/v1.2.md", [there("docs/v1.2.md")]),
        ("Sort the Makefile", [there("Makefile")]),
        ("Update the readme", [there("README.md")]),
        ("Run `pytest tests/test_a.py -q`", [there("tests/test_a.py")]),
        ("Simplify internal/supervisor", [folder("internal/supervisor/", THERE)]),
        ("Refresh docs/*.md", [pattern("docs/*.md", THERE)]),
        ("Format *.go", [pattern("*.go", THERE)]),
        ("Format src/**", [pattern("src/**", THERE)]),
        # not there
        ("Fix src/nope.py", [lacking("src/nope.py")]),
        ("Fix nope.py", [lacking("nope.py")]),
        ("Fix only.py", [lacking("only.py")]),
        ("Fix src/nope/", [folder("src/nope/", LACKING)]),
        ("Fix `src/nope`", [folder("src/nope", LACKING)]),
        ("Fix src/a.py/", [folder("src/a.py/", LACKING)]),
        ("Refresh lib/*.md", [pattern("lib/*.md", LACKING)]),
        ("Add lib/*.md", [pattern("lib/*.md", LACKING)]),
        ("Fix LICENSE", [lacking("LICENSE")]),
        ("Fix CODEOWNERS", [lacking(".github/CODEOWNERS")]),
        ("Fix Dockerfile", [lacking("Dockerfile")]),
        ("Add logging in src/nope.py", [lacking("src/nope.py")]),
        ("Add tests for src/nope.py", [lacking("src/nope.py")]),
        ("Add x.py to src/nope.py", [created("x.py"), lacking("src/nope.py")]),
        ("Run `make nope.py`", [lacking("nope.py")]),
        ("Let `git add` ignore src/nope.py", [lacking("src/nope.py")]),
        # never
        ("Edit ../src/a.py", [lacking("../src/a.py")]),
        ("Add ../x.py", [lacking("../x.py")]),
        ("Add src/../x.py", [lacking("src/../x.py")]),
        ("Write /etc/passwd", [folder("/etc/passwd", LACKING)]),
        ("Write /srv/a.py", [lacking("/srv/a.py")]),
        ("Write ~/.bashrc", [lacking("~/.bashrc")]),
        ("Add src\\main.py", [lacking("src\\main.py")]),
        # created
        ("Add docs/new.md", [created("docs/new.md")]),
        ("Create x.py and y.py", [created("x.py"), created("y.py")]),
        ("Add pool.go tests", [there("internal/supervisor/pool.go", new=True)]),
        ("Add CODEOWNERS", [created(".github/CODEOWNERS")]),
        ("Add dependabot.yml", [created(".github/dependabot.yml")]),
        ("Add a SECURITY policy", [created("SECURITY.md")]),
        ("Add LICENSE", [created("LICENSE")]),
        ("Create docs/adr/", [folder("docs/adr/", CREATED)]),
        ("Move src/a.py to src/b.py", [there("src/a.py"), created("src/b.py")]),
        ("Split src/a.py into src/b.py and src/c.py", [there("src/a.py"), created("src/b.py"), created("src/c.py")]),
        ("Write tests for src/a.py in tests/test_b.py", [there("src/a.py"), created("tests/test_b.py")]),
        ("Fix src/a.py and add docs/new.md", [there("src/a.py"), created("docs/new.md")]),
        ("Write an ADR in docs/adr/0030-plans.md", [created("docs/adr/0030-plans.md")]),
        ("Configure dependabot in .github/dependabot.yml", [created(".github/dependabot.yml")]),
        ("Enable CodeQL via .github/workflows/codeql.yml", [created(".github/workflows/codeql.yml")]),
        ("Set up hooks with .pre-commit-config.yaml", [created(".pre-commit-config.yaml")]),
        ("Configure logging in src/nope.py", [lacking("src/nope.py")]),
        ("Configure ../tox.ini", [lacking("../tox.ini")]),
        ("Configure CI in .github/workflows/ci.yml", [there(".github/workflows/ci.yml", new=True)]),
        ("Rename src/a.py -> src/b.py", [there("src/a.py"), created("src/b.py")]),
        ("Move src/a.py → src/b.py", [there("src/a.py"), created("src/b.py")]),
        # no paths
        ("Release v1.2 and 1.6.0", []),
        ("Support formats, e.g. tables, i.e. lists, etc.", []),
        ("Read https://example.com/a.md and example.com", []),
        ("Upgrade Node.js, Vue.js, .NET and ASP.NET", []),
        ("Speed up by 1.5x, to 99.9 %", []),
        ("Fix a SECURITY bug", []),
        ("Add license headers", []),
        ("Fix and/or logic of CI/CD and I/O", []),
        ("Serve application/json from origin/main", []),
        ("Add GET /users/{id}", []),
        ("Call os.path.join and json.Decoder, not console.log", []),
        ("Mail me@example.com ...", []),
        ("Fix `make lint`", []),
        ("Convert all .py files", []),
        ("Say `x = {a}.py`", []),
        ("Escape \\n and C:\\ in the output", []),
        ("Handle “...” and . and / and ``", []),
        ("", []),
    ],
)
def test_the_files_of_a_title(title: str, expected: list[TaskFile]) -> None:
    assert list(files_of(title, TRACKED)) == expected


def test_the_order_of_the_tree_is_nothing_and_any_collection_will_do() -> None:
    title = "Fix __init__.py and case/file.md"
    assert files_of(title, TRACKED) == files_of(title, TRACKED[::-1]) == files_of(title, set(TRACKED))


def test_two_files_that_differ_by_case_are_told_apart() -> None:
    assert files_of("Fix a.md", ("A.md", "a.md")) == (there("a.md"),)
    assert files_of("Fix a.MD", ("A.md", "a.md")) == (there("A.md"),)


def test_a_name_that_hundreds_have_names_only_some() -> None:
    assert len(files_of("Fix __init__.py", [f"p{number}/__init__.py" for number in range(100)])) == 20


def test_only_the_beginning_of_an_endless_title_is_read() -> None:
    assert files_of("x " * 1_000 + "nope.py", TRACKED) == ()


class CountedPaths(frozenset[str]):
    walks = 0

    def __iter__(self) -> Iterator[str]:
        CountedPaths.walks += 1
        return super().__iter__()


def test_the_tree_is_not_walked_once_per_task() -> None:
    titles = [f"Fix src/x{number}/f.py, lib{number}/, name{number}.py and case/file.md" for number in range(50)]
    assert len(find_task_files(titles, CountedPaths(TRACKED))) == 50
    assert CountedPaths.walks <= 5


@pytest.mark.parametrize(
    ("pattern", "is_there"),
    [("docs/*.md", True), ("docs/**", True), ("*_test.go", True), ("**/pool.go", True), ("internal/*.go", False),
     ("d*s/*.md", True), ("docs/?.md", False), ("**/**/nope*", False), ("src/a.py*", True), ("do*ocs/x", False)],
)  # fmt: skip
def test_a_pattern_is_there_if_it_fits_a_path(pattern: str, is_there: bool) -> None:
    assert [file.exists for file in files_of(f"Fix `{pattern}`", TRACKED)] == [is_there]


@pytest.mark.parametrize(
    ("prose", "is_new"),
    [
        ("Add", True),
        ("Adds", True),
        ("Adding the", True),
        ("create a new", True),
        ("Created", True),
        ("Scaffold", True),
        ("Backfill", True),
        ("Write", True),
        ("Writing", True),
        ("Introduce", True),
        ("Generate the missing", True),
        ("Bootstrap", True),
        ("Draft a", True),
        ("Document the pool in a new", True),
        ("Fix the bug, then add", True),
        ("Add a test for the pool in", True),
        ("Write tests under", True),
        ("Add a page called", True),
        ("Add the plan as", True),
        ("Move the parser to", True),
        ("Split the module into", True),
        ("Extract helpers into", True),
        ("Copy the table to", True),
        ("Rename it to", True),
        ("Implement", True),
        ("Provide a", True),
        ("", False),
        ("Fix", False),
        ("Refresh", False),
        ("Update", False),
        ("Move", False),
        ("Rename", False),
        ("Add tests for", False),
        ("Add a section to", False),
        ("Add logging in", False),
        ("Add an entry on", False),
        ("Add types from", False),
        ("Add a guide, update", False),
        ("Fix a typo in", False),
        ("Address findings in", False),
        ("Additional work at", False),
        ("Split", False),
        ("Turn it into", False),
        ("Extract the parser from", False),
        ("Remove the script under", False),
        ("Overwrite", False),
        ("newer", False),
        ("Configure", False),
        ("Set up hooks with", False),
    ],
)
def test_the_words_before_a_file_say_whether_it_may_be_new(prose: str, is_new: bool) -> None:
    reader = Creation()
    reader.read(prose)
    assert reader.is_next_new is is_new


def test_what_was_said_before_the_first_file_holds_for_the_second() -> None:
    reader = Creation()
    for prose, is_new in (
        ("Add ", True),
        (" and ", True),
        (" for ", False),
        ("; fix ", False),
        (", then write ", True),
    ):
        reader.read(prose)
        assert reader.is_next_new is is_new


def test_configuring_is_told_apart_and_ends_with_the_next_verb() -> None:
    reader = Creation()
    for prose, configures in (("Enable CodeQL via", True), ("and", True), ("then fix", False), ("set up it in", True)):
        reader.read(prose)
        assert reader.configures is configures
