"""Files that the tasks of a plan are about and that no fix may change, unless a person grants it."""

from collections.abc import Collection, Iterable

from reknit.core.gate.protecting_rules import protecting_rules
from reknit.core.planning.validation.task_paths import files_of_each


def needed_grants(titles: Iterable[str], tracked: Collection[str]) -> tuple[str, ...]:
    files = (file for found in files_of_each(titles, tracked) for file in found)
    needed = (file.path for file in files if protecting_rules(file.path, is_new=not file.exists))
    return tuple(dict.fromkeys(needed))
