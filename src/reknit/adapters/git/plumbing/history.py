"""History of the trusted gitdir: merge base, messages, blame, word search, and replaying a change onto a head."""

import re
from collections.abc import Sequence

from reknit.adapters.git.plumbing.command import Git
from reknit.adapters.git.plumbing.objects import MAX_FILE_BYTES, differences
from reknit.adapters.git.plumbing.write_commit import commit_tree
from reknit.adapters.process import ProcessTimeoutError

MAX_MESSAGES = 200
MAX_CHANGED_FILES = 10_000
MAX_RENAMED_FILES = 1_000
MAX_MESSAGE_CHARS = 10_000
_BLAMED = re.compile(rb"^([0-9a-f]{40}) \d+ (\d+)", re.MULTILINE)


def merge_base(git: Git, one: str, other: str) -> str:
    """Return the merge base of two commits; empty if they share no history."""
    completed = git.run("merge-base", git.resolve_id(one, "commit"), git.resolve_id(other, "commit"))
    return completed.stdout.decode().strip() if completed.exit_code == 0 else ""


def is_ancestor(git: Git, old: str, new: str) -> bool:
    """Return True if `old` is in the history of `new`. A commit that is not here is no ancestor."""
    commit = git.object_id(old, "commit")
    return bool(commit) and git.run("merge-base", "--is-ancestor", commit, git.resolve_id(new, "commit")).exit_code == 0


def replay(git: Git, commit: str, onto: str, *, at: float) -> str:
    """Replay the change. Return `onto` itself if it already has it, and "" if the change cannot be replayed."""
    commit, onto = git.resolve_id(commit, "commit"), git.resolve_id(onto, "commit")
    if is_ancestor(git, commit, onto):
        return onto
    parents = git.line("rev-list", "--parents", "--max-count=1", commit).split()[1:]
    if len(parents) != 1 or not is_ancestor(git, parents[0], onto):
        return ""
    merged = git.run("merge-tree", "--write-tree", "--no-messages", onto, commit)
    if merged.exit_code != 0:
        return ""
    tree = merged.stdout.decode().strip()
    changed, judged_paths = _list_paths(git, onto, tree), _list_paths(git, parents[0], commit)
    if not changed:
        return onto
    if not changed <= judged_paths:
        return ""  # git follows renames, but the gate judged the change at its old path only
    message = git.out("cat-file", "commit", commit).partition(b"\n\n")[2]
    return commit_tree(git, tree, onto, message, at=at)


def _list_paths(git: Git, base: str, head: str) -> set[bytes]:
    return {one.path for one in differences(git, base, head)}


def messages(git: Git, base: str, head: str) -> tuple[tuple[str, str, str], ...]:
    """Return (commit, message, author) of the commits in head that are not in base, newest first."""
    output = git.out(
        "log", "-z", "--topo-order", "--no-color", "--format=%H%n%an <%ae>%n%B", f"--max-count={MAX_MESSAGES}",
        git.resolve_id(head, "commit"), "--not", git.resolve_id(base, "commit"), "--",
    )  # fmt: skip
    entries = (entry.decode("utf-8", "replace").split("\n", 2) for entry in output.split(b"\0") if entry)
    return tuple((commit, text[:MAX_MESSAGE_CHARS], author) for commit, author, text in entries)


def renames(git: Git, old: str, new: str) -> dict[str, str]:
    """Return old path -> new path between two commits; empty if one of them is not here."""
    commits = [git.object_id(rev, "commit") for rev in (old, new)]
    if not all(commits):
        return {}
    output = git.out(
        "diff-tree", "-r", "-z", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--find-renames",
        f"-l{MAX_RENAMED_FILES}", "--diff-filter=R", "--name-status", *commits, "--",
    ).split(b"\0")  # fmt: skip
    pairs = zip(output[1::3], output[2::3], strict=False)
    return {old.decode("utf-8", "replace"): new.decode("utf-8", "replace") for old, new in pairs}


def recently_changed(git: Git, rev: str, commits: int) -> tuple[str, ...]:
    """Return the paths that the last commits up to `rev` changed, newest first."""
    output = git.out(
        "log", "-z", "--no-color", "--no-renames", "--name-only", "--format=", f"--max-count={commits}",
        git.resolve_id(rev, "commit"), "--",
    )  # fmt: skip
    names = dict.fromkeys(name.strip(b"\n") for name in output.split(b"\0"))
    return tuple(name.decode("utf-8", "replace") for name in names if name)[:MAX_CHANGED_FILES]


