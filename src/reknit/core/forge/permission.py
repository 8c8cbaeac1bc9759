"""Decides whether reknit may repair a pull request, and says what a person can do where it may not."""

import re
import shlex
from dataclasses import dataclass
from typing import Literal

from reknit.core.forge.values import TRUSTED, Actor, Pull
from reknit.core.text.format import one_line

Cause = Literal["closed", "fork-gone", "conflict", "no-push", "untrusted", "hops", "taken", "protected"]

LEAST_HEX = 40
"""All of it: another commit with a chosen beginning is cheap to make."""
_LABEL = re.compile(r"reknit:([0-9a-f]+)")


@dataclass(frozen=True)
class FixBlocked:
    cause: Cause
    """As in `Ending.cause`."""
    sentence: str
    """Why, and the exact next step."""
    read_only: bool = False
    """The checks may still be looked at and reported; only nothing is pushed."""


def may_fix(pull: Pull, actor: Actor, *, slug: str, may_push: bool, beneath: str = "") -> FixBlocked | None:
    """None: it may. What no login or label could change is said first.

    `beneath`: the newest commit of somebody else, where the head is this run's own; a label may name that one.
    """
    if pull.state != "open":
        return FixBlocked("closed", _closed(pull))
    if not pull.head_slug:
        return FixBlocked("fork-gone", _gone(pull))
    if pull.mergeable is False:
        return FixBlocked("conflict", _conflict(pull))
    if not may_push:
        return FixBlocked("no-push", _no_push(pull, actor, slug), read_only=True)
    if not _is_trusted(pull, actor, beneath):
        return FixBlocked("untrusted", _untrusted(pull, slug), read_only=True)
    return None


def branch_gone(pull: Pull, heads: tuple[str, str]) -> FixBlocked | None:
    """`heads`: where git finds the branch and its base; empty: nowhere."""
    for ref, commit in zip((pull.head_ref, pull.base_ref), heads, strict=True):
        if not commit:
            return FixBlocked("closed", f"the branch {ref!r} is gone; restore it, then try again")
    return None


def is_member(pull: Pull, actor: Actor) -> bool:
    """Trusted for who the author is; others are trusted for one commit, by a label that names it."""
    return pull.association in TRUSTED or pull.author.lower() == actor.login.lower()


def _is_trusted(pull: Pull, actor: Actor, beneath: str) -> bool:
    if is_member(pull, actor):
        return True
    named = [match[1] for match in map(_LABEL.fullmatch, pull.labels) if match]
    return any(len(sha) >= LEAST_HEX and sha in (pull.head_sha, beneath) for sha in named)


def _closed(pull: Pull) -> str:
    if pull.state == "merged":
        return f"#{pull.number} is merged already; open a new pull request for what is left to repair"
    return f"#{pull.number} is closed; reopen it, then `{_again(pull)}`"


def _gone(pull: Pull) -> str:
    return (
        f"the repository that the branch of #{pull.number} was in is gone, so nothing can be pushed to it; "
        f"`git fetch origin pull/{pull.number}/head:pr-{pull.number}`, push that branch and open a new pull request"
    )


def _conflict(pull: Pull) -> str:
    base = _word(pull.base_ref)
    return (
        f"#{pull.number} conflicts with its base {base}; `gh pr checkout {pull.number} && git fetch origin {base} && "
        f"git merge FETCH_HEAD`, settle the conflict, push, then `{_again(pull)}`"
    )


def _no_push(pull: Pull, actor: Actor, slug: str) -> str:
    login, head = one_line(actor.login), one_line(pull.head_slug)
    if pull.head_slug.lower() != slug.lower():
        return (
            f"{login} may not push to the fork {head}; who may runs `gh pr checkout {pull.number} && {_again(pull)}`, "
            "or its owner ticks `Allow edits by maintainers` on the pull request"
        )
    if actor.is_app:
        return f"the App {login} may not push to {head}; give it `Contents: Read and write`, then `{_again(pull)}`"
    return f"{login} may not push to {head}; an admin gives the role `Write`, then `{_again(pull)}`"


def _untrusted(pull: Pull, slug: str) -> str:
    # The whole sha: another commit with the same first seven digits is a minute's work to make.
    return (
        f"{one_line(pull.author)} is no owner, member or collaborator of {one_line(slug)}, and agents act on what the "
        f"pull request says; a maintainer who has read the commit sets the label `reknit:{pull.head_sha}`, "
        f"then `{_again(pull)}`"
    )


def _again(pull: Pull) -> str:
    return f"reknit fix pr {pull.number}"


def _word(ref: str) -> str:
    """A branch may be named like a shell command, and people paste what we print."""
    return shlex.quote(one_line(ref))
