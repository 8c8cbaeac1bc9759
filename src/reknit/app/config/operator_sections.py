"""The configuration tables that only the operator sets: notifications and telemetry."""

from typing import Literal

from pydantic import Field, SecretStr, field_validator

from reknit.app.config.project_sections import Section
from reknit.core.notify.channels import Channels, find_address_problem


class NotifySection(Section):
    """`[notify]`: how a person is told that a run has ended; never from a repository's own file."""

    bell: bool = Field(default=False, description="ring the bell of the terminal that the run works in")
    desktop: bool = Field(default=False, description="a desktop message, by `notify-send`")
    webhook: SecretStr = Field(
        default=SecretStr(""),
        description="address that receives JSON: https, or http on this machine; never shown",
    )
    slack: SecretStr = Field(
        default=SecretStr(""),
        description="address of a Slack webhook, or of a compatible service; never shown",
    )

    @field_validator("webhook", "slack")
    @classmethod
    def _check_address(cls, address: SecretStr) -> SecretStr:
        problem = find_address_problem(text) if (text := address.get_secret_value()) else ""
        if problem:
            raise ValueError(problem)
        return address

    def channels(self) -> Channels:
        return Channels(self.bell, self.desktop, self.webhook.get_secret_value(), self.slack.get_secret_value())


class TelemetrySection(Section):
    """`[telemetry]`: what operators see; off by default, and nothing is ever sent to anybody else."""

    endpoint: str = Field(
        default="",
        description="OTLP/HTTP collector that gets a trace of each ended run; empty: `OTEL_EXPORTER_OTLP_ENDPOINT`, "
        "and without that nothing is sent; needs the extra `otel`",
    )
    log_format: Literal["text", "json"] = Field(default="text", description="format of `reknit.log`")
