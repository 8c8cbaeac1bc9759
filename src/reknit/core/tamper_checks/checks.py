"""Describes the tamper checks of one fix: targets, probes, random names, and the runs that they need."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from reknit.core.check_answer import CHECKS, CheckName

_WORDS = (
    "account", "basket", "branch", "bridge", "carrier", "channel", "column", "counter", "courier", "delivery",
    "drawer", "engine", "field", "folder", "garden", "harbor", "invoice", "journal", "kernel", "label",
    "ladder", "ledger", "letter", "market", "meter", "mirror", "notice", "office", "order", "packet",
    "paper", "parcel", "pattern", "planet", "quota", "record", "region", "ribbon", "route", "sample",
    "shelf", "signal", "stock", "supply", "table", "ticket", "tower", "valley", "voucher", "window",
)  # fmt: skip
Must = Literal["pass", "fail", "error", "differ", "differ by one"]
"""`differ` and `differ by one`: a copy of the target that expects a distant value, or the next one, must be red."""
TWINS: frozenset[Must] = frozenset({"differ", "differ by one"})
MAX_TARGETS = 12
MAX_PROJECTS = 4
"""Maximum number of projects that are checked; one fix rarely turns tests of more projects green."""
MAX_FILES = 8
"""Maximum number of test files that get a failure, for a command that is judged by its exit code."""
MAX_REPEATED_TWINS = 6
"""Maximum number of copies of tests that are run once more, each alone."""
_RUNS = {
    "canary": "the whole suite, with the change and a failure in each test file",
    **{f"canary-{number}": "the whole suite, with the change and a failure in one file" for number in range(MAX_FILES)},
    **{f"unreadable-{number}": "the whole suite, with one file that cannot be read" for number in range(MAX_FILES)},
    "probes": "tests of reknit beside what turned green, with the change",
    "base-probes": "tests of reknit beside what turned green, without the change",
    **{
        f"alone-{number}": "a test of reknit that must be red, run alone with the change"
        for number in range(MAX_REPEATED_TWINS)
    },
}
HARNESS_RUNS = {
    "base-harness": "the second harness, without the change",
    "harness": "the second harness, with the change",
}
"""Label -> description of a harness call; these runs are not saved."""
_MAX_WALL_S, _WALL_FACTOR = 300.0, 10
"""The time limit of a harness: the factor times the duration of the tests, at most the maximum."""
_MIN_WALL_S, _MIN_BUILT_WALL_S = 10.0, 60.0
"""Minimum time limits of a harness: one that only runs, and one that is compiled first."""


@dataclass(frozen=True)
class Names:
    """Random ordinary names for added code, which show nothing of a check. The same seed gives the same names."""

    seed: str

    def make_word(self, use: str) -> str:
        """Return a lower-case word of letters only, one for each use: `invoicewindowlabel`.

        It has three parts. With two, one program in twenty had the same word for two uses and could not be built.
        """
        rest, first = divmod(self._hash_use(use), len(_WORDS))
        rest, second = divmod(rest, len(_WORDS))
        return _WORDS[first] + _WORDS[second] + _WORDS[rest % len(_WORDS)]

    def make_title(self, use: str) -> str:
        """Return the word in the form of a class or an exported function: `Invoicewindowlabel`."""
        return self.make_word(use).title()

    @property
    def nonce(self) -> str:
        """Return the start of each line of results, so that no other output is taken for one."""
        return f"{self._hash_use('nonce'):064x}"[:32]

    @property
    def unbuilt_exit(self) -> int:
        """Return the exit code of a harness that could not be built; tested code cannot know it."""
        return 64 + self._hash_use("unbuilt") % 60

    def choose(self, use: str, count: int) -> int:
        """Return a number below `count`, which differs from run to run."""
        return self._hash_use(use) % count

    def _hash_use(self, use: str) -> int:
        return int.from_bytes(hashlib.sha256(f"{self.seed}/{use}".encode()).digest())


@dataclass(frozen=True)
class TargetTest:
    """A test that the fix turned green."""

    id: str
    """Id in the runner's reports, without the project's folder."""
    file: str
    """Path below the project's folder."""
    failure: str = ""
    """Message of its failure on base."""


