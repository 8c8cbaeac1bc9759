"""The fields of GitHub's GraphQL answers that reknit reads."""

from typing import Annotated, Generic, Literal, TypeVar

from pydantic import Field

from reknit.adapters.github.api.rest_models import GitHubModel

T = TypeVar("T")

Count = Annotated[int, Field(ge=0, strict=True)]


class Problem(GitHubModel):
    """One error in a GraphQL answer."""

    type: str | None = None
    message: str = ""


class Problems(GitHubModel):
    """The errors of a GraphQL answer, which has status 200 even then."""

    errors: tuple[Problem, ...] = ()


class Data(GitHubModel, Generic[T]):
    """The envelope around every GraphQL answer."""

    data: T


class PageInfo(GitHubModel):
    """Position of a page in a list."""

    has_next: bool = Field(alias="hasNextPage")
    end: str | None = Field(alias="endCursor")


class Page(GitHubModel, Generic[T]):
    """One page of a list."""

    info: PageInfo = Field(alias="pageInfo")
    nodes: tuple[T, ...]


class Author(GitHubModel):
    """Writer of a comment or review."""

    kind: str = Field(alias="__typename")
    login: str

    @property
    def is_bot(self) -> bool:
        return self.kind == "Bot"

    @property
    def rest_login(self) -> str:
        """Login in the spelling of REST and `viewer`: GraphQL leaves out an App's `[bot]` suffix."""
        ending = "[bot]"
        return self.login.removesuffix(ending) + ending if self.is_bot else self.login


class ThreadComment(GitHubModel):
    """One comment in a thread."""

    author: Author | None
    association: str = Field(default="NONE", alias="authorAssociation")
    body: str
    url: str = ""


class Thread(GitHubModel):
    """Review thread on a line of the diff."""

    id: str
    is_resolved: bool = Field(alias="isResolved")
    is_outdated: bool = Field(default=False, alias="isOutdated")
    path: str = ""
    line: int | None = None
    comments: Page[ThreadComment]


class ReviewNode(GitHubModel):
    """One submitted review."""

    id: str
    state: str
    author: Author | None
    association: str = Field(default="NONE", alias="authorAssociation")
    body: str
    url: str = ""


class PullThreads(GitHubModel):
    """Review threads of a pull request."""

    threads: Page[Thread] = Field(alias="reviewThreads")


class PullReviews(GitHubModel):
    """Reviews of a pull request."""

    reviews: Page[ReviewNode]


class PullAnswer(GitHubModel, Generic[T]):
    """Answer about one pull request; None if it does not exist."""

    pull: T | None = Field(alias="pullRequest")


class PullNumber(GitHubModel):
    """Item of which only the number is requested."""

    number: int


class Pulls(GitHubModel):
    """Pull requests of a branch."""

    pulls: Page[PullNumber] = Field(alias="pullRequests")


class RepositoryAnswer(GitHubModel, Generic[T]):
    """Answer about one repository; None if it does not exist."""

    repository: T | None


class NodeAnswer(GitHubModel, Generic[T]):
    """Answer about the object with a given id; None if it does not exist."""

    node: T | None


class ViewerLogin(GitHubModel):
    """Login of the identity that asks."""

    login: str


class Viewer(GitHubModel):
    """Answer about the identity that asks."""

    viewer: ViewerLogin


class Nodes(GitHubModel, Generic[T]):
    """First items of a list, without the page information."""

    nodes: tuple[T | None, ...]


class CountedPage(Page[T | None], Generic[T]):
    """Page with the list's total. None stands for an item that this identity may not see."""

    total: Count = Field(alias="totalCount")


class LabelName(GitHubModel):
    """Label of an issue or pull request."""

    name: str


class OpenIssueNode(GitHubModel):
    """Open issue in a list."""

    number: Count
    title: str
    labels: Nodes[LabelName] | None = None


class Summary(GitHubModel):
    """Result of all checks of a commit together."""

    state: str


class CheckedCommit(GitHubModel, Generic[T]):
    """Commit with a summary of its checks."""

    rollup: T | None = Field(alias="statusCheckRollup")
    """None if the commit has no checks."""


class CommitLink(GitHubModel, Generic[T]):
    """Link from a pull request to its commit."""

    commit: CheckedCommit[T]


class PullHead(GitHubModel, Generic[T]):
    """Pull request with its head commit."""

    number: Count
    commits: Nodes[CommitLink[T]]
    """Only the last commit."""

    @property
    def rollup(self) -> T | None:
        return next((node.commit.rollup for node in self.commits.nodes if node), None)


class OpenPullNode(PullHead[Summary]):
    """Open pull request in a list."""

    id: str
    title: str
    branch: str = Field(alias="headRefName")
    draft: bool = Field(alias="isDraft")
    merge_state: str = Field(alias="mergeStateStatus")
    additions: Count
    deletions: Count
    files: Count = Field(alias="changedFiles")
    labels: Nodes[LabelName] | None = None


class OpenPage(GitHubModel):
    """One page of open pull requests and issues."""

    pulls: CountedPage[OpenPullNode] = Field(alias="pullRequests")
    issues: CountedPage[OpenIssueNode]


class RunWorkflow(GitHubModel):
    """Workflow that started a run."""

    id: int | None = Field(alias="databaseId")


class SuiteWorkflowRun(GitHubModel):
    """Run of a workflow."""

    event: str
    workflow: RunWorkflow


class SuiteApp(GitHubModel):
    """App that created a check suite."""

    slug: str


class RunSuite(GitHubModel):
    """Check suite of a check run."""

    app: SuiteApp | None = None
    run: SuiteWorkflowRun | None = Field(default=None, alias="workflowRun")


class RunContext(GitHubModel):
    """Check run in a summary."""

    kind: Literal["CheckRun"] = Field(alias="__typename")
    id: int | None = Field(alias="databaseId")
    name: str
    status: str
    conclusion: str | None = None
    external_id: str | None = Field(default=None, alias="externalId")
    suite: RunSuite = Field(alias="checkSuite")


class StatusContextNode(GitHubModel):
    """Commit status in a summary."""

    kind: Literal["StatusContext"] = Field(alias="__typename")
    context: str
    state: str


Context = Annotated[RunContext | StatusContextNode, Field(discriminator="kind")]


class Contexts(GitHubModel):
    """All checks behind a summary."""

    contexts: Page[Context | None]
