"""The two halves of a change: its test files, and everything else."""

from reknit.core.repository.change import Change
from reknit.core.repository.paths import is_test_file
from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.services import Services


def half_of_change(services: Services, spec: RunSpec, sides: tuple[str, str], *, at: float, keep_tests: bool) -> str:
    """The first of `sides` with one half of what the second changes: only its test files, or everything else.

    A test file that a person allowed to change is part of the fix: the old one is what was red.
    """
    base, after = sides
    repository = services.workspace(spec).repository
    change = repository.change(base, after)
    half = Change(tuple(file for file in change.files if _is_test(file.path, spec) == keep_tests))
    if not half.files:
        return base
    return repository.commit(base, half, "half of a change, for verification\n", at=at)


def _is_test(path: str, spec: RunSpec) -> bool:
    return is_test_file(path) and not spec.waivers.waiver_for("protected-test", path)
