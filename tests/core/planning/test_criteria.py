"""Acceptance criteria: what code can check of them. What is only partly understood is not checked."""

import pytest

from reknit.core.planning.criteria import (
    ALL_DOCS,
    Check,
    CommandCheck,
    FactCheck,
    ProjectTests,
    Unchecked,
    parse_criterion,
)


def command(text: str, *, exits: int | None = 0, prints: str = "") -> CommandCheck:
    return CommandCheck("", text, exits, prints)


def suite(test: str = "") -> ProjectTests:
    return ProjectTests("", test)


def fact(kind: str, *paths: str, values: tuple[str, ...] = (), at_least: int = 0, at_most: int = 0) -> FactCheck:
    return FactCheck("", kind, paths, values, at_least, at_most)  # type: ignore[arg-type]


def without_text(check: Check) -> Check:
    return type(check)(**{**vars(check), "text": ""})


@pytest.mark.parametrize(
    ("criterion", "expected"),
    [
        ("`pytest tests/x.py` passes", command("pytest tests/x.py")),
        ("`make lint` exits 0", command("make lint")),
        ("`make lint` exits with 0.", command("make lint")),
        ("`make lint` exits with status zero", command("make lint")),
        ("`make lint` succeeds", command("make lint")),
        ("Running `make lint` passes", command("make lint")),
        ("The command `make lint` exits with an exit code of 2", command("make lint", exits=2)),
        ("`reknit gate` exits with 2", command("reknit gate", exits=2)),
        ("`reknit gate` returns exit code 3", command("reknit gate", exits=3)),
        ("`reknit gate` exits non-zero", command("reknit gate", exits=None)),
        ("`reknit gate` exits with a nonzero status", Unchecked("", "")),
        ("`cat a` prints `b`", command("cat a", prints="b")),
        ("`cat a` exits with status code 0 and prints `b`", command("cat a", prints="b")),
        ("`cat a` exits non-zero and prints `b`", command("cat a", exits=None, prints="b")),
        ("`scripts/check.sh` passes", command("scripts/check.sh")),
        ("`tests/run.sh` passes", command("tests/run.sh")),
        ("`pytest` passes", command("pytest")),
        ("`python -c 'f()'` exits 0", command("python -c 'f()'")),
        ("`tests/test_x.py` exits 0", command("tests/test_x.py")),
        ("tests/integration/x.py::test_y passes", suite("tests/integration/x.py::test_y")),
        ("tests/x.py passes", suite("tests/x.py")),
        ("`tests/x.py::test_y` passes", suite("tests/x.py::test_y")),
        ("All the tests in tests/integration/ pass", suite("tests/integration/")),
        ("tests in tests/x.py pass", suite("tests/x.py")),
        ("internal/supervisor/pool_test.go passes", suite("internal/supervisor/pool_test.go")),
        ("All tests pass", suite()),
        ("all existing tests pass.", suite()),
        ("the test suite passes", suite()),
        ("the full test suite passes", suite()),
        ("Every test passes", suite()),
        ("README.md exists", fact("exists", "README.md")),
        ("README.md EXISTS", fact("exists", "README.md")),
        ("README.md CONTAINS `x`", fact("contains", "README.md", values=("x",))),
        ("README.md has AT LEAST 2 lines", fact("lines", "README.md", at_least=2)),
        ("`x` exits NON-ZERO", command("x", exits=None)),
        (f"a.md matches `{200 * 'x'}`", fact("matches", "a.md", values=(200 * "x",))),
        ("CHANGELOG.md has entries for v1.2 through v1.2", fact("entries", "CHANGELOG.md", values=("1.2",))),
        ("The file `docs/new.md` exists", fact("exists", "docs/new.md")),
        (".github/dependabot.yml exists", fact("exists", ".github/dependabot.yml")),
        ("docs/adr/ exists", fact("exists", "docs/adr/")),
        ("CODEOWNERS exists", fact("exists", "CODEOWNERS")),
        ("CHANGELOG.md and .github/dependabot.yml exist", fact("exists", "CHANGELOG.md", ".github/dependabot.yml")),
        ("Both `a.md` and `b.md` exist", fact("exists", "a.md", "b.md")),
        ("docs/old.md does not exist", fact("absent", "docs/old.md")),
        ("docs/old.md no longer exists", fact("absent", "docs/old.md")),
        ("docs/old.md doesn't exist", fact("absent", "docs/old.md")),
        ("README.md contains `reknit plan`", fact("contains", "README.md", values=("reknit plan",))),
        ('README.md contains the text "a b"', fact("contains", "README.md", values=("a b",))),
        ("README.md contains “a b”", fact("contains", "README.md", values=("a b",))),
        ("README.md exists and contains `x`", fact("contains", "README.md", values=("x",))),
        ("src/a.py does not contain `TODO`", fact("lacks", "src/a.py", values=("TODO",))),
        ("src/a.py matches `^def f\\(`", fact("matches", "src/a.py", values=("^def f\\(",))),
        ("src/a.py matches the regex `x+`", fact("matches", "src/a.py", values=("x+",))),
        ("src/a.py has at least 10 lines", fact("lines", "src/a.py", at_least=10)),
        ("src/a.py has at most 300 lines", fact("lines", "src/a.py", at_most=300)),
        ("src/a.py is <= 300 lines long", fact("lines", "src/a.py", at_most=300)),
        ("src/a.py has ≥ 1 line", fact("lines", "src/a.py", at_least=1)),
        (
            "CHANGELOG.md has entries for v1.2 through v1.6",
            fact("entries", "CHANGELOG.md", values=("1.2", "1.3", "1.4", "1.5", "1.6")),
        ),
        ("CHANGELOG has an entry for v1.6", fact("entries", "CHANGELOG", values=("1.6",))),
        ("CHANGELOG.md has sections for 1.2.9 to 1.2.10", fact("entries", "CHANGELOG.md", values=("1.2.9", "1.2.10"))),
        ("CHANGELOG.md has entries for v1–v3", fact("entries", "CHANGELOG.md", values=("1", "2", "3"))),
        (
            "CHANGELOG.md contains entries for v1.2, v1.3, and v2.0",
            fact("entries", "CHANGELOG.md", values=("1.2", "1.3", "2.0")),
        ),
        ("All docs have status: current frontmatter", fact("frontmatter", ALL_DOCS, values=("status", "current"))),
        (
            "Every doc has `status: current` in its frontmatter",
            fact("frontmatter", ALL_DOCS, values=("status", "current")),
        ),
        (
            "docs/STATE.md has status: current frontmatter",
            fact("frontmatter", "docs/STATE.md", values=("status", "current")),
        ),
    ],
)
def test_what_code_can_check_is_a_check(criterion: str, expected: Check) -> None:
    found = parse_criterion(criterion)
    assert found.text == criterion
    if isinstance(expected, Unchecked):
        assert isinstance(found, Unchecked)
    else:
        assert without_text(found) == expected


