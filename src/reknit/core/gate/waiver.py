"""What a person allows: one rule of the gate does not refuse the files that one path stands for."""

import difflib
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from reknit.core.check_answer import CHECKS
from reknit.core.errors import UsageProblem
from reknit.core.gate.path_pattern import checked_pattern, is_visible, matches, names_one
from reknit.core.gate.rule_guide import GUIDE
from reknit.core.text.commit_text import neutralize_commit_text
from reknit.core.text.format import one_line

TYPED = "--allow"
MOST_NAMED = 20
"""In one commit message or comment."""


@dataclass(frozen=True)
class Waiver:
    rule: str
    path: str
    """A path from the top folder of the repository, or a pattern: see `path_pattern.py`."""
    reason: str = ""
    origin: str = TYPED
    """Where a person said so: the option, or the name of that person's own file."""
    until: str = ""
    """The last day on which it counts, in UTC: `2026-12-31`; empty: it has no end."""

    @property
    def name(self) -> str:
        return f"{self.rule}:{self.path}"


@dataclass(frozen=True)
class Waivers:
    """Frozen when a run starts."""

    allowed: tuple[Waiver, ...] = ()
    forbidden: tuple[str, ...] = ()
    """`RULE:PATH`, as the repository forbids it: stronger than any waiver."""
    ended: tuple[Waiver, ...] = ()
    """For people: these no longer count."""
    ends_at_once: bool = False
    """The run ends as soon as only a waiver would help; not if it began before there were any."""

    @property
    def in_force(self) -> tuple[Waiver, ...]:
        """Without those that the repository forbids altogether."""
        return tuple(each for each in self.allowed if not self.forbidding(each.rule, each.path))

    def waiver_for(self, rule: str, path: str) -> Waiver | None:
        """The first that covers a file; none covers a name that a person cannot see."""
        if not is_waivable(rule) or self.forbidding(rule, path) or not is_visible(path):
            return None
        return next((each for each in self.allowed if each.rule == rule and matches(each.path, path)), None)

    def forbidding(self, rule: str, path: str) -> str:
        """The entry of the repository that forbids to allow this; empty if there is none."""
        named = (each.partition(":") for each in self.forbidden)
        return next((f"{of}:{pattern}" for of, _, pattern in named if of == rule and matches(pattern, path)), "")


@dataclass(frozen=True)
class WaiverUse:
    """One file that a rule would have refused."""

    rule: str
    path: str
    reason: str
    origin: str


def is_waivable(rule: str) -> bool:
    return rule in GUIDE and not GUIDE[rule].never


def parse_typed(text: str) -> Waiver:
    """From `RULE:PATH`, as `--allow` has it."""
    rule, colon, path = text.partition(":")
    if not colon:
        raise UsageProblem("allow", f"{text!r} is not RULE:PATH, such as `protected-config:package-lock.json`")
    return Waiver(waivable_rule(rule), _path(path))


def checked_forbidden(text: str) -> str:
    """`RULE:PATH` as a repository may forbid it; there `**` stands for every file."""
    rule, colon, path = text.partition(":")
    if not colon:
        raise UsageProblem("allow", f"{text!r} is not RULE:PATH, such as `protected-config:.github/**`")
    return f"{known_rule(rule)}:{_path(path, may_be_everything=True)}"


def known_rule(rule: str) -> str:
    if rule in CHECKS:
        what = f"{rule} is a tamper check, and nobody can allow what it refuses"
        raise UsageProblem("allow", what, help=f"`reknit explain {rule}` says more")
    if rule not in GUIDE:
        near = difflib.get_close_matches(rule, GUIDE, n=1)
        meant = f"did you mean `{near[0]}`? " if near else ""
        raise UsageProblem("allow", f"no rule {rule!r}", help=f"{meant}The rules are: {', '.join(GUIDE)}")
    return rule


def waivable_rule(rule: str) -> str:
    if never := GUIDE[known_rule(rule)].never:
        raise UsageProblem("allow", f"nobody can allow {rule}: {never}", help=f"`reknit explain {rule}` says more")
    return rule


def _path(path: str, *, may_be_everything: bool = False) -> str:
    try:
        return checked_pattern(path, may_be_everything=may_be_everything)
    except ValueError as problem:
        raise UsageProblem("allow", str(problem)) from None


def sorted_by_end(waivers: Iterable[Waiver], today: date) -> tuple[tuple[Waiver, ...], tuple[Waiver, ...]]:
    """Those that count on that day, and those that have ended."""
    found = tuple(waivers)
    ended = tuple(each for each in found if each.until and date.fromisoformat(each.until) < today)
    return tuple(each for each in found if each not in ended), ended


def ended_text(waiver: Waiver) -> str:
    return f"the waiver {waiver.name} in {waiver.origin} ended on {waiver.until}"


def forbidden_texts(waivers: Waivers) -> tuple[str, ...]:
    """What a person should know before a run: these waivers help nothing."""
    return tuple(
        f"{each.name} ({each.origin}) has no effect: the repository forbids it ({entry})"
        for each in waivers.allowed
        if (entry := waivers.forbidding(each.rule, each.path))
    )


def use_text(use: WaiverUse) -> str:
    """For receipts, comments and commits."""
    reason = f": {one_line(use.reason)}" if use.reason else ""
    return f"{use.rule}:{one_line(use.path)} allowed by a person ({one_line(use.origin)}{reason})"


def with_allowed(message: str, uses: Sequence[WaiverUse]) -> str:
    """A commit message that ends with trailers, and one more for each thing that a person allowed."""
    texts = [neutralize_commit_text(use_text(use)[:400]) for use in uses[:MOST_NAMED]]
    texts += [f"and {len(uses) - MOST_NAMED} more"] if len(uses) > MOST_NAMED else []
    return message + "".join(f"Reknit-Allowed: {text}\n" for text in texts)


def can_be_offered(rule: str, path: str, waivers: Waivers) -> bool:
    """Whether `--allow` with this rule and path would be accepted, would help, and would let in no other file."""
    return is_waivable(rule) and names_one(path) and not waivers.forbidding(rule, path)


def typed_options(refused: Iterable[tuple[str, str]]) -> str:
    """What a person types to allow these (rule, path)."""
    return " ".join(dict.fromkeys(f"{TYPED} {shlex.quote(f'{rule}:{path}')}" for rule, path in refused))
