"""Codex as an agent: its command line, environment and configuration."""

import json
from pathlib import Path

from reknit.adapters.agents.cli_spec import TOKEN_ENV, Cli, CliStart, Login
from reknit.adapters.files.regular_files import read_plain
from reknit.core.agent_reports.session import PATH, SERVER
from reknit.core.agents.call import choose_codex_effort
from reknit.core.agents.cli_output import read_codex_end
from reknit.core.box import GATEWAY, Command
from reknit.core.errors import UsageError

_DISABLED_FEATURES = (
    *("apps", "plugins", "multi_agent", "goals", "image_generation", "tool_suggest", "memories"),
    "unbounded_connection_retries",  # otherwise it retries an unreachable model endpoint forever
)
_NO_AGENTS_MD = "project_doc_max_bytes = 0\n"
_CONFIG = ".codex/config.toml"
_PROVIDER = "reknit"
_TMPDIR = "/var/tmp"  # noqa: S108 - Codex's own sandbox does not start if HOME is below TMPDIR


def _make_command(start: CliStart) -> Command:
    return Command(
        argv=(
            *("exec", "--json", "--ephemeral", "--skip-git-repo-check", "--sandbox", _choose_sandbox_mode(start)),
            *(word for name in _DISABLED_FEATURES for word in ("--disable", name)),
            "-",
        ),
        env={} if start.sandboxed else {"TMPDIR": _TMPDIR},
        files={_CONFIG: _render_configuration(start).encode()},
    )


def _choose_sandbox_mode(start: CliStart) -> str:
    """Return the sandbox mode. In a box, Codex's own sandbox does not work; reviewers get a read-only tree there."""
    if start.sandboxed:
        return "danger-full-access"
    return "read-only" if start.order.reads_only else "workspace-write"


def _render_configuration(start: CliStart) -> str:
    """Render the configuration, without retries: the durable engine waits for rate limits, not the CLI."""
    return f"""\
model = {json.dumps(start.model)}
model_provider = "{_PROVIDER}"
model_reasoning_effort = {json.dumps(choose_codex_effort(start.settings, start.order.role))}
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


def _find_login(home: str) -> Login | None:
    """Return the key that `codex login --with-api-key` saved. A ChatGPT login is for another service."""
    try:
        key = json.loads(read_plain(Path(home, ".codex/auth.json")))["OPENAI_API_KEY"]
    except (UsageError, OSError, ValueError, TypeError, KeyError):
        return None
    return Login(key) if isinstance(key, str) and key else None


CODEX = Cli(
    name="codex",
    title="Codex",
    provider="openai",
    upstream_env="OPENAI_BASE_URL",
    key_env="OPENAI_API_KEY",
    command=_make_command,
    read=read_codex_end,
    login=_find_login,
    own=(".codex",),
    guidance=(".agents",),  # skills: Codex uses one that the prompt happens to name
    model="gpt-5.5",  # Codex offers no editing tool to a model whose name it does not know
    no_login=" (the CLI's ChatGPT login cannot be used: it is for another service)",
)
