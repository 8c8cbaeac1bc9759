"""The window that stops, told by its event, and the marker that says whether it is in fix mode.

Only `entry.py` imports it, by its file: the bytecode is kept, and no package is imported here either.
"""

import posix
import sys
from itertools import pairwise

MOST_BYTES = 1 << 20
EVENTS = ("Stop", "AfterAgent")
UNCLAIMED = "unclaimed"
PULL = "+pr"
"""After the session: the marker of a window that is told about a pull-request run."""
ID_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")


def stop(hooks: bytes, armed: frozenset[bytes], arguments: list[str]) -> None:
    """Returns if the stop is allowed; otherwise this process becomes the program that decides."""
    event = read_event()
    session = session_id(event)
    if event.get("hook_event_name") not in EVENTS or event.get("agent_id") or not session:
        return
    folders = working_folders(event.get("cwd"), posix.environ)
    found = find(hooks, armed, folders, session) or find(hooks, armed, folders[:1], UNCLAIMED)
    if not found or found[1] != b"in_progress":
        found = find(hooks, armed, folders, session + PULL)
    if not found:
        return
    limit, answer = options(arguments)
    # -E and -P: the repository must not choose the modules, neither by PYTHONPATH nor by lying in the working folder
    start = (sys.executable, "-E", "-P", "-m", "reknit", "hook", "decide", "--session", session, "--folder", found[0])
    active = ("--active",) if event.get("stop_hook_active") is True else ()
    posix.dup2(posix.open("/dev/null", posix.O_RDONLY), 0)
    posix.execv(sys.executable, (*start, "--limit", limit, "--answer", answer, *active))


def read_event() -> dict[str, object]:
    """Empty if it is too large, or no object."""
    data = b""
    while block := posix.read(0, 65536):
        data += block
        if len(data) > MOST_BYTES:
            return {}
    event = parse(data.decode("utf-8", "surrogateescape").strip(" \t\r\n"))
    return event if isinstance(event, dict) else {}


def parse(text: str) -> object:
    """With the C scanner alone: the `json` package costs as much as the whole interpreter."""
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


def session_id(event: dict[str, object]) -> str:
    """Empty if it cannot be used: it becomes a file name and an argument, so neither `..` nor `--option` is one."""
    given = event.get("session_id")
    if not isinstance(given, str) or not 0 < len(given) <= 128 or given == UNCLAIMED:
        return ""
    return given if given[0] not in ".-" and ID_CHARACTERS.issuperset(given) else ""


def working_folders(cwd: object, environment: dict[bytes, bytes]) -> list[bytes]:
    """Where the window works now, then the project it was opened for: the agent may have gone to another folder."""
    named = cwd.encode("utf-8", "surrogateescape") if isinstance(cwd, str) else b""
    given = (named, environment.get(b"CLAUDE_PROJECT_DIR", b""), environment.get(b"GEMINI_PROJECT_DIR", b""))
    return [path for path in given if path.startswith(b"/") and b"\0" not in path] or [posix.getcwdb()]


def find(hooks: bytes, armed: frozenset[bytes], folders: list[bytes], owner: str) -> tuple[bytes, bytes] | None:
    """The nearest folder at or above these that has a marker of this owner, and the marker's first line."""
    for folder in folders:
        for path in upwards(folder):
            status = posix.stat(path)
            key = b"%d-%d" % (status.st_dev, status.st_ino)
            if key in armed:
                line = first_line(hooks + b"/" + key + b"/" + owner.encode())
                if line is not None:
                    return path, line
    return None


def upwards(folder: bytes) -> list[bytes]:
    """The folder as the kernel names it, without links, and all above; the agent may have removed the lowest."""
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


def first_line(marker: bytes) -> bytes | None:
    try:
        descriptor = posix.open(marker, posix.O_RDONLY | posix.O_NOFOLLOW | posix.O_NONBLOCK)
    except FileNotFoundError:
        return None
    line = posix.read(descriptor, 64).partition(b"\n")[0]
    posix.close(descriptor)
    return line


def options(arguments: list[str]) -> tuple[str, str]:
    """Limit and answer; the default where there is none that can be used."""
    words = "=".join(arguments).split("=")
    given = dict(pairwise(words))
    limit, answer = given.get("--limit", ""), given.get("--answer")
    is_number = limit.isascii() and limit.isdigit() and len(limit) <= 6
    return limit if is_number else "120", "json" if answer == "json" else "exit-code"
