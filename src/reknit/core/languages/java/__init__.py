"""Describes Java to shared code."""

from reknit.core.languages.java.runners import find, parse_command
from reknit.core.languages.language import Language

LANGUAGE = Language(
    "java",
    runners=("maven", "gradle"),
    manifests=("pom.xml", "build.gradle", "build.gradle.kts"),
    find_commands=lambda files, _recognise: find(files),
    parse_command=parse_command,
    endings=(".java",),
    test_readers="reknit.core.languages.java.tests:READERS",
    tamper_checks="reknit.core.languages.java.tamper_checks.make:make",
    failing_copies="reknit.core.languages.java.tamper_checks.make:FAILING_COPIES",
)
