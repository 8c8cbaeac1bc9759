"""Makes the table that says why a fix may be believed: each test before, after, and without the change."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reknit.core.capability import StoredRun
from reknit.core.run_page.diff import shorten
from reknit.core.runs.view import AttemptView
from reknit.core.text.format import pluralize

MAX_TESTS = 40


@dataclass(frozen=True)
class ProofRow:
    """One line of the table. An empty cell was not asked."""

    name: str
    before: str = ""
    after: str = ""
    without: str = ""
    is_test: bool = False


def build_proof(stored: StoredRun) -> tuple[ProofRow, ...]:
    """Return the rows for the fixes that landed."""
    landed = _list_landed(stored)
    tests = _list_proven_tests(landed)
    rows = [ProofRow(shorten(test), "failed", "passed", "failed again", is_test=True) for test in tests[:MAX_TESTS]]
    if len(tests) > MAX_TESTS:
        rows.append(ProofRow(pluralize(len(tests) - MAX_TESTS, "more test"), "failed", "passed", "failed again"))
    passed = max((_read_count(attempt) for attempt in landed), default=0) - len(tests)
    if passed > 0:
        rows.append(ProofRow(pluralize(passed, "other test"), after="passed"))
    rows += _build_check_rows(landed)
    rules = [shorten(str(receipt.get("gate", ""))) for receipt in stored.receipts]
    return (*rows, *(ProofRow(f"rules of the gate: {text}", after="accepted") for text in dict.fromkeys(rules)))


def summarize_proof(stored: StoredRun) -> str:
    """Return one sentence about the tests; empty if no test proves the fix."""
    count = len(_list_proven_tests(_list_landed(stored)))
    if not count:
        return ""
    if count == 1:
        return "1 test failed. It passes now, and without this change it fails again."
    return f"{count} tests failed. They pass now, and without this change they fail again."


def _list_landed(stored: StoredRun) -> list[AttemptView]:
    numbers = {receipt.get("attempt") for receipt in stored.receipts}
    return [attempt for attempt in stored.attempts if attempt.number in numbers]


def _list_proven_tests(attempts: Sequence[AttemptView]) -> list[str]:
    """Return the tests that failed before, pass now, and failed again without the change."""
    proofs = [attempt.proof or {} for attempt in attempts]
    fixed = [proof.get("fixed") for proof in proofs if proof.get("word") == "proven"]
    return list(dict.fromkeys(str(test) for tests in fixed if isinstance(tests, list) for test in tests))


def _build_check_rows(attempts: Sequence[AttemptView]) -> list[ProofRow]:
    rows: dict[str, ProofRow] = {}
    for attempt in attempts:
        checks = (attempt.proof or {}).get("checks")
        for check in checks if isinstance(checks, list) else ():
            if isinstance(check, Mapping) and check.get("word") != "no verdict":
                name = shorten(f"{check.get('check')}: {check.get('sentence')}")
                rows[name] = ProofRow(name, after=shorten(str(check.get("word"))))
    return list(rows.values())


def _read_count(attempt: AttemptView) -> int:
    count = (attempt.proof or {}).get("passed")
    return count if isinstance(count, int) else 0
