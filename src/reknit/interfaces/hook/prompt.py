"""What a person typed into a window: `/fix-test` arms its bug for this window, everything else is let through at once.

Run as `reknit hook prompt` at every prompt, so it imports no package. Whatever is broken lets the prompt through,
without a word.
"""

import posix
import sys

from reknit.interfaces.hook.window import read_event, session_id, working_folders

EVENTS = ("UserPromptSubmit", "BeforeAgent")
COMMANDS = ("/fix-test", "/reknit:fix-test", "$fix-test", "$reknit:fix-test")
MOST_CHARACTERS = 4096
"""Of what follows the command; a bug and a path are shorter."""


def main() -> None:
    """Never returns."""
    try:
        event = read_event()
        typed = arguments(event.get("prompt"))
        name = event.get("hook_event_name")
        if isinstance(name, str) and name in EVENTS and typed is not None:
            become(event, name, typed)
    finally:
        posix._exit(0)  # also after an exception: exit code 2 would take the prompt away


def arguments(prompt: object) -> str | None:
    """What follows `/fix-test` on its line; None: it is another prompt."""
    if not isinstance(prompt, str):
        return None
    line = prompt.lstrip().partition("\n")[0]
    command, _, rest = line.replace("\t", " ").partition(" ")
    return rest.strip()[:MOST_CHARACTERS] if command.rstrip() in COMMANDS else None


def become(event: dict[str, object], name: str, typed: str) -> None:
    """This process becomes the program that arms."""
    folders = working_folders(event.get("cwd"), posix.environ)
    # -E and -P: the repository must not choose the modules, neither by PYTHONPATH nor by lying in the working folder
    start = (sys.executable, "-E", "-P", "-m", "reknit", "hook", "prompt", f"--session={session_id(event)}")
    where = [b"--folder=" + folder for folder in folders]
    posix.dup2(posix.open("/dev/null", posix.O_RDONLY), 0)
    posix.execv(sys.executable, (*start, *where, f"--event={name}", f"--typed={typed}"))
