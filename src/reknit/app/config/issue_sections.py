"""The tables of the configuration for the backlog: batches, issues, the challenger and the votes."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from reknit.app.config.sections import Section
from reknit.core.agents.call import THINKING_TOKENS
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
        description="fix issues: the most work of one agent call, each issue its effort (1-5) times its files, 3 where "
        "neither is known; an issue of as many points or more stands alone",
    )
    issues: int = Field(
        default=IssueLimits.batch_issues, ge=1, le=50, description="fix issues: the most issues of one agent call"
    )


class IssuesSection(Section):
    per_run: int = Field(
        default=IssueLimits.per_run,
        ge=1,
        le=200,
        description="fix issues: issues one run takes; its whole change is one commit that somebody has to read",
    )
    backend: Annotated[tuple[str, ...], AfterValidator(_extensions)] = Field(
        default=(), description="further file extensions of the backend; one that is in no list is backend too"
    )
    frontend: Annotated[tuple[str, ...], AfterValidator(_extensions)] = Field(
        default=(),
        description="further file extensions of the frontend, such as `.html`; the longest that fits decides",
    )


class ChallengerSection(Section):
    enabled: bool = Field(
        default=True,
        description="fix issues: an agent of another vendor judges the whole change before it is committed (a "
        "repository may not switch it off)",
    )
    agent: str = Field(
        default="", description="who judges; empty: the first agent of another vendor than the fixer that is signed in"
    )
    max_iterations: int = Field(
        default=IssueLimits.rounds,
        ge=1,
        le=10,
        description="rounds of judging, each but the last followed by a rework; then DEFERRED",
    )
    satisfaction_threshold: float = Field(
        default=IssueLimits.threshold_0_100,
        gt=0,
        le=100,
        description="the lowest score of 100 that is committed (a repository may only raise it)",
    )
    model: str = Field(default="", description="the vendor's name of the model; empty: what the agent has")
    thinking_budget: int = Field(
        default=THINKING_TOKENS["review"], ge=128, le=1_000_000, description="tokens to think with; it always thinks"
    )
    tries: int = Field(
        default=IssueLimits.challenger_tries,
        ge=1,
        le=5,
        description="calls in one round that end without a score; then UNVERIFIED",
    )


class VoteSection(Section):
    agents: Annotated[tuple[str, ...], AfterValidator(_two)] = Field(
        default=(), description="the two who vote, of different vendors; empty: the first two vendors signed in"
    )
    approve: float = Field(
        default=VoteLimits.approve_0_100,
        gt=0,
        le=100,
        description="the lowest average of both votes that approves (a repository may only raise it)",
    )
    tries: int = Field(
        default=VoteLimits.tries,
        ge=1,
        le=5,
        description="calls of one voter that end without a vote; then UNVERIFIED",
    )
