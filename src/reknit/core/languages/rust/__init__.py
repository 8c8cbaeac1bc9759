"""Describes Rust to shared code."""

from reknit.core.languages.language import Language
from reknit.core.languages.rust.runners import find, parse_command

LANGUAGE = Language(
    "rust",
    runners=("cargo",),
    manifests=("Cargo.toml",),
    find_commands=lambda files, _recognise: find(files),
    parse_command=parse_command,
    endings=(".rs",),
    report_readers="reknit.core.languages.rust.reports:READERS",
    weakened_tests="reknit.core.languages.rust.tests:find_weakened_tests",
    tamper_checks="reknit.core.languages.rust.tamper_checks.make:make",
    likely_runner="cargo",
    failing_copies="reknit.core.languages.rust.tamper_checks.make:FAILING_COPIES",
)
