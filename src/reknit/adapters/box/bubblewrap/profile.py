"""The profile of a box: the files it shows, the ones it may write to, and its environment."""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from reknit.adapters.box.bubblewrap.mounts import Mounts, show_certificates, show_git, show_kernel
from reknit.adapters.box.bubblewrap.prefixes import find_linked_package, find_logins, is_below, is_system, is_venv_name
from reknit.adapters.box.bubblewrap.toolchain import Toolchain
from reknit.core.box import GATEWAY, BoxView, Command
from reknit.core.box_names import BoxNames
from reknit.core.errors import InternalError, UsageError
from reknit.core.services.service import to_env

TMP = "/tmp"  # noqa: S108 - the box's own
TMP_BYTES, HOME_BYTES = 1 << 30, 1 << 30
MAX_OVERLAYS = 50
"""Maximum number of overlays. Each takes 3 to 10 ms; carried folders after these are read-only."""

ISOLATION = (
    *("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
    *("--disable-userns", "--cap-drop", "ALL", "--uid", "1000", "--gid", "1000"),
    *("--die-with-parent", "--new-session", "--clearenv"),
)
_SYSTEM = (
    *("/usr", "/bin", "/lib", "/lib64", "/sbin"),
    *("/etc/alternatives", "/etc/fonts", "/etc/ld.so.cache", "/etc/localtime"),
)


def _make_etc_files(names: BoxNames) -> dict[str, str]:
    user, home = names.user, names.home
    return {
        "/etc/passwd": f"{user}:x:1000:1000::{home}:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n",
        "/etc/group": f"{user}:x:1000:\nnogroup:x:65534:\n",
        "/etc/hosts": f"127.0.0.1 localhost\n::1 localhost\n127.0.1.1 {names.host}\n",
        "/etc/chromium.d/empty": "",  # Debian's chromium starts only if it can read a file there
    }


def add_mounts(mounts: Mounts, view: BoxView, command: Command, tools: Toolchain, names: BoxNames) -> None:
    """Add everything the box shows, from the system to the outbox."""
    for path in _SYSTEM:
        mounts.show_read_only(path, path)
    for place, content in _make_etc_files(names).items():
        mounts.show_content(content.encode(), place)
    show_certificates(mounts)
    show_kernel(mounts)
    mounts.mount_memory(TMP, TMP_BYTES)
    mounts.mount_memory(names.home, HOME_BYTES)
    requested_paths = {*view.show, *command.show}
    for path in (*tools.show, *view.show, *command.show):
        if path not in requested_paths and (target := find_linked_package(path)):
            mounts.add_link(target, path)
        else:
            mounts.show_read_only(_check_shown_path(path), path)
    for login in (login for path in tools.show for login in find_logins(path)):
        if not any(is_below(login, path) for path in requested_paths):
            mounts.show_content(b"", login)
    layers = map_layers(view, names.home)
    for place, source in tools.home.items():
        if f"{names.home}/{place}" not in layers:
            mounts.show_read_only(source, f"{names.home}/{place}")
    mounts.show_writable(view.tree, view.repository)
    for entry in set(list_carried(view)) - {*list_overlaid(view), *view.copied}:
        mounts.show_read_only(f"{view.repository}/{entry}", f"{view.repository}/{entry}")
    for place, folder in layers.items() if view.read_only else ():
        mounts.show_read_only(folder, place)
    if view.gitdir and _is_plain(view.tree, ".git"):
        show_git(mounts, view.gitdir, f"{view.repository}/.git")
    if command.outbox:
        mounts.show_writable(command.outbox, names.outbox)
    if view.read_only:
        mounts.seal(view.repository)  # after all others: bwrap must create their mount points first
    mounts.seal("/")


def _check_shown_path(path: str) -> str:
    if not path.startswith("/") or not path.strip("/") or ".." in PurePosixPath(path).parts:
        raise UsageError(
            "bad-show",
            f"a box cannot show {path!r}",
            help="name an absolute path below / in `workspace.show`",
        )
    return path


def list_carried(view: BoxView) -> list[str]:
    """List the carried entries that still exist and are reached without a link.

    The original may have a link because of a submodule, and the tree because of an earlier agent.
    """
    return [
        rel
        for rel in view.carry
        if _is_plain(view.repository, rel)
        and _is_plain(view.tree, rel)
        and _can_mount(Path(view.repository, rel), Path(view.tree, rel))
    ]


def list_overlaid(view: BoxView) -> list[str]:
    """List carried folders that the command may write to; the caller mounts an overlay over each."""
    folders = [rel for rel in list_carried(view) if rel not in view.copied and Path(view.repository, rel).is_dir()]
    return [] if view.read_only else folders[:MAX_OVERLAYS]


def map_layers(view: BoxView, home: str) -> dict[str, str]:
    """Return place in the box -> host folder, for files that a set-up installed. Places below a link are left out."""
    return {
        f"{home}/{place[2:]}" if place.startswith("~/") else f"{view.repository}/{place}": folder
        for place, folder in view.layers
        if (place.startswith("~/") or _is_plain(view.tree, place)) and Path(folder).is_dir()
    }


def _can_mount(original: Path, place: Path) -> bool:
    """Return True if the original is a file or folder, and the place is missing or of the same type."""
    if not original.is_dir() and not original.is_file():
        return False
    return not place.exists() or place.is_dir() == original.is_dir()


def _is_plain(tree: str, rel: str) -> bool:
    """Return True if no part of the path is a link, and every existing part but the last is a folder.

    bwrap creates missing mount points, and would follow a link.
    """
    parts = PurePosixPath(rel).parts
    if not parts or rel.startswith("/") or ".." in parts:
        return False
    steps = [Path(tree, *parts[: count + 1]) for count in range(len(parts))]
    if any(step.is_symlink() for step in steps):
        return False
    return all(step.is_dir() or not step.exists() for step in steps[:-1])


def add_home_files(mounts: Mounts, files: Mapping[str, bytes], home: str) -> None:
    """Create the command's files in HOME."""
    for rel, content in files.items():
        if rel.startswith("/") or ".." in PurePosixPath(rel).parts:
            raise InternalError("bad-home-file", f"{rel!r} is not a path below HOME")
        mounts.create_file(content, f"{home}/{rel}")


def list_named_pythons(view: BoxView) -> list[str]:
    """List the interpreters that the view names by their path, such as that of poetry's environment.

    Other programs of the same environment are beside them. Interpreters in the repository count only if carried.
    """
    program_paths = [program for program in view.programs if program.startswith("/") and not is_system(program)]
    pythons = [Path(program) for program in program_paths if PurePosixPath(program).name.startswith("python")]
    entries = [Path(view.repository, entry) for entry in list_carried(view)]
    return [
        str(path)
        for path in pythons
        if path.parent.name == "bin"
        and (not path.is_relative_to(view.repository) or any(path.is_relative_to(entry) for entry in entries))
    ]


def build_environment(
    view: BoxView, command: Command, tools: Toolchain, gateway: str, names: BoxNames
) -> dict[str, str]:
    """Return the complete environment of a command in the box: nothing comes from the host."""
    own = [f"{view.repository}/{name}/bin" for name in (".venv", "venv") if name in list_carried(view)]
    installed = [place for place in map_layers(view, names.home) if is_venv_name(place)]
    nearest = sorted(installed, key=lambda place: not _is_around(place, f"{view.repository}/{command.folder}"))
    python_folders = [str(Path(program).parent) for program in list_named_pythons(view)]
    return {
        **{name: value for service in view.services for name, value in to_env(service).items()},
        "PATH": ":".join(
            dict.fromkeys(
                (
                    *python_folders,
                    *(f"{venv}/bin" for venv in nearest),
                    *own,
                    *tools.path,
                    "/usr/local/bin",
                    "/usr/bin",
                    "/bin",
                )
            )
        ),
        "HOME": names.home,
        "TMPDIR": TMP,
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "NO_COLOR": "1",
        "PYTHONDONTWRITEBYTECODE": "1",  # Python compares a .pyc by size and full second: it may miss a quick fix
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        **tools.env,
        **{name: names.fill_paths(value.replace(GATEWAY, gateway)) for name, value in command.env.items()},
    }


def _is_around(venv: str, folder: str) -> bool:
    """Return True if this environment is that of the project in the folder."""
    return PurePosixPath(folder).is_relative_to(PurePosixPath(venv).parent)