@dataclass(frozen=True)
class Targets:
    """The tests to check, with the files that the checks read."""

    runner: str
    tests: tuple[TargetTest, ...]
    files: Mapping[str, str]
    """Path below the project's folder -> text: the targets' files, and the shared files around them."""
    tracked: tuple[str, ...] = ()
    """Every path of the tree below the project's folder."""


@dataclass(frozen=True)
class Probe:
    """A test of reknit beside the targets, run by their own runner."""

    id: str
    """Id that the runner will report."""
    must: Must
    target: str
    """Id of the test that it belongs to."""


@dataclass(frozen=True)
class Harness:
    """A program that calls the targets without their runner, under other names."""

    argv: tuple[str, ...]
    """`python` stands for the project's interpreter."""
    tests: tuple[str, ...]
    """Ids of the targets that the program calls."""
    stdin: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    """Path -> text, added to the tree."""
    hidden: tuple[str, ...] = ()
    """Paths removed from the tree."""
    env: tuple[tuple[str, str], ...] = ()
    unbuilt_exit: int | None = None
    """Exit code if it cannot be built; None: nothing is built."""


@dataclass(frozen=True)
class TamperChecks:
    """Everything that the checks add to the tree and run."""

    probes: tuple[Probe, ...] = ()
    probe_files: Mapping[str, str] = field(default_factory=dict)
    """Path -> text, added to the tree or replacing the file there."""
    harness: Harness | None = None
    why_not: Mapping[CheckName, str] = field(default_factory=dict)
    """Check -> the reason why it could not be made, as a clause: "no value is compared with `==`"."""


NO_TEXT = TamperChecks(why_not=dict.fromkeys(CHECKS, "the text of none of the tests was found"))


def explain_missing(probes: Sequence[Probe], why_no_harness: str) -> dict[CheckName, str]:
    """Return the reason for each check of the targets that could not be made. `why_no_harness`: empty if it was."""
    has_twins = any(probe.must == "differ" for probe in probes)
    reasons: dict[CheckName, str] = {
        "twins": "" if has_twins else "no value that a test expects is written in it",
        "second-harness": why_no_harness,
    }
    return {name: why for name, why in reasons.items() if why}


def choose_targets(tests: Sequence[str], requested: Collection[str], names: Names) -> tuple[str, ...]:
    """Return all tests if they are few, else an unpredictable choice that prefers the requested ones.

    `names`: those of the whole run, so that a change that was refused is checked with the same tests again.
    """
    if len(tests) <= MAX_TARGETS:
        return tuple(tests)
    shuffled = sorted(tests, key=lambda test: (test not in requested, names.choose(f"target {test}", 1 << 30)))
    return tuple(sorted(shuffled[:MAX_TARGETS]))


def build_targets(
    tests: Sequence[str], files: Mapping[str, str], failures: Mapping[str, str]
) -> tuple[TargetTest, ...]:
    """Return each test with its file and its failure on base."""
    return tuple(TargetTest(test, files.get(test) or test.partition("::")[0], failures.get(test, "")) for test in tests)


def compute_harness_wall_s(seconds: float, *, is_built: bool) -> float:
    """Return the time limit of the harness. `seconds`: duration of the tests; 0: not known."""
    return (
        min(_MAX_WALL_S, max(_WALL_FACTOR * seconds, _MIN_BUILT_WALL_S if is_built else _MIN_WALL_S))
        if seconds
        else _MAX_WALL_S
    )


def build_label(run: str, project: int) -> str:
    """Return the label under which a run of one project is saved."""
    return f"{run}-{project}"


LABELS = tuple(build_label(run, project) for project in range(MAX_PROJECTS) for run in _RUNS)
"""Labels of all runs that the checks may make."""


def describe_check_run(label: str) -> str:
    """Return the description of a run for people; empty if the label belongs to no check."""
    return _RUNS.get(label.rpartition("-")[0], "")
