"""Changes files of the user's working tree, because the user asked for it: `reknit apply`."""

from reknit.adapters import process
from reknit.adapters.git.plumbing.command import last_words
from reknit.adapters.git.user_repository import UserRepository, git_as_user
from reknit.core.errors import UsageProblem
from reknit.core.text.format import one_line


def apply_patch(repository: UserRepository, patch: bytes) -> None:
    """All of it or nothing, and never over something else. Neither the index nor the history changes."""
    if (done := _git_apply(repository, patch, "--check")).exit_code == 0:
        done = _git_apply(repository, patch)
    elif _git_apply(repository, patch, "--check", "--reverse").exit_code == 0:
        raise UsageProblem("already-applied", "the fix is in your working tree already")
    if done.exit_code != 0:
        what = f"the fix cannot be applied to your working tree: {one_line(last_words(done))}"
        help_ = (
            "these files have changed since the run: undo that, or run `reknit fix tests --dirty` on what is there now"
        )
        raise UsageProblem("cannot-apply", what, help=help_)


def _git_apply(repository: UserRepository, patch: bytes, *options: str) -> process.Completed:
    words = ("apply", "--whitespace=nowarn", *options, "-")
    return git_as_user(repository.root, *words, stdin=patch, env=repository.without_filters())
