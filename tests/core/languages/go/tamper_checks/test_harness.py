"""Tests of reknit.core.languages.go.tamper_checks.harness. The programs are run by hand: CI has no Go."""

import re

import pytest

from reknit.core.languages.go.tamper_checks.harness import make_harness
from reknit.core.languages.go.tamper_checks.source import GoTarget, find_functions, is_test_function, parse_package
from reknit.core.languages.programs import read_program
from reknit.core.syntax import parse_tree
from reknit.core.tamper_checks.checks import Harness, Names
from reknit.core.tamper_checks.syntax import is_fully_parsed

NAMES = Names("seed")
PLACEHOLDERS = re.compile(
    r"\b(CALLS|CallTests|MASK|NAME|PACKAGE|Reporter|SIGNS|StopTest|TESTS(_PATH)?|WANTED|firstText|function|plainName)\b"
)
TYPE, WORD, FILE, SUPPORT = (
    NAMES.make_title("go reporter"),
    NAMES.make_word("go program"),
    NAMES.make_word("go file"),
    NAMES.make_word("go support"),
)
INSIDE = """package shop

import (
	"testing"
	"time"
)

func helper(t testing.TB, wait time.Duration) {}

func TestA(t *testing.T) {
	if testing.Short() {
		t.Skip()
	}
	t.Run("x", func(t *testing.T) { helper(t, 1) })
}

func BenchmarkA(b *testing.B) {}
"""
ALONE = 'package shop\n\nimport "testing"\n\nfunc TestB(t *testing.T) { TestC(t) }\nfunc TestC(t *testing.T) {}\n'
OUTSIDE = 'package shop_test\n\nimport (\n\t"shop"\n\t"testing"\n)\n\nfunc TestD(t *testing.T) { shop.F() }\n'
PRODUCT = "package shop\n\nfunc F() {}\n"


def _made(files: dict[str, str], *ids: str, module: str = "shop") -> tuple[Harness | None, str]:
    folder = ids[0].partition("::")[0]
    package = parse_package(folder, files)
    targets = [
        GoTarget((test,), folder, name, file, node)
        for test in ids
        for file in package
        for name, node in find_functions(file)
        if is_test_function(name, node) and name == test.partition("::")[2].partition("/")[0]
    ]
    return make_harness(targets, package, module, NAMES)


def _harness(files: dict[str, str], *ids: str) -> Harness:
    made, why = _made(files, *ids)
    assert made and not why
    assert all(
        is_fully_parsed(parse_tree(text, "go")) and not PLACEHOLDERS.search(text) for text in made.files.values()
    )
    return made


def test_tests_become_ordinary_functions_under_other_names() -> None:
    made = _harness({"a_test.go": INSIDE, "b_test.go": ALONE, "shop.go": PRODUCT}, ".::TestA/x", ".::TestB")
    assert made.hidden == ("a_test.go", "b_test.go")
    assert made.tests == (".::TestA/x", ".::TestB")
    assert sorted(made.files) == sorted([f"{FILE}0.go", f"{FILE}1.go", f"{SUPPORT}.go", f"{WORD}/main.go"])
    function = NAMES.make_word("go function")
    assert f"func {function}3(t *{TYPE}) {{ {function}4(t) }}" in made.files[f"{FILE}1.go"]
    assert "Test" not in made.files[f"{FILE}1.go"]


def test_the_testing_package_is_imported_only_where_something_else_of_it_is_used() -> None:
    made = _harness({"a_test.go": INSIDE, "b_test.go": ALONE}, ".::TestA")
    assert "testing" not in made.files[f"{FILE}1.go"]
    kept = made.files[f"{FILE}0.go"]
    assert '"testing"' in kept and "t testing.TB" in kept and "b *testing.B" in kept
    assert "if false {" in kept and "testing.T)" not in kept


def test_only_the_testing_package_is_taken_from_a_list_of_imports() -> None:
    text = ALONE.replace('import "testing"', 'import (\n\t"os"\n\t"testing"\n)\n\nvar x = os.Args')
    made = _harness({"b_test.go": text}, ".::TestB")
    assert 'import (\n\t"os"\n\t\n)' in made.files[f"{FILE}0.go"]


def test_a_file_that_tests_nothing_is_copied_too() -> None:
    made = _harness({"a_test.go": "package shop\n\nvar X = 1\n", "b_test.go": ALONE}, ".::TestB")
    assert made.files[f"{FILE}0.go"] == "package shop\n\nvar X = 1\n"


def test_a_file_for_one_platform_stays_one() -> None:
    assert f"{FILE}0_linux.go" in _harness({"b_linux_test.go": ALONE}, ".::TestB").files


