"""Codex as an agent: its command line, environment and configuration."""

import json
from pathlib import Path

from reknit.adapters.agents.cli_spec import TOKEN_ENV, Cli, CliStart, Login
from reknit.adapters.files.regular_files import read_plain
from reknit.core.agent_reports.session import PATH, SERVER
from reknit.core.agents.streams import codex as codex_stream
from reknit.core.agents.thinking import codex_effort
from reknit.core.box import GATEWAY, Command
from reknit.core.errors import UsageProblem

_OFF = (
    *("apps", "plugins", "multi_agent", "goals", "image_generation", "tool_suggest", "memories"),
    "unbounded_connection_retries",  # otherwise it retries an unreachable model endpoint forever
)
_NO_AGENTS_MD = "project_doc_max_bytes = 0\n"
_CONFIG = ".codex/config.toml"
_PROVIDER = "reknit"


def _command(start: CliStart) -> Command:
    return Command(
        argv=(
            *("exec", "--json", "--ephemeral", "--skip-git-repo-check", "--sandbox", _sandbox(start)),
            *(word for name in _OFF for word in ("--disable", name)),
            "-",
        ),
        env={} if start.sandboxed else {"TMPDIR": _NOT_ABOVE_HOME},
        files={_CONFIG: _configuration(start).encode()},
    )


_NOT_ABOVE_HOME = "/var/tmp"  # noqa: S108 - its own sandbox refuses to start from a HOME below TMPDIR


def _sandbox(start: CliStart) -> str:
    """Its own sandbox does not work inside another one; in a box, a reviewer gets a read-only tree instead."""
    if start.sandboxed:
        return "danger-full-access"
    return "read-only" if start.order.reads_only else "workspace-write"


def _configuration(start: CliStart) -> str:
    """No retries: it would sleep for as long as the provider says, but the durable engine waits for rate limits."""
    return f"""\
model = {json.dumps(start.model)}
model_provider = "{_PROVIDER}"
model_reasoning_effort = {json.dumps(codex_effort(start.settings, start.order.role))}
web_search = "{"live" if start.may_search else "disabled"}"
check_for_update_on_startup = false
{_NO_AGENTS_MD if start.order.reads_only else ""}
[analytics]
enabled = false

[model_providers.{_PROVIDER}]
name = "{_PROVIDER}"
base_url = "{GATEWAY}/v1"
env_key = "{TOKEN_ENV}"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[mcp_servers.{SERVER}]
url = "{GATEWAY}{PATH}"
http_headers = {{ Authorization = "Bearer {start.report_token}" }}
default_tools_approval_mode = "approve"
"""


def _login(home: str) -> Login | None:
    """The key that `codex login --with-api-key` saved. A ChatGPT login is for a service unknown to the gateway."""
    try:
        key = json.loads(read_plain(Path(home, ".codex/auth.json")))["OPENAI_API_KEY"]
    except (UsageProblem, OSError, ValueError, TypeError, KeyError):
        return None
    return Login(key) if isinstance(key, str) and key else None


CODEX = Cli(
    name="codex",
    title="Codex",
    provider="openai",
    upstream_env="OPENAI_BASE_URL",
    key_env="OPENAI_API_KEY",
    command=_command,
    read=codex_stream.read,
    login=_login,
    own=(".codex",),
    guidance=(".agents",),  # its skills: one that the prompt happens to name is used even if it is not listed
    model="gpt-5.5",  # it offers no editing tool to a model whose name it does not know
    no_login=" (the CLI's ChatGPT login cannot be used: it is for another service)",
)
