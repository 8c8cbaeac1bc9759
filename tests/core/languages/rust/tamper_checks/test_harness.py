"""Tests of reknit.core.languages.rust.tamper_checks.harness. The programs are run by hand: CI has no Rust."""

import re

import pytest

from reknit.core.languages.rust.tamper_checks.harness import make_harness
from reknit.core.languages.rust.tamper_checks.source import find_target
from reknit.core.syntax import parse_tree
from reknit.core.tamper_checks.checks import Harness, Names, Targets
from reknit.core.tamper_checks.syntax import is_fully_parsed

NAMES = Names("seed")
PLACEHOLDERS = re.compile(r"\b(CALLS|ID|MASK|SIGNS|entry|escape_text|function|run_tests)\b")
ENTRY, FILE, FUNCTION, MODULE, WORD = (
    NAMES.make_word(f"rust {use}") for use in ("entry", "file", "function", "module", "program")
)
MANIFEST = '[package]\nname = "shop"\n'
FN = "pub fn f() -> i64 { 3 }\n"
TESTS = """
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a() {
        assert_eq!(f(), 3);
    }

    #[test]
    fn b() -> Result<(), String> {
        println!("b");
        Ok(())
    }
}
"""


def _made(files: dict[str, str], *ids: str) -> tuple[Harness | None, str]:
    files = {"Cargo.toml": MANIFEST, **files}
    targets = [target for test in ids if (target := find_target(test, files))]
    assert len(targets) == len(ids)
    return make_harness(targets, Targets("cargo", (), files, tuple(files)), NAMES)


def _harness(files: dict[str, str], *ids: str) -> Harness:
    made, why = _made(files, *ids)
    assert made and not why
    for path, text in made.files.items():
        assert not PLACEHOLDERS.search(text)
        assert is_fully_parsed(parse_tree(text, "rust")) or not path.endswith(".rs")
    return made


def test_tests_of_a_library_become_functions_in_a_file_of_their_own() -> None:
    made = _harness({"src/lib.rs": FN + TESTS}, "src/lib.rs::tests::a", "src/lib.rs::tests::b")
    assert made.tests == ("src/lib.rs::tests::a", "src/lib.rs::tests::b")
    assert sorted(made.files) == sorted(["src/lib.rs", f"src/{FILE}0.rs", f"examples/{WORD}.rs"])
    assert made.files["src/lib.rs"] == (
        f'{FN}\n\n#[allow(warnings)]\n#[path = "{FILE}0.rs"]\nmod {MODULE};\n\n#[doc(hidden)]\n#[allow(warnings)]\n'
        f"pub fn {ENTRY}(run: &mut dyn FnMut(&'static str, fn())) {{\n    {MODULE}::{ENTRY}(run);\n}}\n"
    )
    own = made.files[f"src/{FILE}0.rs"]
    assert f"fn {FUNCTION}_0() {{\n        ::std::assert_eq!(f(), 3);" in own
    assert f'run("src/lib.rs::tests::a", {FUNCTION}_0);' in own
    assert f'run("src/lib.rs::tests::b", || {{\n        if let Err(problem) = {FUNCTION}_1()' in own
    assert "#[test]" not in own
    assert f"shop::{ENTRY}(&mut run);" in made.files[f"examples/{WORD}.rs"]
    assert made.hidden == ()


def test_other_tests_of_the_module_stay_out_of_the_build() -> None:
    own = _harness({"src/lib.rs": FN + TESTS}, "src/lib.rs::tests::a").files[f"src/{FILE}0.rs"]
    assert "#[test]\n    fn b()" in own


def test_the_nonce_is_hidden() -> None:
    text = _harness({"src/lib.rs": FN + TESTS}, "src/lib.rs::tests::a").files[f"examples/{WORD}.rs"]
    assert NAMES.nonce not in text
    signs = text.partition("[u8; 16] = [")[2].partition("]")[0].split(", ")
    mask = int(text.partition("sign ^ ((")[2].partition(" ")[0])
    assert bytes(int(sign) ^ (mask + at) % 256 for at, sign in enumerate(signs)).hex() == NAMES.nonce


def test_it_is_built_without_debug_assertions_and_runs_without_its_text() -> None:
    made = _harness({"src/lib.rs": FN + TESTS}, "src/lib.rs::tests::a")
    assert made.argv[:2] == ("sh", "-c")
    build, copy, remove, end = made.argv[2].partition(" && ")[2].split(" && ")
    assert f"--example {WORD}" in build and "profile.dev.package.shop.debug-assertions=false" in build
    assert copy == f'cp "$place/debug/examples/{WORD}" ./{WORD}' or copy.endswith(f".//{WORD}")
    assert remove == f"rm -f examples/{WORD}.rs src/{FILE}0.rs"
    assert end == f"cd ./; }} || exit {made.unbuilt_exit}; exec ./{WORD}"


