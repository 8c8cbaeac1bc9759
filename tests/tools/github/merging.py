"""How a pull request gets into its base: by a merge commit, squashed into one commit, or rebased commit by commit."""

from tests.tools.github.bare import Bare
from tests.tools.github.pulls import close_pull
from tests.tools.github.world import Pull, Repository, World

WAYS = ("merge", "squash", "rebase")


def merge_pull(world: World, repository: Repository, pull: Pull, how: str = "merge") -> str:
    """Returns what the base's branch is at then."""
    bare, head = repository.bare, repository.head(pull)
    base = bare.tip(f"refs/heads/{pull.base_ref}")
    if how not in WAYS or bare.conflicts(base, head):
        raise ValueError(f"{repository.slug}#{pull.number} cannot be merged by {how!r}")
    person = f"{pull.author.login} <{pull.author.login}@example.com> {world.second()} +0000"
    if how == "rebase":
        sha = _rebased(bare, base, head, person)
    else:
        parents = (base, head) if how == "merge" else (base,)
        title = f"Merge {pull.title}" if how == "merge" else f"{pull.title} (#{pull.number})"
        sha = _written(bare, _merged_tree(bare, base, head), parents, f"author {person}\ncommitter {person}", title)
    bare.point(f"refs/heads/{pull.base_ref}", sha)
    pull.merged_at, pull.merge_commit, pull.merged_onto = world.now(), sha, base
    close_pull(world, repository, pull)
    return sha


def _rebased(bare: Bare, base: str, head: str, person: str) -> str:
    """Each commit again on top of the base, under a new committer: none of them keeps its id."""
    for commit in bare.ask("rev-list", "--reverse", "--no-merges", f"{base}..{head}").split():
        facts, _, message = bare.ask("cat-file", "commit", commit).partition("\n\n")
        author = next(line for line in facts.split("\n") if line.startswith("author "))
        # A commit with the base's tree beside this one makes their common parent the merge base.
        beside = _written(bare, f"{base}^{{tree}}", (f"{commit}^",), f"author {person}\ncommitter {person}", "beside")
        base = _written(bare, _merged_tree(bare, beside, commit), (base,), f"{author}\ncommitter {person}", message)
    return base


def _merged_tree(bare: Bare, ours: str, theirs: str) -> str:
    return bare.ask("merge-tree", "--write-tree", "--name-only", ours, theirs).split()[0]


def _written(bare: Bare, tree: str, parents: tuple[str, ...], people: str, message: str) -> str:
    ids = bare.ask("rev-parse", tree, *parents).split()
    lines = [f"tree {ids[0]}", *(f"parent {parent}" for parent in ids[1:]), people, "", message.rstrip("\n"), ""]
    return bare.git("hash-object", "-t", "commit", "-w", "--stdin", stdin="\n".join(lines).encode()).strip()
