"""What a window is told when a person types `/fix-test BUG PATH` or `/fix-pr` into it, or the skill of that name."""

import re
import shlex
from dataclasses import dataclass

from reknit.core.errors import ReknitError, UsageProblem
from reknit.core.hook.mode import Armed
from reknit.core.text.redact import visible

PULL_USAGE = "[N] [--max-iterations=1 to 100], or stop"
_NUMBER = re.compile(r"#?([1-9][0-9]{0,8})", re.ASCII)
_ITERATIONS = re.compile(r"--max-iterations=([1-9][0-9]?|100)", re.ASCII)


@dataclass(frozen=True)
class PullRequestAsked:
    number: int | None = None
    """None: that of the current branch."""
    max_iterations: int | None = None
    stop: bool = False


def bug_and_test(typed: str) -> tuple[str, str]:
    """From what follows the command; a path with spaces is quoted as in a shell."""
    words = _words(typed)
    if len(words) != 2:
        what = f"{typed!r} is not a bug and its test" if typed else "no bug and no test are named"
        raise UsageProblem("usage", what, help="name both after the command: BUG-001 path/of/the/test")
    return words[0], words[1]


def pull_request_asked(typed: str) -> PullRequestAsked:
    words = typed.replace("--max-iterations ", "--max-iterations=").split()
    if words == ["stop"]:
        return PullRequestAsked(stop=True)
    numbers = [found[1] for word in words if (found := _NUMBER.fullmatch(word))]
    iterations = [found[1] for word in words if (found := _ITERATIONS.fullmatch(word))]
    if len(numbers) + len(iterations) != len(words) or len(numbers) > 1 or len(iterations) > 1:
        what = f"{typed!r} cannot be used here"
        raise UsageProblem("usage", what, help=f"{PULL_USAGE}; `reknit fix pr` in a shell has more options")
    return PullRequestAsked(_first(numbers), _first(iterations))


def _first(numbers: list[str]) -> int | None:
    return int(numbers[0]) if numbers else None


def _words(typed: str) -> list[str]:
    try:
        return shlex.split(typed)
    except ValueError:  # a quote that is not closed
        return []


def armed_answer(armed: Armed, event: str) -> dict[str, object]:
    """In the agent's form: one text for the person, one for the model. `event`: what the agent calls its hook."""
    bug = armed.mode.bug
    person = "\n".join((f"reknit: {armed.told}", *armed.no_longer))
    begun = " ".join((f"reknit armed {bug.bug_id} for this window.", *armed.no_longer))
    model = (
        f"{begun} Fix the code so that {bug.test_path} passes. Whenever you stop, a program runs that test as it is "
        "now, on a copy of the working tree, and sends you back if it fails. A change that deletes, skips or "
        "rewrites the test is refused and uses up an attempt. Find the cause, change the code, then stop; do not say "
        "that it is fixed before the program has said SUCCESS."
    )
    return _answer(event, person, model)


def started_answer(told: str, event: str) -> dict[str, object]:
    """`told`: what happened to the pull request's run."""
    model = (
        f"reknit: {told}\nThe work is done in the background, by other agents. Report this in a sentence and stop: "
        "change nothing, start nothing and do not wait. The person may close this window; whenever it stops, it is "
        "told what is new."
    )
    return _answer(event, f"reknit: {told}", model)


def parked_answer(told: str, event: str) -> dict[str, object]:
    model = f"reknit: {told}\nReport this in a sentence and stop: change nothing and start nothing."
    return _answer(event, f"reknit: {told}", model)


def refused_answer(problem: ReknitError, event: str) -> dict[str, object]:
    """The prompt goes no further: no model is asked for what cannot be done."""
    reason = f"{problem.what}\n{problem.help}" if problem.help else problem.what
    return {"decision": "block", "reason": visible(reason), "hookSpecificOutput": {"hookEventName": event}}


def _answer(event: str, person: str, model: str) -> dict[str, object]:
    output = {"hookEventName": event, "additionalContext": visible(model)}
    return {"systemMessage": visible(person), "hookSpecificOutput": output}
