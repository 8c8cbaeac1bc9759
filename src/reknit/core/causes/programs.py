"""Explains missing programs, compilers, libraries and files of the machine, and files that must not be written."""

import posixpath
import re

from reknit.core.causes import known_names
from reknit.core.causes.cause import CODE, Cause, doubtful, environment
from reknit.core.causes.reading import Reading, find_failing_lines
from reknit.core.causes.tree_facts import LFS_POINTER, TreeFacts, is_near
from reknit.core.repository.manifest_text import normalize_package_name

_DENIED = re.compile(
    r"(?:Permission denied|Read-only file system|Operation not permitted): ['\"]?([^'\"\n:]{1,400})"
    r"|(?:EACCES: permission denied|EROFS: read-only file system"
    r"|EPERM: operation not permitted), \w{1,20} ['\"]([^'\"\n]{1,400})"
    r"|(?:open|mkdir|create|unlink|remove|chmod) (/[^\s:]{1,400}): (?:permission denied|read-only file system)"
    r"|((?:/[\w.@+-]{1,100}+){1,20}+)[:)\s]{1,3}\(?(?:Permission denied|Read-only file system)"
)
_UNREADABLE = re.compile(
    r"(?i:decod|unpickl|unidentified|bad ?(?:zip|gzip)|magic|header|pars(?:e|ing)|expecting|unexpected|corrupt|invalid"
    r"|not a (?:zip|gzip)|format|signature)"
)
_READ_ONLY = re.compile(r"read-only file system|EROFS|Errno 30\b", re.IGNORECASE)
_ABSENT = re.compile(
    r"No such file or directory: ['\"]([^'\"\n]{1,400})['\"]"
    r"|ENOENT: no such file or directory, \w{1,20} ['\"]([^'\"\n]{1,400})"
    r"|(?:open|stat|lstat|chdir) ([^\s:]{1,400}): no such file or directory"
    r"|fatal error: ([^\s:]{1,300}): No such file or directory"
    r"|(?:NoSuchFileException|FileNotFoundException): ([^\s(]{1,400})"
)
_SYSTEM = (
    "/etc/",
    "/usr/",
    "/var/",
    "/opt/",
    "/proc/",
    "/sys/",
    "/dev/",
    "/run/",
    "/srv/",
    "/mnt/",
    "/lib/",
    "/bin/",
    "/sbin/",
    "/boot/",
    "/media/",
)
_TEMPORARY = ("/tmp/", "/var/tmp/", "/var/folders/", "/dev/shm/", "/private/var/")  # noqa: S108
_SHELL = re.compile(
    r"(?<![\w.+/-])([\w.+/-]{1,100}): command not found\b|(?:: \d{1,5}|\bsh): ([\w.+/-]{1,100}): not found\b"
    r"|env: ['‘\"]?([\w.+-]{1,100})['’\"]?: No such file|spawn(?:Sync)? ([\w./+-]{1,200}) ENOENT"
    r"|exec: \"([\w./+-]{1,200})\": executable file not found|Cannot run program \"([\w./+-]{1,200})\""
    r"|make: (?!\*)([\w./+-]{1,100}): No such file or directory|unable to execute '([\w.+-]{1,100})'"
    r"|linker `([\w.+-]{1,60})` not found|C compiler \"([\w.+-]{1,60})\" not found"
    r"|bwrap: execvp ([\w./+-]{1,200}): No such file"
    r"|Command '(?:\['(?:/bin/)?\w{0,3}sh', '-c', ['\"])?(?!(?:\w{0,3}sh|python[\d.]{0,4}|node|npm|npx|make|env|sudo) )"
    r"([\w.+/-]{1,100})[^\n]{0,300} exit status 127\b",
    re.M,
)
_STARTED = re.compile(r"No such file or directory: ['\"]([^'\"\n/]{1,100})['\"]")
_LIBRARY = re.compile(
    r"(?<![\w./+-])([\w./+-]{1,200}): (?:cannot open shared object file|version `\w{1,20}_[\d.]{1,12}' not found)"
    r"|error while loading shared libraries: ([\w./+-]{1,200})|cannot load library '([\w./+-]{1,200})'"
    r"|no library called \"([\w.+-]{1,100})\" was found|Library not loaded: ([\w./@+-]{1,300})"
)
_TOOLCHAIN = re.compile(
    r"rustup could not choose a version|no default toolchain|toolchain '[^'\n]{1,100}' is not installed"
    r"|requires rustc \d"
    r"|go: go\.mod requires go >= ?[\d.]{1,12}|go: download go[\d.]{1,12}[^\n]{0,60}: toolchain not available"
    r"|requires go1?[\d.]{1,12} or later|JAVA_HOME (?:is not set|is not defined|environment variable is not defined)"
    r"|Unable to locate a Java Runtime|invalid target release: \d|release version \d{1,3} not supported"
    r"|UnsupportedClassVersionError|Java gateway process exited"
    r"|The engine \"node\" is incompatible|No C compiler found|C compiler cannot create executables"
    r"|No CMAKE_C(?:XX)?_COMPILER could be found|gyp ERR! find Python|xcrun: error: invalid active developer path"
    r"|is not able to compile a simple test program|cannot be built because it requires rustc|Microsoft Visual C\+\+ \d"
)
_NO_CRATES = re.compile(
    r"no matching package named `([\w-]{1,100})` found|cannot find module providing package ([\w./-]{1,200})"
    r"|module lookup disabled by GOPROXY=off|Could not find artifact ([\w.:-]{1,200})"
    r"|Cannot access [\w-]{1,60} \([^)\n]{1,200}\) in offline mode"
)


