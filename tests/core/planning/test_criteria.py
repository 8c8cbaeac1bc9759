"""Acceptance criteria: the forms that a program can check, and when each is checked."""

import pytest

from reknit.core.planning.criteria import (
    FORMS,
    Check,
    CommandCheck,
    FactCheck,
    ProjectTests,
    Unchecked,
    find_due_criteria,
    parse_criterion,
)


def without_text(check: Check) -> Check:
    return type(check)(**{**vars(check), "text": ""})


@pytest.mark.parametrize(
    ("criterion", "expected"),
    [
        ("run: make docs", CommandCheck("", "make docs")),
        ("run: `make docs`", CommandCheck("", "make docs")),
        ("run:make docs", CommandCheck("", "make docs")),
        ("run: echo `date` > `tty`", CommandCheck("", "echo `date` > `tty`")),
        ("run: test: x", CommandCheck("", "test: x")),
        ("test: all", ProjectTests("")),
        ("test: tests/x.py", ProjectTests("", "tests/x.py")),
        ("test: `tests/x.py::test_y`", ProjectTests("", "tests/x.py::test_y")),
        ("test: tests/integration/", ProjectTests("", "tests/integration/")),
        ("file: README.md exists", FactCheck("", "exists", "README.md")),
        ("file: docs/old.md absent", FactCheck("", "absent", "docs/old.md")),
        ("file: docs/ exists", FactCheck("", "exists", "docs/")),
        ("file: CHANGELOG.md contains v1.3", FactCheck("", "contains", "CHANGELOG.md", "v1.3")),
        ("file: a.md contains  two words ", FactCheck("", "contains", "a.md", "two words")),
        ("file: `a b.md` contains `x`", FactCheck("", "contains", "a b.md", "x")),
        ("file: a.md contains `x` and `y`", FactCheck("", "contains", "a.md", "`x` and `y`")),
        ("file: src/a.py lacks TODO", FactCheck("", "lacks", "src/a.py", "TODO")),
        (r"file: src/a.py matches ^def f\(", FactCheck("", "matches", "src/a.py", r"^def f\(")),
        (f"file: a.md matches {200 * 'x'}", FactCheck("", "matches", "a.md", 200 * "x")),
    ],
)
def test_a_form_is_a_check(criterion: str, expected: Check) -> None:
    found = parse_criterion(criterion)
    assert (found.text, without_text(found)) == (criterion, expected)


@pytest.mark.parametrize(
    "criterion",
    [
        "dependabot opens at least one PR within 24h",
        "`make docs` passes",
        "README.md exists",
        "all tests pass",
        "run:",
        "run: ``",
        "RUN: make docs",
        "test:",
        "test: tests/*.py",
        "test: ../tests/x.py",
        "file:",
        "file: README.md",
        "file: README.md Exists",
        "file: README.md exists and is readable",
        "file: README.md does not exist",
        "file: a.md contains",
        "file: a.md matches ``",
        "file: /etc/passwd exists",
        "file: ../x.py exists",
        "file: docs/*.md exists",
        f"file: a.md matches {201 * 'x'}",
        "",
    ],
)
def test_prose_and_a_slip_are_for_a_person_and_say_why(criterion: str) -> None:
    found = parse_criterion(criterion)
    assert isinstance(found, Unchecked)
    assert (found.text, bool(found.why)) == (criterion, True)


@pytest.mark.parametrize(
    ("criterion", "why"),
    [
        ("runs: make docs", "a person checks it; did you mean `run:`?"),
        ("Test: all", "a person checks it; did you mean `test:`?"),
        ("`run: true`", "a person checks it; did you mean `run:`?"),
        ("Note: it is better", "a person checks it"),
        ("it is better", "a person checks it"),
        ("file: ../x exists", "its path is not that of one file in the repository"),
    ],
)
def test_a_slip_is_told_from_prose(criterion: str, why: str) -> None:
    found = parse_criterion(criterion)
    assert isinstance(found, Unchecked)
    assert found.why == why


def test_each_form_that_an_agent_is_told_is_one() -> None:
    for form in FORMS:
        assert not isinstance(parse_criterion(form.replace("FILE", "tests/x.py").replace("PATH", "a.md")), Unchecked)


CRITERIA = ("run: make docs", "file: a.md exists", "test: tests/x.py::test_y", "file: other.md exists", "it is better")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param([["a.md"]], ((1,),), id="its file"),
        pytest.param([["a.md"], ["b.md"]], ((1,), ()), id="the first task"),
        pytest.param([["a.md"], ["a.md", "tests/x.py"]], ((), (1, 2)), id="not before the last task that names it"),
        pytest.param([["src/a.py"]], ((),), id="no file of a criterion"),
        pytest.param([], (), id="no task"),
    ],
)
def test_a_criterion_is_due_after_the_last_task_that_names_its_file(
    files: list[list[str]], expected: tuple[tuple[int, ...], ...]
) -> None:
    assert find_due_criteria(CRITERIA, files) == expected
