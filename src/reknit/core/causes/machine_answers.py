"""What a test itself asks the machine and gets no answer to, or another one: programs, variables, its time zone."""

import re

from reknit.core.causes.cause import Cause, environment
from reknit.core.causes.programs import program_cause
from reknit.core.causes.reading import Reading
from reknit.core.causes.surroundings import variable_cause
from reknit.core.causes.test_lines import TestLines
from reknit.core.causes.tree_facts import TreeFacts

_QUESTION = re.compile(
    r"\bwhich\(['\"](?P<program>[\w.+-]{1,60})['\"]\)"
    r"|(?:[gG]etenv|environ\.get|env::var)\(['\"](?P<variable>\w{1,60})['\"]\)|process\.env\.(?P<key>[A-Z]\w{1,60})"
)
_NO_ANSWER = re.compile(r"NoneType|\bNone\b|\bundefined\b|\bnull\b|NotPresent")
_VARIABLE = re.compile(r"\s{0,40}(?:const |let |var |String )?(\w{1,60})(?:: ?[^=\n]{1,60})? ?:?= ")
_CHECK = re.compile(r"\s{0,40}(?:assert(?:!\()? ?|self\.assert\w{2,20}\(|expect\()(?:not )?\(?")
_OF_MACHINE = re.compile(
    r"(?P<zone>time\.(?:tzname|timezone|altzone|daylight)\b)"
    r"|(?:locale\.get\w{3,30}\(\)|os\.(?:cpu_count|getuid|geteuid|getlogin|uname|hostname|platform|cpus)\(\)"
    r"|platform\.\w{2,30}\(\)|sys\.(?:platform|version_info)|socket\.gethostname\(\)|getpass\.getuser\(\)"
    r"|process\.(?:platform|version|arch)\b)"
)
_CALL = re.compile(r"\w\([^)]")


def missing_answer(reading: Reading, facts: TreeFacts, lines: TestLines) -> Cause | None:
    """Only if no product code ran in between: its answer would be the code's."""
    if not lines.is_last:
        return None
    if reading.is_assertion and (cause := _other_machine(lines)):
        return cause
    asked = [*lines.before, lines.statement] if _NO_ANSWER.search(reading.words) else []
    for index, line in enumerate(asked):
        match = _QUESTION.search(line)
        if not match or lines.acts_before(index) or not _is_used(match, line, lines, is_check=reading.is_assertion):
            continue
        name = match["variable"] or match["key"]
        return variable_cause(name, reading, facts) if name else program_cause(match["program"], facts)
    return None


def _is_used(question: re.Match[str], line: str, lines: TestLines, *, is_check: bool) -> bool:
    """Tell whether the statement fails for the answer: a failed comparison must begin with it."""
    name = _VARIABLE.match(line)
    words = question[0] if line == lines.statement else name[1] if name else ""
    if not is_check:
        return bool(words) and words in lines.statement
    return bool(words) and _CHECK.sub("", lines.statement).removeprefix("os.").removeprefix("shutil.").startswith(words)


def _other_machine(lines: TestLines) -> Cause | None:
    compared = _CHECK.sub("", lines.statement)
    match = _OF_MACHINE.match(compared)
    if not match or lines.acts_before(len(lines.before)) or _CALL.search(compared):
        return None
    if match["zone"]:
        remedy = "set it in the test command, as in `TZ=Europe/Berlin pytest` (checks.tests.run)"
        return environment("time-zone", "the test asks for another time zone than this machine has", remedy)
    sentence = f"the test asks for another machine than this one ({match[0]})"
    return environment("machine", sentence, "run it where that holds, or leave it out of checks.tests.run")