def explain_denied_access(reading: Reading, facts: TreeFacts) -> Cause | None:
    """Return the cause of a denied or read-only path."""
    match = _DENIED.search(reading.words)
    if not match:
        return None
    path = next(part for part in match.groups() if part).strip()
    read_only = bool(_READ_ONLY.search(reading.words))
    sentence = f"{path} {'is read-only' if read_only else 'must not be accessed'} where the tests run"
    if not path.startswith("/") or facts.to_relative_path(path) is not None:
        # A tree is writable; only mounts over it are not.
        return (
            environment("permission", sentence, "see what the box shows read-only: `reknit doctor`")
            if read_only
            else CODE
        )
    if path.startswith(_TEMPORARY):
        return CODE
    if path.startswith(_SYSTEM):
        return environment("permission", sentence, f"let the tests write elsewhere, or run where {path} is writable")
    return doubtful("permission", sentence)


def find_lfs_pointer(reading: Reading, facts: TreeFacts) -> str:
    """Return the Git LFS pointer that the failure or the failing test names; empty if there is none."""
    context = reading.text + find_failing_lines(reading, facts).text
    return next((pointer for pointer in sorted(facts.lfs_pointers) if posixpath.basename(pointer) in context), "")


def explain_lfs_pointer(reading: Reading, facts: TreeFacts) -> Cause | None:
    """Return the cause of unreadable data: no filter of Git runs here, so the tree has LFS pointers."""
    path = find_lfs_pointer(reading, facts)
    if not path or not (LFS_POINTER in reading.text or _UNREADABLE.search(reading.words)):
        return None
    remedy = "commit the data itself, or leave the tests that read it out of checks.tests.run: LFS is not fetched"
    return environment("lfs", f"{path} is a pointer of Git LFS, not the data itself", remedy)


def explain_absent_file(reading: Reading, facts: TreeFacts) -> Cause | None:
    """Return the cause of a missing file: the code's if it is in the tree, else the machine's."""
    match = _ABSENT.search(reading.words)
    if not match:
        return None
    path = next(part for part in match.groups() if part)
    relative_path = facts.to_relative_path(path)
    if module := facts.find_submodule(relative_path or "") or _find_header_submodule(path, match[4], facts):
        return environment("submodule", f"the submodule {module} is empty", "`git submodule update --init`")
    if relative_path is not None:
        return CODE
    if not path.startswith("/") or path.startswith(_TEMPORARY) or _is_like_ours(path, facts):
        return CODE
    if path.startswith(_SYSTEM):
        return environment("host-file", f"{path} does not exist on this machine", f"provide {path}")
    return doubtful("host-file", f"{path} does not exist on this machine")