def test_the_program_names_the_targets_and_hides_the_nonce() -> None:
    main = _harness({"vat/b_test.go": ALONE}, "vat::TestB").files[f"vat/{WORD}/main.go"]
    assert '"TestB": "vat::TestB"}' in main
    assert f'{NAMES.make_word("go import")} "shop/vat"' in main
    assert NAMES.nonce not in main
    signs = main.partition("[]byte{")[2].partition("}")[0].split(", ")
    mask = int(main.partition("sign^byte(")[2].partition("+")[0])
    shown = bytes(int(sign) ^ (mask + at) % 256 for at, sign in enumerate(signs))
    assert shown.hex() == NAMES.nonce


def test_it_is_built_without_its_text_and_runs_in_the_folder_of_the_package() -> None:
    made = _harness({"vat/b_test.go": ALONE}, "vat::TestB")
    assert made.argv == (
        "sh",
        "-c",
        f"{{ go build -buildvcs=false -o ./vat/{WORD}/{WORD} ./vat/{WORD}"
        f" && rm -f {' '.join(sorted(made.files))} && cd ./vat; }}"
        f" || exit {made.unbuilt_exit}; exec ./{WORD}/{WORD}",
    )


def test_tests_of_another_package_belong_to_the_program() -> None:
    files = {"a_test.go": OUTSIDE, "export_test.go": "package shop\n\nvar X = 1\n", "shop.go": PRODUCT}
    made = _harness(files, ".::TestD")
    assert made.files[f"{WORD}/{FILE}0.go"].startswith('package main\n\nimport (\n\t"shop"\n\t\n)')
    assert made.files[f"{FILE}1.go"] == "package shop\n\nvar X = 1\n"
    assert f"{WORD}/{SUPPORT}.go" in made.files and f"{SUPPORT}.go" in made.files
    main = made.files[f"{WORD}/main.go"]
    assert NAMES.make_word("go import") not in main
    assert f"\t{NAMES.make_title('go outer entry')}(emit)\n" in main


def test_the_main_of_a_program_gives_way() -> None:
    files = {
        "cmd/b_test.go": ALONE.replace("package shop", "package main"),
        "cmd/main.go": "package main\n\nfunc main() { run() }\n",
        "cmd/run.go": "package main\n\nfunc run() {}\n",
    }
    made = _harness(files, "cmd::TestB")
    assert made.files["cmd/main.go"] == f"package main\n\nfunc {NAMES.make_word('go main')}() {{ run() }}\n"
    assert f"\t{NAMES.make_title('go entry')}(emit)\n" in made.files[f"cmd/{WORD}.go"]
    removed = made.argv[2].partition("rm -f ")[2].partition(" &&")[0].split()
    assert "cmd/main.go" not in removed and f"cmd/{WORD}.go" in removed
    assert f"-o ./cmd/{WORD}.bin ./cmd &&" in made.argv[2]


def test_a_package_may_have_only_tests_from_outside() -> None:
    made = _harness({"a_test.go": OUTSIDE}, ".::TestD")
    assert sorted(made.files) == sorted(f"{WORD}/{name}.go" for name in (f"{FILE}0", SUPPORT, "main"))


@pytest.mark.parametrize(
    ("files", "test", "module", "expected"),
    [
        pytest.param({"b_test.go": ALONE}, ".::TestB", "", "go.mod names no module", id="no-module"),
        pytest.param(
            {"b_test.go": ALONE, "m_test.go": "package shop\n\nfunc TestMain(m *testing.M) {}\n"},
            ".::TestB",
            "shop",
            "TestMain prepares the tests",
            id="a-preparation",
        ),
        pytest.param(
            {"b_test.go": ALONE.replace('"testing"', '. "testing"')},
            ".::TestB",
            "shop",
            "the names of the testing package are imported without its own",
            id="names-without-a-package",
        ),
        pytest.param(
            {"b_test.go": ALONE.replace("package shop", "package main_test"), "main.go": "package main\n"},
            ".::TestB",
            "shop",
            "the tests of a program are in a package of their own",
            id="a-program-seen-from-outside",
        ),
    ],
)
def test_why_there_is_none(files: dict[str, str], test: str, module: str, expected: str) -> None:
    assert _made(files, test, module=module) == (None, expected)


@pytest.mark.parametrize("name", ["Run", "Fatal", "Errorf", "Cleanup", "Setenv", "TempDir", "Parallel", "Context"])
def test_the_reporter_has_what_tests_call(name: str) -> None:
    assert f"func (t *Reporter) {name}(" in read_program("go", "reporter.go")
