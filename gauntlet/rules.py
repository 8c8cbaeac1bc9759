"""Asks only the gate's rules about a case: milliseconds, but none of its code runs."""

from gauntlet.case import Case, Files
from gauntlet.corpus import apply, files_of
from gauntlet.row import Row
from reknit.core.gate.judge import judge
from reknit.core.gate.scope import Scope
from reknit.core.repository.change import REGULAR, Change, FileChange
from reknit.core.repository.paths import is_test_file

MAX_FILES, MAX_LINES = 20, 1000


def ask_rules(case: Case) -> Row:
    before = files_of(case)
    scope = Scope(
        findings_files=tuple(sorted(path for path in before if is_test_file(path) and not path.endswith(".rs"))),
        project_root="",
        changed_files=MAX_FILES,
        changed_lines=MAX_LINES,
        runner=_RUNNERS[case.language],
    )
    verdicts = [judge(_change(before, apply(move, before)), scope) for move in case.moves]
    refused = sorted({refusal.rule for verdict in verdicts for refusal in verdict.refusals})
    advised = sorted({refusal.rule for verdict in verdicts for refusal in getattr(verdict, "advice", ())})
    return Row(
        id=case.id,
        kind=case.kind,
        language=case.language,
        group=case.group,
        mode="rules",
        is_fresh=case.is_fresh,
        rules=tuple(refused),
        advice=tuple(advised),
    )


_RUNNERS = {
    "python": "pytest", "javascript": "node", "typescript": "vitest", "go": "go", "rust": "cargo", "java": "maven",
}  # fmt: skip


def _change(before: Files, after: Files) -> Change:
    paths = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
    return Change(tuple(_file_change(path, before.get(path), after.get(path)) for path in paths))


def _file_change(path: str, before: bytes | None, after: bytes | None) -> FileChange:
    return FileChange(path, before, after, 0 if before is None else REGULAR, 0 if after is None else REGULAR)
