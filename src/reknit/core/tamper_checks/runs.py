"""The runs of tests that the checks make, each under a label by which it is saved."""

MOST_PROJECTS = 4
"""One fix rarely turns tests of several projects green; of more, nobody waits for the checks."""
MOST_FILES = 8
"""Test files of a command that is judged by its exit code, each with a failure of its own."""
MOST_ALONE = 6
"""Copies of tests that are run once more, each alone."""
_RUNS = {
    "canary": "the whole suite, with the change and a failure in each test file",
    **{
        f"canary-{number}": "the whole suite, with the change and a failure in one file" for number in range(MOST_FILES)
    },
    **{f"unreadable-{number}": "the whole suite, with one file that cannot be read" for number in range(MOST_FILES)},
    "probes": "tests of reknit beside what turned green, with the change",
    "base-probes": "tests of reknit beside what turned green, without the change",
    **{
        f"alone-{number}": "a test of reknit that must be red, run alone with the change"
        for number in range(MOST_ALONE)
    },
}
HARNESS_RUNS = {
    "base-harness": "the second harness, without the change",
    "harness": "the second harness, with the change",
}
"""Calls of it, by label; they are not saved."""
_LONGEST_S, _TIMES = 300.0, 10
_LEAST_S, _LEAST_BUILT_S = 10.0, 60.0
"""Of one that is only started, and of one that is compiled first."""


def harness_wall_s(seconds: float, *, is_built: bool) -> float:
    """Return how long the second harness may take for tests that took `seconds` under their runner; 0: not known."""
    return min(_LONGEST_S, max(_TIMES * seconds, _LEAST_BUILT_S if is_built else _LEAST_S)) if seconds else _LONGEST_S


def label_of(run: str, project: int) -> str:
    return f"{run}-{project}"


LABELS = tuple(label_of(run, project) for project in range(MOST_PROJECTS) for run in _RUNS)
"""Of all runs that they may make."""


def what_checks_ran(label: str) -> str:
    """For people; empty if it is none of theirs."""
    return _RUNS.get(label.rpartition("-")[0], "")
