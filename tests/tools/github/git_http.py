"""git over smart HTTP: the real `git http-backend` behind GitHub's rules about who may do what."""

import gzip
import re
from dataclasses import dataclass, replace

from reknit.adapters.process import run
from tests.tools.github.bare import ENVIRONMENT, MissingError
from tests.tools.github.people import land_commit, rewrite_head
from tests.tools.github.pulls import branch_moved
from tests.tools.github.tokens import BadCredentialsError, Person, token_in
from tests.tools.github.web import Answer, Request
from tests.tools.github.world import Repository, World

_PLACE = re.compile(r"/(?P<slug>[^/]+/[^/]+?)(?:\.git)?/(?P<what>info/refs|git-upload-pack|git-receive-pack)")
_NO_COMMIT = "0" * 40


def is_git(path: str) -> bool:
    return _PLACE.fullmatch(path) is not None


@dataclass(frozen=True)
class Update:
    """One ref that a push wants to move."""

    old: str
    new: str
    ref: str

    @property
    def branch(self) -> str:
        return self.ref.removeprefix("refs/heads/")


class GitHttp:
    def __init__(self, world: World) -> None:
        self._world = world

    def answer(self, request: Request) -> Answer:
        match = _PLACE.fullmatch(request.path)
        if match is None:
            return Answer(404)
        faults = self._world.faults
        if faults.take("git_unavailable"):
            return Answer(503, b"Service Unavailable\n")
        slug, is_look = match["slug"], match["what"] == "info/refs"
        is_push = "git-receive-pack" in (request.query if is_look else match["what"])
        token = token_in(request.headers.get("authorization", ""))
        refusal = self._refusal(token, slug, is_push=is_push)
        if refusal is not None:
            return refusal
        repository = self._world.repository(slug)
        if not is_push:
            return _backend(request, repository, match["what"])
        if is_look:
            self._meddle(slug)
            return _backend(request, repository, match["what"])
        return self._push(request, repository, self._world.tokens.owner(token))

    def _refusal(self, token: str, slug: str, *, is_push: bool) -> Answer | None:
        login = Answer(401, b"Requires authentication\n", {"www-authenticate": 'Basic realm="GitHub"'})
        if token and self._world.faults.take("revoke_next"):
            self._world.faults.revoked.add(token)
        if token in self._world.faults.revoked:
            return login
        try:
            person = self._world.tokens.owner(token)
            repository = self._world.repository(slug)
        except BadCredentialsError:
            return login
        except MissingError:
            return Answer(404, b"Repository not found.\n") if token else login
        if not person.login and (is_push or repository.private):
            return login
        if repository.private and not self._world.may_push(person, repository):
            return Answer(404, b"Repository not found.\n")
        if not is_push or (self._may_push(person, repository) and not self._world.faults.take("permission")):
            return None
        return Answer(403, f"Permission to {slug}.git denied to {person.rest_login}.\n".encode())

    def _may_push(self, person: Person, repository: Repository) -> bool:
        return self._world.may_push(person, repository) or bool(self._lent(person, repository))

    def _lent(self, person: Person, fork: Repository) -> set[str]:
        """Branches of a fork that its owner opened to those who may push to the base."""
        if person.is_bot or not fork.parent:
            return set()
        return {
            pull.head_ref
            for base in self._world.repositories.values()
            if self._world.may_push(person, base)
            for pull in base.open_pulls()
            if pull.head_slug == fork.slug and pull.maintainer_can_modify
        }

    def _meddle(self, slug: str) -> None:
        """A person is quicker than the push that is about to look."""
        heads = sorted(
            {
                pull.head_ref
                for base in self._world.repositories.values()
                for pull in base.open_pulls()
                if pull.head_slug == slug
            }
        )
        if heads and self._world.faults.take("branch_moves"):
            for branch in heads:
                land_commit(self._world, slug, branch)
        if heads and self._world.faults.take("force_pushed"):
            for branch in heads:
                rewrite_head(self._world, slug, branch)

    def _push(self, request: Request, repository: Repository, person: Person) -> Answer:
        updates = _updates(request.body)
        barred = [update for update in updates if update.branch in repository.protected]
        if barred:
            return _declined(updates, barred[0])
        if not self._world.may_push(person, repository):
            lent = self._lent(person, repository)
            foreign = [update for update in updates if update.branch not in lent]
            if foreign:
                return Answer(403, f"Permission to {repository.slug}.git denied to {person.login}.\n".encode())
        if updates and self._world.faults.take("branch_races"):
            land_commit(self._world, repository.slug, updates[0].branch)
        answer = _backend(request, repository, "git-receive-pack")
        self._tell(repository, updates)
        if updates and self._world.faults.take("push_lost_answer"):
            return replace(answer, is_cut=True)  # not a word at all would make curl send the push again by itself
        return answer

    def _tell(self, repository: Repository, updates: list[Update]) -> None:
        for update in updates:
            now = repository.bare.tip(update.ref) or _NO_COMMIT
            if now != update.new or not update.ref.startswith("refs/heads/"):
                continue
            with self._world.lock:
                branch_moved(self._world, repository.slug, update.branch)
            if self._world.on_push is not None and now != _NO_COMMIT:
                self._world.on_push(repository.slug, update.branch, now)


def _backend(request: Request, repository: Repository, what: str) -> Answer:
    body = request.body
    if request.headers.get("content-encoding") == "gzip":
        body = gzip.decompress(body)
    environment = {
        **ENVIRONMENT,
        "GIT_PROJECT_ROOT": str(repository.bare.path),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": f"/{what}",
        "QUERY_STRING": request.query,
        "REQUEST_METHOD": request.method,
        "CONTENT_TYPE": request.headers.get("content-type", ""),
        "CONTENT_LENGTH": str(len(body)),
        "REMOTE_USER": "somebody",
        "GIT_PROTOCOL": request.headers.get("git-protocol", ""),
        "GIT_COMMITTER_NAME": "hub",
        "GIT_COMMITTER_EMAIL": "hub@example.com",
    }
    done = run(["git", "http-backend"], env=environment, stdin=body)
    head, _, content = done.stdout.partition(b"\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
    status = int(headers.pop("Status", "200").split()[0])
    return Answer(status, content, headers)


def _updates(body: bytes) -> list[Update]:
    """The commands at the start of a push, up to the flush packet."""
    found, place = [], 0
    while size := int(body[place : place + 4] or b"0", 16):
        old, new, ref = body[place + 4 : place + size].split(b"\0")[0].decode().split()
        found.append(Update(old, new, ref))
        place += size
    return found


def _declined(updates: list[Update], barred: Update) -> Answer:
    """In GitHub's own words, which a hook of git's could not put on the line of the ref."""
    told = f"error: GH006: Protected branch update failed for {barred.ref}.\n"
    told += "error: Changes must be made through a pull request.\n"
    lines = [_packet(b"unpack ok\n")]
    lines += [_packet(f"ng {update.ref} protected branch hook declined\n".encode()) for update in updates]
    report = b"".join(lines) + b"0000"
    content = _packet(b"\x02" + told.encode()) + _packet(b"\x01" + report) + b"0000"
    return Answer(200, content, {"content-type": "application/x-git-receive-pack-result"})


def _packet(content: bytes) -> bytes:
    return b"%04x%s" % (len(content) + 4, content)
