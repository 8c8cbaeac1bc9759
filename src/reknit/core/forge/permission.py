"""Decides whether reknit may repair a pull request: permission, trust, and a limit on consecutive runs of bots."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from reknit.core.forge.values import TRUSTED, Actor, Pull
from reknit.core.text.format import to_one_line

Cause = Literal["closed", "fork-gone", "conflict", "no-push", "untrusted", "hops", "taken", "protected"]

LEAST_HEX = 40
"""Length of a full commit id. A shorter one is not enough: another commit with that prefix is cheap to create."""
_LABEL = re.compile(r"reknit:([0-9a-f]+)")


@dataclass(frozen=True)
class FixBlocked:
    """A reason why reknit may not push to a pull request, and the next step for a person."""

    cause: Cause
    """Value of `Ending.cause`."""
    sentence: str
    """Why, and the exact next step."""
    read_only: bool = False
    """The checks may still be read and reported, but nothing is pushed."""


def find_fix_blocker(pull: Pull, actor: Actor, *, slug: str, may_push: bool, beneath: str = "") -> FixBlocked | None:
    """Return why the pull request may not be fixed, permanent reasons first; None: it may be fixed.

    `beneath`: if this run made the head, the newest commit by anyone else; a label may name that commit.
    """
    if pull.state != "open":
        return FixBlocked("closed", _explain_closed(pull))
    if not pull.head_slug:
        return FixBlocked("fork-gone", _explain_missing_fork(pull))
    if pull.mergeable is False:
        return FixBlocked("conflict", _explain_conflict(pull))
    if not may_push:
        return FixBlocked("no-push", _explain_no_push(pull, actor, slug), read_only=True)
    if not _is_trusted(pull, actor, beneath):
        return FixBlocked("untrusted", _explain_untrusted(pull, slug), read_only=True)
    return None


def find_missing_branch(pull: Pull, heads: tuple[str, str]) -> FixBlocked | None:
    """Return the blocker if the branch or its base is gone.

    `heads`: the commits of both, as git finds them; an empty one does not exist.
    """
    for ref, commit in zip((pull.head_ref, pull.base_ref), heads, strict=True):
        if not commit:
            return FixBlocked("closed", f"the branch {ref!r} is gone; restore it, then try again")
    return None


def is_member(pull: Pull, actor: Actor) -> bool:
    """Return True if the author is trusted. Commits of other authors need a label."""
    return pull.association in TRUSTED or pull.author.lower() == actor.login.lower()


def _is_trusted(pull: Pull, actor: Actor, beneath: str) -> bool:
    if is_member(pull, actor):
        return True
    commits = [match[1] for match in map(_LABEL.fullmatch, pull.labels) if match]
    return any(len(sha) >= LEAST_HEX and sha in (pull.head_sha, beneath) for sha in commits)


def _explain_closed(pull: Pull) -> str:
    if pull.state == "merged":
        return f"#{pull.number} is already merged; open a new pull request for what is left to fix"
    return f"#{pull.number} is closed; reopen it, then `{_format_retry(pull)}`"


def _explain_missing_fork(pull: Pull) -> str:
    return (
        f"the repository of the branch of #{pull.number} is gone, so nothing can be pushed to it; "
        f"`git fetch origin pull/{pull.number}/head:pr-{pull.number}`, push that branch and open a new pull request"
    )


def _explain_conflict(pull: Pull) -> str:
    base = _quote_branch(pull.base_ref)
    return (
        f"#{pull.number} conflicts with its base {base}; `gh pr checkout {pull.number} && git fetch origin {base} && "
        f"git merge FETCH_HEAD`, resolve the conflict, push, then `{_format_retry(pull)}`"
    )


def _explain_no_push(pull: Pull, actor: Actor, slug: str) -> str:
    login, head = to_one_line(actor.login), to_one_line(pull.head_slug)
    if pull.head_slug.lower() != slug.lower():
        return (
            f"{login} may not push to the fork {head}; ask someone who may to run `gh pr checkout {pull.number} && "
            f"{_format_retry(pull)}`, or its owner to tick `Allow edits by maintainers` on the pull request"
        )
    if actor.is_app:
        return (
            f"the App {login} may not push to {head}; give it `Contents: Read and write`, then `{_format_retry(pull)}`"
        )
    return f"{login} may not push to {head}; ask an admin for the role `Write`, then `{_format_retry(pull)}`"


def _explain_untrusted(pull: Pull, slug: str) -> str:
    # The full sha: creating another commit with the same first seven digits takes a minute.
    return (
        f"{to_one_line(pull.author)} is not an owner, member or collaborator of {to_one_line(slug)}, and agents "
        "act on what the pull request says; ask a maintainer to review the commit and set the label "
        f"`reknit:{pull.head_sha}`, then `{_format_retry(pull)}`"
    )


def _format_retry(pull: Pull) -> str:
    return f"reknit fix pr {pull.number}"


def _quote_branch(ref: str) -> str:
    """Quote a branch name: it may contain shell syntax, and people paste what we print."""
    return shlex.quote(to_one_line(ref))


@dataclass(frozen=True)
class PullSnapshot:
    """The pull request at the start of an iteration."""

    head: str
    base: str
    """The merge base: the diff from it to the head is what the pull request itself changes."""
    hop: int
    """Number of consecutive runs on the branch without a person's commit in between, including this one."""
    barred: FixBlocked | None = None
    """Why nothing may be pushed; if not `read_only`, why there is nothing to look at either."""
    required: tuple[str, ...] = ()
    """Names of the checks the base branch requires."""
    expects_ci: bool = False
    is_app: bool = False
    """reknit runs as an App there, so it may create its own check run."""
    head_ref: str = ""
    head_url: str = ""
    base_ref: str = ""
    by_label: bool = False
    """Trusted for this commit only, because a maintainer's label names it."""


HOP = 1


_TRAILER = re.compile(r"([A-Za-z0-9][A-Za-z0-9-]*): (\S.*)")
_RUN = re.compile(r"r-[0-9a-z]{1,40}")
_HOP = re.compile(r"[1-9][0-9]{0,5}")
_BOT = re.compile(r"\[bot\](?: <|@)", re.IGNORECASE)
"""GitHub's form of an App's name and address."""


def count_hop(messages: Sequence[tuple[str, str, str]]) -> int:
    """Return the hop of a run that starts now. `messages`: (commit, message, author) of the branch, newest first.

    A person's commit resets the count; a commit of another bot does not.
    """
    highest = 0
    for _commit, message, author in messages:
        trailers = _read_trailers(message)
        if _BOT.search(author):
            continue
        if not any(_RUN.fullmatch(value) for name, value in trailers if name == "Reknit-Run"):
            break
        stamped = [int(value) for name, value in trailers if name == "Reknit-Hop" and _HOP.fullmatch(value)]
        highest = max(highest, 1, *stamped)  # a run's commit without a readable stamp counts as hop 1
    return highest + 1


def _read_trailers(message: str) -> list[tuple[str, str]]:
    """Return the trailers in the last paragraph; none if it has other lines too, or if there is only a subject."""
    lines = [line.rstrip() for line in message.strip().split("\n")]
    if "" not in lines:
        return []
    last = lines[len(lines) - lines[::-1].index("") :]
    matches = [_TRAILER.fullmatch(line) for line in last]
    return [(match[1], match[2]) for match in matches if match] if all(matches) else []
