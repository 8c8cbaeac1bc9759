"""Reads staged files in their stored form: no filter runs and no line ends are converted; the index is only read."""

import functools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from reknit.adapters.git.plumbing.command import last_words
from reknit.adapters.git.plumbing.objects import AskGit, Difference, parse_raw, with_contents
from reknit.adapters.git.user_repository import UserRepository, git_as_user
from reknit.core.errors import UsageError
from reknit.core.repository.change import Change

_AT_ONCE = 500
"""Maximum number of files in memory at the same time."""
_LINK, _PROGRAM, _FILES = b"120000", b"100755", (b"100644", b"100755", b"120000")


@dataclass(frozen=True)
class StagedRepository(UserRepository):
    """The user's repository as the next commit would have it."""

    index: str = ""
    """Index file; empty: the repository's own. `git commit -a` and `git commit PATH` make another one."""

    def tracked(self) -> tuple[str, ...]:
        return self._in_index

    def untracked(self) -> tuple[str, ...]:
        return ()

    def texts(self, paths: Sequence[str]) -> dict[str, str]:
        entries = list(self._list_entries(frozenset(map(os.fsencode, paths))))
        contents = _read_contents(self._ask, [blob for _, blob, _ in entries])
        return {
            os.fsdecode(path): content.decode("utf-8", "replace")
            for (_, _, path), content in zip(entries, contents, strict=True)
        }

    def change(self) -> Change:
        """Return the staged change. In a merge, return only the part that neither side has committed."""
        differences = self._differences("HEAD")
        if git_as_user(self.root, "rev-parse", "--verify", "--quiet", "MERGE_HEAD^{commit}").exit_code == 0:
            own = {difference.path for difference in self._differences("MERGE_HEAD")}
            differences = [difference for difference in differences if difference.path in own]
        return with_contents(self._ask, differences)

    def _differences(self, rev: str) -> list[Difference]:
        output = self._ask(
            "diff-index", "--cached", "-z", "--raw", "--no-abbrev", "--no-renames", "--no-ext-diff", "--no-textconv",
            "--ignore-submodules=none", "--ita-invisible-in-index", rev, "--",
        )  # fmt: skip
        records = output.split(b"\0")
        if lost := [path for facts, path in zip(records[:-1:2], records[1::2], strict=True) if facts.endswith(b"U")]:
            raise _unmerged_error(lost[0])
        return parse_raw(output)

    def write(self, paths: Sequence[str], folder: str) -> None:
        """Write those of the paths that the index has, except submodules, to an empty folder."""
        entries = list(self._list_entries(frozenset(map(os.fsencode, paths))))
        for start in range(0, len(entries), _AT_ONCE):
            batch = entries[start : start + _AT_ONCE]
            contents = _read_contents(self._ask, [blob for _, blob, _ in batch])
            for (mode, _, path), content in zip(batch, contents, strict=True):
                _write(Path(folder, os.fsdecode(path)), mode, content)

    @functools.cached_property
    def _in_index(self) -> tuple[str, ...]:
        names = self._ask("ls-files", "--cached", "-z").split(b"\0")[:-1]
        return tuple(dict.fromkeys(name.decode("utf-8", "replace") for name in names))

    def _list_entries(self, paths: frozenset[bytes]) -> Iterator[tuple[bytes, bytes, bytes]]:
        """Yield (mode, blob, path) of the wanted files."""
        for entry in self._ask("ls-files", "--cached", "--stage", "-z").split(b"\0")[:-1]:
            facts, _, path = entry.partition(b"\t")
            mode, blob, stage = facts.split(b" ")
            if path not in paths or mode not in _FILES:
                continue
            if stage != b"0":
                raise _unmerged_error(path)
            yield mode, blob, path

    def _ask(self, *args: str, stdin: bytes = b"") -> bytes:
        completed = git_as_user(
            self.root, *args, stdin=stdin, env={"GIT_INDEX_FILE": self.index} if self.index else None
        )
        if completed.exit_code != 0:
            message = f"git {args[0]} failed in {self.root!r}: {last_words(completed)}"
            raise UsageError("repository-unreadable", message)
        return completed.stdout


def _unmerged_error(path: bytes) -> UsageError:
    message = f"{os.fsdecode(path)!r} has a merge conflict"
    return UsageError("unmerged", message, help="resolve it, then `git add` it")


def _read_contents(ask: AskGit, blobs: Sequence[bytes]) -> Iterator[bytes]:
    output = ask("cat-file", "--batch", stdin=b"".join(blob + b"\n" for blob in blobs))
    start = 0
    for blob in blobs:
        end = output.index(b"\n", start)
        if output[start:end].endswith(b" missing"):
            raise UsageError("repository-unreadable", f"the repository lacks the staged {blob.decode()}")
        size = int(output[start:end].rpartition(b" ")[2])
        yield output[end + 1 : end + 1 + size]
        start = end + 1 + size + 1


def _write(path: Path, mode: bytes, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if mode == _LINK:
        path.symlink_to(os.fsdecode(content))
        return
    path.write_bytes(content)
    if mode == _PROGRAM:
        path.chmod(0o755)