@pytest.mark.parametrize(
    "criterion",
    [
        "dependabot opens at least one PR within 24h",
        "tests/integration/ session-pool-spawn test passes",
        "radioactive_ralph run –variant green actually backgrounds via tmux",
        "advisor stage 4 calls real claude subprocess",
        "README.md exists and is readable",
        "README.md exists, CHANGELOG.md too",
        "`make lint` passes on CI",
        "`make lint` passes and `make test` passes",
        "`make lint`",
        "`make lint` is fast",
        "`add(2, 3)` returns 5",
        "`add(2, 3)` exits non-zero",
        "`x` fails",
        "`x` returns 0",
        "`` passes",
        "src/app.py passes",
        "CI passes",
        "test_pool passes",
        "/etc/passwd exists",
        "../x.py exists",
        "docs/*.md exists",
        "documentation exists",
        "a plan exists",
        "a.md and documentation exist",
        "a.md contains",
        "a.md contains 3 examples",
        "a.md contains `x` twice",
        "a.md matches expectations",
        "documentation contains `x`",
        f"a.md matches `{201 * 'x'}`",
        "a.md has at least ten lines",
        "a.md has at least 0 lines",
        "documentation has at least 3 lines",
        "a.md has 3 lines",
        "CHANGELOG.md has entries for v1.8 through v2.1",
        "CHANGELOG.md has entries for v1.6 through v1.2",
        "CHANGELOG.md has entries for v1.2 through v2.6",
        "../tests/test_x.py passes",
        "CHANGELOG.md has entries for v1.0 through v1.100",
        "CHANGELOG.md has entries for v1.2 through the next release",
        "CHANGELOG.md has entries for all releases",
        "CHANGELOG.md has entries for v1.2 through 1..3",
        "CHANGELOG.md has entries for . through .",
        "the log has entries for v1.2",
        "All docs have frontmatter",
        "All docs have status: current frontmatter and a title",
        "Most docs have status: current frontmatter",
        "`grep 'a  b' README.md` passes",
        "README.md contains `a\tb`",
        "README.md contains `a\nb`",
        "README.md contains `a\u200bb`",
        "",
    ],
)
def test_the_rest_is_not_checked_and_says_why(criterion: str) -> None:
    found = parse_criterion(criterion)
    assert isinstance(found, Unchecked)
    assert (found.text, bool(found.why)) == (criterion, True)
