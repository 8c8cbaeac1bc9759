"""Makes the checks for Java tests under Maven and Gradle: probes in their classes, and the second harness."""

import re
from collections.abc import Mapping, Sequence

from reknit.core.languages.java.tamper_checks.harness import make_harness
from reknit.core.languages.java.tamper_checks.source import JavaTarget, find_calls, find_target
from reknit.core.languages.java.tamper_checks.twins import make_twin_edits
from reknit.core.languages.programs import fill
from reknit.core.tamper_checks.checks import NO_TEXT, Must, Names, Probe, TamperChecks, Targets, explain_missing
from reknit.core.tamper_checks.syntax import Edit, apply_edits, copy_function, end_index

_CANARIES: Mapping[str, Must] = {"passing": "pass", "failing": "fail", "thrown": "fail", "wrong": "error"}
_TEXT = """
    ANNOTATION
    public void passing() {
        assertion(LENGTH, "passing".length());
    }

    ANNOTATION
    public void failing() {
        assertion(1, "failing".length());
    }

    ANNOTATION
    public void thrown() {
        throw new AssertionError("thrown");
    }

    ANNOTATION
    public void wrong() {
        throw new IllegalStateException("wrong");
    }
"""
_PLAIN_ASSERTION = """
    private static void assertion(int expected, int actual) {
        if (expected != actual) {
            throw new AssertionError("assertion");
        }
    }
"""


def make_probes(targets: Sequence[JavaTarget], names: Names) -> tuple[tuple[Probe, ...], Mapping[str, str]]:
    """Return the probes and the changed files. The probes are at the end of the targets' classes."""
    probes: list[Probe] = []
    edits: dict[str, list[Edit]] = {}
    texts = {target.test_class.file: target.test_class.text for target in targets}
    for number, target in enumerate(targets):
        added = []
        if target.test_class.file not in edits:
            words = {use: f"{names.make_word(f'java {use}')}{number}" for use in _CANARIES}
            added.append(_render_canaries(target, words, names))
            probes += [Probe(target.sibling(words[use]), must, target.id) for use, must in _CANARIES.items()]
        for count, edit in enumerate(make_twin_edits(target)):
            name = f"{names.make_word('java twin')}{number}x{count}"
            added.append(f"\n    {copy_function(target.method, (edit,), name)}\n")
            probes.append(Probe(target.sibling(name), "differ", target.id))
        at = end_index(target.test_class.body) - 1
        edits.setdefault(target.test_class.file, []).append(Edit(at, at, "".join(added)))
    return tuple(probes), {path: apply_edits(texts[path], changes) for path, changes in edits.items()}


def _render_canaries(target: JavaTarget, words: Mapping[str, str], names: Names) -> str:
    """Render canaries with the assertion of the test itself, if it uses one that compares."""
    used = (
        call.text().partition("(")[0].strip()
        for name, call, _ in find_calls(target.test_class.body)
        if name == "assertEquals"
    )
    own = names.make_word("java check")
    assertion = next(used, own)
    text = _TEXT if assertion != own else f"{_TEXT}{_PLAIN_ASSERTION}"
    return fill(text, **words, assertion=assertion, ANNOTATION="@Test", LENGTH=str(len(words["passing"])))


def make(targets: Targets, names: Names) -> TamperChecks:
    """Make the probes, and the second harness of the class with most targets."""
    java_targets = [target for test in targets.tests if (target := find_target(test.id, targets.files))]
    if not java_targets:
        return NO_TEXT
    probes, probe_files = make_probes(java_targets, names)
    harness, why = make_harness(java_targets, targets, names)
    return TamperChecks(probes, probe_files, harness, explain_missing(probes, why))


_MAIN = re.compile(r"static void main\([^{]{0,200}\{")
_BRACE = re.compile(r"[{}]")


def _fail_java(text: str, names: Names) -> str:
    """Fail at the end of `main`, before its exit; without a `main`, in a static block of the class."""
    failure = f'if (true) throw new AssertionError("{names.make_word("canary")}");'
    if place := _find_end_of_main(text):
        return f"{text[:place]}{failure} {text[place:]}"
    end = text.rfind("}")
    return f"{text[:end]}    static {{ {failure} }}\n{text[end:]}" if end >= 0 else text


def _find_end_of_main(text: str) -> int:
    """Return the position; 0: there is no `main`."""
    match = _MAIN.search(text)
    depth = 1
    for brace in _BRACE.finditer(text, match.end()) if match else ():
        depth += 1 if brace.group() == "{" else -1
        if depth == 0:
            body = text[: brace.start()]
            last = body.rfind("System.exit(")
            is_last = last >= 0 and "}" not in body[last:] and body[last:].count(";") == 1
            return last if is_last else brace.start()
    return 0


FAILING_COPIES = {".java": _fail_java}
