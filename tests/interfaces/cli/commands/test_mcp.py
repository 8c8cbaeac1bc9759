"""`reknit mcp` as an agent's client starts it: a process of its own, spoken to line by line."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.tools.command_line import CommandLine

FINDING = {"category": "tests", "severity": "warning", "file": "a.py", "line": 1, "issue": "none for the new branch"}
PASSED = {"verdict": "passed", "score": 96, "summary": "sound"}


@dataclass
class Client:
    server: subprocess.Popen[bytes]
    number: int = 0

    def send(self, message: dict[str, object]) -> None:
        assert self.server.stdin
        self.server.stdin.write(json.dumps(message).encode() + b"\n")
        self.server.stdin.flush()

    def ask(self, method: str, **params: object) -> Any:
        assert self.server.stdout
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        reply = json.loads(self.server.stdout.readline())
        assert reply["id"] == self.number
        return reply["result"]

    def call(self, tool: str, arguments: dict[str, object]) -> Any:
        return self.ask("tools/call", name=tool, arguments=arguments)

    def close(self) -> tuple[int, bytes, str]:
        """Exit code, what else was on stdout, and stderr."""
        out, err = self.server.communicate(timeout=30)
        return self.server.returncode, out, err.decode()


@contextmanager
def client(reknit: CommandLine, *arguments: str) -> Iterator[Client]:
    with subprocess.Popen(
        [sys.executable, "-m", "reknit", "mcp", *arguments],
        cwd=reknit.folder,
        env=reknit.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as server:
        try:
            yield Client(server)
        finally:
            server.kill()


def test_a_review_from_greeting_to_file(reknit: CommandLine, tmp_path: Path) -> None:
    with client(reknit, "--out", "review.json") as agent:
        assert agent.ask("initialize", protocolVersion="2025-06-18")["protocolVersion"] == "2025-06-18"
        agent.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        names = [tool["name"] for tool in agent.ask("tools/list")["tools"]]
        assert names == ["report_finding", "finish_review"]
        assert not (tmp_path / "review.json").exists()
        refused = agent.call("report_finding", {**FINDING, "line": "first"})
        assert refused["isError"] is True
        assert "line: expected an integer >= 0, got 'first'" in refused["content"][0]["text"]
        assert agent.call("report_finding", FINDING)["isError"] is False
        assert agent.call("finish_review", PASSED)["isError"] is False
        assert agent.close() == (0, b"", "review: passed, score 96, 1 finding(s), 0 blocking\n")
    kept = json.loads((tmp_path / "review.json").read_text())
    assert kept == {
        "schema": 1,
        "role": "review",
        "problem": "",
        "report": PASSED,
        "findings": [{**FINDING, "suggestion": "", "effort": 3, "title": FINDING["issue"], "files": 1}],
    }


def test_a_killed_server_has_kept_what_it_noted(reknit: CommandLine, tmp_path: Path) -> None:
    with client(reknit, "--out", "review.json") as agent:
        agent.call("report_finding", FINDING)
        agent.server.kill()
        agent.server.wait()
    kept = json.loads((tmp_path / "review.json").read_text())
    assert (kept["report"], kept["problem"]) == (None, "finish_review was never called")
    assert [found["issue"] for found in kept["findings"]] == ["none for the new branch"]


def test_a_client_that_only_looks_leaves_the_last_report(reknit: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "review.json").write_text("the last one")
    with client(reknit, "--out", "review.json") as agent:
        agent.ask("initialize")
        agent.ask("tools/list")
        assert agent.close() == (0, b"", "no review report: finish_review was never called\n")
    assert (tmp_path / "review.json").read_text() == "the last one"


def test_without_a_file_the_report_is_a_line_on_stderr(reknit: CommandLine) -> None:
    with client(reknit, "--role", "fix") as agent:
        agent.call("finish_fix", {"status": "gave_up", "summary": "no idea"})
        assert agent.close() == (0, b"", "fix: gave_up\n")


def test_a_file_that_cannot_be_is_said_at_once(reknit: CommandLine) -> None:
    with client(reknit, "--out", "nowhere/review.json") as agent:
        code, out, err = agent.close()
    assert (code, out, err.partition(":")[0]) == (2, b"", "error[out]")


@pytest.mark.parametrize("arguments", [("--role", "write"), ("--rolle", "fix")], ids=["a role", "an option"])
def test_what_is_not_there_is_a_usage_error(reknit: CommandLine, arguments: tuple[str, ...]) -> None:
    with client(reknit, *arguments) as agent:
        code, out, err = agent.close()
    assert (code, out, err.partition(":")[0]) == (2, b"", "error[usage]")


def test_a_person_who_types_it_is_told_what_it_waits_for(reknit: CommandLine) -> None:
    ours, theirs = os.openpty()
    os.write(ours, b"\x04")
    done = subprocess.run(
        [sys.executable, "-m", "reknit", "mcp"],
        env=reknit.environment,
        stdin=theirs,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    os.close(ours)
    os.close(theirs)
    first, last = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (0, "")
    assert first.startswith("waiting for an MCP client on stdin")
    assert last == "no review report: finish_review was never called"
