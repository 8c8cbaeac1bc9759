"""Which waivers would let a refused change pass, and whether a person is asked before another attempt is paid for."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from reknit.core.gate.protecting_rules import protecting_rules
from reknit.core.gate.verdict import GateVerdict
from reknit.core.gate.waiver import Waivers, can_be_offered, ended_text, typed_options
from reknit.core.repository.paths import is_lockfile
from reknit.core.text.format import counted

Needed = tuple[tuple[str, str], ...]
"""(rule, path) of each refusal."""
_CONFIGURATION = frozenset({"protected-config", "no-mode-change"})


@dataclass(frozen=True)
class NotAllowed:
    """Issues that were left out because only a person may allow a change of their files."""

    issues: int = 0
    files: int = 0
    allow: tuple[str, ...] = ()
    """Options that would take in those of the first files."""


def needed_waivers(verdict: GateVerdict, waivers: Waivers) -> Needed:
    """Empty if no waiver helps: a refusal that nobody can allow, that is about no file, or that the repository forbids.

    Also if a path cannot be typed so that it stands for this file alone, and for a run that began before there were
    waivers.
    """
    refused = tuple(dict.fromkeys((refusal.rule, refusal.path) for refusal in verdict.refusals))
    helps = all(can_be_offered(rule, path, waivers) for rule, path in refused)
    return refused if waivers.ends_at_once and helps else ()


def only_a_person_helps(verdict: GateVerdict, failing: Collection[str] = ()) -> bool:
    """It changed nothing but lockfiles, and configuration in which the failure itself is: hardly any other change would
    have been a fix. `failing`: the files that the findings name.

    Other configuration, tests and snapshots are often changed beside a fix or instead of one, and left alone when told.
    """
    paths = {refusal.path for refusal in verdict.refusals}
    return len(paths) == verdict.files and all(
        is_lockfile(refusal.path) or (refusal.rule in _CONFIGURATION and refusal.path in failing)
        for refusal in verdict.refusals
    )


def needs_a_person(needed: Needed, before: Needed, *, at_once: bool) -> bool:
    """`before`: of the previous attempt on the same; what was refused twice would be refused again."""
    return bool(needed) and (at_once or needed == before)


def blocked_text(needed: Sequence[tuple[str, str]], waivers: Waivers, plan: str = "") -> str:
    """What only a person may allow, and what to type; or what only a person may change.

    `plan`: of a variant, which takes no `--allow`: its plan grants.
    """
    forbidden = dict.fromkeys(entry for rule, path in needed if (entry := waivers.forbidding(rule, path)))
    ended = [each for each in waivers.ended if (each.rule, each.path) in needed]
    files = ", ".join(dict.fromkeys(path for _, path in needed))
    if forbidden:
        return f"only you can change {files}: `gate.forbid` has {', '.join(forbidden)}, so no fix of a run may"
    if plan:
        beyond = dict.fromkeys(rule for rule, path in needed if rule not in protecting_rules(path))
        if beyond:
            return f"only you can change {files}: no grant lifts {', '.join(beyond)}"
        return f"only a person may allow a change of {files}: add it to `grants:` in {plan}"
    beside = "".join(f"; {ended_text(each)}" for each in ended)
    return f"only a person may allow a change of {files}: add `{typed_options(needed)}`{beside}"


def not_allowed_text(left_out: NotAllowed) -> str:
    """How many issues a person can still let in, and what to type; empty if there are none."""
    if not left_out.issues:
        return ""
    more = left_out.files - len({option.partition(":")[2] for option in left_out.allow})
    rest = f", and the same for {counted(more, 'more file')}" if more else ""
    them = counted(left_out.issues, "issue")
    return f"{them} in files that only a person may allow to change: add `{' '.join(left_out.allow)}`{rest}"
