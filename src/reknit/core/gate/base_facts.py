"""What base's tracked files show about the files that a change touches: what is beside them, and who mentions them."""

import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

MOST_NEAR = 5_000


@dataclass(frozen=True)
class BaseFacts:
    near: frozenset[str] = frozenset()
    """Tracked files in the folders of the changed files and right above these."""
    folders: frozenset[str] = frozenset()
    """Folders of the changed files, and those above them, that base tracks."""
    mentions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Word -> tracked files that contain it; a word that was not asked about is missing."""

    def mentioning(self, words: Collection[str], but: str) -> Iterator[str]:
        """Files that contain any of the words, except one."""
        return (path for word in words for path in self.mentions.get(word, ()) if path != but)


def facts_of(changed: Sequence[str], tracked: Collection[str]) -> BaseFacts:
    """Still without mentions."""
    folders = {folder for path in changed for folder in (*_above(path), "")}
    beside = {posixpath.dirname(path) for path in changed}
    beside |= {posixpath.dirname(folder) for folder in beside}
    modules = {posixpath.join(folder, "go.mod") for folder in folders}
    near = [path for path in tracked if posixpath.dirname(path) in beside or path in modules]
    known = {folder for path in tracked for folder in _above(path)} if folders != {""} else set()
    return BaseFacts(frozenset(near[:MOST_NEAR]), frozenset(folders & known))


def _above(path: str) -> Iterator[str]:
    folder = posixpath.dirname(path)
    while folder:
        yield folder
        folder = posixpath.dirname(folder)
