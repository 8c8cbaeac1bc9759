"""Turns the tasks of a plan into work: the file of each, and why some cannot be taken."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from reknit.core.agent_reports.values import Effort, PlannedTask
from reknit.core.gate.needed_waivers import find_protecting_rules
from reknit.core.gate.path_pattern import is_exact_path
from reknit.core.gate.waiver import Waivers, is_waivable
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


def describe_task(task: PlannedTask) -> str:
    """Return a task with its files and its impact on one line."""
    files = ", ".join((*task.files, *(f"{path} (new)" for path in task.new_files)))
    return f"{task.title} [{files or 'no file'}]: {task.impact}"


def explain_wrong_files(tasks: Sequence[PlannedTask], tracked: Collection[str]) -> tuple[str, ...]:
    """Return what is wrong with the files of each task; empty: nothing. An earlier task may add a file."""
    added: set[str] = set()
    why_by_task: list[str] = []
    for task in tasks:
        why_by_task.append(_explain_wrong_files(task, tracked, added))
        added |= {*task.new_files}
    return tuple(why_by_task)


def _explain_wrong_files(task: PlannedTask, tracked: Collection[str], added: Collection[str]) -> str:
    if not task.files and not task.new_files:
        return "names no file: add `- file: PATH` or `- new file: PATH` below it"
    if inexact := [path for path in (*task.files, *task.new_files) if not is_exact_path(path)]:
        return f"names no single file of the repository: {_list_paths(inexact)}"
    if unknown := [path for path in task.files if path not in tracked and path not in added]:
        return f"names a file that is not there: {_list_paths(unknown)}"
    return ""


def split_tasks(
    tasks: Sequence[PlannedTask], tracked: Collection[str], waivers: Waivers
) -> tuple[tuple[TaskWork, ...], tuple[str, ...]]:
    """Return the work, and why each other task is passed over, with what a person can do.

    A task may use what an earlier one adds, unless that one is passed over.
    """
    tracked = frozenset(tracked)
    works: list[TaskWork] = []
    left_out: list[str] = []
    added: set[str] = set()
    for task in tasks:
        why = _explain_wrong_files(task, tracked, added) or _explain_missing_grant(task, tracked, waivers)
        if why:
            left_out.append(f"“{sanitize_line(task.title, _SHOWN)}” {why}")
            continue
        new = [path for path in task.new_files if path not in tracked]  # one that is there already is changed
        paths = tuple(dict.fromkeys((*new, *task.files, *task.new_files)))
        main = next((path for path in paths if path not in added), paths[0])
        if any((work.title, work.path) == (task.title, main) for work in works):
            left_out.append(f"“{sanitize_line(task.title, _SHOWN)}” is there twice: give each a title of its own")
            continue
        works.append(TaskWork(task.title, task.impact, EFFORTS[task.effort], main, paths, is_new=main in new))
        added |= {*new}
    return tuple(works), tuple(left_out)


def _explain_missing_grant(task: PlannedTask, tracked: Collection[str], waivers: Waivers) -> str:
    forbidden: list[str] = []
    missing_grants: list[str] = []
    for path in (*task.files, *task.new_files):
        rules = find_protecting_rules(path, is_new=path not in tracked)
        forbidden += [entry for rule in rules if (entry := waivers.find_forbidding(rule, path))]
        missing_grants += [path for rule in rules if not waivers.find_waiver(rule, path)]
    if forbidden:
        return f"needs a file that the repository forbids to change ({_list_paths(forbidden)})"
    return f"needs a grant: add {_list_paths(dict.fromkeys(missing_grants))} to `grants:`" if missing_grants else ""


def _list_paths(paths: Iterable[str]) -> str:
    return join_and_count([sanitize_line(path, _SHOWN) for path in paths])


def find_needed_grants(tasks: Iterable[PlannedTask], tracked: Collection[str]) -> tuple[str, ...]:
    """Return the files of tasks that no fix may change unless a person grants it."""
    tasks = tuple(tasks)
    sound = (task for task, why in zip(tasks, explain_wrong_files(tasks, tracked), strict=True) if not why)
    files = (path for task in sound for path in (*task.files, *task.new_files))
    rules_by_path = {path: find_protecting_rules(path, is_new=path not in tracked) for path in files}
    return tuple(path for path, rules in rules_by_path.items() if any(map(is_waivable, rules)))