def test_every_module_on_the_way_passes_the_call_on() -> None:
    files = {
        "src/lib.rs": "mod vat;\nmod fees;\n",
        "src/vat.rs": f"{FN}mod inner {{{TESTS}}}\n#[cfg(test)]\nmod tests;\n",
        "src/vat/tests.rs": "#[test]\nfn a() { panic!() }\n",
        "src/fees.rs": FN + TESTS,
    }
    ids = ("src/lib.rs::vat::tests::a", "src/lib.rs::vat::inner::tests::a", "src/lib.rs::fees::tests::a")
    made = _harness(files, *ids)
    assert made.hidden == ("src/vat/tests.rs",)
    vat = made.files["src/vat.rs"]
    assert f"mod {MODULE} {{" in vat and "#[cfg(test)]" not in vat
    assert f'#[path = "vat/{FILE}0.rs"]\nmod {MODULE};' in vat or f'#[path = "vat/{FILE}1.rs"]\nmod {MODULE};' in vat
    assert f"    inner::{ENTRY}(run);\n" in vat
    assert f"    vat::{ENTRY}(run);\n    fees::{ENTRY}(run);\n" in made.files["src/lib.rs"]
    assert sum("::std::panic!()" in text for text in made.files.values()) == 1


def test_packages_that_only_tests_need_become_ordinary() -> None:
    manifest = f'{MANIFEST}[dev-dependencies]\nquick-check = "1"\n'
    used = FN + TESTS.replace("use super::*;", "use super::*;\n    use quick_check::x;")
    made = _harness({"Cargo.toml": manifest, "src/lib.rs": used}, "src/lib.rs::tests::a")
    assert '[dependencies]\nquick-check = "1"' in made.files["Cargo.toml"]
    unused = _harness({"Cargo.toml": manifest, "src/lib.rs": FN + TESTS}, "src/lib.rs::tests::a")
    assert "Cargo.toml" not in unused.files


def test_a_program_is_built_beside_its_own_with_another_main() -> None:
    made = _harness({"src/main.rs": f"fn main() {{}}\n{FN}{TESTS}"}, "src/main.rs::tests::a")
    assert made.hidden == ("src/main.rs",)
    text = made.files[f"src/{WORD}.rs"]
    assert text.startswith(f"fn {NAMES.make_word('rust main')}() {{}}\n")
    assert text.count("fn main()") == 1 and f"        {ENTRY}(&mut run);" in text
    assert f"mod {MODULE} {{" in text
    assert f'[[bin]]\nname = "{WORD}"\npath = "src/{WORD}.rs"' in made.files["Cargo.toml"]
    assert f"--bin {WORD}" in made.argv[2]


def test_tests_from_outside_become_an_example() -> None:
    files = {
        "src/lib.rs": FN,
        "tests/whole.rs": "mod common;\nmod gone;\nmod own {}\n\n#[test]\nfn a() {}\n",
        "tests/common/mod.rs": "",
    }
    made = _harness(files, "tests/whole.rs::a")
    assert made.hidden == ("tests/whole.rs",)
    text = made.files[f"examples/{WORD}.rs"]
    assert text.startswith('#[path = "../tests/common/mod.rs"]\nmod common;\nmod gone;\n')
    assert list(made.files) == [f"examples/{WORD}.rs"]


def test_a_package_may_be_below_the_project() -> None:
    files = {"Cargo.toml": "[workspace]\n", "a/Cargo.toml": MANIFEST, "a/src/lib.rs": FN + TESTS}
    made = _harness(files, "a/src/lib.rs::tests::a")
    assert f"a/examples/{WORD}.rs" in made.files
    assert (
        "--manifest-path ./a/Cargo.toml" in made.argv[2]
        and f"cd ./a; }} || exit {made.unbuilt_exit}; exec" in made.argv[2]
    )


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param({"Cargo.toml": "", "src/lib.rs": FN + TESTS}, "Cargo.toml names no package", id="no-name"),
        pytest.param(
            {"src/lib.rs": FN + TESTS.replace("    #[test]", "    #[test]\n    #[should_panic]")},
            "the tests expect a panic",
            id="a-panic",
        ),
    ],
)
def test_why_there_is_none(files: dict[str, str], expected: str) -> None:
    assert _made(files, "src/lib.rs::tests::a") == (None, expected)
