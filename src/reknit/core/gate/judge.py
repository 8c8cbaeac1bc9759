"""All rules of the gate in one table, the most telling first, and their combined verdict."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reknit.core.gate.rule_guide import GUIDE, Strength
from reknit.core.gate.rules.file_kinds import mode_changes, nothing_changed, symlinks, unsafe_entries, unusual_files
from reknit.core.gate.rules.hidden_text import hidden_text
from reknit.core.gate.rules.protected_files import protected_config, protected_tests
from reknit.core.gate.rules.readable import unreadable
from reknit.core.gate.rules.runner_tampering import runner_tampering
from reknit.core.gate.rules.secrets import secrets_added
from reknit.core.gate.rules.size_and_reach import count_lines, out_of_reach, too_much, vendored_files
from reknit.core.gate.rules.suppressions import suppressions
from reknit.core.gate.rules.swallowed_errors import swallowed_errors
from reknit.core.gate.rules.test_awareness import aware_of_tests
from reknit.core.gate.rules.test_support import support_of_tests
from reknit.core.gate.rules.test_values import values_of_the_test
from reknit.core.gate.rules.tests_kept import emptied_tests, removed_tests, skipped_tests
from reknit.core.gate.scope import Scope
from reknit.core.gate.sort_out import sort_out
from reknit.core.gate.syntax.line_diff import line_diff
from reknit.core.gate.syntax.python_tests import parse
from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.gate.waiver import WaiverUse
from reknit.core.repository.change import Change
from reknit.core.text.redact import clean, redact
from reknit.core.text.work_limits import Unfinished

REFUSALS_SHOWN = 10
"""Per rule; the rest is only counted."""


@dataclass(frozen=True)
class Rule:
    id: str
    sentence: str
    """For people; the reference page is generated from it."""
    look: Callable[[Change, Scope], Iterable[Refusal]]

    @property
    def strength(self) -> Strength:
        return GUIDE[self.id].strength


RULES: tuple[Rule, ...] = (
    Rule("test-removed", "Every test that was there is still there.", removed_tests),
    Rule("test-skipped", "No test is newly skipped or expected to fail.", skipped_tests),
    Rule("test-emptied", "No test checks less than before.", emptied_tests),
    Rule(
        "protected-test",
        "Existing tests and what they expect stay as they are; new tests may be added.",
        protected_tests,
    ),
    Rule(
        "test-support",
        "What tests stand on stays as it is: their helpers and data, and where their imports lead.",
        support_of_tests,
    ),
    Rule(
        "protected-config",
        "Configuration of tests, builds, dependencies, CI and agents stays as it is.",
        protected_config,
    ),
    Rule(
        "unusual-file",
        "A fix consists of source, documentation and data; other files may be executed by a tool.",
        unusual_files,
    ),
    Rule("runner-tampering", "The tests are run as before, by the same runner.", runner_tampering),
    Rule("test-awareness", "Source does not know about its tests.", aware_of_tests),
    Rule("test-values", "Source does not repeat the values of the failing test.", values_of_the_test),
    Rule("unreadable", "What changes can be read: text in a known encoding, nothing compiled.", unreadable),
    Rule("hidden-text", "No control, bidi or invisible character is added.", hidden_text),
    Rule("suppression-added", "No linter, type checker or coverage warning is silenced.", suppressions),
    Rule("error-swallowed", "No handler catches every error and does nothing.", swallowed_errors),
    Rule("secret-added", "No secret enters the repository.", secrets_added),
    Rule("unsafe-entry", "Only plain files that could be read are part of a fix.", unsafe_entries),
    Rule("no-symlink", "No symbolic link is added, changed or removed.", symlinks),
    Rule("no-mode-change", "No file changes its mode, and none is added as executable.", mode_changes),
    Rule(
        "out-of-reach",
        "A fix stays in the failing tests' project and its dependencies.",
        out_of_reach,
    ),
    Rule("vendored-file", "No vendored, installed or generated file is changed.", vendored_files),
    Rule("too-much", "A fix stays within the limits on changed files, lines and bytes.", too_much),
    Rule("nothing-changed", "A fix changes something.", nothing_changed),
)


def judge(change: Change, scope: Scope) -> GateVerdict:
    """Accepts a change in which no hard rule sees a known cheat or danger; that never proves honesty."""
    added, removed = count_lines(change)
    seen = {rule.id: sort_out(rule.id, rule.look, change, scope) for rule in RULES}
    parse.cache_clear()
    line_diff.cache_clear()
    return GateVerdict(
        refusals=_of_strength("hard", seen),
        allowed=tuple(use for _, uses in seen.values() for use in uses),
        rules=tuple(rule.id for rule in RULES),
        files=len(change.files),
        added=added,
        removed=removed,
        advice=_of_strength("advice", seen),
    )


def refuse_unread(change: Change, scope: Scope, unfinished: Unfinished) -> GateVerdict:
    """Refuses a change that the gate could not finish reading; names the entries that are not part of the change."""
    sentence = f"the gate could not finish: reading the change {unfinished.why}; make the change smaller or simpler"
    unsafe = next(rule for rule in RULES if rule.look is unsafe_entries)
    refusals = (Refusal("unreadable", "", sentence), *_bounded(unsafe.id, [*unsafe.look(change, scope)]))
    return GateVerdict(refusals, rules=(), files=len(change.files), added=0, removed=0)


def _of_strength(strength: Strength, seen: Mapping[str, tuple[list[Refusal], list[WaiverUse]]]) -> tuple[Refusal, ...]:
    of_them = ((rule.id, seen[rule.id][0]) for rule in RULES if rule.strength == strength)
    return tuple(refusal for rule, refused in of_them for refusal in _bounded(rule, refused))


def _bounded(rule: str, refusals: Sequence[Refusal]) -> Iterator[Refusal]:
    for refusal in refusals[:REFUSALS_SHOWN]:
        # Paths and code come from the agent: they reach a terminal and the next prompt only as one plain line.
        path, sentence = _plain(refusal.path), _plain(refusal.sentence)
        yield replace(refusal, path=path if path == refusal.path else "", sentence=sentence)
    if len(refusals) > REFUSALS_SHOWN:
        yield Refusal(rule, "", f"and {len(refusals) - REFUSALS_SHOWN} more {rule} refusals")


def _plain(text: str) -> str:
    return " ".join(redact(clean(text)).split())
