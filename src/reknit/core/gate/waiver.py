"""Describes waivers: by one, a person allows that one rule is broken in the files that one path stands for."""

import difflib
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from reknit.core.check_answer import CHECKS
from reknit.core.errors import UsageError
from reknit.core.gate.path_pattern import check_pattern, is_exact_path, is_visible, matches
from reknit.core.gate.rule_guide import GUIDE
from reknit.core.text.forge_text import neutralize_commit_text
from reknit.core.text.format import to_one_line

TYPED = "--allow"
MAX_NAMED_WAIVERS = 20
"""Maximum number of waivers in one commit message or comment."""


@dataclass(frozen=True)
class Waiver:
    """The permission of a person to break one rule for one path."""

    rule: str
    path: str
    """A path from the top folder of the repository, or a pattern: see `path_pattern.py`."""
    reason: str = ""
    origin: str = TYPED
    """The option, or the name of the person's own file."""
    until: str = ""
    """The last day on which it counts, in UTC: `2026-12-31`; empty: it has no end."""

    @property
    def name(self) -> str:
        return f"{self.rule}:{self.path}"


@dataclass(frozen=True)
class Waivers:
    """All waivers of a run, frozen at its start."""

    allowed: tuple[Waiver, ...] = ()
    forbidden: tuple[str, ...] = ()
    """`RULE:PATH`, as the repository forbids it: stronger than any waiver."""
    ended: tuple[Waiver, ...] = ()
    """Waivers that no longer count, for messages."""
    ends_at_once: bool = False
    """True: the run ends as soon as only a waiver would help. False for runs that began before there were waivers."""

    @property
    def in_force(self) -> tuple[Waiver, ...]:
        """Return the waivers without those that the repository forbids altogether."""
        return tuple(waiver for waiver in self.allowed if not self.find_forbidding(waiver.rule, waiver.path))

    def find_waiver(self, rule: str, path: str) -> Waiver | None:
        """Return the first waiver that covers a file; None also for a name with characters that nobody can see."""
        if not is_waivable(rule) or self.find_forbidding(rule, path) or not is_visible(path):
            return None
        return next((waiver for waiver in self.allowed if waiver.rule == rule and matches(waiver.path, path)), None)

    def find_forbidding(self, rule: str, path: str) -> str:
        """Return the entry of the repository that forbids such a waiver; empty: there is none."""
        entries = (entry.partition(":") for entry in self.forbidden)
        return next((f"{of}:{pattern}" for of, _, pattern in entries if of == rule and matches(pattern, path)), "")


@dataclass(frozen=True)
class WaiverUse:
    """A file that a rule would have refused without its waiver."""

    rule: str
    path: str
    reason: str
    origin: str


def is_waivable(rule: str) -> bool:
    """Return True if a person can allow a rule."""
    return rule in GUIDE and not GUIDE[rule].never


def parse_typed(text: str) -> Waiver:
    """Parse `RULE:PATH` of the option `--allow`."""
    rule, colon, path = text.partition(":")
    if not colon:
        raise UsageError("allow", f"{text!r} is not RULE:PATH, such as `protected-config:package-lock.json`")
    return Waiver(require_waivable_rule(rule), _check_path(path))


def check_forbidden(text: str) -> str:
    """Parse `RULE:PATH` of a repository's list of forbidden waivers; there `**` stands for every file."""
    rule, colon, path = text.partition(":")
    if not colon:
        raise UsageError("allow", f"{text!r} is not RULE:PATH, such as `protected-config:.github/**`")
    return f"{require_known_rule(rule)}:{_check_path(path, may_be_everything=True)}"


def require_known_rule(rule: str) -> str:
    """Return the rule; raise UsageError if there is none."""
    if rule in CHECKS:
        message = f"{rule} is a tamper check, and nobody can allow what it refuses"
        raise UsageError("allow", message, help=f"`reknit explain {rule}` says more")
    if rule not in GUIDE:
        near = difflib.get_close_matches(rule, GUIDE, n=1)
        suggestion = f"did you mean `{near[0]}`? " if near else ""
        raise UsageError("allow", f"no rule {rule!r}", help=f"{suggestion}The rules are: {', '.join(GUIDE)}")
    return rule


def require_waivable_rule(rule: str) -> str:
    """Return the rule; raise UsageError if nobody can allow it."""
    if never := GUIDE[require_known_rule(rule)].never:
        raise UsageError("allow", f"nobody can allow {rule}: {never}", help=f"`reknit explain {rule}` says more")
    return rule


def _check_path(path: str, *, may_be_everything: bool = False) -> str:
    try:
        return check_pattern(path, may_be_everything=may_be_everything)
    except ValueError as problem:
        raise UsageError("allow", str(problem)) from None


def split_by_end(waivers: Iterable[Waiver], today: date) -> tuple[tuple[Waiver, ...], tuple[Waiver, ...]]:
    """Return the waivers that count on that day, and those that have ended."""
    all_waivers = tuple(waivers)
    ended = tuple(waiver for waiver in all_waivers if waiver.until and date.fromisoformat(waiver.until) < today)
    return tuple(waiver for waiver in all_waivers if waiver not in ended), ended


def render_ended(waiver: Waiver) -> str:
    """Return the sentence that a waiver has ended."""
    return f"the waiver {waiver.name} in {waiver.origin} ended on {waiver.until}"


def render_forbidden(waivers: Waivers) -> tuple[str, ...]:
    """Return a sentence for each waiver without effect, which a person reads before a run."""
    return tuple(
        f"{waiver.name} ({waiver.origin}) has no effect: the repository forbids it ({entry})"
        for waiver in waivers.allowed
        if (entry := waivers.find_forbidding(waiver.rule, waiver.path))
    )


def render_use(use: WaiverUse) -> str:
    """Return a used waiver for receipts, comments and commits."""
    reason = f": {to_one_line(use.reason)}" if use.reason else ""
    return f"{use.rule}:{to_one_line(use.path)} allowed by a person ({to_one_line(use.origin)}{reason})"


def append_allowed(message: str, uses: Sequence[WaiverUse]) -> str:
    """Return a commit message with a trailer for each used waiver."""
    texts = [neutralize_commit_text(render_use(use)[:400]) for use in uses[:MAX_NAMED_WAIVERS]]
    texts += [f"and {len(uses) - MAX_NAMED_WAIVERS} more"] if len(uses) > MAX_NAMED_WAIVERS else []
    return message + "".join(f"Reknit-Allowed: {text}\n" for text in texts)


def can_be_offered(rule: str, path: str, waivers: Waivers) -> bool:
    """Return True if `--allow` with this rule and path is accepted, has an effect, and covers no other file."""
    return is_waivable(rule) and is_exact_path(path) and not waivers.find_forbidding(rule, path)


def render_options(refused: Iterable[tuple[str, str]]) -> str:
    """Return the options that a person types to allow these (rule, path)."""
    return " ".join(dict.fromkeys(f"{TYPED} {shlex.quote(f'{rule}:{path}')}" for rule, path in refused))
