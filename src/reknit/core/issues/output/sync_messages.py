"""Output of `issues sync`: what the forge reports as merged or, without a forge, what this clone itself knows."""

from collections.abc import Sequence
from dataclasses import dataclass

from reknit.core.issues.output.messages import synced
from reknit.core.text.format import one_line


@dataclass(frozen=True)
class ResolvingCommit:
    """A commit that resolved issues, as this clone sees it."""

    commit: str
    issues: tuple[int, ...]
    in_head: bool
    branches: tuple[str, ...] = ()
    """Local or remote-tracking branches that contain it; set only if HEAD does not."""


@dataclass(frozen=True)
class SyncResult:
    merged: tuple[int, ...] = ()
    unasked: str = ""
    """Why no forge could be asked; empty: one was."""
    landed: tuple[ResolvingCommit, ...] = ()
    """Set only if no forge was asked."""
    unseen: tuple[str, ...] = ()
    """Repositories that could not be asked while others could, each with the reason."""
    not_asked: int = 0
    """Commits beyond the limit of one call."""


def sync_lines(answer: SyncResult, waiting: Sequence[str]) -> list[str]:
    """`waiting`: commits whose issues are still RESOLVED."""
    if not answer.unasked:
        return [*synced(answer.merged, waiting), *map(one_line, answer.unseen), *_not_asked(answer.not_asked)]
    count = sum(len(each.issues) for each in answer.landed)
    only = "only a forge can confirm that an issue is MERGED"
    return [f"{count} issue(s) are RESOLVED; {one_line(answer.unasked)}, and {only}", *map(_line, answer.landed)]


def sync_document(answer: SyncResult, waiting: Sequence[str]) -> dict[str, object]:
    document: dict[str, object] = {
        "schema": 1, "merged": _names(answer.merged), "waiting_commits": list(waiting),
        "unseen": list(answer.unseen), "not_asked": answer.not_asked,
    }  # fmt: skip
    if not answer.unasked:
        return document
    commits = [
        {"commit": each.commit, "issues": _names(each.issues), "in_head": each.in_head, "branches": [*each.branches]}
        for each in answer.landed
    ]
    return {**document, "unasked": answer.unasked, "commits": commits}


def _not_asked(count: int) -> list[str]:
    return [f"{count} of them were not checked: run `reknit issues sync` again to check others"] if count else []


def _line(landed: ResolvingCommit) -> str:
    return f"  {', '.join(_names(landed.issues))}: {landed.commit[:12]} is {_standing(landed)}"


def _standing(landed: ResolvingCommit) -> str:
    if landed.in_head:
        return "in HEAD; the next `reknit issues import` shows whether they are gone"
    if landed.branches:
        return f"in {one_line(landed.branches[0])}, not in HEAD"
    return f"in no branch here; if it was abandoned: `reknit issues reopen {' '.join(_names(landed.issues))}`"


def _names(issues: Sequence[int]) -> list[str]:
    return [f"I-{number}" for number in issues]
