"""The tasks of a plan as work: the file that each is about, and why some cannot be taken."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from reknit.core.agent_reports.values import Effort, PlannedTask
from reknit.core.gate.protecting_rules import protecting_rules
from reknit.core.gate.waiver import Waivers
from reknit.core.planning.validation.task_paths import TaskFile, files_of_each
from reknit.core.text.format import first_and_more, words

TOOL = "plan/"
"""How the source of an issue begins that is a task of a plan."""
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


def source_of(topic: str) -> str:
    """The tool under which the issues of a plan are kept."""
    return f"{TOOL}{topic}"


def plan_of(tools: Iterable[str]) -> str:
    """The topic of the plan that an issue is a task of; empty: it is none."""
    return next((tool.removeprefix(TOOL) for tool in tools if tool.startswith(TOOL)), "")


def split_tasks(
    tasks: Sequence[PlannedTask], tracked: Collection[str], waivers: Waivers
) -> tuple[tuple[TaskWork, ...], tuple[str, ...]]:
    """The work, and why each of the others is passed over, with what a person can do."""
    works: list[TaskWork] = []
    left_out: list[str] = []
    named = files_of_each((task.title for task in tasks), tracked)
    for task, found in zip(tasks, named, strict=True):
        files = tuple(file for file in found if file.kind == "file")
        if why := _why_not(files, waivers):
            left_out.append(f"“{words(task.title, _SHOWN)}” {why}")
            continue
        main = next((file for file in files if not file.exists), files[0])
        paths = tuple(file.path for file in files)
        works.append(TaskWork(task.title, task.impact, EFFORTS[task.effort], main.path, paths, is_new=not main.exists))
    return tuple(works), tuple(left_out)


def _why_not(files: Sequence[TaskFile], waivers: Waivers) -> str:
    if not files:
        return "names no file: write its path into the task"
    unknown = [file.path for file in files if not file.exists and not file.may_be_new]
    if unknown:
        return f"names a file that is not there: {_named(unknown)}"
    forbidden: list[str] = []
    needed: list[str] = []
    for file in files:
        rules = protecting_rules(file.path, is_new=not file.exists)
        forbidden += [entry for rule in rules if (entry := waivers.forbidding(rule, file.path))]
        needed += [file.path for rule in rules if not waivers.waiver_for(rule, file.path)]
    if forbidden:
        return f"needs a file that the repository forbids to change ({_named(forbidden)})"
    return f"needs a grant: add {_named(dict.fromkeys(needed))} to `grants:`" if needed else ""


def _named(paths: Iterable[str]) -> str:
    return first_and_more([words(path, _SHOWN) for path in paths])
