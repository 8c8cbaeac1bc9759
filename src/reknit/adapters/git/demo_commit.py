"""Creates a repository with one commit, for the demo."""

from pathlib import Path

from reknit.adapters.git.plumbing.command import Git


def commit_all(folder: str, message: str) -> str:
    git = Git(str(Path(folder, ".git")))
    git.out("init", "--quiet", "--template=", "--initial-branch=main", env={"GIT_WORK_TREE": folder})
    git.out("add", "--all", ".", env={"GIT_WORK_TREE": folder})
    git.out("commit", "--quiet", "--message", message, env={"GIT_WORK_TREE": folder})
    return git.out("rev-parse", "HEAD").decode().strip()
