"""Gemini CLI as an agent: its command line, environment and settings."""

import json

from reknit.adapters.agents.cli_spec import Cli, CliStart
from reknit.core.agent_reports.session import PATH, SERVER
from reknit.core.agents.call import choose_gemini_thinking
from reknit.core.agents.cli_output import read_gemini_end
from reknit.core.box import GATEWAY, Command

_READ_TOOLS = ("glob", "grep_search", "list_directory", "read_file")
_EDIT_TOOLS = ("replace", "write_file")
_SHELL = "run_shell_command"
_SEARCH = "google_web_search"
_REPORTS = f"mcp_{SERVER}_*"

_SETTINGS = ".gemini/settings.json"


def _make_command(start: CliStart) -> Command:
    return Command(
        argv=(
            *("-o", "stream-json", "-m", start.model, "--approval-mode", _choose_approval_mode(start)),
            *("--allowed-mcp-server-names", SERVER, "--extensions", "none"),
        ),
        env=_make_environment(start),
        files={_SETTINGS: json.dumps(_make_settings(start)).encode()},
    )


def _choose_approval_mode(start: CliStart) -> str:
    if start.order.reads_only:
        return "default"
    return "yolo" if start.sandboxed else "auto_edit"


def _list_tools(start: CliStart) -> list[str]:
    """List the tools to register. Subagents, planning mode and the vendor's hosted tools are left out."""
    if start.order.reads_only:
        return [*_READ_TOOLS, _REPORTS]
    shell = [_SHELL] if start.sandboxed else []
    return [*_READ_TOOLS, *_EDIT_TOOLS, *shell, *([_SEARCH] if start.may_search else []), _REPORTS]


def _make_settings(start: CliStart) -> dict[str, object]:
    thinking = {"thinkingConfig": choose_gemini_thinking(start.model, start.settings, start.order.role)}
    return {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {
            "enableAutoUpdate": False,
            "enableAutoUpdateNotification": False,
            "maxAttempts": 1,  # the durable engine waits for a rate limit, not the CLI
            "retryFetchErrors": False,
        },
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "hooksConfig": {"enabled": False},
        "skills": {"enabled": False},
        "advanced": {"ignoreLocalEnv": True},
        "model": {"maxSessionTurns": start.order.turns},
        "modelConfigs": {
            "customOverrides": [
                {"match": {"model": start.model}, "modelConfig": {"generateContentConfig": thinking}},
            ]
        },
        "tools": {"core": _list_tools(start)},
        "mcpServers": {
            SERVER: {
                "httpUrl": f"{GATEWAY}{PATH}",
                "headers": {"Authorization": f"Bearer {start.report_token}"},
                "trust": True,
            }
        },
    }


def _make_environment(start: CliStart) -> dict[str, str]:
    return {
        "GEMINI_API_KEY": start.token,
        "GOOGLE_GEMINI_BASE_URL": GATEWAY,
        "GEMINI_CLI_NO_RELAUNCH": "true",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",  # otherwise the CLI does not start
        "GEMINI_TELEMETRY_ENABLED": "false",
    }


GEMINI = Cli(
    name="gemini",
    title="Gemini CLI",
    provider="gemini",
    upstream_env="GOOGLE_GEMINI_BASE_URL",
    key_env="GEMINI_API_KEY",
    command=_make_command,
    read=read_gemini_end,
    login=lambda _home: None,
    own=(".gemini",),
    guidance=("GEMINI.md",),  # the setting `context.fileName` only adds names and cannot replace this one
    model="gemini-2.5-pro",  # without a model, the CLI first asks another one which to use
    no_login=" (the CLI's login cannot be used: it is for another service)",
)
