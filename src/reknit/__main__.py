"""`reknit` and `python -m reknit`."""

import os
import sys


def main() -> None:
    """Hooks run at every stop of an agent and at every prompt, so they start before the command line is imported."""
    # A relative entry leads into the repository, also for programs that Python's library starts, such as `uname`.
    path = [entry for entry in os.environ.get("PATH", "").split(":") if entry.startswith("/")]
    os.environ["PATH"] = ":".join(path) or os.defpath
    words = sys.argv[1:]
    if words[:2] == ["hook", "stop"] and not {"-h", "--help"} & set(words):
        from reknit.interfaces.hook.entry import main as stop

        stop(words[1:])
    if words == ["hook", "prompt"]:
        from reknit.interfaces.hook.prompt import main as prompt

        prompt()
    from reknit.interfaces.cli.main import main as command_line

    command_line()


if __name__ == "__main__":
    main()
