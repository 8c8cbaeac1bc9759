"""Parses `/fix-test BUG PATH` and `/fix-pr` in a window, answers them, and checks that the named test exists."""

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from shlex import quote

from reknit.core.errors import ReknitError, UsageError
from reknit.core.hook.mode import Armed
from reknit.core.text.redact import escape_hidden

PULL_USAGE = "[N] [--max-iterations=1 to 100], or stop"
_NUMBER = re.compile(r"#?([1-9][0-9]{0,8})", re.ASCII)
_ITERATIONS = re.compile(r"--max-iterations=([1-9][0-9]?|100)", re.ASCII)


@dataclass(frozen=True)
class PullRequestPrompt:
    """The arguments of `/fix-pr`."""

    number: int | None = None
    """None: the pull request of the current branch."""
    max_iterations: int | None = None
    stop: bool = False


def parse_bug_and_test(typed: str) -> tuple[str, str]:
    """Return the bug and its test from the text after the command; a path with spaces is quoted as in a shell."""
    words = _split_words(typed)
    if len(words) != 2:
        message = f"{typed!r} is not a bug and its test" if typed else "no bug and no test are named"
        raise UsageError("usage", message, help="name both after the command: BUG-001 path/of/the/test")
    return words[0], words[1]


def parse_pull_request(typed: str) -> PullRequestPrompt:
    """Parse the text after `/fix-pr`."""
    words = typed.replace("--max-iterations ", "--max-iterations=").split()
    if words == ["stop"]:
        return PullRequestPrompt(stop=True)
    numbers = [match[1] for word in words if (match := _NUMBER.fullmatch(word))]
    iterations = [match[1] for word in words if (match := _ITERATIONS.fullmatch(word))]
    if len(numbers) + len(iterations) != len(words) or len(numbers) > 1 or len(iterations) > 1:
        message = f"{typed!r} cannot be used here"
        raise UsageError("usage", message, help=f"{PULL_USAGE}; `reknit fix pr` in a shell has more options")
    return PullRequestPrompt(_first_number(numbers), _first_number(iterations))


def _first_number(numbers: list[str]) -> int | None:
    return int(numbers[0]) if numbers else None


def _split_words(typed: str) -> list[str]:
    try:
        return shlex.split(typed)
    except ValueError:  # a quote that is not closed
        return []


def answer_armed(armed: Armed, event: str) -> dict[str, object]:
    """Return the answer in the agent's form: one text for the person, one for the model.

    `event`: the agent's name of its hook.
    """
    bug = armed.mode.bug
    person = "\n".join((f"reknit: {armed.sentence}", *armed.ended_sentences))
    sentences = " ".join((f"reknit armed {bug.bug_id} for this window.", *armed.ended_sentences))
    model = (
        f"{sentences} Fix the code so that {bug.test_path} passes. Whenever you stop, a program runs that test as it "
        "is now, on a copy of the working tree, and sends you back if it fails. A change that deletes, skips or "
        "rewrites the test is refused and uses up an attempt. Find the cause, change the code, then stop; do not say "
        "that it is fixed before the program has said SUCCESS."
    )
    return _to_answer(event, person, model)


def answer_started(message: str, event: str) -> dict[str, object]:
    """Return the answer to a started run. `message`: the news about the run."""
    model = (
        f"reknit: {message}\nThe work is done in the background, by other agents. Report this in a sentence and stop: "
        "change nothing, start nothing and do not wait. The person may close this window; whenever it stops, it is "
        "told what is new."
    )
    return _to_answer(event, f"reknit: {message}", model)


def answer_parked(message: str, event: str) -> dict[str, object]:
    """Return the answer to a stopped run. `message`: the news about the run."""
    model = f"reknit: {message}\nReport this in a sentence and stop: change nothing and start nothing."
    return _to_answer(event, f"reknit: {message}", model)


def answer_refused(problem: ReknitError, event: str) -> dict[str, object]:
    """Return the answer that stops the prompt, so that no model is asked for work that cannot be done."""
    reason = f"{problem.message}\n{problem.help}" if problem.help else problem.message
    return {"decision": "block", "reason": escape_hidden(reason), "hookSpecificOutput": {"hookEventName": event}}


def _to_answer(event: str, person: str, model: str) -> dict[str, object]:
    output = {"hookEventName": event, "additionalContext": escape_hidden(model)}
    return {"systemMessage": escape_hidden(person), "hookSpecificOutput": output}


_COMPUTED_NAMES = re.compile(r"import \*|\bglobals\(|\bsetattr\(|\bexec\(|\btype\(")
"""Signs of a file that may have tests whose names its text does not contain."""
_PLAIN_BASES = frozenset({"", "object", "TestCase", "IsolatedAsyncioTestCase"})
"""Base classes without tests to inherit."""
_WORD = re.compile(r"\w+")
_CLASS = re.compile(r"^[ \t]*class[ \t]+(\w+)[ \t]*\(([^)]{0,1000})\)", re.M)


def lacks_test(text: str, file: str, test: str) -> bool:
    """Return True if the file lacks the test; False if in doubt.

    `test`: the part after `::`, in a Python file as `Class::test_x[1]`.
    """
    names = [name.partition("[")[0] for name in test.split("::")]
    if not all(names):
        return True
    if not file.endswith(".py") or _COMPUTED_NAMES.search(text) or not all(map(str.isidentifier, names)):
        return False
    words = set(_WORD.findall(text))
    return names[0] not in words or (not words.issuperset(names) and not _may_inherit(text, names[0]))


def _may_inherit(text: str, name: str) -> bool:
    bases = [
        base.strip()
        for class_name, bases_text in _CLASS.findall(text)
        if class_name == name
        for base in bases_text.split(",")
    ]
    return any(base.split(".")[-1] not in _PLAIN_BASES for base in bases)


def is_test_package(names: Iterable[str]) -> bool:
    """Return True if a folder with these files can be named as a test, as in Go; other runners name tests by file."""
    return any(name.endswith("_test.go") for name in names)


def to_inner_repository_problem(test: str, root: str) -> UsageError:
    """Return the error for a test in another repository: a check sees only the files of one repository."""
    message = f"{test!r} is in a submodule or another repository, {root!r}: what changes there is not checked from here"
    return UsageError(
        "inner-repository", message, help=f"open the window in {quote(root)}, and name the test from there"
    )
