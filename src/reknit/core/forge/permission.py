"""Decides whether reknit may repair a pull request, and if not, says what a person can do."""

import re
import shlex
from dataclasses import dataclass
from typing import Literal

from reknit.core.forge.values import TRUSTED, Actor, Pull
from reknit.core.text.format import one_line

Cause = Literal["closed", "fork-gone", "conflict", "no-push", "untrusted", "hops", "taken", "protected"]

LEAST_HEX = 40
"""The full id: it is cheap to create another commit with a chosen prefix."""
_LABEL = re.compile(r"reknit:([0-9a-f]+)")


@dataclass(frozen=True)
class FixBlocked:
    cause: Cause
    """As in `Ending.cause`."""
    sentence: str
    """Why, and the exact next step."""
    read_only: bool = False
    """The checks may still be read and reported, but nothing is pushed."""


def may_fix(pull: Pull, actor: Actor, *, slug: str, may_push: bool, beneath: str = "") -> FixBlocked | None:
    """Return None if the pull request may be fixed; permanent blockers come first.

    `beneath`: if the head is this run's own, the newest commit by anyone else; a label may name that one.
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
    """`heads`: commits of the branch and its base as git finds them; empty: the branch does not exist."""
    for ref, commit in zip((pull.head_ref, pull.base_ref), heads, strict=True):
        if not commit:
            return FixBlocked("closed", f"the branch {ref!r} is gone; restore it, then try again")
    return None


def is_member(pull: Pull, actor: Actor) -> bool:
    """Whether the author is trusted; others are trusted only for a commit that a label names."""
    return pull.association in TRUSTED or pull.author.lower() == actor.login.lower()


def _is_trusted(pull: Pull, actor: Actor, beneath: str) -> bool:
    if is_member(pull, actor):
        return True
    named = [match[1] for match in map(_LABEL.fullmatch, pull.labels) if match]
    return any(len(sha) >= LEAST_HEX and sha in (pull.head_sha, beneath) for sha in named)


def _closed(pull: Pull) -> str:
    if pull.state == "merged":
        return f"#{pull.number} is already merged; open a new pull request for what is left to fix"
    return f"#{pull.number} is closed; reopen it, then `{_again(pull)}`"


def _gone(pull: Pull) -> str:
    return (
        f"the repository of the branch of #{pull.number} is gone, so nothing can be pushed to it; "
        f"`git fetch origin pull/{pull.number}/head:pr-{pull.number}`, push that branch and open a new pull request"
    )


def _conflict(pull: Pull) -> str:
    base = _word(pull.base_ref)
    return (
        f"#{pull.number} conflicts with its base {base}; `gh pr checkout {pull.number} && git fetch origin {base} && "
        f"git merge FETCH_HEAD`, resolve the conflict, push, then `{_again(pull)}`"
    )


def _no_push(pull: Pull, actor: Actor, slug: str) -> str:
    login, head = one_line(actor.login), one_line(pull.head_slug)
    if pull.head_slug.lower() != slug.lower():
        return (
            f"{login} may not push to the fork {head}; ask someone who may to run `gh pr checkout {pull.number} && "
            f"{_again(pull)}`, or its owner to tick `Allow edits by maintainers` on the pull request"
        )
    if actor.is_app:
        return f"the App {login} may not push to {head}; give it `Contents: Read and write`, then `{_again(pull)}`"
    return f"{login} may not push to {head}; ask an admin for the role `Write`, then `{_again(pull)}`"


def _untrusted(pull: Pull, slug: str) -> str:
    # The full sha: creating another commit with the same first seven digits takes a minute.
    return (
        f"{one_line(pull.author)} is not an owner, member or collaborator of {one_line(slug)}, and agents act on what "
        f"the pull request says; ask a maintainer to review the commit and set the label `reknit:{pull.head_sha}`, "
        f"then `{_again(pull)}`"
    )


def _again(pull: Pull) -> str:
    return f"reknit fix pr {pull.number}"


def _word(ref: str) -> str:
    """A branch name may contain shell syntax, and people paste what we print."""
    return shlex.quote(one_line(ref))
