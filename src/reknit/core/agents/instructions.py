"""Selects the agent files for a fixer, a challenger or a voter, and the part of a file that they see."""

import re
from collections.abc import Collection, Mapping, Sequence

from reknit.core.repository.file_kinds import DeveloperKind

FIXING = ("fixer", "dev_be", "dev_fe", "engineering_principles", "fix_challenger")
VOTING = ("reviewer_be_architecture", "reviewer_be_quality", "reviewer_fe_architecture", "reviewer_fe_quality")
JUDGING = ("fix_challenger", *VOTING)
NAMES = (*FIXING, *VOTING)
_DEVELOPERS: Mapping[DeveloperKind, str] = {"backend": "dev_be", "frontend": "dev_fe"}
_REVIEWERS: Mapping[DeveloperKind, str] = {"backend": "reviewer_be_", "frontend": "reviewer_fe_"}
_FRONT_MATTER = re.compile(
    r"---[ \t]*\n(?:(?!---[ \t]*$|\.\.\.[ \t]*$).*\n)*(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.MULTILINE
)

Files = Sequence[tuple[str, str]]
"""(name, text)."""


def join_fixer_guides(kind: DeveloperKind, files: Files) -> str:
    """Join the guides for a fixer that changes one kind of file."""
    return _join(files, ("fixer", _DEVELOPERS[kind], "engineering_principles"))


def join_rework_guides(kinds: Collection[DeveloperKind], files: Files) -> str:
    """Join the guides for a fixer that works on a whole change."""
    developers = (name for kind, name in _DEVELOPERS.items() if kind in kinds)
    return _join(files, ("fixer", *developers, "engineering_principles"))


def join_challenger_guides(files: Files) -> str:
    """Return the guide for the agent that challenges a fix; empty if there is none."""
    return _join(files, ("fix_challenger",))


def join_voter_guides(kinds: Collection[DeveloperKind], files: Files) -> str:
    """Join the guides for both voters: architecture and quality, per kind of file that the pull request changes."""
    starts = [start for kind, start in _REVIEWERS.items() if kind in kinds]
    return _join(files, [f"{start}{about}" for start in starts for about in ("architecture", "quality")])


def select_files(files: Files, names: Collection[str]) -> tuple[tuple[str, str], ...]:
    """Return the files with these names, in their order."""
    return tuple((name, text) for name, text in files if name in names)


def strip_front_matter(text: str) -> str:
    """Remove YAML front matter: other tools keep settings there, which are not for reknit's agents."""
    text = text.replace("\r\n", "\n").removeprefix("\ufeff").lstrip("\n")
    match = _FRONT_MATTER.match(text)
    return text[match.end() if match else 0 :].strip()


def _join(files: Files, names: Sequence[str]) -> str:
    texts = dict(files)
    return "\n\n".join(filter(None, (texts.get(name, "").strip() for name in names)))
