"""A tool that reports issues and can fix some of them itself, as data: how it is found, started and read."""

import posixpath
import re
import shlex
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from reknit.core.issues.formats.registry import Format
from reknit.core.repository.paths import is_below

NOT_THERE = 127
"""Exit code if the tool, or the interpreter it needs, is not installed."""
MOST_SETTINGS = 200


@dataclass(frozen=True)
class LintTool:
    name: str
    """In lower case, as reports name it."""
    format: Format
    """Of what the command that looks prints."""
    programs: tuple[str, ...]
    """What a box must show of the user's PATH."""
    own: str
    """Where a project keeps its own copy, below one of its folders; empty: on the PATH of its environment."""
    configs: re.Pattern[str]
    """Names of its configuration files: it is started in the nearest folder that has one."""
    rules: re.Pattern[str]
    """What a rule's name looks like: names come from reports."""
    unread: str
    """The rule under which it reports that it could not read a file."""
    look: Callable[[Sequence[str], Sequence[str]], tuple[str, ...]]
    """Arguments that make it report; given the rules and the files."""
    fix: Callable[[Sequence[str], Sequence[str], Sequence[str]], tuple[str, ...]]
    """Arguments that make it apply safe fixes; given the rules, the files, and other rules that it must not fix."""
    settings: re.Pattern[str] = re.compile(r"$^")
    """Names of files that may call unsafe fixes safe."""
    called_safe: Callable[[str], tuple[str, ...]] = lambda _text: ()
    """How the names of such rules begin; given the text of such a file. Empty: of all rules."""
    told_rules: bool = False
    """It looks for the rules that it is given, and names those that it does not know on stderr."""


def folder_of(tool: LintTool, path: str, tracked: Collection[str]) -> str:
    """Where the tool is started for this file; empty: the root of the repository."""
    folders = {posixpath.dirname(each) for each in tracked if tool.configs.fullmatch(posixpath.basename(each))}
    folder = posixpath.dirname(path)
    while folder and folder not in folders:
        folder = posixpath.dirname(folder)
    return folder


def settings_of(tool: LintTool, files: Sequence[str], tracked: Collection[str]) -> list[str]:
    """Files that may call unsafe fixes safe: those in the folders of these files and above first."""
    found = [path for path in tracked if tool.settings.fullmatch(posixpath.basename(path))]
    above = {path for path in found if any(is_below(file, posixpath.dirname(path)) for file in files)}
    return sorted(found, key=lambda path: (path not in above, path.count("/"), path))[:MOST_SETTINGS]


def command(tool: LintTool, folder: str, arguments: Sequence[str]) -> tuple[str, ...]:
    """Starts the project's own copy, nearest first, or the one on PATH; its version is the first line on stderr."""
    places: list[str] = []
    while tool.own:
        places.append("/".join([*([".."] * len(places)), tool.own]))
        if not folder:
            break
        folder = posixpath.dirname(folder)
    script = (
        f"for tool in {shlex.join([*(f'./{place}' for place in places), tool.name])}; do\n"
        'if command -v "$tool" >/dev/null; then echo "$("$tool" --version 2>/dev/null)" >&2; exec "$tool" "$@"; fi\n'
        f"done; exit {NOT_THERE}"
    )
    return ("sh", "-c", script, "sh", *arguments)
