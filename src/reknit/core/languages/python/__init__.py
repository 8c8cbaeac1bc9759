"""Describes Python to shared code."""

from reknit.core.languages.language import Language
from reknit.core.languages.python.runners import READ, find_commands, parse_command

LANGUAGE = Language(
    "python",
    runners=("pytest", "unittest", "django"),
    manifests=("pyproject.toml", "setup.py", "setup.cfg"),
    find_commands=lambda files, _recognise: find_commands(files),
    parse_command=parse_command,
    settings=READ,
    endings=(".py",),
    test_readers="reknit.core.languages.python.tests:READERS",
    cause_rules="reknit.core.languages.python.causes:RULES",
    tamper_checks="reknit.core.languages.python.tamper_checks.make:make",
    likely_runner="pytest",
    failing_copies="reknit.core.languages.python.tamper_checks.make:FAILING_COPIES",
)
