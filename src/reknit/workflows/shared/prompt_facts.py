"""Facts about a repository or a pull request that prompts show."""

from reknit.core.forge.pull_snapshot import PullSnapshot
from reknit.core.repository.conventions import CONVENTIONS, render_conventions
from reknit.core.repository.diff_excerpt import cut_diff
from reknit.ports.repository import TrustedRepository

DIFF_BYTES = 60_000
"""Limit on the diff in the prompt; a reader can open every file."""


def conventions(repository: TrustedRepository, base: str) -> str:
    """Read from the base, never from the head: a pull request must not write its own rules."""
    return render_conventions([(name, repository.read(base, name)) for name in CONVENTIONS])


def change_facts(repository: TrustedRepository, title: str, snapshot: PullSnapshot) -> dict[str, object]:
    """What every reader of a pull request is given."""
    return {
        "title": title,
        "base_ref": snapshot.base_ref,
        "diff": cut_diff(repository.diff(snapshot.base, snapshot.head), DIFF_BYTES),
        "conventions": conventions(repository, snapshot.base),
        "files": repository.change(snapshot.base, snapshot.head).paths,
    }
