"""Rules about kinds of entries: unchanged, links, special files, other modes, and files that tools may execute."""

import posixpath
import re
from collections.abc import Iterator

from reknit.core.gate.mention_words import find_template_folder, list_literal_words
from reknit.core.gate.scope import MAX_NEAR_FILES, Scope
from reknit.core.gate.verdict import Refusal
from reknit.core.repository import paths
from reknit.core.repository.change import EXECUTABLE, REGULAR, SYMLINK, Change, FileChange
from reknit.core.repository.file_kinds import is_dotted, is_settings, is_usual
from reknit.core.repository.paths import walk_up

_KNOWN_MODES = frozenset({0, REGULAR, EXECUTABLE, SYMLINK})
_ALWAYS_READ = re.compile(r"(?:.*/)?(?:conftest\.py|(?:site|user)customize(?:\.py|/.*)|[^/]*\.pth|\.git(?:/.*)?)", re.I)
"""Python, a test run or git executes these files wherever they are."""


def find_nothing_changed(change: Change, _scope: Scope) -> Iterator[Refusal]:
    """Refuse a change that changes nothing."""
    is_same = all(file.before == file.after and file.mode_before == file.mode_after for file in change.files)
    if is_same and not change.unsafe:
        yield Refusal("nothing-changed", "", "the attempt changed no file")


def find_unsafe_entries(change: Change, _scope: Scope) -> Iterator[Refusal]:
    """Refuse entries that are not plain files or cannot be read."""
    for path, why in change.unsafe:
        yield Refusal("unsafe-entry", path, f"{path} cannot be part of a fix: {why}")
    for file in change.files:
        if not _KNOWN_MODES.issuperset((file.mode_before, file.mode_after)):
            why = "it is or was a submodule, or has an unusual mode"
            yield Refusal("unsafe-entry", file.path, f"{file.path} cannot be part of a fix: {why}")


def find_symlinks(change: Change, _scope: Scope) -> Iterator[Refusal]:
    """Refuse every change of a symbolic link."""
    for file in change.files:
        if SYMLINK in (file.mode_before, file.mode_after):
            yield Refusal("no-symlink", file.path, f"the fix adds, changes or removes the symbolic link {file.path}")


def find_mode_changes(change: Change, _scope: Scope) -> Iterator[Refusal]:
    """Refuse files that become executable or change their mode."""
    for file in change.files:
        if SYMLINK not in (file.mode_before, file.mode_after) and _is_other_mode(file):
            yield Refusal("no-mode-change", file.path, f"the fix makes {file.path} executable, or changes its mode")


def _is_other_mode(file: FileChange) -> bool:
    return bool(file.mode_after) and file.mode_after != (file.mode_before or REGULAR)


def find_unusual_files(change: Change, scope: Scope) -> Iterator[Refusal]:
    """Refuse files that a tool may execute."""
    for file in change.files:
        is_configuration = paths.is_config(file.path) or is_read_by_a_tool(file, scope)  # by `protected-config`
        if not is_configuration and not _is_welcome(file, scope):
            why = "is no source, documentation or data that base's source uses; a tool may execute it"
            yield Refusal("unusual-file", file.path, f"{file.path} {why}")


def is_read_by_a_tool(file: FileChange, scope: Scope) -> bool:
    """Return True if it is configuration by its name, unless base shows that it is data of the product."""
    if paths.is_config(file.path):
        return not _is_product_data(file, scope)
    return paths.is_config_of_a_project(file.path) and _is_top_of_a_project(file.path, scope)


def _is_welcome(file: FileChange, scope: Scope) -> bool:
    path = file.path
    is_used = _is_used(path, "", scope)
    if is_usual(path):
        is_at_the_top = "/" not in path or (scope.facts is not None and _is_top_of_a_project(path, scope))
        return is_used or not (is_settings(path) and is_at_the_top)
    if is_dotted(path):
        return _is_product_data(file, scope)
    if "." not in posixpath.basename(path):  # most files of tools at the top have no extension
        is_used = is_used and file.before is not None and not _is_top_of_a_project(path, scope)
    is_script = (file.before or b"").startswith(b"#!")  # only an existing one: a new script could have any name
    # In a test folder, `protected-test` decides.
    return is_used or is_script or paths.is_in_unambiguous_test_folder(path)


def _is_product_data(file: FileChange, scope: Scope) -> bool:
    """Return True if it is a template or data of a package, and source beside that folder names it."""
    path, facts = file.path, scope.facts
    if facts is None or file.before is None or _ALWAYS_READ.fullmatch(path):
        return False
    if templates := find_template_folder(path):
        return _is_used(path, posixpath.dirname(templates), scope)
    folder = posixpath.dirname(path)
    home = next(
        (
            parent
            for parent in walk_up(posixpath.dirname(folder))
            if posixpath.join(parent, "__init__.py") in facts.near
        ),
        "",
    )
    has_code = any(paths.is_code(file) and posixpath.dirname(file) == folder for file in facts.near)
    return bool(home) and not has_code and _is_used(path, home, scope)


def _is_top_of_a_project(path: str, scope: Scope) -> bool:
    """Return True if the file is at the top, is a manifest, or has one of base beside it; True if base is unknown."""
    folder, facts = posixpath.dirname(path), scope.facts
    if not folder or facts is None or len(facts.near) >= MAX_NEAR_FILES:
        return True
    beside = {file for file in facts.near if posixpath.dirname(file) == folder and file != path}
    # In a package, or in a folder right below one, `setup.py` is one of its modules.
    homes = (folder, posixpath.dirname(folder))
    is_module = any(home and posixpath.join(home, "__init__.py") in facts.near for home in homes)
    manifests = [
        file for file in (*beside, path) if paths.is_manifest(file) and not (is_module and paths.is_code(file))
    ]
    return bool(manifests)


def _is_used(path: str, home: str, scope: Scope) -> bool:
    """Return True if source of the product in the folder `home` names it on base."""
    users = scope.facts.find_mentions(list_literal_words(path), but=path) if scope.facts else ()
    return any(paths.is_below(user, home) and paths.is_code(user) and not _is_of_a_tool(user) for user in users)


def _is_of_a_tool(path: str) -> bool:
    is_test = paths.is_test_file(path) or paths.is_in_test_folder(path)
    return is_test or is_dotted(path) or paths.is_config(path) or paths.is_config_of_a_project(path)
