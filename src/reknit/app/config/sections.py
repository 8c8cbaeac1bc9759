"""The configuration tables of agents, loops, checks, proofs and the forge. The reference page shows them."""

from typing import Annotated, Literal

from pydantic import Field

from reknit.app.config.project_sections import Section, TestsSection
from reknit.core.runs.limits import Limits, PullLimits

_DAY_S = 86_400


class AgentSection(Section):
    """`[agents.NAME]`: one agent."""

    kind: str = Field(
        default="",
        description="adapter: claude, gemini, codex, scripted or any_command; default: the agent's own name",
    )
    model: str = Field(default="", description="the vendor's model name; empty: the CLI's own default")
    thinking_budget: int = Field(
        default=0,
        ge=0,
        le=1_000_000,
        description="thinking tokens; 0: 20,000 for a fixer, 10,000 for a reviewer, "
        "20,000 for a claude that votes or reviews a pull request",
    )
    effort: Literal["", "low", "medium", "high", "xhigh", "max"] = Field(
        default="", description="claude, codex: the CLI's own effort level, instead of thinking_budget"
    )
    binary: str = Field(default="", description="path of the program; default: found on PATH")
    command: tuple[str, ...] = Field(
        default=(), description="any_command: the program and its arguments; the prompt arrives on stdin"
    )
    upstream: str = Field(default="", description="the only address the model gateway may reach")
    provider: Literal["", "anthropic", "gemini", "openai", "openai_chat"] = Field(
        default="", description="any_command: the wire format of its model's API; empty: anthropic"
    )
    key_env: str = Field(default="", description="name of the environment variable that holds the key")
    env: dict[str, str] = Field(
        default={}, description="any_command: environment variables in the box; {gateway} and {token} are filled in"
    )
    story: str = Field(default="", description="scripted: JSON list with one move per attempt")


class LoopSection(Section):
    """`[loop]`: limits of every run that fixes something."""

    attempts: Annotated[int, Field(ge=1, le=10, description="per finding: local, search, deep; then DEFERRED")] = (
        Limits.attempts
    )
    budget_usd: Annotated[
        float,
        Field(gt=0, le=1000, description="US dollars per run (a repository may only lower it); then OVER_BUDGET"),
    ] = Limits.budget_usd
    timeout_s: Annotated[
        float, Field(gt=0, le=7 * _DAY_S, description="working time of a run, excluding waits; then EXHAUSTED")
    ] = Limits.timeout_s
    agent_wall_s: Annotated[float, Field(gt=0, le=_DAY_S, description="maximum duration of an agent call")] = (
        Limits.agent_wall_s
    )
    agent_idle_s: Annotated[float, Field(gt=0, le=_DAY_S, description="an agent silent for this long is stopped")] = (
        Limits.agent_idle_s
    )
    agent_turns: Annotated[int, Field(ge=1, le=1000, description="maximum turns per agent call")] = Limits.agent_turns
    test_wall_s: Annotated[float, Field(gt=0, le=_DAY_S, description="maximum duration of a test run")] = (
        Limits.test_wall_s
    )
    waits: Annotated[int, Field(ge=0, le=1000, description="waits for a provider per run; then BLOCKED")] = Limits.waits
    wait_s: Annotated[
        float, Field(gt=0, le=_DAY_S, description="the first wait if the provider names no time; doubles")
    ] = Limits.wait_s
    patience_s: Annotated[
        float,
        Field(ge=0, le=_DAY_S, description="instead of a longer wait, a ready agent in `fallback` takes over"),
    ] = Limits.patience_s
    idles: Annotated[
        int,
        Field(ge=0, le=10, description="calls per finding that hang and change nothing, before they count as attempts"),
    ] = Limits.idles
    changed_files: Annotated[int, Field(ge=1, le=1000, description="files one fix may change")] = Limits.changed_files
    changed_lines: Annotated[int, Field(ge=1, le=100_000, description="lines one fix may change")] = (
        Limits.changed_lines
    )


