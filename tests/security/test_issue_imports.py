"""Reports of tools that are made to mislead: paths out of the tree, control characters, secrets, bombs, pipes."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.tools.command_line import Answer, CommandLine

pytestmark = pytest.mark.security

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\u202e\x9b\u200b]")
SECRET = "sk-ant-" + "a" * 40
TEXT = f"m\x1b]0;x\x07\u202e {SECRET}"
PATHS = (
    "../../../etc/passwd", "/etc/passwd", "file:///etc/passwd", "file://evil/etc/passwd", "..%2f..%2fetc/passwd",
    "leak", "pipe", ".git/config", "a.py\0b", "a.py\nb", "C:\\Windows\\x", "http://evil/x", "a.py", "-rf", "./a.py",
    "//etc/passwd", "a.py/../../etc/passwd",
)  # fmt: skip


def place(uri: str, line: int = 1, **more: Any) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": {"uri": uri, **more}, "region": {"startLine": line}}}


def result(uri: str, line: int = 1, rule: str = "R'; DROP TABLE issues;--", **more: Any) -> dict[str, Any]:
    return {"ruleId": rule, "message": {"text": TEXT}, "locations": [place(uri, line, **more)]}


def sarif(results: list[dict[str, Any]], **more: Any) -> str:
    driver = {"name": "evil\u202e\x1b[31m"}
    return json.dumps({"version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results, **more}]})


LOOP = {"R": {"uri": "a/", "uriBaseId": "S"}, "S": {"uri": "b/", "uriBaseId": "R"}}
REPORTS = {
    "paths": sarif([result(path) for path in PATHS]),
    "lines": sarif([result("a.py", line) for line in (10**18, -1, 2**63)]),
    "depth": '{"version":"2.1.0","runs":[{"results":' + "[" * 200_000 + "]" * 200_000 + "}]}",
    "many rules": sarif([result("a.py", rule=f"r{number}") for number in range(20_000)]),
    "a base outside": sarif([result("etc/passwd", uriBaseId="R")], originalUriBaseIds={"R": {"uri": "file:///"}}),
    "bases in a circle": sarif([result("p", uriBaseId="R")], originalUriBaseIds=LOOP),
    "not JSON": "\0\1",
    "not a number": '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"results":[{"rank":NaN}]}]}',
    "a key twice": '{"version":"2.1.0","runs":[],"runs":[{"tool":{"driver":{"name":"x"}},"results":[]}]}',
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    (folder / "a.py").write_text("x = 1\n")
    who = ["-c", "user.name=x", "-c", "user.email=x@example.com"]
    for words in (["init", "-q"], ["add", "-A"], [*who, "commit", "-qm", "base"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    (folder / "leak").symlink_to("/etc/passwd")
    os.mkfifo(folder / "pipe")
    return folder


def harm(answer: Answer) -> Iterator[str]:
    text = answer.out + answer.err
    yield from {repr(letter) for letter in CONTROLS.findall(text)}
    for words in (SECRET, "root:x", "Traceback"):
        if words in text:
            yield words
    if answer.exit_code not in (0, 1, 2):
        yield f"exit code {answer.exit_code}"


@pytest.mark.timeout(600)
def test_hostile_reports_do_no_harm(reknit: CommandLine, repository: Path, tmp_path: Path) -> None:
    told = {}
    for name, text in REPORTS.items():
        (tmp_path / "in.sarif").write_text(text)
        told[name] = reknit.run("issues", "import", str(tmp_path / "in.sarif"), cwd=repository)
    for words in (("list",), ("list", "--format", "json"), ("export",)):
        told[" ".join(words)] = reknit.run("issues", *words, cwd=repository)
    assert {name: found for name, answer in told.items() if (found := list(harm(answer)))} == {}


def test_control_the_reports_hold_what_would_harm() -> None:
    held = Answer(0, "".join(json.loads(REPORTS["paths"])["runs"][0]["results"][0]["message"]["text"]), "")
    assert SECRET in set(harm(held))
    assert "'\\x1b'" in set(harm(held))


@pytest.mark.parametrize("name", ["pipe", "/dev/zero", "."])
def test_what_is_no_report_is_refused_at_once(reknit: CommandLine, repository: Path, name: str) -> None:
    answer = reknit.run("issues", "import", name, cwd=repository)
    assert list(harm(answer)) == []
    assert answer.exit_code == 2
