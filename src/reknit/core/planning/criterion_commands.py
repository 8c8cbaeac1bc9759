"""Judges an acceptance criterion by how its command ended."""

from reknit.core.box import CommandResult
from reknit.core.planning.criteria import CommandCheck
from reknit.core.planning.criterion_facts import CriterionResult
from reknit.core.services.failure import ServiceFailure
from reknit.core.text.format import words

_STOPPED = {"wall": "took too long", "idle": "was silent for too long", "output": "printed too much"}
_NOT_STARTED = frozenset({125, 126, 127})
"""The box was not built, the program is not executable, the program was not found."""
_KILLED = 137
"""As a shell or a box says it of signal 9."""
_MISSING = (": not found", ": command not found")
_WRONG = ("Syntax error", "syntax error", "unexpected EOF")
_SHOWN = 160


def judge_command(check: CommandCheck, ended: CommandResult) -> CriterionResult:
    """What the machine lacks says nothing about the work."""
    if why := _why_no_result(ended, check.exit_code):
        return CriterionResult("unverified", f"the command {why}")
    printed = ended.stdout.decode("utf-8", "replace")
    is_right = ended.exit_code != 0 if check.exit_code is None else ended.exit_code == check.exit_code
    if not is_right:
        said = words((ended.stderr.decode("utf-8", "replace").strip() or printed.strip())[-_SHOWN:])
        return CriterionResult("failed", f"exit code {ended.exit_code}" + (f": {said}" if said else ""))
    if check.prints and not _is_printed(check.prints, printed):
        return CriterionResult("failed", f"it did not print `{words(check.prints, _SHOWN)}`")
    return CriterionResult("passed", f"exit code {ended.exit_code}")


def _why_no_result(ended: CommandResult, wanted: int | None) -> str:
    if ended.reason != "exit":
        return _STOPPED[ended.reason]
    if isinstance(ended.services, ServiceFailure) or ended.services == "unknown":
        return "was not started: a service beside it was not ready"
    if ended.exit_code in _NOT_STARTED:
        return f"could not start (exit code {ended.exit_code})"
    if ended.exit_code < 0:
        return f"was killed by signal {-ended.exit_code}"
    if ended.exit_code == _KILLED != wanted:
        return f"was killed, which a lack of memory may do (exit code {_KILLED})"
    return _why_not_run(ended.stderr.decode("utf-8", "replace"))


def _why_not_run(stderr: str) -> str:
    """What only the shell's words tell: `! nosuch` and `test -z "$(nosuch)"` end with 0, and a quote without an end is
    no expected failure."""
    for line in stderr.splitlines():
        if "sh: " in line and line.endswith(_MISSING):
            return f"did not find a program: {words(line, _SHOWN)}"
        if line.startswith("sh: ") and any(word in line for word in _WRONG):
            return f"is not one that a shell can read: {words(line, _SHOWN)}"
    return ""


def _is_printed(wanted: str, printed: str) -> bool:
    """`0` is not printed by `10`, `0.5` or `-0`: a number is all of it."""
    at = printed.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        begins_inside = wanted[0].isdigit() and _is_before_more(printed[max(at - 2, 0) : at])
        ends_inside = wanted[-1].isdigit() and _is_more(printed[end : end + 2])
        if not begins_inside and not ends_inside:
            return True
        at = printed.find(wanted, at + 1)
    return False


def _is_before_more(two: str) -> bool:
    last, other = two[-1:], two[:-1]
    return last.isdigit() or (last in (".", ",") and other.isdigit()) or (last == "-" and not other.isalnum())


def _is_more(two: str) -> bool:
    return two[:1].isdigit() or (two[:1] in (".", ",") and two[1:].isdigit())
