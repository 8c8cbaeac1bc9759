"""The configuration tables for the backlog, votes and plans: batches, issues, challenger, vote, plan."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from reknit.app.config.section import Section
from reknit.core.agents.call import THINKING_TOKENS
from reknit.core.planning.targets import MIN_CONFIDENCE
from reknit.core.runs.limits import IssueLimits, VoteLimits

_EXTENSION = re.compile(r"\*?\.?[\w+-]+(\.[\w+-]+)*")


def _extensions(texts: tuple[str, ...]) -> tuple[str, ...]:
    for text in texts:
        if not _EXTENSION.fullmatch(text):
            raise ValueError(f"{text!r} is not a file extension, such as '.mjs'")
    return texts


def _two(names: tuple[str, ...]) -> tuple[str, ...]:
    if names and (len(names) != 2 or names[0] == names[1]):
        raise ValueError("expected two different agents, or none")
    return names


class BatchSection(Section):
    points: int = Field(
        default=IssueLimits.batch_points,
        ge=1,
        le=100,
        description="fix issues: maximum points per agent call; an issue has its effort (1-5) times its files, 3 if "
        "neither is known, and one at or above the maximum gets a call to itself",
    )
    issues: int = Field(
        default=IssueLimits.batch_issues, ge=1, le=50, description="fix issues: maximum issues per agent call"
    )


class IssuesSection(Section):
    per_run: int = Field(
        default=IssueLimits.per_run,
        ge=1,
        le=200,
        description="fix issues: maximum issues per run; its whole change is one commit that a person has to read",
    )
    tool_fixes: bool = Field(
        default=True,
        description="fix issues: apply the safe fixes of the tools that reported (ruff, eslint) before an agent is "
        "called, and run the tools again after each fix (a repository may not turn it off)",
    )
    backend: Annotated[tuple[str, ...], AfterValidator(_extensions)] = Field(
        default=(), description="additional backend file extensions; one that is in neither list is backend too"
    )
    frontend: Annotated[tuple[str, ...], AfterValidator(_extensions)] = Field(
        default=(),
        description="additional frontend file extensions, such as `.html`; the longest match wins",
    )


class ChallengerSection(Section):
    enabled: bool = Field(
        default=True,
        description="fix issues: an agent from another vendor judges the whole change before it is committed (a "
        "repository may not turn it off)",
    )
    agent: str = Field(
        default="",
        description="the agent that judges; empty: the first one signed in from another vendor than the fixer",
    )
    max_iterations: int = Field(
        default=IssueLimits.rounds,
        ge=1,
        le=10,
        description="judging rounds, each but the last followed by a rework; then DEFERRED",
    )
    satisfaction_threshold: float = Field(
        default=IssueLimits.threshold_0_100,
        gt=0,
        le=100,
        description="minimum score out of 100 for a commit (a repository may only raise it)",
    )
    model: str = Field(default="", description="the vendor's model name; empty: the agent's own setting")
    thinking_budget: int = Field(
        default=THINKING_TOKENS["review"], ge=128, le=1_000_000, description="thinking tokens; thinking is always on"
    )
    tries: int = Field(
        default=IssueLimits.challenger_tries,
        ge=1,
        le=5,
        description="calls per round that may end without a score; then UNVERIFIED",
    )


class VoteSection(Section):
    agents: Annotated[tuple[str, ...], AfterValidator(_two)] = Field(
        default=(), description="the two voters, from different vendors; empty: the first two signed-in vendors"
    )
    approve: float = Field(
        default=VoteLimits.approve_0_100,
        gt=0,
        le=100,
        description="minimum average of both votes for approval (a repository may only raise it)",
    )
    tries: int = Field(
        default=VoteLimits.tries,
        ge=1,
        le=5,
        description="calls per voter that may end without a vote; then UNVERIFIED",
    )


class PlanSection(Section):
    agent: str = Field(default="", description="plan: the agent that proposes the plan; empty: the fixer")
    model: str = Field(
        default="",
        description="plan: its model; empty: the agent's own setting, else the vendor's middle model",
    )
    min_confidence: int = Field(
        default=MIN_CONFIDENCE, ge=0, le=100, description="plan: below this confidence, a person has to accept the plan"
    )
