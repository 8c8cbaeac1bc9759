"""Rules about the kind of an entry: nothing changed, a link, a special file, a different mode."""

from collections.abc import Iterator

from reknit.core.gate.scope import Scope
from reknit.core.gate.verdict import Refusal
from reknit.core.repository.change import EXECUTABLE, REGULAR, SYMLINK, Change, FileChange

_KNOWN_MODES = frozenset({0, REGULAR, EXECUTABLE, SYMLINK})


def nothing_changed(change: Change, _scope: Scope) -> Iterator[Refusal]:
    is_same = all(file.before == file.after and file.mode_before == file.mode_after for file in change.files)
    if is_same and not change.unsafe:
        yield Refusal("nothing-changed", "", "the attempt changed no file")


def unsafe_entries(change: Change, _scope: Scope) -> Iterator[Refusal]:
    for path, why in change.unsafe:
        yield Refusal("unsafe-entry", path, f"{path} cannot be part of a fix: {why}")
    for file in change.files:
        if not _KNOWN_MODES.issuperset((file.mode_before, file.mode_after)):
            why = "it is or was a submodule, or has an unusual mode"
            yield Refusal("unsafe-entry", file.path, f"{file.path} cannot be part of a fix: {why}")


def symlinks(change: Change, _scope: Scope) -> Iterator[Refusal]:
    for file in change.files:
        if SYMLINK in (file.mode_before, file.mode_after):
            yield Refusal("no-symlink", file.path, f"the fix adds, changes or removes the symbolic link {file.path}")


def mode_changes(change: Change, _scope: Scope) -> Iterator[Refusal]:
    for file in change.files:
        if SYMLINK not in (file.mode_before, file.mode_after) and _is_other_mode(file):
            yield Refusal("no-mode-change", file.path, f"the fix makes {file.path} executable, or changes its mode")


def _is_other_mode(file: FileChange) -> bool:
    return bool(file.mode_after) and file.mode_after != (file.mode_before or REGULAR)
