"""The tables of the configuration and what each setting means; the reference page is made from them."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from reknit.core.runs.limits import Limits, PullLimits

_DAY_S = 86_400


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AgentSection(Section):
    kind: str = Field(
        default="",
        description="adapter: claude, gemini, codex, scripted or any_command; by default the agent's own name",
    )
    model: str = Field(default="", description="the vendor's name of the model; empty: the CLI's own default")
    thinking_budget: int = Field(
        default=0, ge=0, le=1_000_000, description="tokens to think with; 0: 20,000 for a fixer, 10,000 for a reviewer"
    )
    effort: Literal["", "low", "medium", "high", "xhigh", "max"] = Field(
        default="", description="claude, codex: the CLI's own word for it, in place of thinking_budget"
    )
    binary: str = Field(default="", description="path of the program; by default found on PATH")
    command: tuple[str, ...] = Field(
        default=(), description="any_command: the program and its arguments; the prompt is on stdin"
    )
    upstream: str = Field(default="", description="the one address the model gateway may reach")
    provider: Literal["", "anthropic", "gemini", "openai", "openai_chat"] = Field(
        default="", description="any_command: the wire format its model speaks; empty: anthropic"
    )
    key_env: str = Field(default="", description="name of the environment variable that holds the key")
    env: dict[str, str] = Field(
        default={}, description="any_command: environment in the box; {gateway} and {token} are filled in"
    )
    story: str = Field(default="", description="scripted: JSON list with one move an attempt")


class LoopSection(Section):
    attempts: Annotated[int, Field(ge=1, le=10, description="on one finding: local, search, deep; then DEFERRED")] = (
        Limits.attempts
    )
    budget_usd: Annotated[
        float,
        Field(gt=0, le=1000, description="dollars a run may spend (a repository may only lower it); then OVER_BUDGET"),
    ] = Limits.budget_usd
    timeout_s: Annotated[
        float, Field(gt=0, le=7 * _DAY_S, description="working time of a run, waits left out; then EXHAUSTED")
    ] = Limits.timeout_s
    agent_wall_s: Annotated[float, Field(gt=0, le=_DAY_S, description="the longest agent call")] = Limits.agent_wall_s
    agent_idle_s: Annotated[float, Field(gt=0, le=_DAY_S, description="an agent silent for so long is ended")] = (
        Limits.agent_idle_s
    )
    agent_turns: Annotated[int, Field(ge=1, le=1000, description="turns of one agent call")] = Limits.agent_turns
    test_wall_s: Annotated[float, Field(gt=0, le=_DAY_S, description="the longest test run")] = Limits.test_wall_s
    waits: Annotated[int, Field(ge=0, le=1000, description="waits for a provider in one run; then BLOCKED")] = (
        Limits.waits
    )
    wait_s: Annotated[
        float, Field(gt=0, le=_DAY_S, description="the first wait when the provider names no time; doubles")
    ] = Limits.wait_s
    patience_s: Annotated[
        float,
        Field(ge=0, le=_DAY_S, description="a longer wait is not waited out while an agent of `fallback` is ready"),
    ] = Limits.patience_s
    idles: Annotated[
        int,
        Field(ge=0, le=10, description="silent calls on one finding that changed nothing, before they use up attempts"),
    ] = Limits.idles
    changed_files: Annotated[int, Field(ge=1, le=1000, description="files one fix may change")] = Limits.changed_files
    changed_lines: Annotated[int, Field(ge=1, le=100_000, description="lines one fix may change")] = (
        Limits.changed_lines
    )


class PullLoopSection(LoopSection):
    """The further limits of `fix pr`; each default says where it comes from."""

    max_iterations: Annotated[
        int,
        Field(
            ge=1,
            le=100,
            description="fix pr: fixes of one run, then EXHAUSTED; few need more than 5",
        ),
    ] = PullLimits.iterations
    stall_after: Annotated[
        int,
        Field(
            ge=2,
            le=10,
            description="fix pr: the same failures so often in a row end STALLED; once may be bad luck",
        ),
    ] = PullLimits.stall_after
    fruitless: Annotated[
        int,
        Field(
            ge=1,
            le=20,
            description="fix pr: fixes in a row that did not land, then DEFERRED; a sixth would only cost more",
        ),
    ] = PullLimits.fruitless
    blocking_only_after: Annotated[
        int,
        Field(
            ge=0,
            le=100,
            description="fix pr: after this iteration only critical review findings are fixed; others never end",
        ),
    ] = PullLimits.blocking_only_after
    churn_share: Annotated[
        float,
        Field(
            gt=0,
            le=1,
            description="fix pr: CHURN when this share of the findings sits on lines the run wrote, by git blame",
        ),
    ] = PullLimits.churn_share
    churn_rounds: Annotated[
        int, Field(ge=1, le=10, description="fix pr: rounds in a row at that share; one may be bad luck")
    ] = PullLimits.churn_rounds
    flat_rounds: Annotated[
        int,
        Field(
            ge=2,
            le=20,
            description="fix pr: CHURN after so many rounds in which fixes land and the findings become no fewer",
        ),
    ] = PullLimits.flat_rounds
    grown_source: Annotated[
        int,
        Field(
            ge=1,
            le=100_000,
            description="fix pr: net lines of source a run may add, then CHURN; more is no repair",
        ),
    ] = PullLimits.grown_source
    grown_tests: Annotated[
        int, Field(ge=1, le=100_000, description="fix pr: net lines of tests a run may add, then CHURN")
    ] = PullLimits.grown_tests
    error_retries: Annotated[
        int,
        Field(
            ge=0,
            le=10,
            description="fix pr: further looks at checks that could not be seen, then UNVERIFIED; a hiccup passes",
        ),
    ] = PullLimits.error_retries
    pushes: Annotated[
        int, Field(ge=1, le=10, description="fix pr: pushes of one fix to a branch that keeps moving, never by force")
    ] = PullLimits.pushes
    hops: Annotated[
        int,
        Field(
            ge=1,
            le=20,
            description="fix pr: runs in a row on a branch with no person's commit in between; then BLOCKED, so that "
            "two bots cannot answer each other all night",
        ),
    ] = PullLimits.hops


class TestsSection(Section):
    __test__ = False
    run: str = Field(default="", description="the test command; by default found in the repository")
    report: str = Field(
        default="", description="glob of the JUnit files the command writes; empty: judged by its exit code"
    )


class CiSection(Section):
    wait_s: float = Field(
        default=PullLimits.ci_wait_s,
        ge=1,
        le=3600,
        description="between two looks at pending CI: two requests a minute, most of which are free",
    )
    watch_s: float = Field(
        default=PullLimits.ci_watch_s,
        ge=1,
        le=3600,
        description="how long CI is watched from the third look on",
    )
    patience_s: float = Field(
        default=PullLimits.ci_patience_s,
        gt=0,
        le=7 * _DAY_S,
        description="CI pending on one commit for so long: UNVERIFIED; slow fleets need 2 h",
    )
    grace_s: float = Field(
        default=PullLimits.ci_grace_s,
        ge=0,
        le=3600,
        description="how long a commit may stay without any check: CI needs a moment to see a push",
    )
    required_only: bool = Field(default=False, description="only checks the base branch requires count")
    reruns: int = Field(
        default=PullLimits.reruns,
        ge=0,
        le=3,
        description="of a check that failed for no fault of the code; once tells a broken machine from broken code",
    )


class ReviewSection(Section):
    agent: str = Field(
        default="",
        description="who reviews; empty: another vendor than the fixer where one is signed in, else the fixer; `off`: "
        "only what people and bots left on the pull request counts",
    )


class ChecksSection(Section):
    tests: TestsSection = TestsSection()
    ci: CiSection = CiSection()
    review: ReviewSection = ReviewSection()


class ForgeSection(Section):
    kind: str = Field(default="github", description="the adapter")
    api: str = Field(default="", description="its API address; empty: made from the remote's host")
    remote: str = Field(default="", description="the git remote whose repository has the pull request; empty: found")
    token_env: str = Field(default="", description="name of the environment variable that holds the token")
    comment: bool = Field(default=True, description="one comment on the pull request, edited in place")


class WorkspaceSection(Section):
    carry: tuple[str, ...] | Literal["auto"] = Field(
        default="auto", description="ignored entries the box shows read-only"
    )
    setup: str = Field(default="", description="a command run in every fresh tree, in the box, before agent or tests")
    show: tuple[str, ...] = Field(default=(), description="further host paths the box may read")
