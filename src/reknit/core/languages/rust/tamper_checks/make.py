"""Makes the checks for Rust tests: probes in their modules, so that they can use the macros there, and the harness."""

from collections.abc import Mapping, Sequence

from reknit.core.languages.programs import fill
from reknit.core.languages.rust.tamper_checks.harness import make_harness
from reknit.core.languages.rust.tamper_checks.source import RustTarget, find_target
from reknit.core.languages.rust.tamper_checks.twins import make_twin_edits
from reknit.core.tamper_checks.checks import NO_TEXT, Must, Names, Probe, TamperChecks, Targets, explain_missing
from reknit.core.tamper_checks.syntax import Edit, apply_edits, copy_function, end_index

_CANARIES: Mapping[str, Must] = {"passing": "pass", "failing": "fail", "refuted": "fail", "panicking": "error"}
_TEXT = """
#[test]
fn passing() {
    assert_eq!("passing".len(), LENGTH);
}

#[test]
fn failing() {
    assert_eq!("failing".len(), 0);
}

#[test]
fn refuted() {
    assert!("refuted".is_empty());
}

#[test]
fn panicking() {
    panic!("panicking");
}
"""


def make_probes(targets: Sequence[RustTarget], names: Names) -> tuple[tuple[Probe, ...], Mapping[str, str]]:
    """Return the probes and the changed files. The probes are at the end of the targets' modules."""
    probes: list[Probe] = []
    edits: dict[str, list[Edit]] = {}
    texts = {target.module.file: target.module.text for target in targets}
    visited_modules: set[str] = set()
    for number, target in enumerate(targets):
        added = []
        if target.prefix not in visited_modules:
            visited_modules.add(target.prefix)
            words = {use: f"{names.make_word(f'rust {use}')}_{number}" for use in _CANARIES}
            added.append(fill(_TEXT, **words, LENGTH=str(len(words["passing"]))))
            probes += [Probe(target.prefix + words[use], must, target.id) for use, must in _CANARIES.items()]
        for count, twin in enumerate(make_twin_edits(target.function)):
            name = f"{names.make_word('rust twin')}_{number}_{count}"
            added.append(f"\n#[test]\n{copy_function(target.function, (twin,), name)}\n")
            probes.append(Probe(target.prefix + name, "differ", target.id))
        edits.setdefault(target.module.file, []).append(Edit(_module_end(target), _module_end(target), "".join(added)))
    return tuple(probes), {path: apply_edits(texts[path], changes) for path, changes in edits.items()}


def _module_end(target: RustTarget) -> int:
    module = target.module
    return end_index(module.container) - 1 if module.is_inline else len(module.text)


def make(targets: Targets, names: Names) -> TamperChecks:
    """Make the probes, and the second harness of the crate with most targets."""
    rust_targets = [target for test in targets.tests if (target := find_target(test.id, targets.files))]
    if not rust_targets:
        return NO_TEXT
    probes, probe_files = make_probes(rust_targets, names)
    harness, why = make_harness(rust_targets, targets, names)
    return TamperChecks(probes, probe_files, harness, explain_missing(probes, why))


def _fail_rust(text: str, names: Names) -> str:
    word = names.make_word("canary")
    return f'{text}\n#[test]\nfn {word}() {{\n    panic!("{word}");\n}}\n'


FAILING_COPIES = {".rs": _fail_rust}
