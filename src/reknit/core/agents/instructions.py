"""Agent files: which ones a fixer, a challenger and a voter get, and which part of a file they see."""

import re
from collections.abc import Collection, Mapping, Sequence

from reknit.core.repository.routing import Kind

FIXING = ("fixer", "dev_be", "dev_fe", "engineering_principles", "fix_challenger")
VOTING = ("reviewer_be_architecture", "reviewer_be_quality", "reviewer_fe_architecture", "reviewer_fe_quality")
JUDGING = ("fix_challenger", *VOTING)
NAMES = (*FIXING, *VOTING)
_DEVELOPERS: Mapping[Kind, str] = {"backend": "dev_be", "frontend": "dev_fe"}
_REVIEWERS: Mapping[Kind, str] = {"backend": "reviewer_be_", "frontend": "reviewer_fe_"}
_FRONT_MATTER = re.compile(
    r"---[ \t]*\n(?:(?!---[ \t]*$|\.\.\.[ \t]*$).*\n)*(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.MULTILINE
)

Files = Sequence[tuple[str, str]]
"""(name, text)."""


def guides_for(kind: Kind, files: Files) -> str:
    """For a fixer of this kind of file."""
    return _joined(files, ("fixer", _DEVELOPERS[kind], "engineering_principles"))


def rework_guides(kinds: Collection[Kind], files: Files) -> str:
    """For a fixer that works on a whole change."""
    developers = (name for kind, name in _DEVELOPERS.items() if kind in kinds)
    return _joined(files, ("fixer", *developers, "engineering_principles"))


def challenger_guide(files: Files) -> str:
    return _joined(files, ("fix_challenger",))


def reviewer_guides(kinds: Collection[Kind], files: Files) -> str:
    """For both voters: architecture and quality, per kind of file that the pull request changes."""
    starts = [start for kind, start in _REVIEWERS.items() if kind in kinds]
    return _joined(files, [f"{start}{about}" for start in starts for about in ("architecture", "quality")])


def only(files: Files, names: Collection[str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, text) for name, text in files if name in names)


def body_of(text: str) -> str:
    """The text without YAML front matter: other tools keep settings there, which are not for reknit's agents."""
    text = text.replace("\r\n", "\n").removeprefix("\ufeff").lstrip("\n")
    found = _FRONT_MATTER.match(text)
    return text[found.end() if found else 0 :].strip()


def _joined(files: Files, names: Sequence[str]) -> str:
    texts = dict(files)
    return "\n\n".join(filter(None, (texts.get(name, "").strip() for name in names)))
