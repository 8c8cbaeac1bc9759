import pytest

from reknit.core.projects.detect import parse_user_command
from reknit.core.testing.command import TestCommand
from reknit.core.testing.selection import MAX_SELECTION_BYTES, build_argv


def _added(text: str, *ids: str) -> tuple[str, ...]:
    """What is in the command line for these tests and not in the one for all."""
    command = parse_user_command(text)
    whole = build_argv(command, ())
    return tuple(word for word in build_argv(command, ids) if word not in whole)


@pytest.mark.parametrize(
    ("text", "ids", "words"),
    [
        pytest.param("pytest", ["a.py::t[1]", "b.py"], ["a.py::t[1]", "b.py"], id="pytest"),
        pytest.param(
            "python -m unittest",
            ["a.py::C::t", "b.py"],
            ["--pick=a.py::C::t", "--pick=b.py"],
            id="unittest",
        ),
        pytest.param(
            "vitest",
            ["t/a.js::A (x) > b.c", "t/a.js::top"],
            [r"--testNamePattern=^(A \(x\)(?: >)? b\.c|top)( |$)", "t/a.js"],
            id="vitest",
        ),
        pytest.param("vitest", ["t/a.js", "t/b.js::b"], ["t/a.js", "t/b.js"], id="a whole file needs no names"),
        pytest.param("jest", ["a.js::A > b"], ["--testNamePattern=^(A(?: >)? b)$", r"a\.js$"], id="jest"),
        pytest.param("mocha", ["a.js::A b|c", "b.js::d"], [r"--grep=^(A b\|c|d)$"], id="mocha"),
        pytest.param("mocha", ["a.js"], [], id="mocha has names only"),
        pytest.param(
            "npx playwright test", ["e/a.ts::A > b"], ["--grep=(^| )(A(?: >)? b)$", r"e/a\.ts$"], id="playwright"
        ),
        pytest.param(
            "node --test",
            ["a.js::A > b"],
            ["--test-name-pattern=^(A|A > b|b)$", "a.js"],
            id="each level of node's names",
        ),
        pytest.param(
            "go test ./...",
            ["cart::TestA/sub", ".::TestB", "a.com/x::TestC"],
            ["-run=^(TestA|TestB|TestC)$", ".", "a.com/x", "./cart"],
            id="go",
        ),
        pytest.param("go test ./...", ["cart", "shop::TestA"], ["./cart", "./shop"], id="a package that was not built"),
        pytest.param("cargo test", ["src/lib.rs::tests::a", "tests/b.rs::b"], ["--exact", "b", "tests::a"], id="cargo"),
        pytest.param("cargo test", ["src/lib.rs::doc add", "t.rs::b"], ["b", "src/lib.rs - add"], id="documentation"),
        pytest.param("cargo test", ["src/lib.rs"], [], id="a crate that did not compile"),
        pytest.param(
            "mvn test",
            ["c.A::x", "c.A::y(int)[1]", "c.B::shows a thing", "c.B::z", "c.C"],
            ["-Dtest=c.A#x+y,c.B,c.C", "-DfailIfNoTests=false", "-Dsurefire.failIfNoSpecifiedTests=false"],
            id="maven",
        ),
        pytest.param("gradle test", ["c.A::x", "c.A::with space"], ["--tests=c.A", "--tests=c.A.x"], id="gradle"),
    ],
)
def test_ids_become_arguments(text: str, ids: list[str], words: list[str]) -> None:
    assert _added(text, *ids) == tuple(words)


def test_chosen_files_replace_the_commands_own() -> None:
    node = parse_user_command("node --test --import x test/a.js test/*.mjs")
    assert build_argv(node, ())[-4:] == ("--import", "x", "test/a.js", "{glob}test/*.mjs")
    assert build_argv(node, ["test/b.js::t"])[-4:] == ("--import", "x", "--test-name-pattern=^(t)$", "test/b.js")
    go = parse_user_command("go test -race ./...")
    assert build_argv(go, ["cart::TestA"]) == ("go", "test", "-json", "-race", "-run=^(TestA)$", "./cart")


def test_options_alone_leave_the_files() -> None:
    command = TestCommand("x", ("x", "{whole}a"), "junit", select=("--only={names}", "-v"))
    assert build_argv(command, ["f::n"]) == ("x", "a", "--only=^(n)$", "-v")


def test_a_command_that_cannot_choose_runs_everything() -> None:
    assert build_argv(TestCommand("make", ("make", "test"), "exit code"), ["a"]) == ("make", "test")


@pytest.mark.parametrize("ids", [["é" * 60_000], ["a.js::" + "." * 60_000], ["f::x"] * 30_000])
def test_too_long_a_selection_runs_everything(ids: list[str]) -> None:
    assert max(MAX_SELECTION_BYTES, 1) < sum(len(test.encode()) * 2 for test in ids)
    command = parse_user_command("mocha")
    assert build_argv(command, ids) == build_argv(command, ())
