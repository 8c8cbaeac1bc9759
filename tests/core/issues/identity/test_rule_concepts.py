"""One name for a rule that several tools have."""

import pytest

from reknit.core.issues.identity.rule_concepts import NAMING_CONCEPTS, find_concept, find_subject


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("unused-import", "ruff:F401 flake8:F401 pylint:W0611 pylint:unused-import pyright:reportUnusedImport"),
        ("unused-import", "CodeQL:py/unused-import eslint:unused-imports/no-unused-imports ruff:unused-import"),
        ("unused-variable", "ruff:F841 pylint:W0612 eslint:no-unused-vars eslint:@typescript-eslint/no-unused-vars"),
        ("unused-variable", "tsc:TS6133 pyflakes:F841"),
        ("undefined-name", "ruff:F821 pylint:undefined-variable mypy:name-defined ESLint:no-undef typescript:TS2304"),
        ("missing-import", "mypy:import-not-found pyright:reportMissingImports basedpyright:reportMissingImports"),
        ("argument-type", "mypy:arg-type pyright:reportArgumentType typescript:TS2345"),
        ("bare-except", "ruff:E722 flake8:E722 pylint:W0702 pylint:bare-except"),
        ("mutable-argument-default", "ruff:B006 pylint:dangerous-default-value"),
        ("singleton-comparison", "ruff:E711 ruff:E712 pylint:singleton-comparison"),
        ("eval-use", "ruff:S307 bandit:B307 ruff:PLW0123 pylint:eval-used eslint:no-eval"),
        ("eval-use", "Semgrep OSS:python.lang.security.audit.eval-detected.eval-detected"),
        ("exec-use", "bandit:B102 semgrep:python.lang.security.audit.exec-detected.exec-detected"),
        ("hardcoded-password", "ruff:S105 bandit:B105"),
        ("subprocess-shell", "ruff:S602 bandit:B602 semgrep:x.subprocess-shell-true.subprocess-shell-true"),
        ("sql-injection", "ruff:S608 bandit:B608 CodeQL:py/sql-injection"),
    ],
)  # fmt: skip
def test_rules_of_several_tools_are_one(name: str, rules: str) -> None:
    told = [entry.rsplit(":", 1) for entry in rules.replace("Semgrep OSS", "Semgrep_OSS").split()]
    assert {find_concept(tool.replace("_", " "), rule) for tool, rule in told} == {name}


@pytest.mark.parametrize(
    ("tool", "rule", "name"),
    [
        pytest.param("semgrep", "a.b.some-rule.some-rule", "some-rule", id="without-a-repeated-path"),
        pytest.param("eslint", "react-hooks/exhaustive-deps", "exhaustive-deps", id="without-a-plugin"),
        pytest.param("trivy", "CVE-2021-44228", "cve-2021-44228", id="a-public-number-is-everybodys"),
        pytest.param("sonar", "S101", "sonar:s101", id="a-code-belongs-to-its-tool"),
        pytest.param("ruff", "S101", "ruff:s101", id="and-is-not-another-tools"),
        pytest.param("bandit", "B101", "ruff:s101", id="bandit-has-the-numbers-of-ruff"),
        pytest.param("bandit", "blacklist", "bandit:blacklist", id="a-name-of-bandit"),
        pytest.param("flake8", "B950", "ruff:b950", id="bugbear-is-not-bandit"),
        pytest.param("ruff", "PLR2004", "pylint:r2004", id="ruff-has-rules-of-pylint"),
        pytest.param("pylint", "R2004", "pylint:r2004", id="and-pylint-too"),
        pytest.param("mypy", "misc", "mypy:misc", id="a-word-that-says-little"),
        pytest.param("x", "rules.v1", "x:rules.v1", id="a-code-keeps-its-path"),
        pytest.param("Checkstyle", "com.x.LineLengthCheck", "checkstyle:linelengthcheck", id="one-long-word"),
        pytest.param("tool", "", "tool:", id="no-rule"),
    ],
)
def test_any_other_rule_keeps_its_own_name(tool: str, rule: str, name: str) -> None:
    assert find_concept(tool, rule) == name


@pytest.mark.parametrize(
    ("name", "message", "about"),
    [
        ("unused-import", "`os` imported but unused", "os"),
        ("unused-import", "'numpy as np' imported but unused", "np"),
        ("unused-import", "`os.path` imported but unused", "path"),
        ("unused-import", "Unused import os", "os"),
        ("unused-import", "Unused numpy imported as np", "np"),
        ("unused-import", "Unused path imported from os", "path"),
        ("unused-import", 'Import "sys" is not accessed', "sys"),
        ("unused-variable", "'x' is assigned a value but never used.", "x"),
        ("undefined-name", 'Name "foo" is not defined', "foo"),
        ("missing-member", '"str" has no attribute "foo"', "foo"),
        ("missing-member", "Instance of 'str' has no 'foo' member", "foo"),
        ("missing-member", "Property 'foo' does not exist on type 'Bar'.", "foo"),
        ("undefined-name", "something is not defined", ""),
        ("bare-except", "Do not use bare `except`", ""),
    ],
)
def test_what_a_message_is_about(name: str, message: str, about: str) -> None:
    assert find_subject(name, message) == about


def test_only_shared_names_name_something() -> None:
    assert all("-" in name and ":" not in name for name in NAMING_CONCEPTS)
