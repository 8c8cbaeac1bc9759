"""Judges an acceptance criterion by how its command ended."""

from reknit.core.box import CommandResult
from reknit.core.planning.criteria import CommandCheck
from reknit.core.planning.criterion_facts import CriterionResult
from reknit.core.services.failure import ServiceFailure
from reknit.core.text.format import words

_STOPPED = {"wall": "took too long", "idle": "was silent for too long", "output": "printed too much"}
_NOT_STARTED = frozenset({125, 126, 127})
"""The box was not built, the program is not executable, the program was not found."""
_SHOWN = 160


def judge_command(check: CommandCheck, ended: CommandResult) -> CriterionResult:
    """What the machine lacks says nothing about the work."""
    if why := _why_no_result(ended):
        return CriterionResult("unverified", f"the command {why}")
    printed = ended.stdout.decode("utf-8", "replace")
    is_right = ended.exit_code != 0 if check.exit_code is None else ended.exit_code == check.exit_code
    if not is_right:
        said = words((ended.stderr.decode("utf-8", "replace").strip() or printed.strip())[-_SHOWN:])
        return CriterionResult("failed", f"exit code {ended.exit_code}" + (f": {said}" if said else ""))
    if check.prints and check.prints not in printed:
        return CriterionResult("failed", f"it did not print `{words(check.prints, _SHOWN)}`")
    return CriterionResult("passed", f"exit code {ended.exit_code}")


def _why_no_result(ended: CommandResult) -> str:
    if ended.reason != "exit":
        return _STOPPED[ended.reason]
    if isinstance(ended.services, ServiceFailure) or ended.services == "unknown":
        return "was not started: a service beside it was not ready"
    if ended.exit_code in _NOT_STARTED:
        return f"could not start (exit code {ended.exit_code})"
    return f"was killed by signal {-ended.exit_code}" if ended.exit_code < 0 else ""
