"""What happens to pull requests: opened, moved by pushes, closed, merged, and whether they can be."""

from tests.tools.github.bare import MissingError
from tests.tools.github.tokens import Person
from tests.tools.github.world import Pull, Repository, World


def find_pull(world: World, repository: Repository, number: int) -> Pull:
    pull = repository.pull(number)
    if pull.head_slug not in world.repositories:
        pull.fork_gone = True
    return pull


def was_read(world: World, repository: Repository, pull: Pull) -> None:
    """Somebody may do something just after it was looked at."""
    if pull.state == "open" and world.faults.take("closed_midway"):
        close_pull(world, repository, pull)
    if pull.head_slug != repository.slug and not pull.fork_gone and world.faults.take("fork_deleted"):
        pull.fork_gone = True
        del world.repositories[pull.head_slug]


def open_pull(
    world: World, repository: Repository, head_slug: str, head: str, base: str, title: str, author: Person, role: str
) -> Pull:
    number = repository.next_number
    base_sha = repository.bare.tip(f"refs/heads/{base}")
    if not base_sha or not world.repository(head_slug).bare.tip(f"refs/heads/{head}"):
        raise MissingError(f"{head_slug}:{head} or {base}")
    pull = Pull(
        world.new_id(), number, title, "", author, role, head_slug, head, base, base_sha, created_at=world.now()
    )
    repository.pulls[number] = pull
    _follow(world, repository, pull)
    tell_of_pull(world, repository, pull, "opened")
    return pull


def branch_moved(world: World, slug: str, branch: str) -> None:
    """Every open pull request that has this branch as its head follows it."""
    for repository in world.repositories.values():
        for pull in repository.open_pulls():
            if (pull.head_slug, pull.head_ref) == (slug, branch):
                _follow(world, repository, pull)
                tell_of_pull(world, repository, pull, "synchronize" if pull.state == "open" else "closed")


def _follow(world: World, repository: Repository, pull: Pull) -> None:
    fork = world.repository(pull.head_slug)
    tip = fork.bare.tip(f"refs/heads/{pull.head_ref}")
    if not tip:
        pull.state = "closed"  # its branch was deleted
        return
    if fork is repository:
        repository.bare.point(pull.ref, tip)
    else:
        repository.bare.git("fetch", "-q", str(fork.bare.path), f"+refs/heads/{pull.head_ref}:{pull.ref}")
    pull.base_sha = repository.bare.tip(f"refs/heads/{pull.base_ref}")


def close_pull(world: World, repository: Repository, pull: Pull) -> None:
    pull.state = "closed"
    tell_of_pull(world, repository, pull, "closed")


def pulls_with(repository: Repository, sha: str) -> list[Pull]:
    """Of a commit on main the merged one that brought it in; of any other the open and merged ones that have it."""
    bare = repository.bare
    found = [pull for pull in repository.pulls.values() if sha in _own_commits(repository, pull)]
    is_on_main = sha in bare.ask("rev-list", bare.tip("refs/heads/main")).split()
    return [pull for pull in found if pull.merged or (pull.state == "open" and not is_on_main)]


def _own_commits(repository: Repository, pull: Pull) -> list[str]:
    onto = pull.merged_onto or repository.bare.tip(f"refs/heads/{pull.base_ref}")
    tips = [tip for tip in (repository.head(pull), pull.merge_commit) if tip]
    return repository.bare.ask("rev-list", *tips, f"^{onto}").split()


def mergeable_state(repository: Repository, pull: Pull) -> str:
    """In GitHub's words: dirty, draft, blocked, clean."""
    head, base = repository.head(pull), repository.bare.tip(f"refs/heads/{pull.base_ref}")
    if repository.bare.conflicts(base, head):
        return "dirty"
    if pull.draft:
        return "draft"
    demanded = {*repository.required.get(pull.base_ref, ()), *repository.ruled.get(pull.base_ref, ())}
    fine = ("success", "neutral", "skipped")
    passing = {check.name for check in repository.latest_checks(head) if check.conclusion in fine}
    passing |= {status.context for status in repository.latest_statuses(head) if status.state == "success"}
    return "blocked" if demanded - passing else "clean"


def tell_of_pull(world: World, repository: Repository, pull: Pull, action: str) -> None:
    about = {
        "id": pull.id,
        "number": pull.number,
        "state": pull.state,
        "title": pull.title,
        "head": {"ref": pull.head_ref, "sha": repository.head(pull), "repo": {"full_name": pull.head_slug}},
        "base": {"ref": pull.base_ref, "sha": pull.base_sha, "repo": {"full_name": repository.slug}},
        "merged": pull.merged,
        "merged_at": pull.merged_at or None,
        "merge_commit_sha": pull.merge_commit or None,
        "html_url": f"{world.url}/{repository.slug}/pull/{pull.number}",
    }
    tell(world, repository, "pull_request", {"action": action, "number": pull.number, "pull_request": about})


def tell(world: World, repository: Repository, event: str, payload: dict[str, object]) -> None:
    """Every delivery names its repository and who caused it."""
    owner, name = repository.slug.split("/")
    page = f"{world.url}/{repository.slug}"
    about = {"id": repository.id, "name": name, "full_name": repository.slug, "html_url": page}
    place = {**about, "owner": {"login": owner}}
    world.webhooks.send(event, {**payload, "repository": place, "sender": {"login": owner, "type": "User"}})
