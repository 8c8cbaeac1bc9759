"""A bug fix that a real project merged: its tests on the release before, and an agent that writes what was merged."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from tests.realworld.real_project import Bug, RealProject
from tests.realworld.sources import PyPI, unpack


@dataclass(frozen=True)
class MergedFix:
    """Of what changed from one release to the next, `code` is the fix and `tests` are those merged with it."""

    name: str
    releases: tuple[str, str]
    what: str
    """By the changelog."""
    code: tuple[str, ...]
    tests: tuple[str, ...]
    setup: tuple[str, ...]
    in_ci: bool = False
    """Quick enough for each change: `REKNIT_REALWORLD=ci` runs only these."""

    @property
    def id(self) -> str:
        return f"{self.name}-{self.releases[1]}-{Path(self.code[0]).stem}"

    def project(self, downloads: Path, folder: Path) -> RealProject:
        """The bug to repair is the code of the release before."""
        sources = [PyPI(self.name, version) for version in self.releases]
        before, after = folder / "before", folder / "after"
        for source, place in zip(sources, (before, after), strict=True):
            unpack(source, downloads, place)

        def change(root: Path) -> None:
            for path in (*self.code, *self.tests):
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(after / path, root / path)

        bugs = [bug for path in self.code for bug in _hunks(path, before, after)]
        return RealProject(self.name, self.what, {".": sources[0]}, tuple(bugs), self.setup, change)


def _hunks(path: str, before: Path, after: Path) -> Iterator[Bug]:
    """With lines around each, so that it is found in one place only."""
    old, new = ((root / path).read_text().splitlines(keepends=True) for root in (before, after))
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(6):
        (_, old_start, _, new_start, _), (_, _, old_end, _, new_end) = group[0], group[-1]
        yield Bug(path, "".join(new[new_start:new_end]), "".join(old[old_start:old_end]))
