"""The prompt hook: `/fix-test` and `/fix-pr` are for us, every other prompt is let through at once.

Run as `reknit hook prompt` at every prompt, so it imports no package. Whatever is broken lets the prompt through,
without a word.
"""

import posix
import sys

from reknit.interfaces.hook.window import list_working_folders, read_event, read_session_id

EVENTS = ("UserPromptSubmit", "BeforeAgent")
COMMANDS = {
    f"{sign}{plugin}{command}": command
    for sign in "/$"
    for plugin in ("", "reknit:")
    for command in ("fix-test", "fix-pr")
}
MAX_ARGUMENT_CHARS = 4096
"""Maximum number of characters that are read after the command."""


def main() -> None:
    """Never returns."""
    try:
        event = read_event()
        command, typed = parse_command(event.get("prompt"))
        name = event.get("hook_event_name")
        if isinstance(name, str) and name in EVENTS and command:
            start_command(event, name, command, typed)
    finally:
        posix._exit(0)  # even after an exception: exit code 2 would take the prompt away


def parse_command(prompt: object) -> tuple[str, str]:
    """Return our command and the rest of its line; empty: it is another prompt."""
    if not isinstance(prompt, str):
        return "", ""
    line = prompt.lstrip().partition("\n")[0]
    command, _, rest = line.replace("\t", " ").partition(" ")
    return COMMANDS.get(command.rstrip(), ""), rest.strip()[:MAX_ARGUMENT_CHARS]


def start_command(event: dict[str, object], name: str, command: str, typed: str) -> None:
    """Replace this process by the program that executes the command."""
    folders = list_working_folders(event.get("cwd"), posix.environ)
    # -E and -P: the repository must not choose the modules, neither by PYTHONPATH nor by lying in the working folder
    start = (sys.executable, "-E", "-P", "-m", "reknit", "hook", "prompt", f"--session={read_session_id(event)}")
    folder_options = [b"--folder=" + folder for folder in folders]
    posix.dup2(posix.open("/dev/null", posix.O_RDONLY), 0)
    options = (f"--event={name}", f"--command={command}", f"--typed={typed}")
    posix.execv(sys.executable, (*start, *folder_options, *options))
