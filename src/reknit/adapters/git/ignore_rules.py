"""Which new files the commit's own ignore rules leave out. git is asked in a folder that has only those rules."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from reknit.adapters.files.folders import temporary_folder
from reknit.adapters.git.plumbing.command import Git
from reknit.adapters.git.plumbing.objects import Tree
from reknit.adapters.process import ProcessTimeout
from reknit.core.repository.change import EXECUTABLE, REGULAR

_TIMEOUT_S = 20.0


class IgnoreRules:
    """The `.gitignore` files of one commit; an agent's own do not count."""

    def __init__(self, git: Git, tree: Tree, places: dict[str, str]) -> None:
        """`places`: where the rules are written; empty: there are none."""
        self._git, self._places = git, places
        self._folders = {parent for path in tree for parent in _parents(path)}

    def leaves_out(self, paths: Sequence[bytes]) -> frozenset[bytes]:
        """Those of these new paths that git would not add; a folder ends in `/`.

        A folder that is ignored although files in it are tracked does not count: what is added there belongs to them.
        """
        if not self._places or not paths:
            return frozenset()
        tracked = {parent for path in paths for parent in _parents(path) if parent in self._folders}
        ignored = self._ignored([*paths, *(folder + b"/" for folder in tracked)])
        overruled = {folder for folder in tracked if folder + b"/" in ignored}
        return frozenset(path for path in paths if path in ignored and overruled.isdisjoint(_parents(path)))

    def _ignored(self, paths: Sequence[bytes]) -> frozenset[bytes]:
        for path in paths:
            if path.endswith(b"/"):
                self._make_folder(path)
        # This command knows no literal pathspecs; behind `./` no character has a meaning.
        asked = b"".join(b"./" + path.rstrip(b"/") + b"\0" for path in paths)
        env = {**self._places, "GIT_LITERAL_PATHSPECS": "0"}
        try:
            answer = self._git.run(
                "check-ignore", "--no-index", "-z", "--stdin", stdin=asked, env=env, timeout_s=_TIMEOUT_S
            )
        except ProcessTimeout:  # a pattern can be made to take forever
            return frozenset()
        said = {path.removeprefix(b"./") for path in answer.stdout.split(b"\0")}
        return frozenset(path for path in paths if path.rstrip(b"/") in said)

    def _make_folder(self, path: bytes) -> None:
        """git sees only then that it is one, and that a rule for folders applies."""
        with contextlib.suppress(OSError):  # too long a name
            os.makedirs(os.path.join(os.fsencode(self._places["GIT_WORK_TREE"]), path), exist_ok=True)  # noqa: PTH103, PTH118 - bytes


@contextlib.contextmanager
def ignore_rules(git: Git, tree: Tree) -> Iterator[IgnoreRules]:
    files = {path: entry for path, entry in tree.items() if path.rpartition(b"/")[2] == b".gitignore"}
    plain = {path: entry for path, entry in files.items() if entry.mode in (REGULAR, EXECUTABLE)}
    with temporary_folder("rules-", git.gitdir) as folder:
        if not plain:
            yield IgnoreRules(git, tree, {})
            return
        Path(folder, "tree").mkdir()
        places = {"GIT_INDEX_FILE": str(Path(folder, "index")), "GIT_WORK_TREE": str(Path(folder, "tree").resolve())}
        lines = b"".join(b"%06o %s\t%s\0" % (entry.mode, entry.sha.encode(), path) for path, entry in plain.items())
        git.out("update-index", "-z", "--index-info", stdin=lines, env=places)
        git.out("checkout-index", "--all", "--force", "--quiet", env=places)
        yield IgnoreRules(git, tree, places)


def _parents(path: bytes) -> list[bytes]:
    parts = path.rstrip(b"/").split(b"/")
    return [b"/".join(parts[:length]) for length in range(1, len(parts))]
