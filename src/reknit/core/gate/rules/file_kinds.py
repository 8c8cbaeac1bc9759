"""Rules about the kind of an entry: nothing changed, a link, a special file, a different mode."""

from collections.abc import Iterator

from reknit.core.gate.scope import Scope
from reknit.core.gate.verdict import Refusal
from reknit.core.repository.change import GITLINK, REGULAR, SYMLINK, Change, FileChange


def nothing_changed(change: Change, _scope: Scope) -> Iterator[Refusal]:
    is_same = all(file.before == file.after and file.mode_before == file.mode_after for file in change.files)
    if is_same and not change.unsafe:
        yield Refusal("nothing-changed", "", "the attempt changed no file")


def unsafe_entries(change: Change, _scope: Scope) -> Iterator[Refusal]:
    for path, why in change.unsafe:
        yield Refusal("unsafe-entry", path, f"{path} cannot be part of a fix: {why}")


def symlinks(change: Change, _scope: Scope) -> Iterator[Refusal]:
    for file in change.files:
        if SYMLINK in (file.mode_before, file.mode_after):
            yield Refusal("no-symlink", file.path, f"the fix adds, changes or removes the symbolic link {file.path}")


def mode_changes(change: Change, _scope: Scope) -> Iterator[Refusal]:
    for file in change.files:
        if SYMLINK not in (file.mode_before, file.mode_after) and _is_other_mode(file):
            yield Refusal(
                "no-mode-change", file.path, f"the fix makes {file.path} executable, a submodule, or changes its mode"
            )


def _is_other_mode(file: FileChange) -> bool:
    if GITLINK in (file.mode_before, file.mode_after):
        return True
    if not file.mode_after:
        return False
    return file.mode_after != (file.mode_before or REGULAR)
