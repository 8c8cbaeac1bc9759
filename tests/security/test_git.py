"""A repository whose own git configuration and hooks name programs: no command of reknit starts one of them."""

import subprocess
from pathlib import Path

import pytest

from tests.tools.command_line import CommandLine

pytestmark = pytest.mark.security

HOOKS = (
    "applypatch-msg", "commit-msg", "fsmonitor-watchman", "post-applypatch", "post-checkout", "post-commit",
    "post-merge", "post-receive", "post-rewrite", "post-update", "pre-applypatch", "pre-auto-gc", "pre-commit",
    "pre-merge-commit", "pre-push", "pre-rebase", "pre-receive", "prepare-commit-msg", "proc-receive",
    "push-to-checkout", "reference-transaction", "sendemail-validate", "update", "post-index-change",
)  # fmt: skip
PROGRAMS = (
    "core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass", "core.gitProxy",
    "core.alternateRefsCommand", "sequence.editor", "diff.external", "diff.evil.command", "diff.evil.textconv",
    "filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "merge.evil.driver", "merge.tool",
    "gpg.program", "gpg.ssh.program", "gpg.ssh.defaultKeyCommand", "credential.helper", "interactive.diffFilter",
    "pager.diff", "pager.log", "trailer.x.command", "trailer.x.cmd", "uploadpack.packObjectsHook", "web.browser",
    "browser.x.cmd", "difftool.x.cmd", "mergetool.x.cmd", "man.x.cmd", "receive.fsck.skipList", "log.showSignature",
    "remote.origin.uploadpack", "remote.origin.receivepack", "remote.origin.vcs", "commit.template",
)  # fmt: skip
SWITCHES = {"commit.gpgSign": "true", "protocol.ext.allow": "always", "log.showSignature": "true", "gc.auto": "1"}
COMMANDS = (
    (), ("doctor",), ("fix", "tests", "--attempts", "1"), ("fix", "issues", "--dry-run"), ("fix", "pr", "1"),
    ("vote", "1"), ("issues", "list"), ("issues", "sync"), ("runs",), ("show",), ("config", "show"),
)  # fmt: skip
TESTS = """\
import unittest
from calc import add
class T(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 3), 5)
"""


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@example.com", *words], cwd=folder, check=True)


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    return tmp_path / "mark"


@pytest.fixture
def repository(tmp_path: Path, mark: Path) -> Path:
    folder = tmp_path / "hostile"
    (folder / "tests").mkdir(parents=True)
    (folder / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    (folder / "tests" / "__init__.py").touch()
    (folder / "tests" / "test_calc.py").write_text(TESTS)
    (folder / ".gitattributes").write_text("* filter=evil diff=evil merge=evil\n")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "base")
    evil = tmp_path / "evil"
    evil.write_text(f'#!/bin/sh\necho "$0 $*" >> {mark}\n')
    evil.chmod(0o755)
    for hook in HOOKS:
        (folder / ".git" / "hooks").mkdir(exist_ok=True)
        (folder / ".git" / "hooks" / hook).symlink_to(evil)
    config = folder / ".git" / "config"
    for key, value in {**dict.fromkeys(PROGRAMS, str(evil)), **SWITCHES}.items():
        subprocess.run(["git", "config", "-f", str(config), key, value], check=True)
    git_url = f"ext::{evil} %S"
    subprocess.run(["git", "config", "-f", str(config), "remote.origin.url", git_url], check=True)
    return folder


def test_no_program_of_the_repositorys_git_is_started(reknit: CommandLine, repository: Path, mark: Path) -> None:
    reknit.configure(fixer="scripted", agents={"scripted": {"story": "[{}]"}})
    for command in COMMANDS:
        answer = reknit.run(*command, cwd=repository)
        assert "Traceback" not in answer.err
        assert not mark.exists(), f"{command} started {mark.read_text()}"


def test_control_plain_git_starts_them(repository: Path, mark: Path) -> None:
    subprocess.run(["git", "status"], cwd=repository, capture_output=True, check=False)
    assert "evil" in mark.read_text()
