"""The Stop hook's entry: allows the stop of a window that is not in fix mode, else becomes the program that decides.

Run as `python -I -S entry.py stop [--limit 120] [--answer exit-code|json]`. Every stop of every window starts it, so it
imports no package, and what Python compiles anew at each start is kept small. Whatever is broken allows the stop,
without a word.
"""

import posix
import sys


def main(arguments: list[str]) -> None:
    """Never returns."""
    try:
        hooks = find_state_folder(posix.environ) + b"/hooks"
        armed = posix.listdir(hooks)
        if armed:
            sys.path.insert(0, __file__.rpartition("/")[0])  # importing `reknit` would cost more
            from window import stop  # type: ignore[import-not-found]

            del sys.path[0]
            stop(hooks, frozenset(armed), arguments)
    finally:
        posix._exit(0)  # even after an exception: a broken hook blocks nobody and prints nothing


def find_state_folder(environment: dict[bytes, bytes]) -> bytes:
    """Return the state folder, found like in `reknit.app.installation`."""
    state = environment.get(b"REKNIT_STATE")
    if state:
        return state if state.startswith(b"/") else posix.getcwdb() + b"/" + state
    states = environment.get(b"XDG_STATE_HOME", b"")
    if states.startswith(b"/"):
        return states + b"/reknit"
    home = environment.get(b"HOME", b"")
    if not home.startswith(b"/"):
        import pwd

        home = pwd.getpwuid(posix.getuid()).pw_dir.encode("utf-8", "surrogateescape")
    return home.rstrip(b"/") + b"/.local/state/reknit"


if __name__ == "__main__":
    main(sys.argv[1:])
