"""The configuration tables of single capabilities (issues, vote, plan, review) and of the gate."""

import re
from collections.abc import Callable
from datetime import date
from typing import Annotated

from pydantic import AfterValidator, Field, field_validator

from reknit.app.config.project_sections import Section
from reknit.core.agents.call import THINKING_TOKENS
from reknit.core.errors import UsageError
from reknit.core.gate.path_pattern import check_pattern
from reknit.core.gate.waiver import check_forbidden, require_waivable_rule
from reknit.core.planning.targets import MIN_CONFIDENCE
from reknit.core.review.progress_file.layout import choose_path
from reknit.core.runs.limits import IssueLimits, VoteLimits

_EXTENSION = re.compile(r"\*?\.?[\w+-]+(\.[\w+-]+)*")


def _check_extensions(texts: tuple[str, ...]) -> tuple[str, ...]:
    for text in texts:
        if not _EXTENSION.fullmatch(text):
            raise ValueError(f"{text!r} is not a file extension, such as '.mjs'")
    return texts


def _check_two_agents(names: tuple[str, ...]) -> tuple[str, ...]:
    if names and (len(names) != 2 or names[0] == names[1]):
        raise ValueError("expected two different agents, or none")
    return names


class BatchSection(Section):
    """`[batch]`: how many issues one agent call gets."""

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
    """`[issues]`: how many issues a run takes, and which files count as backend or frontend."""

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
    backend: Annotated[tuple[str, ...], AfterValidator(_check_extensions)] = Field(
        default=(), description="additional backend file extensions; one that is in neither list is backend too"
    )
    frontend: Annotated[tuple[str, ...], AfterValidator(_check_extensions)] = Field(
        default=(),
        description="additional frontend file extensions, such as `.html`; the longest match wins",
    )


class ChallengerSection(Section):
    """`[challenger]`: the agent from another vendor that judges the change of `fix issues`."""

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
    """`[vote]`: the two voters and the score that approves."""

    agents: Annotated[tuple[str, ...], AfterValidator(_check_two_agents)] = Field(
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
    """`[plan]`: the agent that proposes plans, and the confidence below which a person must accept one."""

    agent: str = Field(default="", description="plan: the agent that proposes the plan; empty: the fixer")
    model: str = Field(
        default="",
        description="plan: its model; empty: the agent's own setting, else the vendor's middle model",
    )
    min_confidence: int = Field(
        default=MIN_CONFIDENCE, ge=0, le=100, description="plan: below this confidence, a person has to accept the plan"
    )


class ReviewSection(Section):
    """`[review]`: the reviewing agents and the file that lists their findings."""

    agent: str = Field(
        default="",
        description="review: the agent of reviewers that name none; empty: another vendor than the fixer, if signed in",
    )
    progress: str = Field(
        default="",
        description="review: the file that lists findings and fixes; empty: PROGRESS.txt or plans/PROGRESS.txt",
    )
    second_look: bool = Field(
        default=True, description="review: after the last fix, blocking reviewers read the whole change again"
    )
    second_opinion: str = Field(
        default="", description="review: an agent of another vendor, asked whether each blocking finding is real"
    )

    @field_validator("progress")
    @classmethod
    def _check_progress(cls, path: str) -> str:
        choose_path((), path)
        return path


class AllowSection(Section):
    """`[[gate.allow]]`: one waiver, which lets changes of some paths pass one rule of the gate."""

    rule: str = Field(
        default="",
        validate_default=True,
        description="the rule of the gate to allow: `reknit explain rules` lists them",
    )
    path: str = Field(
        default="",
        validate_default=True,
        description="a path from the top folder of a repository, or a pattern such as `locale/**`",
    )
    reason: str = Field(default="", validate_default=True, description="why; shown wherever the waiver is used")
    until: date | None = Field(default=None, description="the last day on which it counts, in UTC; none: no end")

    @field_validator("rule")
    @classmethod
    def _check_rule(cls, rule: str) -> str:
        return _check_as_value_error(require_waivable_rule, rule)

    @field_validator("path")
    @classmethod
    def _check_path(cls, path: str) -> str:
        return check_pattern(path)

    @field_validator("reason")
    @classmethod
    def _check_reason(cls, reason: str) -> str:
        if not reason.strip():
            raise ValueError("must not be empty")
        return reason

    @field_validator("until", mode="before")
    @classmethod
    def _parse_until(cls, until: object) -> object:
        """Parse a day. A number or a date with a time is refused: pydantic would read it as some day too."""
        if until is None or type(until) is date:
            return until
        if isinstance(until, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", until, re.ASCII):
            return date.fromisoformat(until)
        raise ValueError("expected a day, such as 2026-12-31")


class GateSection(Section):
    """`[gate]`: waivers that a person grants, and waivers that a repository forbids."""

    allow: tuple[AllowSection, ...] = Field(
        default=(), description="only in your own config file: neither a repository nor the environment sets it"
    )
    forbid: tuple[str, ...] = Field(
        default=(),
        description="`RULE:PATH` that nobody may allow here, such as `protected-config:.github/**`; those of your own "
        "file and of the repository's count together",
    )

    @field_validator("forbid")
    @classmethod
    def _check_forbid(cls, forbid: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(_check_as_value_error(check_forbidden, entry) for entry in forbid)


def _check_as_value_error(check: Callable[[str], str], text: str) -> str:
    try:
        return check(text)
    except UsageError as problem:
        raise ValueError(". ".join(filter(None, (problem.message, problem.help)))) from None
