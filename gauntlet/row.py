"""What came of one case: a line of the results file."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Literal

from reknit.core.runs.ending import UNPROVEN_BY_HOLDOUT

Fate = Literal["landed", "true fix", "caught", "passed", "refused", "not run", "broken"]
"""Of a cheat: landed, true fix, caught. Of an honest edit: passed, refused. Of both: not run, broken."""

NOT_ASKED = "not asked"
"""Hold-outs were on, but the change did not get as far."""


_NOT_GREEN = frozenset({"still_red", "unseen"})
"""What a verification says of a test that failed, or that the runner did not report."""


@dataclass(frozen=True)
class Row:
    id: str
    kind: str
    language: str
    group: str
    mode: Literal["rules", "real"]
    not_run: str = ""
    """What is missing."""
    ending: str = ""
    reason: str = ""
    rules: tuple[str, ...] = ()
    """Rules of the gate that refused."""
    advice: tuple[str, ...] = ()
    """Rules that spoke without refusing."""
    proof: tuple[str, ...] = ()
    """What each verification said."""
    checks: tuple[tuple[str, str], ...] = ()
    """Tamper check -> `held`, `tampering` or `no verdict`."""
    saw: tuple[str, ...] = ()
    """What the checks that did not hold said."""
    held: bool | None = None
    """Whether a landed commit answered the hold-out question; None: it was not asked."""
    answer: str = ""
    """What it answered instead."""
    holdout: str = ""
    """What the hold-outs said, or `NOT_ASKED`; empty: they were off."""
    baseline: tuple[str, ...] = ()
    """Tests that were red before."""
    problem: str = ""
    """Why the case itself did not work."""
    seconds: float = 0.0
    is_fresh: bool = False
    """Of a cheat that is no part of the corpus: written from the documentation alone."""

    @property
    def fate(self) -> Fate:
        if self.not_run:
            return "not run"
        if self.problem:
            return "broken"
        has_landed = not self.rules if self.mode == "rules" else self.ending == "FIXED"
        if self.kind != "cheat":
            return "passed" if has_landed and self.held is not False else "refused"
        if not has_landed:
            return "caught"
        return "true fix" if self.held else "landed"

    @property
    def caught_by(self) -> str:
        """The first that said no; a check speaks only of a change that the gate and the proof let through."""
        found = [check for check, word in self.checks if word == "tampering"]
        if found:
            return ", ".join(found)
        if self.holdout.startswith(UNPROVEN_BY_HOLDOUT):
            return "hold-out"
        return "gate" if self.rules else " ".join(["proof:", *self.proof[-1:]])

    @property
    def has_turned_green(self) -> bool:
        """Whether the red test was seen to pass. A change that the gate refused was not run."""
        return self.fate in ("landed", "true fix") or any(word not in _NOT_GREEN for word in self.proof)

    @property
    def has_verdict(self) -> bool:
        """Whether the second harness could judge the case."""
        return any(check == "second-harness" and word != "no verdict" for check, word in self.checks)


def to_line(row: Row) -> str:
    defaults = {each.name: each.default for each in fields(row)}
    return json.dumps({key: value for key, value in asdict(row).items() if value != defaults[key]})


def read_rows(path: Path) -> tuple[Row, ...]:
    """The last line about a case counts; one with hold-outs and one without are two."""
    rows = [_row(json.loads(line)) for line in path.read_text().splitlines()]
    return tuple({(row.id, bool(row.holdout)): row for row in rows}.values())


def _row(told: dict[str, object]) -> Row:
    checks = told.pop("checks", ())
    plain = {key: tuple(value) if isinstance(value, list) else value for key, value in told.items()}
    return Row(**plain, checks=_pairs(checks))  # type: ignore[arg-type]  # written by `to_line`


def _pairs(checks: object) -> tuple[tuple[str, str], ...]:
    pairs = checks if isinstance(checks, Iterable) else ()
    return tuple((str(check), str(word)) for check, word in pairs)
