"""Describes JavaScript and TypeScript to shared code."""

from reknit.core.languages.javascript.project import find
from reknit.core.languages.javascript.runners import parse_command
from reknit.core.languages.language import Language

LANGUAGE = Language(
    "javascript",
    runners=("vitest", "jest", "mocha", "node", "playwright", "npm"),
    manifests=("package.json",),
    find_commands=find,
    parse_command=parse_command,
    endings=(".js", ".cjs", ".mjs", ".jsx", ".cjsx", ".mjsx", ".ts", ".cts", ".mts", ".tsx", ".ctsx", ".mtsx"),
    report_readers="reknit.core.languages.javascript.reports:READERS",
    test_readers="reknit.core.languages.javascript.tests:READERS",
    cause_rules="reknit.core.languages.javascript.causes:RULES",
    tamper_checks="reknit.core.languages.javascript.tamper_checks.make:make",
    likely_runner="node",
    failing_copies="reknit.core.languages.javascript.tamper_checks.make:FAILING_COPIES",
)