def last_commits_of_lines(git: Git, rev: str, places: Sequence[tuple[str, int]]) -> tuple[str, ...]:
    """Return, for each (file, line), the commit that last changed it; empty if unknown."""
    commit = git.resolve_id(rev, "commit")
    lines: dict[str, set[int]] = {}
    for file, line in places:
        lines.setdefault(file, set()).add(line)
    writers = {file: _find_writers(git, commit, file, numbers) for file, numbers in lines.items()}
    return tuple(writers[file].get(line, "") for file, line in places)


def _find_writers(git: Git, commit: str, file: str, numbers: set[int]) -> dict[int, str]:
    count = _count_lines(git, commit, file)
    ranges = [f"-L{line},{line}" for line in sorted(numbers) if 1 <= line <= count]
    if not ranges:
        return {}
    try:
        output = git.out("blame", "--porcelain", "--no-textconv", *ranges, commit, "--", file)
    except ProcessTimeoutError:
        return {}  # the history is too long to blame, so the commits are unknown
    return {int(line): sha.decode() for sha, line in _BLAMED.findall(output)}


def _count_lines(git: Git, commit: str, file: str) -> int:
    """Return the number of lines; 0 if it is not a file or is too large to blame."""
    if not file or "\0" in file:
        return 0
    size = git.run("cat-file", "-s", f"{commit}:{file}")
    if size.exit_code != 0 or int(size.stdout) > MAX_FILE_BYTES:
        return 0
    content = git.run("cat-file", "blob", f"{commit}:{file}").stdout
    return content.removesuffix(b"\n").count(b"\n") + 1 if content else 0


TIMEOUT_S = 20.0
MAX_WORDS = 200
MAX_LINES_PER_FILE = 200
MAX_SEARCHES = 8


def mentions(git: Git, rev: str, words: Sequence[str]) -> dict[str, tuple[str, ...]] | None:
    """Return word -> paths. None if there are too many words, or the search did not finish."""
    searchable = [word for word in dict.fromkeys(words) if word and not {*word} & {"\n", "\0"}]
    if not searchable:
        return {}
    if len(searchable) > MAX_WORDS:
        return None
    tree = git.resolve_id(rev, "tree")
    try:
        lines = [line for group in group_words(searchable) for line in _search(git, tree, group)]
    except ProcessTimeoutError:
        return None
    users: dict[str, dict[str, None]] = {word: {} for word in searchable}
    for line in lines:
        path, _, match = line.removeprefix(f"{tree}:").partition("\0")
        for word in searchable if match else ():
            if word in match:
                users[word][path] = None
    return {word: tuple(paths) for word, paths in users.items() if paths}


def _search(git: Git, tree: str, words: Sequence[str]) -> list[str]:
    patterns = (part for word in words for part in ("-e", word))
    search = git.run(
        "grep", "-I", "-F", "-o", "-z", "--no-color", "--full-name", f"--max-count={MAX_LINES_PER_FILE}",
        *patterns, tree, "--", timeout_s=TIMEOUT_S,
    )  # fmt: skip
    return search.stdout.decode("utf-8", "replace").split("\n")


def group_words(words: Sequence[str]) -> list[list[str]]:
    """Group words so that in no group the end of one is the start of another.

    Git prints matches that do not overlap: in `data/file"`, a match of `data/` hides one of `/file"`. A word inside
    another one is no problem: git prints the longer match, which contains both.
    """
    groups: list[list[str]] = []
    for word in words:
        free = (group for group in groups if not any(_may_overlap(word, other) for other in group))
        group = next(free, None) or (groups[-1] if len(groups) == MAX_SEARCHES else [])
        if not group:
            groups.append(group)
        group.append(word)
    return groups


def _may_overlap(one: str, other: str) -> bool:
    sizes = range(1, min(len(one), len(other)))
    ends = {one[-size:] for size in sizes if one[-size:] == other[:size]}
    ends |= {other[-size:] for size in sizes if other[-size:] == one[:size]}
    return not ends <= {'"', "'"}  # two quoted strings always have another character between them
