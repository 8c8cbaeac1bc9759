"""The configuration tables of a project: its tests, its services, and the files that its box shows."""

import posixpath
import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from reknit.core.projects.detect import check_report, parse_user_command
from reknit.core.services.service import READY_S, Service, find_server


class Section(BaseModel):
    """A table of the configuration. Unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,100}")
_LAST_PORT = 65_535


class ServiceSection(Section):
    """`[[services]]`: a service that runs beside the tests, in their box."""

    run: str = Field(
        default="",
        validate_default=True,
        description="the command that starts it, in the box; `postgres` alone also creates a database, and sets "
        "DATABASE_URL and PGHOST",
    )
    ready: int | str = Field(
        default=0,
        description="the port it listens on when it is ready, or a command that then ends with 0; well-known servers "
        "need none",
    )
    ready_s: float = Field(default=READY_S, gt=0, le=600, description="how long it may take to be ready")
    env: dict[str, str] = Field(default={}, description="variables for the tests, such as the address of the service")

    @field_validator("run")
    @classmethod
    def _check_run(cls, run: str) -> str:
        if not run.strip() or "\0" in run:
            raise ValueError("names no program")
        return run.strip()

    @field_validator("ready")
    @classmethod
    def _check_ready(cls, ready: int | str) -> int | str:
        is_port = isinstance(ready, int) and 0 <= ready <= _LAST_PORT
        if not is_port and not (isinstance(ready, str) and ready.strip()):
            raise ValueError("expected a port number, or a command that ends with 0 when the service is ready")
        return int(ready) if isinstance(ready, str) and ready.isascii() and ready.isdigit() else ready

    @field_validator("env")
    @classmethod
    def _check_env(cls, env: dict[str, str]) -> dict[str, str]:
        wrong = [name for name, value in env.items() if not _NAME.fullmatch(name) or "\0" in value]
        if wrong:
            raise ValueError(f"{wrong[0]!r} is not the name of an environment variable")
        return env

    @model_validator(mode="after")
    def _require_ready(self) -> "ServiceSection":
        if not self.ready and find_server(self.to_service()) is None:
            raise ValueError(f"{self.run!r} needs `ready`: its port, or a command that ends with 0 when it is ready")
        return self

    def to_service(self) -> Service:
        return Service(self.run, self.ready, self.ready_s, tuple(self.env.items()))


class TestsSection(Section):
    """`[checks.tests]`: the command that runs the tests."""

    __test__ = False
    run: str = Field(default="", description="the test command; default: detected in the repository")
    report: str = Field(
        default="", description="glob of the JUnit files the command writes; empty: judged by its exit code"
    )

    @field_validator("run")
    @classmethod
    def _check_run(cls, run: str) -> str:
        if run:
            parse_user_command(run)
        return run

    @field_validator("report")
    @classmethod
    def _check_report_glob(cls, report: str) -> str:
        check_report(report)
        return report


SETUP = "a command that installs what the tests need, run once per lockfile, in a box that reaches your registries"


class ProjectSection(Section):
    """`[[projects]]`: one project of the repository."""

    folder: str = Field(default="", description="where the project is, below the repository's top folder")
    setup: str = Field(default="", description=SETUP)
    tests: TestsSection = TestsSection()
    services: tuple[ServiceSection, ...] = Field(default=(), description="started beside the tests of this project")

    @field_validator("folder")
    @classmethod
    def _check_folder(cls, folder: str) -> str:
        plain = posixpath.normpath(folder)
        if not folder or plain.startswith(("/", "..")) or ".git" in plain.split("/"):
            raise ValueError("expected a folder of the repository, such as 'backend'")
        return "" if plain == "." else plain


class WorkspaceSection(Section):
    """`[workspace]`: the files that a box shows besides the tracked ones."""

    carry: tuple[str, ...] | Literal["auto"] = Field(
        default="auto", description="git-ignored entries that the box shows; what it writes there is private to it"
    )
    setup: str = Field(
        default="",
        description="a command that builds what the tests need, run in every fresh tree, in the box, without network",
    )
    show: tuple[str, ...] = Field(default=(), description="additional host paths the box may read")
