"""Finds the waivers that a refused change or a protected file needs, and when to ask a person for them."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from reknit.core.gate.verdict import GateVerdict
from reknit.core.gate.waiver import Waivers, can_be_offered, render_ended, render_options
from reknit.core.repository import paths
from reknit.core.repository.file_kinds import is_usual
from reknit.core.repository.paths import is_lockfile, is_test_setting
from reknit.core.text.format import join_few, pluralize

MAY_HIDE = "the agents changed what decides how tests run, which may hide the failure instead of mending it:"
TEST, CONFIG, UNUSUAL = "protected-test", "protected-config", "unusual-file"
Needed = tuple[tuple[str, str], ...]
"""(rule, path) of each refusal."""
_CONFIGURATION = frozenset({"protected-config", "no-mode-change"})


_HARMLESS = frozenset({CONFIG, "no-mode-change", "too-much"})
"""Rules whose waiver cannot hide anything if the file does not decide how tests run."""


def find_protecting_rules(path: str, *, is_new: bool = False) -> tuple[str, ...]:
    """Return the rules that refuse every change of a path. `is_new`: the file would be new, and new tests may be added.

    Only names decide here; the files of base may show that the file belongs to the product.
    """
    is_test = paths.is_test_file(path) or paths.is_in_test_folder(path) or paths.is_recorded_expectation(path)
    is_welcome = is_new and paths.is_test_file(path) and not paths.is_recorded_expectation(path)
    is_config = paths.is_config(path) or paths.is_config_of_a_project(path)
    is_unusual = not is_config and not is_test and not is_usual(path)
    refuses = ((TEST, is_test and not is_welcome), (CONFIG, is_config), (UNUSUAL, is_unusual))
    return tuple(rule for rule, holds in refuses if holds)


@dataclass(frozen=True)
class NotAllowed:
    """Issues that were left out because only a person may allow a change of their files."""

    issues: int = 0
    files: int = 0
    allow: tuple[str, ...] = ()
    """Options that would include the issues of the first files."""


def find_needed_waivers(verdict: GateVerdict, waivers: Waivers) -> Needed:
    """Return the waivers that let the change pass; empty if none helps.

    No waiver helps if nobody can allow a refusal, if it is about no file, if the repository forbids the waiver, if no
    pattern stands for this file alone, or if the run began before there were waivers.
    """
    refused = tuple(dict.fromkeys((refusal.rule, refusal.path) for refusal in verdict.refusals))
    helps = all(can_be_offered(rule, path, waivers) for rule, path in refused)
    return refused if waivers.ends_at_once and helps else ()


def can_only_person_help(verdict: GateVerdict, failing: Collection[str] = ()) -> bool:
    """Return True if hardly any other change would be a fix.

    Such a change has only lockfiles, and configuration files in `failing`, the files that the findings name. Agents
    often change other configuration, tests and snapshots beside a fix or instead of one, but not in the next attempt.
    """
    paths = {refusal.path for refusal in verdict.refusals}
    return len(paths) == verdict.files and all(
        is_lockfile(refusal.path) or (refusal.rule in _CONFIGURATION and refusal.path in failing)
        for refusal in verdict.refusals
    )


def should_ask_person(waivable: Needed, before: Needed, *, at_once: bool) -> bool:
    """Return True if a person is asked: at once, or if the previous attempt needed the same waivers (`before`)."""
    return bool(waivable) and (at_once or waivable == before)


def can_be_suggested(waivable: Iterable[tuple[str, str]]) -> bool:
    """Return False if the change may hide something, such as a failure or a secret: a person looks at it first."""
    return all(rule in _HARMLESS and not is_test_setting(path) for rule, path in waivable)


def offer_waivers(waivable: Needed, waivers: Waivers) -> str:
    """Return the options to type; empty if the change must be looked at first, or if the repository forbids them."""
    is_forbidden = any(waivers.find_forbidding(rule, path) for rule, path in waivable)
    return "" if is_forbidden or not can_be_suggested(waivable) else render_options(waivable)


def explain_blocked(waivable: Sequence[tuple[str, str]], waivers: Waivers, plan: str = "") -> str:
    """Return the sentence that tells a person what to type, or which file only a person may change.

    `plan`: the plan of a variant, which takes no `--allow`, but grants.
    """
    forbidden = dict.fromkeys(entry for rule, path in waivable if (entry := waivers.find_forbidding(rule, path)))
    ended = [waiver for waiver in waivers.ended if (waiver.rule, waiver.path) in waivable]
    files = ", ".join(dict.fromkeys(path for _, path in waivable))
    if forbidden:
        return f"only you can change {files}: `gate.forbid` has {', '.join(forbidden)}, so no fix of a run may"
    if plan:
        beyond = dict.fromkeys(rule for rule, path in waivable if rule not in find_protecting_rules(path))
        if beyond:
            return f"only you can change {files}: no grant lifts {', '.join(beyond)}"
        return f"only a person may allow a change of {files}: add it to `grants:` in {plan}"
    beside = "".join(f"; {render_ended(waiver)}" for waiver in ended)
    if not can_be_suggested(waivable):
        rules = list(dict.fromkeys(rule for rule, _ in waivable))
        decides_tests = any(rule == TEST or is_test_setting(path) for rule, path in waivable)
        what = MAY_HIDE if decides_tests else f"the change breaks {join_few(rules)}, which only a person may allow, in"
        how = " and ".join(f"`reknit explain {rule}`" for rule in rules)
        return (
            f"{what} {files}: look at the change; {how} {'says' if len(rules) == 1 else 'say'} how to allow it{beside}"
        )
    return f"only a person may allow a change of {files}: add `{render_options(waivable)}`{beside}"


def explain_not_allowed(left_out: NotAllowed) -> str:
    """Return how many issues a person can still include, and what to type; empty: there are none."""
    if not left_out.issues:
        return ""
    more = left_out.files - len({option.partition(":")[2] for option in left_out.allow})
    rest = f", and the same for {pluralize(more, 'more file')}" if more else ""
    them = pluralize(left_out.issues, "issue")
    return f"{them} in files that only a person may allow to change: add `{' '.join(left_out.allow)}`{rest}"
