"""A service that runs beside the tests, in their box; the reference page is generated from this."""

import re

from pydantic import Field, field_validator, model_validator

from reknit.app.config.section import Section
from reknit.core.services.service import READY_S, Service, server_of

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,100}")
_LAST_PORT = 65_535


class ServiceSection(Section):
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
    def _names_a_program(cls, run: str) -> str:
        if not run.strip() or "\0" in run:
            raise ValueError("names no program")
        return run.strip()

    @field_validator("ready")
    @classmethod
    def _can_be_checked(cls, ready: int | str) -> int | str:
        is_port = isinstance(ready, int) and 0 <= ready <= _LAST_PORT
        if not is_port and not (isinstance(ready, str) and ready.strip()):
            raise ValueError("expected a port number, or a command that ends with 0 when the service is ready")
        return int(ready) if isinstance(ready, str) and ready.isascii() and ready.isdigit() else ready

    @field_validator("env")
    @classmethod
    def _are_variables(cls, env: dict[str, str]) -> dict[str, str]:
        wrong = [name for name, value in env.items() if not _NAME.fullmatch(name) or "\0" in value]
        if wrong:
            raise ValueError(f"{wrong[0]!r} is not the name of an environment variable")
        return env

    @model_validator(mode="after")
    def _says_when_it_is_ready(self) -> "ServiceSection":
        if not self.ready and server_of(self.service()) is None:
            raise ValueError(f"{self.run!r} needs `ready`: its port, or a command that ends with 0 when it is ready")
        return self

    def service(self) -> Service:
        return Service(self.run, self.ready, self.ready_s, tuple(self.env.items()))
