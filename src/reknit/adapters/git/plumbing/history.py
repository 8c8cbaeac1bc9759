"""How commits of the trusted gitdir relate: merge base, messages, blame, and replaying a change onto another head."""

import re
from collections.abc import Sequence

from reknit.adapters.git.plumbing.command import Git
from reknit.adapters.git.plumbing.objects import MAX_FILE_BYTES, differences
from reknit.adapters.git.plumbing.write_commit import commit_tree
from reknit.adapters.process import ProcessTimeout

MOST_MESSAGES = 200
MOST_CHANGED = 10_000
MOST_RENAMED = 1_000
MOST_MESSAGE_CHARS = 10_000
_BLAMED = re.compile(rb"^([0-9a-f]{40}) \d+ (\d+)", re.MULTILINE)


def merge_base(git: Git, one: str, other: str) -> str:
    asked = git.run("merge-base", git.known(one, "commit"), git.known(other, "commit"))
    return asked.stdout.decode().strip() if asked.exit_code == 0 else ""


def is_ancestor(git: Git, old: str, new: str) -> bool:
    """A commit that is not here is no ancestor of one that is."""
    found = git.object_id(old, "commit")
    return bool(found) and git.run("merge-base", "--is-ancestor", found, git.known(new, "commit")).exit_code == 0


def replay(git: Git, commit: str, onto: str, *, at: float) -> str:
    """Returns `onto` itself if it already has the change, and "" if the change cannot be replayed."""
    commit, onto = git.known(commit, "commit"), git.known(onto, "commit")
    if is_ancestor(git, commit, onto):
        return onto
    parents = git.line("rev-list", "--parents", "--max-count=1", commit).split()[1:]
    if len(parents) != 1 or not is_ancestor(git, parents[0], onto):
        return ""
    merged = git.run("merge-tree", "--write-tree", "--no-messages", onto, commit)
    if merged.exit_code != 0:
        return ""
    tree = merged.stdout.decode().strip()
    changed, judged = _paths(git, onto, tree), _paths(git, parents[0], commit)
    if not changed:
        return onto
    if not changed <= judged:
        return ""  # git follows renames; what was judged for one path must not end up at another
    message = git.out("cat-file", "commit", commit).partition(b"\n\n")[2]
    return commit_tree(git, tree, onto, message, at=at)


def _paths(git: Git, base: str, head: str) -> set[bytes]:
    return {one.path for one in differences(git, base, head)}


def messages(git: Git, base: str, head: str) -> tuple[tuple[str, str, str], ...]:
    output = git.out(
        "log", "-z", "--topo-order", "--no-color", "--format=%H%n%an <%ae>%n%B", f"--max-count={MOST_MESSAGES}",
        git.known(head, "commit"), "--not", git.known(base, "commit"), "--",
    )  # fmt: skip
    entries = (entry.decode("utf-8", "replace").split("\n", 2) for entry in output.split(b"\0") if entry)
    return tuple((commit, text[:MOST_MESSAGE_CHARS], author) for commit, author, text in entries)


def renames(git: Git, old: str, new: str) -> dict[str, str]:
    commits = [git.object_id(rev, "commit") for rev in (old, new)]
    if not all(commits):
        return {}
    output = git.out(
        "diff-tree", "-r", "-z", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--find-renames",
        f"-l{MOST_RENAMED}", "--diff-filter=R", "--name-status", *commits, "--",
    ).split(b"\0")  # fmt: skip
    pairs = zip(output[1::3], output[2::3], strict=False)
    return {old.decode("utf-8", "replace"): new.decode("utf-8", "replace") for old, new in pairs}


def recently_changed(git: Git, rev: str, commits: int) -> tuple[str, ...]:
    output = git.out(
        "log", "-z", "--no-color", "--no-renames", "--name-only", "--format=", f"--max-count={commits}",
        git.known(rev, "commit"), "--",
    )  # fmt: skip
    names = dict.fromkeys(name.strip(b"\n") for name in output.split(b"\0"))
    return tuple(name.decode("utf-8", "replace") for name in names if name)[:MOST_CHANGED]


def last_commits_of_lines(git: Git, rev: str, places: Sequence[tuple[str, int]]) -> tuple[str, ...]:
    commit = git.known(rev, "commit")
    lines: dict[str, set[int]] = {}
    for file, line in places:
        lines.setdefault(file, set()).add(line)
    known = {file: _writers_of(git, commit, file, wanted) for file, wanted in lines.items()}
    return tuple(known[file].get(line, "") for file, line in places)


def _writers_of(git: Git, commit: str, file: str, wanted: set[int]) -> dict[int, str]:
    count = _line_count(git, commit, file)
    ranges = [f"-L{line},{line}" for line in sorted(wanted) if 1 <= line <= count]
    if not ranges:
        return {}
    try:
        output = git.out("blame", "--porcelain", "--no-textconv", *ranges, commit, "--", file)
    except ProcessTimeout:
        return {}  # a history too long to blame counts as unknown
    return {int(line): sha.decode() for sha, line in _BLAMED.findall(output)}


def _line_count(git: Git, commit: str, file: str) -> int:
    """0 if it is not a file or is too large to blame."""
    if not file or "\0" in file:
        return 0
    size = git.run("cat-file", "-s", f"{commit}:{file}")
    if size.exit_code != 0 or int(size.stdout) > MAX_FILE_BYTES:
        return 0
    content = git.run("cat-file", "blob", f"{commit}:{file}").stdout
    return content.removesuffix(b"\n").count(b"\n") + 1 if content else 0
