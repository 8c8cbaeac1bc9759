"""Report files are read whole, or not at all."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reknit.adapters.bounded.calls import ChildCalls
from reknit.app.installation import Installation
from reknit.app.issues import import_reports
from reknit.app.issues.import_reports import read_reports
from reknit.app.issues.results_by_file import ResultsByFile, WorkingTree
from reknit.core.errors import UsageError
from tests.tools.command_line import CommandLine
from tests.tools.plot import make_plot, ruff
from tests.tools.report_taking import issues, sarif, taken


@pytest.fixture
def plot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return make_plot(tmp_path)


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    return Installation(tmp_path / "state", f"sqlite:///{tmp_path}/state/reknit.sqlite", {})


def test_a_report_that_breaks_leaves_nothing_behind(installation: Installation, plot: Path) -> None:
    broken = plot.parent / "broken.sarif"
    broken.write_text('{"version": "2.1.0", "runs": [{"tool": {"driver"')
    with pytest.raises(UsageError) as caught:
        taken(installation, plot, ruff(plot), broken)
    assert (caught.value.name, caught.value.where) == ("report", str(broken))
    assert issues(installation, plot) == []


@pytest.mark.parametrize(
    ("data", "named"),
    [
        pytest.param(b"", "", id="an empty file"),
        pytest.param(b"hello\n", "", id="no report"),
        pytest.param(b"[]", "sarif", id="not what it is said to be"),
        pytest.param(b"[]", "no-such-format", id="a format nobody knows"),
    ],
)
def test_what_cannot_be_read_is_no_clean_report(
    installation: Installation, plot: Path, data: bytes, named: str
) -> None:
    file = plot.parent / "report"
    file.write_bytes(data)
    with pytest.raises(UsageError) as caught:
        taken(installation, plot, file, format_name=named)
    assert (caught.value.name, caught.value.exit_code) == ("report", 2)


def test_a_report_may_come_on_stdin(reknit: CommandLine, plot: Path) -> None:
    argv = [sys.executable, "-m", "reknit", "issues", "import", "-"]
    done = subprocess.run(
        argv, input=ruff(plot).read_text(), cwd=plot, env=reknit.environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[0] == "stdin: 4 results from ruff: 4 new, 0 known"


def test_a_report_may_come_through_a_pipe(reknit: CommandLine, plot: Path) -> None:
    command = f"{sys.executable} -m reknit issues import <(cat {ruff(plot)})"
    done = subprocess.run(
        ["bash", "-c", command], cwd=plot, env=reknit.environment, capture_output=True, text=True, check=True
    )
    assert ": 4 results from ruff: 4 new, 0 known\n" in done.stdout


@pytest.fixture
def calls() -> Iterator[ChildCalls]:
    with closing(ChildCalls()) as made:
        yield made


def pile(root: Path) -> ResultsByFile:
    return ResultsByFile(WorkingTree(str(root)), str(root))


def test_several_files_are_told_one_by_one_and_who_did_not_finish(tmp_path: Path, calls: ChildCalls) -> None:
    root = tmp_path / "plot"
    whole, partly = sarif(root, [("R1", "a.py", 1), ("R2", "b.py", 2)]), sarif(root, [("R3", "a.py", 3)], tool="lazy")
    log = json.loads(partly.read_text())
    log["runs"][0]["invocations"] = [{"executionSuccessful": False}]
    partly.write_text(json.dumps(log))
    reads, unfinished = read_reports([str(whole), str(partly)], "", pile(root), calls)
    assert [(read.name, read.tools, read.results) for read in reads] == [
        (str(whole), ("tidy",), 2),
        (str(partly), ("lazy",), 1),
    ]
    assert unfinished == {("lazy",): "lazy did not finish successfully"}


def test_a_folder_or_a_pipe_by_name_is_no_report(tmp_path: Path, calls: ChildCalls) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(UsageError) as caught:
            read_reports([str(name)], "", pile(tmp_path), calls)
        assert caught.value.name == "report"


def test_more_than_is_read_is_refused(tmp_path: Path, calls: ChildCalls, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_reports, "MAX_REPORT_BYTES", 1_000_000)
    (tmp_path / "big").write_bytes(b" " * 1_000_001)
    with (tmp_path / "big").open("rb") as opened:
        for name in (str(tmp_path / "big"), f"/dev/fd/{opened.fileno()}"):
            with pytest.raises(UsageError, match="1 MB"):
                read_reports([name], "", pile(tmp_path), calls)
