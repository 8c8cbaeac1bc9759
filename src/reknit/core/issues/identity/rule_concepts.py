"""Maps the rules of different tools to shared concepts, and finds the name in the code that a message is about."""

import re
from collections.abc import Mapping
from functools import lru_cache

_CONCEPT_ROWS = """
unused-import               ruff:F401 pylint:W0611 pyright:reportUnusedImport eslint:no-unused-imports
unused-variable             ruff:F841 pylint:W0612 pyright:reportUnusedVariable eslint:no-unused-vars
unused-variable             typescript:TS6133 codeql:unused-local-variable oxlint:no-unused-vars
unused-variable             biome:noUnusedVariables
unused-argument             ruff:ARG001 ruff:ARG002 ruff:ARG003 ruff:ARG004 ruff:ARG005 pylint:W0613
undefined-name              ruff:F821 pylint:E0602 pylint:undefined-variable pyright:reportUndefinedVariable
undefined-name              mypy:name-defined eslint:no-undef typescript:TS2304 biome:noUndeclaredVariables
used-before-assignment      ruff:F823 pylint:E0601 mypy:used-before-def pyright:reportUnboundVariable
possibly-undefined          pyright:reportPossiblyUnbound pylint:E0606 pylint:possibly-used-before-assignment
redefined-while-unused      ruff:F811 pylint:W0404 pylint:reimported mypy:no-redef pylint:E0102
redefined-while-unused      pylint:function-redefined
star-import                 ruff:F403 pylint:W0401 pylint:wildcard-import pyright:reportWildcardImportFromLibrary
missing-import              pylint:E0401 pylint:import-error mypy:import-not-found pyright:reportMissingImports
missing-import              typescript:TS2307 eslint:import/no-unresolved eslint:n/no-missing-import
missing-stubs               mypy:import-untyped pyright:reportMissingTypeStubs pyright:reportMissingModuleSource
missing-stubs               typescript:TS7016
missing-member              pylint:E1101 pylint:no-member mypy:attr-defined pyright:reportAttributeAccessIssue
missing-member              typescript:TS2339
member-of-none              mypy:union-attr pyright:reportOptionalMemberAccess typescript:TS2531 typescript:TS18047
argument-type               mypy:arg-type pyright:reportArgumentType typescript:TS2345
argument-count              mypy:call-arg pyright:reportCallIssue typescript:TS2554 pylint:E1120 pylint:E1121
argument-count              pylint:no-value-for-parameter pylint:too-many-function-args
assigned-type               mypy:assignment pyright:reportAssignmentType typescript:TS2322
returned-type               mypy:return-value pyright:reportReturnType
operand-type                mypy:operator pyright:reportOperatorIssue pylint:E1131
operand-type                pylint:unsupported-binary-operation
override-type               mypy:override pyright:reportIncompatibleMethodOverride pylint:W0221
override-type               pylint:arguments-differ
explicit-any                ruff:ANN401 mypy:explicit-any pyright:reportExplicitAny eslint:no-explicit-any
explicit-any                biome:noExplicitAny
bare-except                 ruff:E722 pylint:W0702
blind-except                ruff:BLE001 pylint:W0718 pylint:W0703 pylint:broad-except pylint:broad-exception-caught
swallowed-exception         ruff:S110 semgrep:try-except-pass
empty-block                 eslint:no-empty biome:noEmptyBlockStatements
raise-without-from          ruff:B904 pylint:W0707 pylint:raise-missing-from
mutable-argument-default    ruff:B006 pylint:W0102 pylint:dangerous-default-value semgrep:default-mutable-list
mutable-argument-default    semgrep:default-mutable-dict codeql:modification-of-default-value
loop-variable-in-closure    ruff:B023 pylint:W0640 pylint:cell-var-from-loop eslint:no-loop-func
singleton-comparison        ruff:E711 ruff:E712 pylint:C0121
is-with-literal             ruff:F632 pylint:R0123 pylint:literal-comparison
loose-equality              eslint:eqeqeq biome:noDoubleEquals oxlint:eqeqeq semgrep:eqeq-is-bad
type-comparison             ruff:E721 pylint:C0123 pylint:unidiomatic-typecheck
unreachable-code            pylint:W0101 pylint:unreachable pyright:reportUnreachable mypy:unreachable
unreachable-code            eslint:no-unreachable typescript:TS7027 codeql:unreachable-statement
useless-expression          ruff:B018 pylint:W0104 pylint:pointless-statement pyright:reportUnusedExpression
useless-expression          eslint:no-unused-expressions codeql:ineffectual-statement
line-too-long               ruff:E501 pylint:C0301 eslint:max-len
f-string-without-names      ruff:F541 pylint:W1309 pylint:f-string-without-interpolation
assert-on-tuple             ruff:F631 pylint:W0199 pylint:assert-on-tuple
eval-use                    ruff:S307 ruff:PGH001 pylint:W0123 pylint:eval-used semgrep:eval-detected eslint:no-eval
eval-use                    biome:noGlobalEval eslint:detect-eval-with-expression
exec-use                    ruff:S102 pylint:W0122 pylint:exec-used semgrep:exec-detected
hardcoded-password          ruff:S105 semgrep:hardcoded-password codeql:hardcoded-credentials
hardcoded-password          eslint:no-hardcoded-passwords
hardcoded-password-default  ruff:S107 semgrep:hardcoded-password-default-argument
subprocess-shell            ruff:S602 semgrep:subprocess-shell-true
subprocess-run-check        ruff:PLW1510 pylint:W1510
shell-injection             ruff:S605 semgrep:dangerous-system-call codeql:command-line-injection
sql-injection               ruff:S608 codeql:sql-injection semgrep:formatted-sql-query
sql-injection               semgrep:sqlalchemy-execute-raw-query
weak-hash                   ruff:S324 semgrep:insecure-hash-algorithm-md5 semgrep:insecure-hash-algorithm-sha1
weak-hash                   semgrep:insecure-hash-algorithms-md5 codeql:weak-sensitive-data-hashing
pickle-use                  ruff:S301 semgrep:avoid-pickle
unsafe-yaml-load            ruff:S506 semgrep:avoid-pyyaml-load
insecure-random             ruff:S311 codeql:insecure-randomness semgrep:insecure-random
request-without-timeout     ruff:S113 pylint:W3101 pylint:missing-timeout semgrep:use-timeout
no-certificate-check        ruff:S501 semgrep:disabled-cert-validation codeql:request-without-cert-validation
bind-all-interfaces         ruff:S104 semgrep:avoid-bind-to-all-interfaces codeql:bind-socket-all-network-interfaces
temp-file                   ruff:S108 semgrep:hardcoded-tmp-path
debug-on                    ruff:S201 semgrep:debug-enabled codeql:flask-debug
"""
"""A concept, then `tool:rule` for each tool that has it. Bandit and flake8 use ruff's names here."""

