"""What a window is told when a person types `/fix-test BUG PATH` into it, or the skill of that name."""

import shlex

from reknit.core.bug_state import BugState
from reknit.core.errors import ReknitError, UsageProblem


def bug_and_test(typed: str) -> tuple[str, str]:
    """From what follows the command; a path with spaces is quoted as in a shell."""
    try:
        words = shlex.split(typed)
    except ValueError:  # a quote that is not closed
        words = []
    if len(words) != 2:
        what = f"{typed!r} is not a bug and its test" if typed else "no bug and no test are named"
        raise UsageProblem("usage", what, help="name both after the command: BUG-001 path/of/the/test")
    return words[0], words[1]


def armed_answer(bug: BugState, event: str) -> dict[str, object]:
    """In the agent's form: one text for the person, one for the model. `event`: what the agent calls its hook."""
    person = f"reknit: {bug.bug_id} is armed: {bug.test_path}, at most {bug.max_attempts} attempts"
    model = (
        f"reknit armed {bug.bug_id} for this window. Fix the code so that {bug.test_path} passes. Whenever you stop, a "
        "program runs that test as it is now, on a copy of the working tree, and sends you back if it fails. A change "
        "that deletes, skips or rewrites the test is refused and uses up an attempt. Find the cause, change the code, "
        "then stop; do not say that it is fixed before the program has said SUCCESS."
    )
    return _answer(event, person, model)


def refused_answer(problem: ReknitError, event: str) -> dict[str, object]:
    told = f"nothing is armed: {problem.what}" + (f"; {problem.help}" if problem.help else "")
    model = f"reknit: {told}. Tell this to the person and stop; change nothing, since nothing would check it."
    return _answer(event, f"reknit: {told}", model)


def _answer(event: str, person: str, model: str) -> dict[str, object]:
    return {"systemMessage": person, "hookSpecificOutput": {"hookEventName": event, "additionalContext": model}}
