"""The few fields of GitHub's GraphQL answers that reknit reads."""

from typing import Generic, TypeVar

from pydantic import Field

from reknit.adapters.github.api.rest_models import Read

T = TypeVar("T")


class Problem(Read):
    type: str | None = None
    message: str = ""


class Problems(Read):
    errors: tuple[Problem, ...] = ()


class Data(Read, Generic[T]):
    data: T


class PageInfo(Read):
    has_next: bool = Field(alias="hasNextPage")
    end: str | None = Field(alias="endCursor")


class Page(Read, Generic[T]):
    info: PageInfo = Field(alias="pageInfo")
    nodes: tuple[T, ...]


class Author(Read):
    kind: str = Field(alias="__typename")
    login: str

    @property
    def is_bot(self) -> bool:
        return self.kind == "Bot"

    @property
    def rest_login(self) -> str:
        """As REST and `viewer` spell it: GraphQL leaves out an App's `[bot]` suffix."""
        ending = "[bot]"
        return self.login.removesuffix(ending) + ending if self.is_bot else self.login


class ThreadComment(Read):
    """One comment in a thread."""

    author: Author | None
    association: str = Field(default="NONE", alias="authorAssociation")
    body: str
    url: str = ""


class Thread(Read):
    id: str
    is_resolved: bool = Field(alias="isResolved")
    is_outdated: bool = Field(default=False, alias="isOutdated")
    path: str = ""
    line: int | None = None
    comments: Page[ThreadComment]


class ReviewNode(Read):
    id: str
    state: str
    author: Author | None
    association: str = Field(default="NONE", alias="authorAssociation")
    body: str
    url: str = ""


class PullThreads(Read):
    threads: Page[Thread] = Field(alias="reviewThreads")


class PullReviews(Read):
    reviews: Page[ReviewNode]


class OfPull(Read, Generic[T]):
    pull: T | None = Field(alias="pullRequest")


class Numbered(Read):
    number: int


class Pulls(Read):
    pulls: Page[Numbered] = Field(alias="pullRequests")


class OfRepository(Read, Generic[T]):
    repository: T | None


class OfNode(Read, Generic[T]):
    node: T | None


class ViewerLogin(Read):
    login: str


class Viewer(Read):
    viewer: ViewerLogin
