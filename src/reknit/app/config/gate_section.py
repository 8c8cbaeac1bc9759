"""What a person allows the gate to accept, and what a repository forbids to allow."""

import re
from collections.abc import Callable
from datetime import date

from pydantic import Field, field_validator

from reknit.app.config.section import Section
from reknit.core.errors import UsageProblem
from reknit.core.gate.path_pattern import checked_pattern
from reknit.core.gate.waiver import checked_forbidden, waivable_rule


class AllowSection(Section):
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
    def _exists(cls, rule: str) -> str:
        return _or_value_error(waivable_rule, rule)

    @field_validator("path")
    @classmethod
    def _is_inside(cls, path: str) -> str:
        return checked_pattern(path)

    @field_validator("reason")
    @classmethod
    def _is_given(cls, reason: str) -> str:
        if not reason.strip():
            raise ValueError("must not be empty")
        return reason

    @field_validator("until", mode="before")
    @classmethod
    def _is_a_day(cls, until: object) -> object:
        """A number or a time would be read as some day too."""
        if until is None or type(until) is date:
            return until
        if isinstance(until, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", until, re.ASCII):
            return date.fromisoformat(until)
        raise ValueError("expected a day, such as 2026-12-31")


class GateSection(Section):
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
    def _can_be_read(cls, forbid: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(_or_value_error(checked_forbidden, each) for each in forbid)


def _or_value_error(check: Callable[[str], str], text: str) -> str:
    try:
        return check(text)
    except UsageProblem as problem:
        raise ValueError(". ".join(filter(None, (problem.what, problem.help)))) from None
