"""How the tests of a project are run, and what the box shows them; the reference page is generated from this."""

import posixpath
from typing import Literal

from pydantic import Field, field_validator

from reknit.app.config.section import Section
from reknit.app.config.service_section import ServiceSection
from reknit.core.testing.command_line import check_report, parse_user_command


class TestsSection(Section):
    __test__ = False
    run: str = Field(default="", description="the test command; default: detected in the repository")
    report: str = Field(
        default="", description="glob of the JUnit files the command writes; empty: judged by its exit code"
    )

    @field_validator("run")
    @classmethod
    def _can_be_run(cls, run: str) -> str:
        if run:
            parse_user_command(run)
        return run

    @field_validator("report")
    @classmethod
    def _is_below(cls, report: str) -> str:
        check_report(report)
        return report


SETUP = "a command that installs what the tests need, run once per lockfile, in a box that reaches your registries"


class ProjectSection(Section):
    folder: str = Field(default="", description="where the project is, below the repository's top folder")
    setup: str = Field(default="", description=SETUP)
    tests: TestsSection = TestsSection()
    services: tuple[ServiceSection, ...] = Field(default=(), description="started beside the tests of this project")

    @field_validator("folder")
    @classmethod
    def _is_inside(cls, folder: str) -> str:
        plain = posixpath.normpath(folder)
        if not folder or plain.startswith(("/", "..")) or ".git" in plain.split("/"):
            raise ValueError("expected a folder of the repository, such as 'backend'")
        return "" if plain == "." else plain


class WorkspaceSection(Section):
    carry: tuple[str, ...] | Literal["auto"] = Field(
        default="auto", description="git-ignored entries that the box shows; what it writes there is private to it"
    )
    setup: str = Field(
        default="",
        description="a command that builds what the tests need, run in every fresh tree, in the box, without network",
    )
    show: tuple[str, ...] = Field(default=(), description="additional host paths the box may read")
