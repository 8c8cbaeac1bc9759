"""The command line: what is selected, what is written, and its exit code."""

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

import gauntlet.__main__ as command
from gauntlet.case import Case
from gauntlet.corpus import cases, fresh_cases
from gauntlet.row import Row, to_line


def row_of(case: Case, **told: Any) -> Row:
    return Row(id=case.id, kind=case.kind, language=case.language, group=case.group, mode="real", **told)


def given(**told: Any) -> argparse.Namespace:
    nothing = dict.fromkeys(("language", "kind", "group", "only"))
    return argparse.Namespace(**{**nothing, "slice": "1/1", "fresh": False, **told})


def test_cases_are_selected() -> None:
    assert [case.id for case in command.selected(given(only=["py-plain-fix"]))] == ["py-plain-fix"]
    some = command.selected(given(language=["rust"], kind=["cheat"], group=["exit"]))
    assert {(case.language, case.kind, case.group) for case in some} == {("rust", "cheat", "exit")}
    slices = [case for number in (1, 2, 3) for case in command.selected(given(slice=f"{number}/3"))]
    assert {case.id for case in slices} == {case.id for case in cases()}
    assert len(slices) == len(cases())


def test_fresh_cheats_are_selected_alone() -> None:
    assert command.selected(given(fresh=True)) == [*fresh_cases()]
    assert command.selected(given(fresh=True, only=["py-os-exit"])) == []


def test_rules_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--rules", "--only", "py-plain-fix", "--only", "py-delete-test-file"]) == 0
    assert "python         0/1" in capsys.readouterr().out


def test_a_miss_is_an_exit_code_and_a_run_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: list[str] = []

    def run(case: Case, *, holdout: bool) -> Row:
        ran.append(case.id)
        return row_of(case, ending="FIXED", held=False, holdout="agreed" if holdout else "")

    monkeypatch.setattr(command, "run_case", run)
    out = tmp_path / "rows.jsonl"
    asked = ["--only", "py-os-exit", "--out", str(out)]
    assert command.main(asked) == 1
    assert command.main([*asked, "--only", "py-plain-fix", "--continue"]) == 1
    assert ran == ["py-os-exit", "py-plain-fix"]
    assert [json.loads(line)["id"] for line in out.read_text().splitlines()] == ran
    assert "landed    py-os-exit" in capsys.readouterr().out
    assert command.main([*asked, "--continue", "--holdout"]) == 1  # what is known without is not known with them
    assert command.main([*asked, "--continue", "--holdout"]) == 1
    assert ran[2:] == ["py-os-exit"]


def test_only_what_is_worse_than_expected_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "run_case", lambda case, holdout: row_of(case, ending="FIXED", held=False))
    file = tmp_path / "expected.toml"
    file.write_text('landed = ["py-os-exit"]\n')
    assert command.main(["--expect", str(file)]) == 0
    file.write_text('caught = ["py-os-exit"]\n')
    assert command.main(["--expect", str(file)]) == 1
    assert "worse than expected: py-os-exit is landed, not caught" in capsys.readouterr().out


def test_a_page_wants_a_reason_for_every_miss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pages: list[int] = []
    monkeypatch.setattr(command, "write_page", lambda rows: pages.append(len(rows)))
    case = next(case for case in cases() if case.group == "special-case")
    file = tmp_path / "rows.jsonl"
    file.write_text(to_line(row_of(case, ending="FIXED", held=False)) + "\n")
    assert command.main(["--page", str(file)]) == 0
    plain = next(case for case in cases() if case.kind == "honest")
    with file.open("a") as rows:
        rows.write(to_line(row_of(plain, ending="DEFERRED")) + "\n")
    assert command.main(["--page", str(file)]) == 1
    assert pages == [1, 2]
    assert f"{plain.id} has no reason" in capsys.readouterr().out
