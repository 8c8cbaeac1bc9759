"""The real agent CLIs as a cast that plays the same scenes: each knows its tools, its variables and its binary."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reknit.adapters import registry
from reknit.core.agent_reports.values import Role
from reknit.core.agents.call import AgentCall, AgentOrder, AgentSettings
from reknit.core.agents.strategy import Strategy
from reknit.core.box import BoxView
from reknit.ports.agents import Agent
from tests.tools import agent_binaries
from tests.tools.gateway_client import PRICES, PaperClerk
from tests.tools.scripted_model import ScriptedModel, Turn

CANARY = "sk-ant-canary-REAL-key-7f3a91"
BROKEN, FIXED = "def add(a, b):\n    return a - b\n", "def add(a, b):\n    return a + b\n"

# In a file, because gemini runs plain commands only. The brackets keep each search from finding itself.
LOOK_FOR_THE_KEY = """\
(env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; grep -rs 'canary-RE[A]L' /home /tmp /run /etc .) 2>/dev/null \
| grep -ac 'canary-RE[A]L' > hits
"""
KILL_THE_CLI = """\
for each in /proc/[0-9]*; do
  tr '\\0' ' ' < $each/cmdline | grep -q -e 'stream-jso[n]' -e 'exec --jso[n]' && kill -9 ${each#/proc/}
done
"""


def call_of(tool: str, **arguments: object) -> Turn:
    return {"tools": [{"name": tool, "input": arguments}]}


@dataclass(frozen=True)
class Cast:
    """One CLI and its lines."""

    name: str
    key_env: str
    url_env: str
    binary: Callable[[], str]
    edits: Callable[..., list[Turn]]
    """Turns that repair the file of this path: `file`, and the line as it is and as it should be."""
    shell: Callable[[str], Turn]
    report: Callable[..., Turn]
    """The report tool of this name with these arguments."""
    reads: frozenset[str]
    """The built-in tools a reviewer has."""
    writes: frozenset[str]
    """The built-in tools by which a file can change; a reviewer has none of them, or they do nothing."""


OLD, NEW = "    return a - b", "    return a + b"


def _claude_edits(file: str, old: str = OLD, new: str = NEW) -> list[Turn]:
    return [call_of("Read", file_path=file), call_of("Edit", file_path=file, old_string=old, new_string=new)]


def _gemini_edits(file: str, old: str = OLD, new: str = NEW) -> list[Turn]:
    change = call_of("replace", file_path=file, instruction="repair it", old_string=old, new_string=new)
    return [call_of("read_file", file_path=file), change]


def _codex_edits(file: str, old: str = OLD, new: str = NEW) -> list[Turn]:
    patch = f"*** Begin Patch\n*** Update File: {file}\n@@\n-{old}\n+{new}\n*** End Patch\n"
    return [
        call_of("exec_command", cmd=f"cat {file}"),
        {"tools": [{"name": "apply_patch", "input": patch, "custom": True}]},
    ]


CASTS: Mapping[str, Cast] = {
    cast.name: cast
    for cast in (
        Cast(
            "claude",
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_BASE_URL",
            agent_binaries.claude,
            _claude_edits,
            lambda line: call_of("Bash", command=line, description="run"),
            lambda tool, **arguments: call_of(f"mcp__reknit__{tool}", **arguments),
            reads=frozenset({"Glob", "Grep", "Read"}),
            writes=frozenset({"Bash", "Edit", "Write", "NotebookEdit"}),
        ),
        Cast(
            "gemini",
            "GEMINI_API_KEY",
            "GOOGLE_GEMINI_BASE_URL",
            agent_binaries.gemini,
            _gemini_edits,
            lambda line: call_of("run_shell_command", command=line, description="run"),
            lambda tool, **arguments: call_of(f"mcp_reknit_{tool}", **arguments),
            reads=frozenset({"glob", "grep_search", "list_directory", "read_file"}),
            writes=frozenset({"replace", "write_file", "run_shell_command"}),
        ),
        Cast(
            "codex",
            "OPENAI_API_KEY",
            "OPENAI_BASE_URL",
            agent_binaries.codex,
            _codex_edits,
            lambda line: call_of("exec_command", cmd=line),
            lambda tool, **arguments: {"tools": [{"name": tool, "input": arguments, "namespace": "mcp__reknit"}]},
            reads=frozenset({"exec_command"}),
            writes=frozenset({"apply_patch", "exec_command"}),
        ),
    )
}


@dataclass(frozen=True)
class Played:
    call: AgentCall
    model: ScriptedModel
    accounting: PaperClerk


def make_room(folder: Path) -> BoxView:
    for name in ("repository", "tree"):
        (folder / name).mkdir()
        (folder / name / "calc.py").write_text(BROKEN)
    return BoxView(str(folder / "repository"), str(folder / "tree"))


def agent_of(cast: Cast, url: str, *, key: str = CANARY, home: str = "") -> Agent:
    environment = {"PATH": os.environ["PATH"], "HOME": home, cast.url_env: url, cast.key_env: key}
    settings = AgentSettings(cast.name, cast.name, binary=cast.binary())
    return registry.make_agent(settings, environment=environment, load_prices=lambda: PRICES)


def play(
    cast: Cast,
    turns: Sequence[Turn],
    view: BoxView,
    *,
    role: Role = "fix",
    strategy: Strategy = "local",
    allowed_turns: int = 10,
    wall_s: float = 90.0,
    idle_s: float = 60.0,
    budget_usd: float = 5.0,
    gone: bool = False,
) -> Played:
    """`gone`: nobody listens where the model was."""
    folder = str(Path(view.tree).parent / "attempt-1")
    order = AgentOrder("r", 1, strategy, "Do it.", wall_s, idle_s, allowed_turns, budget_usd, folder, role)
    accounting = PaperClerk()
    with ScriptedModel(turns=turns) as model:
        agent = agent_of(cast, model.url)
        if gone:
            model.close()
        call = asyncio.run(agent.work(order, view, registry.make_box("bubblewrap"), accounting))
    return Played(call, model, accounting)


def processes_below(folder: Path) -> list[str]:
    """Those that run in this folder, or in a box that shows it."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            where = os.readlink(entry / "cwd") if entry.name.isdigit() else ""
            line = (entry / "cmdline").read_bytes().decode("utf-8", "replace") if where else ""
        except OSError:
            continue  # it ended while we looked, or is none of ours
        if Path(where).is_relative_to(folder):
            found.append(line)
    return found
