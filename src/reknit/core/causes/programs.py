"""Programs, compilers and libraries of the machine that are not there."""

import posixpath
import re

from reknit.core.causes import known_names
from reknit.core.causes.cause import CODE, Cause, doubtful, environment
from reknit.core.causes.files import TEMPORARY
from reknit.core.causes.reading import Reading
from reknit.core.causes.tree_facts import TreeFacts, is_near
from reknit.core.repository.manifest_text import normalized

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


def missing_program(reading: Reading, facts: TreeFacts) -> Cause | None:
    if found := _SHELL.search(reading.words):
        return _program(next(part for part in found.groups() if part), facts)
    if "exit status 127" in reading.words:
        return doubtful("missing-program", "a program that was started did not find another one")
    found = _STARTED.search(reading.words)
    # The same words are used for a file that `open` did not find.
    if found and re.search(r"subprocess\.py|_execute_child|Popen|create_subprocess|posix_spawn", reading.text):
        return _program(found[1], facts)
    return None


def _program(name: str, facts: TreeFacts) -> Cause:
    if "/" in name:
        outside = name.startswith("/") and facts.inside(name) is None and not name.startswith(TEMPORARY)
        if not outside:
            return _node_binary(name)
        return environment(
            "missing-program", f"{name} does not exist on this machine", f"install {posixpath.basename(name)}"
        )
    said = f"the program {name} is not installed where the tests run"
    if name in facts.python_scripts:
        return environment(
            "not-installed", f"the command {name} of this project is not installed", "`pip install -e .`"
        )
    if name in known_names.PROGRAMS or normalized(name) in facts.python_packages:
        return environment("missing-program", said, f"install {name}")
    if name in facts.node_packages:
        return environment("node-modules", said, "`npm install`")
    if is_near(name, known_names.PROGRAMS) or any(posixpath.basename(path) == name for path in facts.paths):
        return CODE
    return doubtful("missing-program", said, f"install {name}")


def _node_binary(name: str) -> Cause:
    if "node_modules/.bin/" in name:
        return environment("node-modules", f"{posixpath.basename(name)} is not installed", "`npm install`")
    return CODE


def missing_library(reading: Reading, facts: TreeFacts) -> Cause | None:
    found = _LIBRARY.search(reading.words)
    if not found:
        return None
    name = next(part for part in found.groups() if part)
    stem = posixpath.basename(name).removeprefix("lib").partition(".")[0]
    ours = any(posixpath.basename(path).partition(".")[0] in (stem, f"lib{stem}") for path in facts.paths)
    if ours or ("/" in name and (not name.startswith("/") or facts.inside(name) is not None)):
        return doubtful("missing-library", f"{name} could not be loaded")
    return environment("missing-library", f"the library {name} is not installed", f"install the package with {name}")


def wrong_toolchain(reading: Reading, _facts: TreeFacts) -> Cause | None:
    found = _TOOLCHAIN.search(reading.words)
    return environment("toolchain", found[0], "install the toolchain that the project needs") if found else None


def missing_dependency(reading: Reading, facts: TreeFacts) -> Cause | None:
    """Of a build that must not download: cargo, go, Maven."""
    found = _NO_CRATES.search(reading.words)
    if not found:
        return None
    name = next((part for part in found.groups() if part), "a dependency")
    if found[2] and not any(_is_below(name, word) for word in facts.texts.get("go.mod", "").split()):
        return CODE
    return environment("missing-module", f"{name} is not downloaded", "fetch the dependencies once outside the box")


def _is_below(name: str, module: str) -> bool:
    return name == module or name.startswith(f"{module}/")