def _find_header_submodule(path: str, header: str | None, facts: TreeFacts) -> str:
    if not header:
        return ""
    return next(
        (
            submodule
            for submodule in facts.submodules
            if submodule in path or posixpath.basename(submodule) in path.split("/")
        ),
        "",
    )


def _is_like_ours(path: str, facts: TreeFacts) -> bool:
    """Return True if the absolute path was made from a relative one of the tree by mistake."""
    rest = path.strip("/")
    return rest in facts.paths or rest in facts.folders or rest.partition("/")[0] in facts.folders


def explain_missing_program(reading: Reading, facts: TreeFacts) -> Cause | None:
    """Return the cause of a program that could not be started."""
    if match := _SHELL.search(reading.words):
        return _explain_program(next(part for part in match.groups() if part), facts)
    if "exit status 127" in reading.words:
        return doubtful("missing-program", "a program that was started did not find another one")
    match = _STARTED.search(reading.words)
    # `open` uses the same words for a missing file.
    if match and re.search(r"subprocess\.py|_execute_child|Popen|create_subprocess|posix_spawn", reading.text):
        return _explain_program(match[1], facts)
    return None


def _explain_program(name: str, facts: TreeFacts) -> Cause:
    if "/" in name:
        outside = name.startswith("/") and facts.to_relative_path(name) is None and not name.startswith(_TEMPORARY)
        if not outside:
            return _explain_node_binary(name)
        return environment(
            "missing-program", f"{name} does not exist on this machine", f"install {posixpath.basename(name)}"
        )
    sentence = f"the program {name} is not installed where the tests run"
    if name in facts.python_scripts:
        return environment(
            "not-installed", f"the command {name} of this project is not installed", "`pip install -e .`"
        )
    if name in known_names.PROGRAMS or normalize_package_name(name) in facts.python_packages:
        return environment("missing-program", sentence, f"install {name}")
    if name in facts.node_packages:
        return environment("node-modules", sentence, "`npm install`")
    if is_near(name, known_names.PROGRAMS) or any(posixpath.basename(path) == name for path in facts.paths):
        return CODE
    return doubtful("missing-program", sentence, f"install {name}")


def _explain_node_binary(name: str) -> Cause:
    if "node_modules/.bin/" in name:
        return environment("node-modules", f"{posixpath.basename(name)} is not installed", "`npm install`")
    return CODE


def explain_missing_library(reading: Reading, facts: TreeFacts) -> Cause | None:
    """Return the cause of a shared library that could not be loaded."""
    match = _LIBRARY.search(reading.words)
    if not match:
        return None
    name = next(part for part in match.groups() if part)
    stem = posixpath.basename(name).removeprefix("lib").partition(".")[0]
    ours = any(posixpath.basename(path).partition(".")[0] in (stem, f"lib{stem}") for path in facts.paths)
    if ours or ("/" in name and (not name.startswith("/") or facts.to_relative_path(name) is not None)):
        return doubtful("missing-library", f"{name} could not be loaded")
    return environment("missing-library", f"the library {name} is not installed", f"install the package with {name}")


def explain_wrong_toolchain(reading: Reading, _facts: TreeFacts) -> Cause | None:
    """Return the cause of a missing or outdated compiler or runtime."""
    match = _TOOLCHAIN.search(reading.words)
    return environment("toolchain", match[0], "install the toolchain that the project needs") if match else None


def explain_missing_dependency(reading: Reading, facts: TreeFacts) -> Cause | None:
    """Return the cause of a build of cargo, go or Maven that must not download."""
    match = _NO_CRATES.search(reading.words)
    if not match:
        return None
    name = next((part for part in match.groups() if part), "a dependency")
    if match[2] and not any(_is_below(name, word) for word in facts.texts.get("go.mod", "").split()):
        return CODE
    return environment("missing-module", f"{name} is not downloaded", "fetch the dependencies once outside the box")


def _is_below(name: str, module: str) -> bool:
    return name == module or name.startswith(f"{module}/")
