"""Tests of reknit.core.tamper_checks.rust.probes."""

from reknit.core.tamper_checks.checks import Probe
from reknit.core.tamper_checks.names import Names
from reknit.core.tamper_checks.rust.probes import make_probes
from reknit.core.tamper_checks.rust.source import find_target
from reknit.core.tamper_checks.syntax import is_whole, parse

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
    assert all(is_whole(parse(text, "rust")) and "§" not in text for text in files.values())
    return probes, dict(files)


def _word(use: str) -> str:
    return NAMES.word(f"rust {use}")


def test_a_module_has_tests_that_must_pass_fail_and_panic_and_each_target_its_twins() -> None:
    probes, files = _made("src/lib.rs::tests::a", "src/lib.rs::tests::b")
    target, prefix = "src/lib.rs::tests::a", "src/lib.rs::tests::"
    assert probes == (
        Probe(f"{prefix}{_word('passing')}_0", "pass", target),
        Probe(f"{prefix}{_word('failing')}_0", "fail", target),
        Probe(f"{prefix}{_word('false')}_0", "fail", target),
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
