"""Reads the user's history for a plan: the last commits, the default branch, what the branch changes, all files."""

from reknit.adapters.git.plumbing.command import last_words
from reknit.adapters.git.user_repository import git_as_user
from reknit.core.errors import UsageProblem

MOST_COMMITS = 50
_REMOTE = "refs/remotes/origin"


def last_commits(root: str) -> bytes:
    """Id, author, time in seconds and subject, each ended by NUL; newest first."""
    form = "--format=tformat:%H%x00%an%x00%at%x00%s%x00"
    # A signature would be checked by a program that the configuration names.
    return _output(root, "log", f"-{MOST_COMMITS}", "--no-show-signature", "--no-color", "--encoding=UTF-8", form)


def default_branch(root: str) -> tuple[str, str]:
    """As origin says, or the reason why it is not known."""
    asked = git_as_user(root, "symbolic-ref", "--quiet", f"{_REMOTE}/HEAD")
    name = asked.stdout.decode("utf-8", "replace").strip().removeprefix(f"{_REMOTE}/")
    if asked.exit_code == 0 and name:
        return name, ""
    if git_as_user(root, "config", "--get", "remote.origin.url").exit_code != 0:
        return "", "there is no remote called origin"
    return "", "origin/HEAD is not set; `git remote set-head origin --auto` sets it"


def branch_changes(root: str, branch: str) -> bytes:
    """`git diff --numstat` from where HEAD left that branch of origin; empty if origin's is not here."""
    ref = f"{_REMOTE}/{branch}"
    if not branch or git_as_user(root, "show-ref", "--verify", "--quiet", ref).exit_code != 0:
        return b""
    quiet = ("--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=all", "--no-color")
    return _output(root, "diff", "--numstat", "-z", "--diff-algorithm=myers", *quiet, "--merge-base", ref, "HEAD", "--")


def tracked_files(root: str) -> bytes:
    """Every path in the index, each ended by NUL, sorted by bytes."""
    return _output(root, "ls-files", "-z", "--deduplicate", prints_much=True)


def _output(root: str, *arguments: str, prints_much: bool = False) -> bytes:
    asked = git_as_user(root, *arguments, prints_much=prints_much)
    if asked.exit_code != 0:
        raise UsageProblem("repository-unreadable", f"git {arguments[0]} failed: {last_words(asked)}")
    return asked.stdout