NAMING_CONCEPTS = frozenset({
    "unused-import", "unused-variable", "unused-argument", "undefined-name", "used-before-assignment",
    "possibly-undefined", "redefined-while-unused", "missing-import", "missing-stubs", "missing-member",
})  # fmt: skip
"""Concepts that one line can have several times, each for the name that its message mentions."""

REVIEWER = "reknit/"
"""Prefix of the tool name of a reviewer that is an agent, and so of its concepts."""
_SAME_RULES_AS_RUFF = frozenset({"flake8", "pyflakes", "pycodestyle", "pydocstyle", "pep8"})
_TOOL_ALIASES = {"tsc": "typescript", "ts": "typescript", "basedpyright": "pyright", "pylance": "pyright"}
_BARE_CODE = re.compile(r"[a-z]{0,8}-?\d*")
"""Form of rule codes without meaning: two tools may use one code for different rules."""
_BANDIT_CODE = re.compile(r"b([1-7]\d\d)")
_RUFF_PYLINT_CODE = re.compile(r"pl([cefirw]\d{4})")
_QUOTED = re.compile(
    # A quote before a letter is an apostrophe. The number of apostrophes is bounded to bound the search time.
    "|".join(rf"(?<![\w`'\"]){mark}(.(?:[^{mark}\n]++|{mark}(?=\w)){{0,20}}+){mark}(?!\w)" for mark in "`'\"")
)
_UNQUOTED_IMPORT = re.compile(r"Unused (?:import )?(?:\S+ imported as )?(\S+)")
_MEMBER = re.compile(r"""(?:attribute|property) ["'](\w+)|["'](\w+)["'] member""", re.IGNORECASE)


def _build_table() -> Mapping[tuple[str, str], str]:
    rows = (row.split() for row in _CONCEPT_ROWS.strip().splitlines())
    names = ((concept, name.lower().split(":", 1)) for concept, *names in rows for name in names)
    return {(tool, rule.rpartition("/")[2]): concept for concept, (tool, rule) in names}


_CONCEPTS = _build_table()
_CONCEPT_NAMES = frozenset(_CONCEPTS.values())
_KNOWN_TOOLS = frozenset(tool for tool, _ in _CONCEPTS)


@lru_cache(maxsize=65_536)
def find_concept(tool: str, rule: str) -> str:
    """Return the concept of a rule. A rule that is not in the table is its own concept, without its plugin's name.

    The concept of an agent's finding is the category: a person who ignores one problem of a line ignores no other.
    """
    if tool.startswith(REVIEWER):
        return f"{tool.strip().lower()}:{rule.strip().lower()}"
    owner, short = _find_owner(tool), _shorten_rule(rule)
    if owner == "bandit" and (numbered := _BANDIT_CODE.fullmatch(short)):
        owner, short = "ruff", (rule := f"s{numbered[1]}")
    name = _CONCEPTS.get((owner, short))
    if name:
        return name
    if owner == "ruff" and (numbered := _RUFF_PYLINT_CODE.fullmatch(short)):
        owner, short = "pylint", numbered[1]
        return _CONCEPTS.get((owner, short), f"{owner}:{short}")
    if short in _CONCEPT_NAMES:
        return short
    if _BARE_CODE.fullmatch(short):
        return f"{owner}:{rule.strip().lower()}"
    return short if "-" in short or "_" in short else f"{owner}:{short}"


def find_subject(concept: str, message: str) -> str:
    """Return the name that the message is about: `os` in "`os` imported but unused"; empty if none."""
    if concept not in NAMING_CONCEPTS:
        return ""
    if member := _MEMBER.search(message):
        return member[1] or member[2]
    if quoted := _QUOTED.search(message):
        return _get_last_name(quoted[quoted.lastindex or 0])
    unquoted = _UNQUOTED_IMPORT.match(message)
    return _get_last_name(unquoted[1]) if unquoted else ""


def _find_owner(tool: str) -> str:
    name = tool.strip().lower()
    first = name.partition(" ")[0]
    if first in _SAME_RULES_AS_RUFF:
        return "ruff"
    return _TOOL_ALIASES.get(first, first if first in _KNOWN_TOOLS else name)


def _shorten_rule(rule: str) -> str:
    """Return `exec-detected` for `a.b.exec-detected.exec-detected` and for `@plugin/exec-detected`."""
    return rule.strip().lower().rpartition("/")[2].rpartition(".")[2]


def _get_last_name(text: str) -> str:
    """Return the name that the code below uses: np for `numpy as np`, path for `os.path`."""
    return text.rstrip("()").rpartition(" ")[2].rpartition(".")[2]
