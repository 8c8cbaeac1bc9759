"""Takes judges and their settings from the default branch: a change must not choose who judges it.

Judges are reviewers, challengers and voters. Their files (`.reknit/reviewers`, `.reknit/agents`) and the settings that
choose, instruct or limit them are read from a commit, never from the working tree. Reviewers are shipped with reknit,
a person's own, or the repository's; a later one replaces an earlier.
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import combinations
from pathlib import Path
from typing import Any

from reknit.adapters.files.regular_files import read_instruction
from reknit.adapters.git.review_range import fork_point
from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config, load
from reknit.app.config.sources import locate_user_file
from reknit.app.installation import Installation
from reknit.app.pulls.find import checkout_rules_at
from reknit.app.start.agents import get_agent_settings
from reknit.app.start.instructions.agent_files import (
    AGENT_FOLDER,
    combine_file_problems,
    list_instructions,
    locate_problems,
)
from reknit.core.agents.reviewer import Reviewer
from reknit.core.agents.reviewer_file import parse_reviewer
from reknit.core.errors import InternalError, UsageError
from reknit.core.review.reviewer_list import render_judges_note
from reknit.core.text.format import format_location

SHIPPED_REVIEWERS = ("correctness", "security", "tests", "architecture", "performance", "maintainability")
REVIEWER_FOLDER = ".reknit/reviewers"
OWN_FOLDER = "reviewers"
"""Folder beside a person's own configuration file."""
_PROBLEM = "reviewer-file"


def read_reviewers(root: Path | None, environment: Mapping[str, str]) -> tuple[Reviewer, ...]:
    """Read the shipped reviewers in their order, then the others by name. `root`: the folder whose rules apply."""
    problems: list[UsageError] = []
    own = locate_user_file(environment).parent
    reviewers_by_name = {reviewer.name: reviewer for reviewer in map(_read_shipped, SHIPPED_REVIEWERS)}
    reviewers_by_name |= _read_folder(own / OWN_FOLDER, own, str(own / OWN_FOLDER), problems)
    if root:
        reviewers_by_name |= _read_folder(root / REVIEWER_FOLDER, root, REVIEWER_FOLDER, problems)
    order = (*SHIPPED_REVIEWERS, *sorted(reviewers_by_name.keys() - {*SHIPPED_REVIEWERS}))
    in_order = tuple(reviewers_by_name[name] for name in order)
    problems += _find_shared_prefixes(in_order)
    if problems:
        raise combine_file_problems(_PROBLEM, "reviewer files", problems)
    return in_order


def refuse_unknown_agents(reviewers: Sequence[Reviewer], config: Config) -> None:
    """Raise UsageError with file and line if a reviewer's own agent is not configured."""
    problems = []
    for reviewer in (reviewer for reviewer in reviewers if reviewer.agent):
        try:
            get_agent_settings(config, reviewer.agent)
        except UsageError as problem:
            location = format_location(reviewer.origin, reviewer.agent_line)
            problems.append(UsageError(_PROBLEM, problem.message, where=location, help=problem.help))
    if problems:
        raise combine_file_problems(_PROBLEM, "reviewer files", problems)


def _read_shipped(name: str) -> Reviewer:
    text = resources.files("reknit.prompts").joinpath("reviewers", f"{name}.md").read_text("utf-8")
    reviewer = parse_reviewer(text, "", name)
    if not isinstance(reviewer, Reviewer):
        raise InternalError(_PROBLEM, f"the shipped reviewer {name!r} is wrong: {reviewer[0].message}")
    return reviewer


def _read_folder(folder: Path, below: Path, folder_name: str, problems: list[UsageError]) -> dict[str, Reviewer]:
    """Read reviewers. `below`: no step from there may be a symlink. `folder_name`: the folder, for people."""
    reviewers_by_name: dict[str, Reviewer] = {}
    for path in list_instructions(folder):
        try:
            reviewer = _read(path, below, f"{folder_name}/{path.name}", problems)
        except UsageError as problem:
            problems.append(problem)
            continue
        if reviewer and (other := reviewers_by_name.setdefault(reviewer.name, reviewer)) is not reviewer:
            message = f"the reviewer {reviewer.name!r} is also in {other.origin}"
            problems.append(UsageError(_PROBLEM, message, where=reviewer.origin, help="rename or remove one of them"))
    return reviewers_by_name


def _read(path: Path, below: Path, location: str, problems: list[UsageError]) -> Reviewer | None:
    """Read one reviewer. None if the file is wrong; then all its problems are in `problems`."""
    parsed = parse_reviewer(read_instruction(path, below=below, where=location, kind=_PROBLEM), location, path.stem)
    if isinstance(parsed, Reviewer):
        return parsed
    problems += locate_problems(_PROBLEM, location, parsed)
    return None


def _find_shared_prefixes(reviewers: Sequence[Reviewer]) -> Iterator[UsageError]:
    """Find reviewers with the same prefix: ids of findings begin with it, so it must identify the reviewer."""
    for one, other in combinations(reviewers, 2):
        if one.prefix == other.prefix:
            places = " and ".join(
                f"{reviewer.name!r} ({reviewer.origin or 'shipped with reknit'})" for reviewer in (one, other)
            )
            message = f"the reviewers {places} have the same prefix {one.prefix}"
            help_ = "set another `prefix` in one of them"
            yield UsageError(_PROBLEM, message, where=other.origin or one.origin, help=help_)


_FOLDERS = (REVIEWER_FOLDER, AGENT_FOLDER)


@dataclass(frozen=True)
class Judges:
    """The judges as of one commit, with their settings."""

    config: Config
    """The configuration as of that commit, with the person's own file and flags."""
    rules: Path
    """The folder with the repository's files as of that commit."""
    commit: str
    """Commit of the judges; empty: no default branch is known here, so the repository has no judges."""

    def note(self, root: str, config: Config) -> tuple[str, ...]:
        """Return a note if the working tree has other judges, which do not count."""
        here, there = (
            (settings.agents, settings.review, settings.vote, settings.challenger, settings.checks.review)
            for settings in (config, self.config)
        )
        if here == there and all(_read_texts(Path(root, name)) == _read_texts(self.rules / name) for name in _FOLDERS):
            return ()
        return (render_judges_note(self.commit),)


@contextlib.contextmanager
def checkout_judges(
    installation: Installation, repository: UserRepository, flags: Mapping[str, Any], *,
    pull_base: str = "", typed_base: str = "",
) -> Iterator[Judges]:  # fmt: skip
    """Read the judges where HEAD left the default branch.

    On the default branch itself this is its last commit that is on the remote and, without a remote, its last commit.
    `pull_base`: the base of a pull request, which counts if it is here. `typed_base`: counts if no default branch is
    known.
    """
    commit = pull_base if repository.has_commit(pull_base) else fork_point(repository, repository.head()) or typed_base
    with checkout_rules_at(repository, commit, folders=_FOLDERS) as rules:
        yield Judges(load(rules, flags, installation.environment), rules, commit)


def _read_texts(folder: Path) -> dict[str, str]:
    texts = {path.name: "" for path in list_instructions(folder)}
    for name in texts:
        with contextlib.suppress(UsageError):  # a file that cannot be read is an error only if it counts
            texts[name] = read_instruction(folder / name, below=folder, where=name, kind="")
    return texts
