"""Tests of reknit.core.tamper_checks.rust.make."""

from reknit.core.tamper_checks.checks import Targets, TargetTest
from reknit.core.tamper_checks.names import Names
from reknit.core.tamper_checks.rust.make import make

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
