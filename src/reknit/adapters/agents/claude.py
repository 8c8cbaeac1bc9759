"""Claude Code as an agent: its command line, environment and login."""

import json
import time
from pathlib import Path

from reknit.adapters.agents.cli_spec import TOKEN, Cli, CliStart, Login
from reknit.adapters.files.regular_files import read_plain
from reknit.core.agent_reports.session import PATH, SERVER
from reknit.core.agents.call import choose_claude_effort
from reknit.core.agents.cli_output import read_claude_end
from reknit.core.box import BOX_HOME, GATEWAY, Command
from reknit.core.errors import UsageError

_WORK_TOOLS = ("Agent", "Bash", "Edit", "NotebookEdit", "Read", "Write")
_READ_TOOLS = ("Glob", "Grep", "Read")
_SEARCH = "WebSearch"
_FETCH = "WebFetch"
"""Tool that is always disabled: it fetches from inside the box, where there is no network."""

_REPORTS = ".reknit-reports.json"

_LOGIN_FILE = ".claude/.credentials.json"
_SHOWN_FIELDS = ("expiresAt", "scopes", "subscriptionType")


def _make_command(start: CliStart) -> Command:
    order = start.order
    argv = (
        *("-p", "--output-format", "stream-json", "--verbose"),
        *("--permission-mode", _choose_permission_mode(start)),
        *("--setting-sources", "", "--no-session-persistence", "--max-turns", str(order.turns)),
        *("--strict-mcp-config", "--mcp-config", f"{BOX_HOME}/{_REPORTS}", "--allowedTools", f"mcp__{SERVER}"),
        *_make_tool_arguments(start),
        *("--effort", choose_claude_effort(start.settings, order.role)),
        *(("--model", start.model) if start.model else ()),
    )
    headers = {"Authorization": f"Bearer {start.report_token}"}
    reports = {"mcpServers": {SERVER: {"type": "http", "url": f"{GATEWAY}{PATH}", "headers": headers}}}
    return Command(argv, env=_make_environment(start), files={_REPORTS: json.dumps(reports).encode()})


def _choose_permission_mode(start: CliStart) -> str:
    if start.order.reads_only:
        return "dontAsk"
    return "bypassPermissions" if start.sandboxed else "acceptEdits"


def _make_tool_arguments(start: CliStart) -> tuple[str, ...]:
    if start.order.reads_only:
        return ("--tools", ",".join(_READ_TOOLS), "--disallowedTools", f"{_FETCH},{_SEARCH}")
    if start.may_search:
        return ("--tools", ",".join((*_WORK_TOOLS, _SEARCH)), "--disallowedTools", _FETCH)
    return ("--tools", ",".join(_WORK_TOOLS), "--disallowedTools", f"{_FETCH},{_SEARCH}")


def _make_environment(start: CliStart) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": GATEWAY,
        **({} if start.login and start.login.bearer else {"ANTHROPIC_API_KEY": start.token}),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": "0",  # the durable engine waits for a rate limit, not the CLI
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_TELEMETRY": "1",
        "ENABLE_TOOL_SEARCH": "false",  # otherwise the report tools are not in the list the model sees
    }


def _find_login(home: str) -> Login | None:
    try:
        stored = json.loads(read_plain(Path(home, _LOGIN_FILE)))["claudeAiOauth"]
        key, expires_ms = str(stored["accessToken"]), float(stored.get("expiresAt") or 0)
    except (UsageError, OSError, ValueError, TypeError, KeyError):
        return None
    if expires_ms and expires_ms / 1000 < time.time():
        return None
    login_file = {"accessToken": TOKEN, **{name: stored[name] for name in _SHOWN_FIELDS if name in stored}}
    return Login(key, bearer=True, files={_LOGIN_FILE: json.dumps({"claudeAiOauth": login_file}).encode()})


CLAUDE = Cli(
    name="claude",
    title="Claude Code",
    provider="anthropic",
    upstream_env="ANTHROPIC_BASE_URL",
    key_env="ANTHROPIC_API_KEY",
    command=_make_command,
    read=read_claude_end,
    login=_find_login,
    no_login=", or log in with `claude`; to renew an expired login, start it once",
)
