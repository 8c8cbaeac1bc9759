"""Changes files of the user's working tree, because the user asked for it: `reknit apply`."""

from reknit.adapters.git.plumbing.command import last_words
from reknit.adapters.git.user_repository import UserRepository, git_as_user
from reknit.core.errors import UsageProblem
from reknit.core.text.format import one_line


def apply_patch(repository: UserRepository, patch: bytes) -> None:
    """All of it or nothing, and never over something else. Neither the index nor the history changes."""
    for options in (("--check",), ()):
        words, env = ("apply", "--whitespace=nowarn", *options, "-"), repository.without_filters()
        done = git_as_user(repository.root, *words, stdin=patch, env=env)
        if done.exit_code != 0:
            what = f"the fix cannot be applied to your working tree: {one_line(last_words(done))}"
            raise UsageProblem("cannot-apply", what, help="commit or stash your changes to these files, then try again")
