"""The few fields of GitHub's GraphQL answers that reknit reads."""

from typing import Annotated, Generic, Literal, TypeVar

from pydantic import Field

from reknit.adapters.github.api.rest_models import Read

T = TypeVar("T")

Count = Annotated[int, Field(ge=0, strict=True)]


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


class Nodes(Read, Generic[T]):
    """A list of which the rest is not asked for."""

    nodes: tuple[T | None, ...]


class Counted(Page[T | None], Generic[T]):
    """None: one that this identity may not see."""

    total: Count = Field(alias="totalCount")


class LabelName(Read):
    name: str


class OpenIssueNode(Read):
    number: Count
    title: str
    labels: Nodes[LabelName] | None = None


class Summary(Read):
    """What all checks of a commit amount to."""

    state: str


class SummedCommit(Read, Generic[T]):
    rollup: T | None = Field(alias="statusCheckRollup")
    """None: it has no checks."""


class CommitOf(Read, Generic[T]):
    commit: SummedCommit[T]


class WithHead(Read, Generic[T]):
    number: Count
    commits: Nodes[CommitOf[T]]
    """The last one only."""

    @property
    def rollup(self) -> T | None:
        return next((node.commit.rollup for node in self.commits.nodes if node), None)


class OpenPullNode(WithHead[Summary]):
    id: str
    title: str
    branch: str = Field(alias="headRefName")
    draft: bool = Field(alias="isDraft")
    merge_state: str = Field(alias="mergeStateStatus")
    additions: Count
    deletions: Count
    files: Count = Field(alias="changedFiles")
    labels: Nodes[LabelName] | None = None


class OpenPage(Read):
    pulls: Counted[OpenPullNode] = Field(alias="pullRequests")
    issues: Counted[OpenIssueNode]


class WorkflowOf(Read):
    id: int | None = Field(alias="databaseId")


class WorkflowRunOf(Read):
    event: str
    workflow: WorkflowOf


class AppOf(Read):
    slug: str


class SuiteOfRun(Read):
    app: AppOf | None = None
    run: WorkflowRunOf | None = Field(default=None, alias="workflowRun")


class RunContext(Read):
    kind: Literal["CheckRun"] = Field(alias="__typename")
    id: int | None = Field(alias="databaseId")
    name: str
    status: str
    conclusion: str | None = None
    external_id: str | None = Field(default=None, alias="externalId")
    suite: SuiteOfRun = Field(alias="checkSuite")


class StatusContextNode(Read):
    kind: Literal["StatusContext"] = Field(alias="__typename")
    context: str
    state: str


Context = Annotated[RunContext | StatusContextNode, Field(discriminator="kind")]


class Contexts(Read):
    contexts: Page[Context | None]
