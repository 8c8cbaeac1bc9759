"""Takes judges and their settings from the default branch: a change must not choose who judges it.

Judges are reviewers, challengers and voters. Their files (`.reknit/reviewers`, `.reknit/agents`) and the settings that
choose, instruct or limit them are read from a commit, never from the working tree.
"""

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reknit.adapters.files.instruction_file import read_instruction
from reknit.adapters.git.review_range import fork_point
from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config, load
from reknit.app.installation import Installation
from reknit.app.pulls.find import rules_at
from reknit.app.start.instructions import agent_files, reviewer_files
from reknit.core.errors import UsageProblem
from reknit.core.review.reviewer_list import judges_note

_FOLDERS = (reviewer_files.FOLDER, agent_files.FOLDER)


@dataclass(frozen=True)
class Judges:
    config: Config
    """The configuration as of that commit, with the person's own file and flags."""
    rules: Path
    """The folder with the repository's files as of that commit."""
    commit: str
    """Empty: no default branch is known here, so the repository has no judges."""

    def note(self, root: str, config: Config) -> tuple[str, ...]:
        """Return what a person should know: the working tree, with this configuration, has judges that do not count."""
        here, there = (
            (each.agents, each.review, each.vote, each.challenger, each.checks.review) for each in (config, self.config)
        )
        if here == there and all(_texts(Path(root, name)) == _texts(self.rules / name) for name in _FOLDERS):
            return ()
        return (judges_note(self.commit),)


@contextlib.contextmanager
def judges_of(
    place: Installation, repository: UserRepository, flags: Mapping[str, Any], *,
    pull_base: str = "", typed_base: str = "",
) -> Iterator[Judges]:  # fmt: skip
    """Read the judges where HEAD left the default branch.

    On the default branch itself this is its last commit that is on the remote and, without a remote, its last commit.
    `pull_base`: the base of a pull request, which counts if it is here. `typed_base`: counts if no default branch is
    known.
    """
    commit = pull_base if repository.has_commit(pull_base) else fork_point(repository, repository.head()) or typed_base
    with rules_at(repository, commit, folders=_FOLDERS) as rules:
        yield Judges(load(rules, flags, place.environment), rules, commit)


def _texts(folder: Path) -> dict[str, str]:
    texts = {path.name: "" for path in agent_files.instructions_in(folder)}
    for name in texts:
        with contextlib.suppress(UsageProblem):  # a file that cannot be read is an error only if it counts
            texts[name] = read_instruction(folder / name, below=folder, where=name, kind="")
    return texts
