"""Turns the tasks of a plan into work: the file of each, and why some cannot be taken."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from reknit.core.agent_reports.values import Effort, PlannedTask
from reknit.core.gate.needed_waivers import find_protecting_rules
from reknit.core.gate.waiver import Waivers
from reknit.core.planning.validation.task_paths import TaskFile, find_task_files
from reknit.core.text.format import join_and_count, sanitize_line

TOOL = "plan/"
"""Prefix of the source of an issue that is a task of a plan."""
EFFORTS: Mapping[Effort, int] = {"S": 1, "M": 3, "L": 5}
_SHOWN = 100


@dataclass(frozen=True)
class TaskWork:
    """A task that an agent may work on."""

    title: str
    impact: str
    effort_1_5: int
    path: str
    """The file in which it must be seen to be done."""
    files: tuple[str, ...]
    """All that it names."""
    is_new: bool
    """There is no such file yet."""


def make_source(topic: str) -> str:
    """Return the tool under which the issues of a plan are kept."""
    return f"{TOOL}{topic}"


def find_plan_topic(tools: Iterable[str]) -> str:
    """Return the topic of the plan that an issue is a task of; empty: it is none."""
    return next((tool.removeprefix(TOOL) for tool in tools if tool.startswith(TOOL)), "")


def split_tasks(
    tasks: Sequence[PlannedTask], tracked: Collection[str], waivers: Waivers
) -> tuple[tuple[TaskWork, ...], tuple[str, ...]]:
    """Return the work, and why each other task is passed over, with what a person can do.

    A task may use what an earlier one creates, unless that one is passed over.
    """
    tracked = frozenset(tracked)
    works: list[TaskWork] = []
    left_out: list[str] = []
    created: set[str] = set()
    files_by_task = find_task_files((task.title for task in tasks), tracked)
    for task, task_files in zip(tasks, files_by_task, strict=True):
        files = tuple(
            replace(file, exists=file.exists and (file.path in tracked or file.path in created))
            for file in task_files
            if file.kind == "file"
        )
        if why := _explain_skip(files, tracked, waivers):
            left_out.append(f"“{sanitize_line(task.title, _SHOWN)}” {why}")
            continue
        new = [file for file in files if not file.exists]
        main = next(iter([*new, *(file for file in files if file.path not in created)]), files[0])
        created |= {file.path for file in new}
        paths = tuple(file.path for file in files)
        works.append(TaskWork(task.title, task.impact, EFFORTS[task.effort], main.path, paths, is_new=not main.exists))
    return tuple(works), tuple(left_out)


def _explain_skip(files: Sequence[TaskFile], tracked: Collection[str], waivers: Waivers) -> str:
    if not files:
        return "names no file: write its path into the task"
    unknown = [file.path for file in files if not file.exists and not file.may_be_new]
    if unknown:
        return f"names a file that is not there: {_list_paths(unknown)}"
    forbidden: list[str] = []
    missing_grants: list[str] = []
    for file in files:
        rules = find_protecting_rules(file.path, is_new=file.path not in tracked)
        forbidden += [entry for rule in rules if (entry := waivers.find_forbidding(rule, file.path))]
        missing_grants += [file.path for rule in rules if not waivers.find_waiver(rule, file.path)]
    if forbidden:
        return f"needs a file that the repository forbids to change ({_list_paths(forbidden)})"
    return f"needs a grant: add {_list_paths(dict.fromkeys(missing_grants))} to `grants:`" if missing_grants else ""


def _list_paths(paths: Iterable[str]) -> str:
    return join_and_count([sanitize_line(path, _SHOWN) for path in paths])


def find_needed_grants(titles: Iterable[str], tracked: Collection[str]) -> tuple[str, ...]:
    """Return the files of tasks that no fix may change unless a person grants it."""
    tracked = frozenset(tracked)
    files = (file for task_files in find_task_files(titles, tracked) for file in task_files)
    paths = (file.path for file in files if find_protecting_rules(file.path, is_new=file.path not in tracked))
    return tuple(dict.fromkeys(paths))
