"""What people do to a branch while nobody looks: push a commit on top, or rewrite the last one."""

from collections.abc import Mapping

from tests.tools.github.bare import MissingError
from tests.tools.github.pulls import branch_moved
from tests.tools.github.world import World


def push_as(world: World, slug: str, branch: str, files: Mapping[str, str | None], *, message: str, author: str) -> str:
    """A person's push. A branch that is not there begins at main."""
    bare = world.repository(slug).bare
    with world.lock:
        parent = bare.tip(f"refs/heads/{branch}") or bare.tip("refs/heads/main")
        sha = bare.commit(branch, files, parent=parent, message=message, author=author, at=world.second())
        branch_moved(world, slug, branch)
    return sha


def land_commit(world: World, slug: str, branch: str) -> str:
    """A commit of a person, which touches no file that was there."""
    number = world.new_id()
    name = f"notes/person-{number}.txt"
    sha = push_as(world, slug, branch, {name: "mine\n"}, message=f"notes of a person {number}", author="colleague")
    _tell_robot(world, slug, branch, sha)
    return sha


def rewrite_head(world: World, slug: str, branch: str) -> str:
    """The last commit of the branch again, under another message: the old one is no longer in its history."""
    bare = world.repository(slug).bare
    with world.lock:
        old = bare.tip(f"refs/heads/{branch}")
        if not old:
            raise MissingError(branch)
        text = bare.ask("cat-file", "commit", old)
        head, _, message = text.partition("\n\n")
        fresh = f"{head}\n\n{message.rstrip()} (rewritten {world.new_id()})\n"
        sha = bare.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=fresh.encode()).strip()
        bare.point(f"refs/heads/{branch}", sha)
        branch_moved(world, slug, branch)
    _tell_robot(world, slug, branch, sha)
    return sha


def _tell_robot(world: World, slug: str, branch: str, sha: str) -> None:
    if world.on_push is not None:
        world.on_push(slug, branch, sha)
