"""Tests of reknit.core.languages.rust.tamper_checks.make."""

import re

from reknit.core.languages.rust.tamper_checks.make import make, make_probes
from reknit.core.languages.rust.tamper_checks.source import find_target
from reknit.core.syntax import parse_tree
from reknit.core.tamper_checks.checks import Names, Probe, Targets, TargetTest
from reknit.core.tamper_checks.syntax import is_fully_parsed

TEXT = "mod tests {\n    #[test]\n    fn a() {\n        assert_eq!(f(), 3);\n    }\n    #[test]\n    fn b() {}\n}\n"


def _targets(test: str, manifest: str = '[package]\nname = "shop"\n') -> Targets:
    files = {"Cargo.toml": manifest, "src/lib.rs": TEXT}
    return Targets("cargo", (TargetTest(test, "src/lib.rs"),), files, tuple(files))


def test_all_checks_of_a_test() -> None:
    made = make(_targets("src/lib.rs::tests::a"), Names("seed"))
    assert [probe.must for probe in made.probes] == ["pass", "fail", "fail", "error", "differ"]
    assert list(made.probe_files) == ["src/lib.rs"]
    assert made.harness and made.harness.tests == ("src/lib.rs::tests::a",)
    assert made.why_not == {}


def test_it_says_why_a_check_is_missing() -> None:
    made = make(_targets("src/lib.rs::tests::b", ""), Names("seed"))
    assert made.why_not == {
        "twins": "no value that a test expects is written in it",
        "second-harness": "Cargo.toml names no package",
    }


def test_a_test_that_is_not_found() -> None:
    why = "the text of none of the tests was found"
    made = make(_targets("src/lib.rs::tests::c"), Names("seed"))
    assert made.why_not == {"canaries": why, "twins": why, "second-harness": why}


NAMES = Names("seed")
INLINE = """fn f() {}

#[cfg(test)]
mod tests {
    #[test]
    fn a() {
        assert_eq!(f(), 3);
    }
    #[test]
    fn b() {}
}
"""
FILES = {"src/lib.rs": INLINE, "tests/whole.rs": "#[test]\nfn a() {}\n"}


def _made(*ids: str) -> tuple[tuple[Probe, ...], dict[str, str]]:
    targets = [target for test in ids if (target := find_target(test, FILES))]
    probes, files = make_probes(targets, NAMES)
    assert all(
        is_fully_parsed(parse_tree(text, "rust"))
        and not re.search(r"\b(LENGTH|passing|failing|refuted|panicking)\b", text)
        for text in files.values()
    )
    return probes, dict(files)


def _word(use: str) -> str:
    return NAMES.make_word(f"rust {use}")


def test_a_module_has_tests_that_must_pass_fail_and_panic_and_each_target_its_twins() -> None:
    probes, files = _made("src/lib.rs::tests::a", "src/lib.rs::tests::b")
    target, prefix = "src/lib.rs::tests::a", "src/lib.rs::tests::"
    assert probes == (
        Probe(f"{prefix}{_word('passing')}_0", "pass", target),
        Probe(f"{prefix}{_word('failing')}_0", "fail", target),
        Probe(f"{prefix}{_word('refuted')}_0", "fail", target),
        Probe(f"{prefix}{_word('panicking')}_0", "error", target),
        Probe(f"{prefix}{_word('twin')}_0_0", "differ", target),
    )
    assert list(files) == ["src/lib.rs"]


def test_they_are_inside_the_module_of_the_tests() -> None:
    text = _made("src/lib.rs::tests::a")[1]["src/lib.rs"]
    assert text.startswith(INLINE[:-2])
    assert text.endswith(f"fn {_word('twin')}_0_0() {{\n        assert_eq!(f(), 64);\n    }}\n}}\n")
    length = len(_word("passing")) + 2
    assert f'    assert_eq!("{_word("passing")}_0".len(), {length});' in text


def test_in_a_file_without_modules_they_are_at_its_end() -> None:
    probes, files = _made("tests/whole.rs::a")
    assert [probe.id.partition("::")[0] for probe in probes] == 4 * ["tests/whole.rs"]
    assert files["tests/whole.rs"].startswith("#[test]\nfn a() {}\n\n#[test]\nfn ")