class PullLoopSection(LoopSection):
    """`[loop]` with the limits that only `fix pr` has; most descriptions give the reason for the default."""

    max_iterations: Annotated[
        int,
        Field(
            ge=1,
            le=100,
            description="fix pr: fixes per run, then EXHAUSTED; few need more than 5",
        ),
    ] = PullLimits.iterations
    stall_after: Annotated[
        int,
        Field(
            ge=2,
            le=10,
            description="fix pr: STALLED if this many fixes in a row leave the same failures; once may be bad luck",
        ),
    ] = PullLimits.stall_after
    fruitless: Annotated[
        int,
        Field(
            ge=1,
            le=20,
            description="fix pr, fix tests: fixes in a row that did not land, then DEFERRED",
        ),
    ] = PullLimits.fruitless
    blocking_only_after: Annotated[
        int,
        Field(
            ge=0,
            le=100,
            description="fix pr: after this iteration only critical review findings are fixed",
        ),
    ] = PullLimits.blocking_only_after
    churn_share: Annotated[
        float,
        Field(
            gt=0,
            le=1,
            description="fix pr: CHURN when this share of the findings is on lines the run wrote, by git blame",
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
            description="fix pr: CHURN after this many rounds in which fixes land but the findings do not decrease",
        ),
    ] = PullLimits.flat_rounds
    grown_source: Annotated[
        int,
        Field(
            ge=1,
            le=100_000,
            description="fix pr: net lines of source a run may add, then CHURN; more is not a repair",
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
            description="fix pr: retries of checks that could not be read, then UNVERIFIED; transient errors pass",
        ),
    ] = PullLimits.error_retries
    pushes: Annotated[
        int, Field(ge=1, le=10, description="fix pr: push attempts per fix to a branch that keeps moving; never forced")
    ] = PullLimits.pushes
    hops: Annotated[
        int,
        Field(
            ge=1,
            le=20,
            description="fix pr: consecutive runs on a branch with no person's commit in between; then BLOCKED, so "
            "that two bots cannot answer each other all night",
        ),
    ] = PullLimits.hops


class CiSection(Section):
    """`[checks.ci]`: how CI is watched."""

    wait_s: float = Field(
        default=PullLimits.ci_wait_s,
        ge=1,
        le=3600,
        description="poll interval for pending CI: usually one request, not counted by GitHub if unchanged",
    )
    watch_s: float = Field(
        default=PullLimits.ci_watch_s,
        ge=1,
        le=3600,
        description="time between full looks at the pull request while CI is pending, from the third look on",
    )
    patience_s: float = Field(
        default=PullLimits.ci_patience_s,
        gt=0,
        le=7 * _DAY_S,
        description="UNVERIFIED if CI is pending on one commit for this long; slow fleets need 2 h",
    )
    grace_s: float = Field(
        default=PullLimits.ci_grace_s,
        ge=0,
        le=3600,
        description="how long a commit may have no checks: CI needs a moment to notice a push",
    )
    required_only: bool = Field(default=False, description="count only checks that the base branch requires")
    reruns: int = Field(
        default=PullLimits.reruns,
        ge=0,
        le=3,
        description="re-runs of a check that failed on CI infrastructure; one tells a broken machine from broken code",
    )


class PullReviewSection(Section):
    """`[checks.review]`: the review that `fix pr` makes itself."""

    agent: str = Field(
        default="",
        description="the agent that reviews; empty: one of another vendor than the fixer if signed in, else the fixer; "
        "`off`: only what people and bots left on the pull request counts",
    )
    reviewers: tuple[str, ...] = Field(
        default=(), description="fix pr: names of reviewers whose instructions the review follows too"
    )


class ChecksSection(Section):
    """`[checks]`: tests, CI and review."""

    tests: TestsSection = TestsSection()
    ci: CiSection = CiSection()
    review: PullReviewSection = PullReviewSection()


class ProofSection(Section):
    """`[proof]`: further evidence that a fix works."""

    holdout: Literal["off", "ask", "on"] = Field(
        default="off",
        description="fix tests: an agent from another vendor, which does not see the fix, writes further test cases "
        "for it; `on`: for every fix; `ask`: only with `--holdout`; each costs one more agent call",
    )
    holdout_agent: str = Field(
        default="",
        description="the agent that writes them; empty: the first of `fixer`, `fallback` and the signed-in agents that "
        "is from another vendor than the fix",
    )
    holdout_usd: float = Field(
        default=0.5, gt=0, le=1000, description="maximum cost of one such call; it counts into `loop.budget_usd` too"
    )


class ForgeSection(Section):
    """`[forge]`: the forge and the login for it."""

    kind: str = Field(default="github", description="the forge adapter")
    api: str = Field(default="", description="its API address; empty: derived from the remote's host")
    remote: str = Field(default="", description="the git remote whose repository has the pull request; empty: detected")
    token_env: str = Field(default="", description="name of the environment variable that holds the token")
    comment: bool = Field(default=True, description="one comment on the pull request, edited in place")


class ServeSection(Section):
    """`[serve]`: the dashboard of a server that several people use."""

    public_url: str = Field(
        default="",
        description="the https address at which people reach `reknit serve --dashboard`; they log in with the forge. "
        "Empty: only you, on this machine",
    )
    client_id: str = Field(
        default="",
        description="id of the GitHub App or OAuth app that people log in with; its secret is in "
        "REKNIT_SERVE_CLIENT_SECRET",
    )
