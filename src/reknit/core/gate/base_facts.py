"""What base's tracked files show about the files that a change touches: what is beside them, and who mentions them."""

import posixpath
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from reknit.core.gate.shipped import folders_above, manifests_to_read, shipped_places
from reknit.core.repository.paths import is_below, is_test_file, test_folder_of

MOST_NEAR = 5_000


@dataclass(frozen=True)
class BaseFacts:
    near: frozenset[str] = frozenset()
    """Tracked files in the folders of the changed files and right above these."""
    folders: frozenset[str] = frozenset()
    """Folders of the changed files, and those above them, that base tracks."""
    mentions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Word -> tracked files that contain it; a word that was not asked about is missing."""
    shipped: frozenset[str] = frozenset()
    """Files and folders that a manifest above the changed files ships."""
    tested: frozenset[str] = frozenset()
    """Folders around the changed files, named like those of tests, with a file below that is named like a test."""

    def mentioning(self, words: Collection[str], but: str) -> Iterator[str]:
        """Files that contain any of the words, except one."""
        return (path for word in words for path in self.mentions.get(word, ()) if path != but)


def facts_of(changed: Sequence[str], tracked: Collection[str], read: Callable[[str], str]) -> BaseFacts:
    """Return them without mentions; `read`: the text of a tracked file."""
    folders = {folder for path in changed for folder in folders_above(path)}
    beside = {posixpath.dirname(path) for path in changed}
    beside |= {posixpath.dirname(folder) for folder in beside}
    modules = {posixpath.join(folder, name) for folder in folders for name in ("go.mod", "__init__.py")}
    near = [path for path in tracked if posixpath.dirname(path) in beside or path in modules]
    known = {folder for path in tracked for folder in folders_above(path)} if folders != {""} else set()
    of_tests = {folder for folder in map(test_folder_of, changed) if folder}
    tests = filter(is_test_file, tracked) if of_tests else ()
    tested = {folder for path in tests for folder in of_tests if is_below(path, folder)}
    shipped = shipped_places({path: read(path) for path in manifests_to_read(changed, tracked)}, tracked)
    return BaseFacts(frozenset(near[:MOST_NEAR]), frozenset(folders & known - {""}), {}, shipped, frozenset(tested))
