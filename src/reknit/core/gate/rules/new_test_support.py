"""Whether a new file among the tests belongs to a new test, and to no other."""

import posixpath

from reknit.core.gate.mention_words import import_words, use_words
from reknit.core.gate.rules.runner_tampering import is_module_of_a_test_run
from reknit.core.gate.scope import Scope
from reknit.core.gate.test_evidence import uses_of
from reknit.core.repository.change import Change, FileChange
from reknit.core.repository.paths import is_below, is_config, is_python, is_recorded_expectation, is_test_file

_SNAPSHOT = (".snap", ".ambr")


def supports_a_new_test(file: FileChange, change: Change, scope: Scope) -> bool:
    """A snapshot, a data file, a helper or a package of a test that the same change adds."""
    path, facts = file.path, scope.facts
    tests = [each.path for each in change.files if each.before is None and is_test_file(each.path)]
    tests = [test for test in tests if not is_recorded_expectation(test)]
    if facts is None or not tests or is_config(path):
        return False
    folder, name = posixpath.split(path)
    if name == "__init__.py":
        return folder not in facts.folders and any(is_below(test, folder) for test in tests)
    if name.lower().endswith(_SNAPSHOT):
        recorded = posixpath.splitext(name)[0]
        return any(recorded in (posixpath.basename(test), _stem(test)) for test in tests)
    if is_python(path) and is_module_of_a_test_run(_stem(path)):
        return False
    words = (*use_words(path, facts), *(import_words(path) if is_python(path) else ()))
    own = tuple(word for word in words if _stem(path) in word)
    return not any(uses_of(path, own, scope))


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0]
