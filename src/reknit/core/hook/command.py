"""Builds the command that an agent runs when it stops, and recognises it in settings files."""

import shlex
from dataclasses import dataclass

ENTRY = "reknit/interfaces/hook/entry.py"
LIMIT_S = 120


@dataclass(frozen=True)
class AgentHooks:
    """The hook settings of an agent: event, file and units."""

    event: str
    folder: str
    """Folder of the settings, in the person's home and in a repository."""
    file: str
    variable: str
    """Environment variable that moves the person's folder."""
    timeout: int
    """`LIMIT_S` in the agent's own unit."""
    comments: bool = False
    """True: the file may have comments. Other agents reject a file with comments."""
    off: tuple[tuple[str, ...], bool] = ((), False)
    """Path of a setting in the same file, and the value with which it switches all hooks off."""
    note: str = ""
    """Note for people about a step before the hook runs."""


AGENTS = {
    "claude": AgentHooks(
        "Stop", ".claude", "settings.json", "CLAUDE_CONFIG_DIR", LIMIT_S, off=(("disableAllHooks",), True)
    ),
    "codex": AgentHooks(
        "Stop",
        ".codex",
        "hooks.json",
        "CODEX_HOME",
        LIMIT_S,
        note="codex skips it until you trust it: type /hooks there",
    ),
    "gemini": AgentHooks(
        "AfterAgent",
        ".gemini",
        "settings.json",
        "GEMINI_CLI_HOME",
        LIMIT_S * 1000,
        comments=True,
        off=(("hooksConfig", "enabled"), False),
    ),
}


def to_hook_command(interpreter: str, entry: str) -> str:
    """Return the shell command of the hook.

    Python exits with 2 if its script is missing, and a hook that exits with 2 keeps an agent from stopping. So the
    shell first checks that the script exists.
    """
    script = shlex.quote(entry)
    return f"[ ! -f {script} ] || exec {shlex.quote(interpreter)} -I -S {script} stop --limit {LIMIT_S}"


def is_ours(command: object) -> bool:
    """Return True if a command is our hook, with any interpreter and installation."""
    if not isinstance(command, str):
        return False
    _before, separator, after = command.rpartition(ENTRY)
    return bool(separator) and after.lstrip("'\"").split()[:1] == ["stop"]
