"""Identifies the window that stops by its event, and finds the marker that says whether it is in fix mode.

Only `entry.py` imports it, by its file: the bytecode is kept, and no package is imported here either.
"""

import posix
import sys
from itertools import pairwise

MAX_EVENT_BYTES = 1 << 20
EVENTS = ("Stop", "AfterAgent")
UNCLAIMED = "unclaimed"
PULL = "+pr"
"""Suffix of the marker of a window that subscribes to a pull-request run."""
ID_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")


def stop(hooks: bytes, armed: frozenset[bytes], arguments: list[str]) -> None:
    """Return if the stop is allowed; otherwise replace this process by the program that decides."""
    event = read_event()
    session = read_session_id(event)
    if event.get("hook_event_name") not in EVENTS or event.get("agent_id") or not session:
        return
    folders = list_working_folders(event.get("cwd"), posix.environ)
    marker = find_marker(hooks, armed, folders, session) or find_marker(hooks, armed, folders[:1], UNCLAIMED)
    if not marker or marker[1] != b"in_progress":
        marker = find_marker(hooks, armed, folders, session + PULL)
    if not marker:
        return
    limit, answer = read_options(arguments)
    # -E and -P: the repository must not choose the modules, neither by PYTHONPATH nor by lying in the working folder
    start = (sys.executable, "-E", "-P", "-m", "reknit", "hook", "decide", "--session", session, "--folder", marker[0])
    active = ("--active",) if event.get("stop_hook_active") is True else ()
    posix.dup2(posix.open("/dev/null", posix.O_RDONLY), 0)
    posix.execv(sys.executable, (*start, "--limit", limit, "--answer", answer, *active))


def read_event() -> dict[str, object]:
    """Return the event; empty if it is too large, or no object."""
    data = b""
    while block := posix.read(0, 65536):
        data += block
        if len(data) > MAX_EVENT_BYTES:
            return {}
    event = parse(data.decode("utf-8", "surrogateescape").strip(" \t\r\n"))
    return event if isinstance(event, dict) else {}


def parse(text: str) -> object:
    """Parse JSON with the C scanner alone: the `json` package costs as much as the whole interpreter."""
    try:
        from _json import make_scanner

        class Options:
            strict = True
            object_hook = object_pairs_hook = None
            parse_float, parse_int, parse_constant = float, int, float

        scan = make_scanner(Options)  # type: ignore[arg-type]
    except (ImportError, AttributeError):  # private to CPython, so it may move
        from json import loads

        return loads(text)
    value, end = scan(text, 0)
    return value if end == len(text) else None


def read_session_id(event: dict[str, object]) -> str:
    """Return the session's id, which becomes a file name and an argument; empty if it is unusable for that."""
    session = event.get("session_id")
    if not isinstance(session, str) or not 0 < len(session) <= 128 or session == UNCLAIMED:
        return ""
    return session if session[0] not in ".-" and ID_CHARACTERS.issuperset(session) else ""


def list_working_folders(cwd: object, environment: dict[bytes, bytes]) -> list[bytes]:
    """Return the window's current folder, then its project's: the agent may have gone to another folder."""
    window_folder = cwd.encode("utf-8", "surrogateescape") if isinstance(cwd, str) else b""
    candidates = (
        window_folder,
        environment.get(b"CLAUDE_PROJECT_DIR", b""),
        environment.get(b"GEMINI_PROJECT_DIR", b""),
    )
    return [path for path in candidates if path.startswith(b"/") and b"\0" not in path] or [posix.getcwdb()]


def find_marker(hooks: bytes, armed: frozenset[bytes], folders: list[bytes], owner: str) -> tuple[bytes, bytes] | None:
    """Return the nearest folder at or above these that has this owner's marker, and the marker's first line."""
    for folder in folders:
        for path in list_parents(folder):
            status = posix.stat(path)
            key = b"%d-%d" % (status.st_dev, status.st_ino)
            if key in armed:
                line = read_first_line(hooks + b"/" + key + b"/" + owner.encode())
                if line is not None:
                    return path, line
    return None


def list_parents(folder: bytes) -> list[bytes]:
    """Return the real folder, and all above it; the agent may have removed the lowest."""
    descriptor = -1
    while descriptor < 0:
        try:
            descriptor = posix.open(folder, posix.O_PATH | posix.O_DIRECTORY)
        except OSError:
            folder = folder.rpartition(b"/")[0] or b"/"
    path = posix.readlink(b"/proc/self/fd/%d" % descriptor)
    paths = [path]
    while path != b"/":
        path = path.rpartition(b"/")[0] or b"/"
        paths.append(path)
    return paths


def read_first_line(marker: bytes) -> bytes | None:
    """Return the first line of a marker; None if there is no marker."""
    try:
        descriptor = posix.open(marker, posix.O_RDONLY | posix.O_NOFOLLOW | posix.O_NONBLOCK)
    except FileNotFoundError:
        return None
    line = posix.read(descriptor, 64).partition(b"\n")[0]
    posix.close(descriptor)
    return line


def read_options(arguments: list[str]) -> tuple[str, str]:
    """Return limit and answer; the default for each that is missing or unusable."""
    words = "=".join(arguments).split("=")
    values = dict(pairwise(words))
    limit, answer = values.get("--limit", ""), values.get("--answer")
    is_number = limit.isascii() and limit.isdigit() and len(limit) <= 6
    return limit if is_number else "120", "json" if answer == "json" else "exit-code"
