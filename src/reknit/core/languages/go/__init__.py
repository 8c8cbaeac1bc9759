"""Describes Go to shared code."""

from reknit.core.languages.go.runners import find, parse_command
from reknit.core.languages.language import Language

LANGUAGE = Language(
    "go",
    runners=("go",),
    manifests=("go.mod",),
    find_commands=lambda files, _recognise: find(files),
    parse_command=parse_command,
    endings=(".go",),
    report_readers="reknit.core.languages.go.reports:READERS",
    test_readers="reknit.core.languages.go.tests:READERS",
    tamper_checks="reknit.core.languages.go.tamper_checks.make:make",
    likely_runner="go",
    failing_copies="reknit.core.languages.go.tamper_checks.make:FAILING_COPIES",
)
