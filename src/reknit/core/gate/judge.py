"""All rules of the gate in one table, the most telling first, and their combined verdict."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reknit.core.gate.rule_guide import GUIDE, Strength
from reknit.core.gate.rules.content import find_hidden_text, find_new_secrets, find_unreadable
from reknit.core.gate.rules.file_kinds import (
    find_mode_changes,
    find_nothing_changed,
    find_symlinks,
    find_unsafe_entries,
    find_unusual_files,
)
from reknit.core.gate.rules.protected_files import find_protected_config, find_protected_tests
from reknit.core.gate.rules.runner_tampering import find_runner_tampering
from reknit.core.gate.rules.size_and_reach import count_lines, find_out_of_reach, find_too_much, find_vendored_files
from reknit.core.gate.rules.suppressions import find_suppressions, find_swallowed_errors
from reknit.core.gate.rules.test_awareness import find_test_awareness, find_test_values
from reknit.core.gate.rules.test_support import find_test_support
from reknit.core.gate.rules.tests_kept import find_emptied_tests, find_removed_tests, find_skipped_tests
from reknit.core.gate.scope import Scope
from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.gate.waiver import WaiverUse
from reknit.core.languages.python.tests import parse
from reknit.core.repository.change import EXECUTABLE, REGULAR, Change, FileChange
from reknit.core.syntax import diff_lines
from reknit.core.text.format import to_plain_line
from reknit.core.text.untrusted_input import UnfinishedWork

Look = Callable[[Change, Scope], Iterable[Refusal]]
_OF_THE_WHOLE = ""
"""The path of a refusal that is about the whole change."""
_PLAIN = (0, REGULAR, EXECUTABLE)
REFUSALS_SHOWN = 10
"""Per rule; the rest is only counted."""


def apply_waivers(rule: str, look: Look, change: Change, scope: Scope) -> tuple[list[Refusal], list[WaiverUse]]:
    """Return the refusals of one rule that remain, and the waivers that lifted others.

    A rule about the whole change judges it again without the allowed files, so that these are not counted.
    """
    refusals = list(look(change, scope))
    if not refusals or not scope.waivers.allowed:
        return refusals, []
    uses = {file.path: use for file in change.files if (use := _find_use(rule, file, scope))}
    refused = [refusal for refusal in refusals if refusal.path not in uses]
    if uses and any(refusal.path == _OF_THE_WHOLE for refusal in refused):
        counted_change = replace(change, files=tuple(file for file in change.files if file.path not in uses))
        refused = list(look(counted_change, scope))
        return refused, [] if refused else list(uses.values())
    return refused, [use for path, use in uses.items() if any(refusal.path == path for refusal in refusals)]


def _find_use(rule: str, file: FileChange, scope: Scope) -> WaiverUse | None:
    """Return the waiver for a plain file; None for a link or a submodule, whose path stands for something else."""
    waiver = scope.waivers.find_waiver(rule, file.path)
    if waiver is None or file.mode_before not in _PLAIN or file.mode_after not in _PLAIN:
        return None
    return WaiverUse(rule, file.path, waiver.reason, waiver.origin)


@dataclass(frozen=True)
class Rule:
    """A rule of the gate."""

    id: str
    sentence: str
    """For people; the reference page is generated from it."""
    look: Callable[[Change, Scope], Iterable[Refusal]]

    @property
    def strength(self) -> Strength:
        return GUIDE[self.id].strength


RULES: tuple[Rule, ...] = (
    Rule("test-removed", "Every test that was there is still there.", find_removed_tests),
    Rule("test-skipped", "No test is newly skipped or expected to fail.", find_skipped_tests),
    Rule("test-emptied", "No test checks less than before.", find_emptied_tests),
    Rule(
        "protected-test",
        "Existing tests and what they expect stay as they are; new tests may be added.",
        find_protected_tests,
    ),
    Rule(
        "test-support",
        "What tests stand on stays as it is: their helpers and data, and where their imports lead.",
        find_test_support,
    ),
    Rule(
        "protected-config",
        "Configuration of tests, builds, dependencies, CI and agents stays as it is.",
        find_protected_config,
    ),
    Rule(
        "unusual-file",
        "A fix consists of source, documentation and data; other files may be executed by a tool.",
        find_unusual_files,
    ),
    Rule("runner-tampering", "The tests are run as before, by the same runner.", find_runner_tampering),
    Rule("test-awareness", "Source does not know about its tests.", find_test_awareness),
    Rule("test-values", "Source does not repeat the values of the failing test.", find_test_values),
    Rule("unreadable", "What changes can be read: text in a known encoding, nothing compiled.", find_unreadable),
    Rule("hidden-text", "No control, bidi or invisible character is added.", find_hidden_text),
    Rule("suppression-added", "No linter, type checker or coverage warning is silenced.", find_suppressions),
    Rule("error-swallowed", "No handler catches every error and does nothing.", find_swallowed_errors),
    Rule("secret-added", "No secret enters the repository.", find_new_secrets),
    Rule("unsafe-entry", "Only plain files that could be read are part of a fix.", find_unsafe_entries),
    Rule("no-symlink", "No symbolic link is added, changed or removed.", find_symlinks),
    Rule("no-mode-change", "No file changes its mode, and none is added as executable.", find_mode_changes),
    Rule(
        "out-of-reach",
        "A fix stays in the failing tests' project and its dependencies.",
        find_out_of_reach,
    ),
    Rule("vendored-file", "No vendored, installed or generated file is changed.", find_vendored_files),
    Rule("too-much", "A fix stays within the limits on changed files, lines and bytes.", find_too_much),
    Rule("nothing-changed", "A fix changes something.", find_nothing_changed),
)


def judge(change: Change, scope: Scope) -> GateVerdict:
    """Judge a change by all rules. Acceptance means that no hard rule saw a known cheat or danger."""
    added, removed = count_lines(change)
    results = {rule.id: apply_waivers(rule.id, rule.look, change, scope) for rule in RULES}
    parse.cache_clear()
    diff_lines.cache_clear()
    return GateVerdict(
        refusals=_select_strength("hard", results),
        allowed=tuple(use for _, uses in results.values() for use in uses),
        rules=tuple(rule.id for rule in RULES),
        files=len(change.files),
        added=added,
        removed=removed,
        advice=_select_strength("advice", results),
    )


def refuse_unread(change: Change, scope: Scope, unfinished: UnfinishedWork) -> GateVerdict:
    """Refuse a change that the gate could not finish reading; also report the entries that cannot be part of a fix."""
    sentence = f"the gate could not finish: reading the change {unfinished.why}; make the change smaller or simpler"
    unsafe = next(rule for rule in RULES if rule.look is find_unsafe_entries)
    refusals = (Refusal("unreadable", "", sentence), *_limit_refusals(unsafe.id, [*unsafe.look(change, scope)]))
    return GateVerdict(refusals, rules=(), files=len(change.files), added=0, removed=0)


def _select_strength(
    strength: Strength, results: Mapping[str, tuple[list[Refusal], list[WaiverUse]]]
) -> tuple[Refusal, ...]:
    refusals_by_rule = ((rule.id, results[rule.id][0]) for rule in RULES if rule.strength == strength)
    return tuple(refusal for rule, refusals in refusals_by_rule for refusal in _limit_refusals(rule, refusals))


def _limit_refusals(rule: str, refusals: Sequence[Refusal]) -> Iterator[Refusal]:
    for refusal in refusals[:REFUSALS_SHOWN]:
        # Paths and code come from the agent: they reach a terminal and the next prompt only as one plain line.
        path, sentence = to_plain_line(refusal.path), to_plain_line(refusal.sentence)
        yield replace(refusal, path=path if path == refusal.path else "", sentence=sentence)
    if len(refusals) > REFUSALS_SHOWN:
        yield Refusal(rule, "", f"and {len(refusals) - REFUSALS_SHOWN} more {rule} refusals")
