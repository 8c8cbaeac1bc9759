"""Implements `ports.Forge` for GitHub."""

import base64
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Self, TypeVar
from urllib.parse import quote

from reknit.adapters.github import alerts as github_alerts
from reknit.adapters.github import comments, open_work, review_comments
from reknit.adapters.github.api.credentials import Credentials, find_credentials
from reknit.adapters.github.api.failures import ApiRefusalError
from reknit.adapters.github.api.graphql_models import Pulls, RepositoryAnswer, Viewer
from reknit.adapters.github.api.identity import make_identity
from reknit.adapters.github.api.requests import GitHubApi
from reknit.adapters.github.api.rest_models import BranchData, BranchRule, PullData, RepositoryData
from reknit.adapters.github.checks import Checks
from reknit.core.forge.values import Actor, CheckReport, CiCheck, ForgeError, ForgePlace, OpenWork, Pull, Remark
from reknit.core.issues.model import ReportResult

T = TypeVar("T")

_MAX_LOG_BYTES = 1 << 20
_VIEWER = "query { viewer { login } }"
_PULLS = """
query($owner: String!, $name: String!, $branch: String!) {
  repository(owner: $owner, name: $name) {
    pullRequests(headRefName: $branch, states: OPEN, first: 20) {
      pageInfo { hasNextPage endCursor }
      nodes { number }
    }
  }
}"""


def open_forge(place: ForgePlace, environment: Mapping[str, str], *, token_variable: str = "") -> "GitHubForge":
    """Connect to the repository, or raise `LoginNeededError`. Reuse the object, because `has_news` compares with it."""
    return GitHubForge(place, find_credentials(place.api, environment, token_variable=token_variable))


class GitHubForge:
    """One repository on GitHub, accessed as one identity."""

    def __init__(self, place: ForgePlace, credentials: Credentials) -> None:
        self._slug, self._identity = place.slug, make_identity(place.api, credentials)
        self._api = GitHubApi(place.api, self._identity)
        self._checks = Checks(self._api, place.slug)
        self._me: Actor | None = None

    def close(self) -> None:
        self._api.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @property
    def account(self) -> str:
        return self._identity.account

    def whoami(self) -> Actor:
        if self._me is None:
            # not GET /user, which an installation may not call; and GET /app does not return its `[bot]` name
            login = self._api.graphql(Viewer, _VIEWER, {}).viewer.login
            self._me = Actor(login, is_app=self._identity.is_app or login.endswith("[bot]"))
        return self._me

    def may_push(self, slug: str) -> bool:
        repository = self._api.get(RepositoryData, f"/repos/{slug}")
        # GET /repos is not reliable about an App's permissions; where the App is installed, its grant counts.
        granted = self._identity.may_write() if slug == self._slug else None
        return not repository.archived and (repository.permissions.push if granted is None else granted)

    def credential(self) -> str:
        return "Basic " + base64.b64encode(f"x-access-token:{self._identity.token()}".encode()).decode()

    def pull(self, number: int) -> Pull:
        return _to_pull(self._api.get(PullData, f"/repos/{self._slug}/pulls/{number}"))

    def pulls_of(self, branch: str) -> tuple[Pull, ...]:
        owner, _, name = self._slug.partition("/")
        answer = self._api.graphql(RepositoryAnswer[Pulls], _PULLS, {"owner": owner, "name": name, "branch": branch})
        numbers = [pull.number for pull in answer.repository.pulls.nodes] if answer.repository else []
        return tuple(self.pull(number) for number in numbers)

    def required(self, branch: str) -> tuple[str, ...]:
        name = quote(branch, safe="")
        protection = self._get_visible(BranchData, f"/repos/{self._slug}/branches/{name}")
        demands = protection.protection.required_status_checks if protection and protection.protection else None
        names = list(demands.contexts) if demands else []
        for rule in self._get_visible(tuple[BranchRule, ...], f"/repos/{self._slug}/rules/branches/{name}") or ():
            if rule.type == "required_status_checks" and rule.parameters:
                names += [demanded.context for demanded in rule.parameters.required_status_checks]
        return tuple(dict.fromkeys(names))

    def _get_visible(self, kind: type[T], path: str) -> T | None:
        """Return the answer; None if it is missing, or not visible to this identity."""
        try:
            return self._api.get(kind, path)
        except ForgeError as problem:
            if problem.failure.kind not in ("missing", "forbidden"):
                raise
            return None

    def checks(self, sha: str) -> tuple[CiCheck, ...]:
        return self._checks.read(sha)

    def has_news(self, sha: str) -> bool:
        return self._checks.has_news(sha)

    def log(self, check: CiCheck) -> str:
        if not check.is_job:
            return ""
        try:
            end = self._api.tail(f"/repos/{self._slug}/actions/jobs/{check.id}/logs", _MAX_LOG_BYTES)
        except ForgeError as problem:
            if problem.failure.kind not in ("missing", "forbidden"):
                raise
            return ""
        return end.decode(errors="replace")

    def rerun(self, check: CiCheck) -> None:
        comments.run_again(self._api, self._slug, check)

    def remarks(self, number: int) -> tuple[Remark, ...]:
        return review_comments.read_remarks(self._api, self._slug, number)

    def answer(self, remark: Remark, key: str, body: str) -> None:
        if remark.kind == "thread":
            comments.answer_thread(self._api, remark, self.whoami().login, key, body)

    def comment(self, number: int, key: str, body: str) -> str:
        return comments.put_comment(self._api, self._slug, number, self.whoami().login, key, body)

    def set_check(self, sha: str, report: CheckReport) -> None:
        comments.put_check(self._api, self._slug, sha, report)

    def alerts(self) -> Iterator[ReportResult]:
        return github_alerts.read_alerts(self._api, self._slug)

    def pulls_with(self, commit: str) -> tuple[Pull, ...]:
        path = f"/repos/{self._slug}/commits/{quote(commit, safe='')}/pulls"
        try:
            pages = list(self._api.items(tuple[PullData, ...], path, lambda pulls: pulls))
        except ApiRefusalError as problem:
            if problem.status not in (404, 422):
                raise
            self._api.get(RepositoryData, f"/repos/{self._slug}")  # raises if the repository itself is missing
            return ()
        return tuple(_to_pull(read) for _address, pulls in pages for read in pulls)

    def open_work(self) -> OpenWork:
        return open_work.read_open_work(self._api, self._slug)

    def lineage(self, slug: str) -> tuple[str, ...]:
        repository = self._api.get(RepositoryData, f"/repos/{slug}")
        above = (origin.full_name for origin in (repository.parent, repository.source) if origin)
        return tuple(dict.fromkeys((repository.full_name or slug, *above)))


def _to_pull(read: PullData) -> Pull:
    return Pull(
        number=read.number,
        url=read.html_url,
        title=read.title,
        state="merged" if read.merged or read.merged_at else "open" if read.state == "open" else "closed",
        author=read.user.login if read.user else "ghost",
        association=read.author_association,
        head_ref=read.head.ref,
        head_sha=read.head.sha,
        head_slug=read.head.repo.full_name if read.head.repo else "",
        head_url=read.head.repo.clone_url if read.head.repo else "",
        base_ref=read.base.ref,
        base_sha=read.base.sha,
        base_url=read.base.repo.clone_url if read.base.repo else "",
        mergeable=read.mergeable,
        labels=tuple(label.name for label in read.labels),
        draft=bool(read.draft),
        edits_allowed=bool(read.maintainer_can_modify),
    )
