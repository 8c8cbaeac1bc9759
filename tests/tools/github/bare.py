"""A bare repository on disk: its refs read as files, its history written and compared by the real git."""

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from reknit.adapters.process import run

ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/nonexistent",
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
}
_CONFIG = """[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
[http]
\treceivepack = true
[receive]
\tautogc = false
\thideRefs = refs/pull
[uploadpack]
\tallowFilter = true
\tallowAnySHA1InWant = true
[gc]
\tauto = 0
"""


class MissingError(Exception):
    """No such repository, ref, commit or object: a 404."""


@dataclass(frozen=True)
class FileChange:
    path: str
    status: str
    """In GitHub's words: added, modified, removed, changed."""
    additions: int
    deletions: int
    patch: str


class Bare:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._facts: dict[tuple[str, ...], str] = {}

    def make(self) -> None:
        """What `git init --bare` does, without a process: a suite makes hundreds of them."""
        for folder in ("objects/info", "objects/pack", "refs/heads", "refs/tags", "refs/pull"):
            (self.path / folder).mkdir(parents=True)
        (self.path / "HEAD").write_text("ref: refs/heads/main\n")
        (self.path / "config").write_text(_CONFIG)

    def copy_to(self, path: Path) -> "Bare":
        shutil.copytree(self.path, path)
        shutil.rmtree(path / "refs/pull")
        (path / "refs/pull").mkdir()
        return Bare(path)

    def git(self, *arguments: str, stdin: bytes = b"", ok: tuple[int, ...] = (0,)) -> str:
        done = run(["git", *arguments], env=ENVIRONMENT, cwd=str(self.path), stdin=stdin)
        if done.exit_code not in ok:
            raise MissingError(f"git {' '.join(arguments)}: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode(errors="replace")

    def tip(self, ref: str) -> str:
        """Empty: there is no such ref."""
        try:
            return (self.path / ref).read_text().strip()
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return ""

    def branches(self) -> dict[str, str]:
        heads = self.path / "refs/heads"
        files = (path for path in heads.rglob("*") if path.is_file() and path.suffix != ".lock")
        return {str(path.relative_to(heads)): path.read_text().strip() for path in files}

    def point(self, ref: str, sha: str) -> None:
        path = self.path / ref
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(path.name + ".lock")  # as git itself does: no reader takes it for a ref
        fresh.write_text(sha + "\n")
        fresh.replace(path)

    def drop(self, ref: str) -> None:
        (self.path / ref).unlink(missing_ok=True)

    def sha(self, name: str) -> str:
        """The commit that a sha, branch or full ref names."""
        tip = self.tip(f"refs/heads/{name}") or (self.tip(name) if name.startswith("refs/") else "")
        if tip:
            return tip
        ask = self.ask if _SHA.fullmatch(name) else self.git
        return ask("rev-parse", "--verify", "-q", name + "^{commit}").strip()

    def ask(self, *arguments: str, ok: tuple[int, ...] = (0,)) -> str:
        """A question about commits named by sha, whose answer can not change: asked of git once."""
        if arguments not in self._facts:
            self._facts[arguments] = self.git(*arguments, ok=ok)
        return self._facts[arguments]

    def commit(
        self, branch: str, files: Mapping[str, str | None], *, parent: str, message: str, author: str, at: int
    ) -> str:
        """One commit of these files on top of the parent (none: the first), put on the branch; None deletes."""
        stamp = f"{author} <{author}@example.com> {at} +0000"
        lines = [f"commit refs/heads/{branch}", "mark :1", f"author {stamp}", f"committer {stamp}", _data(message)]
        lines += [f"from {parent}"] if parent else []
        for path, text in files.items():
            lines += [f"D {path}"] if text is None else [f"M 100644 inline {path}", _data(text)]
        stream = "\n".join([*lines, "get-mark :1", "done", ""]).encode()
        options = ("-c", "fastimport.unpackLimit=1", "fast-import", "--quiet", "--done", "--force")
        return self.git(*options, stdin=stream).split()[0]

    def conflicts(self, base: str, head: str) -> bool:
        return bool(self.ask("merge-tree", "--write-tree", "--name-only", base, head, ok=(0, 1)).strip().count("\n"))

    def commits(self, base: str, head: str) -> int:
        return int(self.ask("rev-list", "--count", f"{base}..{head}"))

    def commit_rows(self, span: str) -> list[tuple[str, str, str, str]]:
        """(sha, message, author's name, date) of those commits, oldest first."""
        listed = self.ask("log", "-z", "--reverse", "--format=%H%x01%B%x01%an%x01%aI", span)
        rows = (entry.split("\x01") for entry in listed.split("\0") if entry)
        return [(sha, message.strip(), author, date) for sha, message, author, date in rows]

    def changes(self, base: str, head: str) -> tuple[FileChange, ...]:
        """What a pull request shows: from the merge base to the head."""
        span = f"{base}...{head}"
        kinds = _pairs(self.ask("diff", "--no-renames", "--name-status", "-z", span))
        counts = self.ask("diff", "--no-renames", "--numstat", "-z", span).split("\0")[:-1]
        patches = _patches(self.ask("diff", "--no-renames", "--no-color", span))
        found = []
        for (path, letter), count, patch in zip(kinds, counts, patches, strict=True):
            added, deleted, _ = count.split("\t")
            found.append(FileChange(path, _WORDS[letter], _count(added), _count(deleted), patch))
        return tuple(found)

    def diff(self, base: str, head: str) -> str:
        return self.ask("diff", "--no-color", f"{base}...{head}")


_SHA = re.compile("[0-9a-f]{40}")
_WORDS = {"A": "added", "M": "modified", "D": "removed", "T": "changed"}


def _count(word: str) -> int:
    return 0 if word == "-" else int(word)  # a binary file has no lines


def _data(text: str) -> str:
    return f"data {len(text.encode())}\n{text}"


def _pairs(listed: str) -> list[tuple[str, str]]:
    words = listed.split("\0")[:-1]
    return [(path, letter) for letter, path in zip(words[::2], words[1::2], strict=True)]


def _patches(diff: str) -> list[str]:
    files = ("\n" + diff).split("\ndiff --git ")[1:]
    return ["@@" + file.partition("\n@@")[2] if "\n@@" in file else "" for file in files]
