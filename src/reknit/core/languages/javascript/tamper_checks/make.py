"""Makes the checks for tests of `node --test`, vitest, jest or mocha.

Probes are files beside a target's file: canaries, and copies of it that expect other values.
"""

from collections.abc import Sequence
from typing import NamedTuple

from reknit.core.check_answer import CheckName
from reknit.core.languages.javascript.tamper_checks.comparisons import Comparison, change_literal, find_comparisons
from reknit.core.languages.javascript.tamper_checks.harness import make_harness
from reknit.core.languages.javascript.tamper_checks.imports import render_imports
from reknit.core.languages.javascript.tamper_checks.source import (
    RegisteredTest,
    choose_language,
    find_registered_tests,
    name_test_file_beside,
    title_path,
    title_separator,
)
from reknit.core.syntax import parse_tree
from reknit.core.tamper_checks.checks import Must, Names, Probe, TamperChecks, Targets, TargetTest
from reknit.core.tamper_checks.syntax import Edit, Node, apply_edits

MAX_FILES = 5
"""Maximum number of test files that get probes."""
MAX_FILE_CHARS = 200_000
"""Maximum length of a test file that gets probes."""
MAX_TWINS = 3
"""Maximum number of twins for one target."""
_SIMPLE = ("it", "test", "specify")


class ProbeFiles(NamedTuple):
    """Probes and the files that contain them."""

    probes: tuple[Probe, ...]
    files: dict[str, str]


def make_probes(file: str, text: str, tests: Sequence[TargetTest], runner: str, names: Names) -> ProbeFiles:
    """Return canaries and twins for the targets of one test file."""
    root = parse_tree(text, choose_language(file))
    calls = list(find_registered_tests(root))
    canaries = _make_canaries(file, root, calls, tests[0], names)
    twins = _make_twins(file, text, calls, tests, title_separator(runner), names)
    return ProbeFiles((*canaries.probes, *twins.probes), {**canaries.files, **twins.files})


def _make_canaries(
    file: str, root: Node, calls: Sequence[RegisteredTest], test: TargetTest, names: Names
) -> ProbeFiles:
    callee = next((call.callee for call in calls if call.callee in _SIMPLE), "")
    if not callee:
        return ProbeFiles((), {})
    forms = (comparison.form for call in calls for comparison in find_comparisons(call.body))
    form = next(forms, "")
    path = name_test_file_beside(file, names.make_word(f"canaries of {file}"))
    bodies: dict[Must, str] = {
        "pass": form.format("2", "2"),
        "fail": form.format("1", "2"),
        "error": 'throw new Error("no")',
    }
    parameter = "t" if form.startswith("t.") else ""
    lines, probes = [render_imports(root)], []
    for must, body in bodies.items():
        if must == "fail" and not form:
            continue
        title = names.make_word(f"canary {must} of {file}")
        lines.append(f'{callee}("{title}", ({parameter}) => {{\n  {body};\n}});')
        probes.append(Probe(f"{path}::{title}", must, test.id))
    return ProbeFiles(tuple(probes), {path: "\n\n".join(lines) + "\n"})


def _make_twins(
    file: str, text: str, calls: Sequence[RegisteredTest], tests: Sequence[TargetTest], between: str, names: Names
) -> ProbeFiles:
    probes: list[Probe] = []
    edits: list[list[Edit]] = [[] for _ in range(MAX_TWINS)]
    for test in tests:
        for number, edit in enumerate(_make_edits(_find_test_comparisons(test, calls, between), names)[:MAX_TWINS]):
            edits[number].append(edit)
            probes.append(Probe(f"{_copy_path(file, number, names)}::{title_path(test)}", "differ", test.id))
    files = {
        _copy_path(file, number, names): apply_edits(text, copy_edits)
        for number, copy_edits in enumerate(edits)
        if copy_edits
    }
    return ProbeFiles(tuple(probes), files)


def _copy_path(file: str, number: int, names: Names) -> str:
    return name_test_file_beside(file, names.make_word(f"copy {number} of {file}"))


def _find_test_comparisons(test: TargetTest, calls: Sequence[RegisteredTest], between: str) -> list[Comparison]:
    test_comparisons = [call for call in calls if between.join(call.titles) == title_path(test)]
    return list(find_comparisons(test_comparisons[0].body)) if len(test_comparisons) == 1 else []


def _make_edits(matches: Sequence[Comparison], names: Names) -> list[Edit]:
    changes = (
        change_literal(match.expected, names.make_word(f"value {number}")) for number, match in enumerate(matches)
    )
    return [change for change in changes if change]


def make(targets: Targets, names: Names) -> TamperChecks:
    """Make the probes and the second harness."""
    probes: list[Probe] = []
    files: dict[str, str] = {}
    for file in sorted({test.file for test in targets.tests})[:MAX_FILES]:
        tests = [test for test in targets.tests if test.file == file and title_path(test) is not None]
        text = targets.files.get(file, "")
        if tests and len(text) <= MAX_FILE_CHARS:
            probe_files = make_probes(file, text, tests, targets.runner, names)
            if not {*probe_files.files} & {*targets.tracked}:
                probes += probe_files.probes
                files |= probe_files.files
    harness, why = make_harness(targets, names)
    why_not: dict[CheckName, str] = {}
    if not any(probe.must != "differ" for probe in probes):
        why_not["canaries"] = "no test with a title of its own was found in the files of the targets"
    if not any(probe.must == "differ" for probe in probes):
        why_not["twins"] = "no target certainly compares a value with one that is written down"
    if not harness:
        why_not["second-harness"] = why
    return TamperChecks(tuple(probes), files, harness, why_not)


def _fail_javascript(text: str, names: Names) -> str:
    return f'{text}\n;throw new Error("{names.make_word("canary")}");\n'


FAILING_COPIES = dict.fromkeys((".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx"), _fail_javascript)
