"""`reknit serve`: a webhook wakes the run that waits for it, and nothing else can."""

import contextlib
import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reknit.store.database import open_store
from reknit.store.issues.ledger import SqlIssueLedger
from tests.tools.command_line import Answer, CommandLine, until
from tests.tools.github import GitHub
from tests.tools.patience import scale
from tests.tools.pull_scene import BRANCH, PASSED, SLUG, PullScene, changed
from tests.tools.resolved_issues import resolve, statuses

SECRET = "s3cret"
Here = Callable[..., Answer]


@contextlib.contextmanager
def serving(command: CommandLine) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process, and where it takes webhooks."""
    child = CommandLine(command.folder, {**command.more, "REKNIT_WEBHOOK_SECRET": SECRET}).start(
        "serve", "--port", "0", cwd=command.folder
    )
    assert child.stderr is not None
    told = re.search(r"listening for webhooks at (\S+); ctrl-c stops it", line := child.stderr.readline())
    assert told, line + child.stderr.read()
    try:
        yield child, told[1]
    finally:
        child.kill()
        child.communicate()


def test_without_a_secret_it_does_not_begin(here: Here, tmp_path: Path) -> None:
    answer = here("serve", cwd=tmp_path)
    assert answer.exit_code == 2
    assert answer.err.startswith("error[webhook-secret]: REKNIT_WEBHOOK_SECRET is not set")


@pytest.mark.parametrize("package", ["starlette", "uvicorn"])
def test_without_its_packages_it_names_the_command_that_installs_them(reknit: CommandLine, package: str) -> None:
    code = f"import sys; sys.modules[{package!r}] = None; from reknit.interfaces.cli.main import main; main()"
    environment = {**reknit.environment, "REKNIT_WEBHOOK_SECRET": SECRET}
    done = subprocess.run(
        [sys.executable, "-c", code, "serve"], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.splitlines()) == (
        3,
        [
            f"error[serve-packages]: the server needs `{package}`, which is not installed",
            "  help: pip install 'reknit[serve]'",
        ],
    )


@pytest.mark.parametrize("host", ["127.0.0.1", "nowhere.invalid"])
def test_an_address_that_is_not_to_be_had_is_the_users_to_mend(tmp_path: Path, host: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        answer = CommandLine(tmp_path, {"REKNIT_WEBHOOK_SECRET": SECRET}).run("serve", "--host", host, "--port", port)
    assert answer.exit_code == 2
    assert answer.err.startswith(f"error[address]: cannot listen on {host}:{port}: ")


def test_prometheus_reads_sums_over_all_runs(here: Here, reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story({})
    here("fix", "tests", cwd=shop)
    child = reknit.start("serve", "--port", "0", "--metrics", cwd=reknit.folder)
    assert child.stderr is not None
    told = re.search(r"metrics for Prometheus are at (\S+),", child.stderr.readline())
    try:
        assert told
        with urllib.request.urlopen(told[1], timeout=30) as answer:
            kind, text = answer.headers["content-type"], answer.read().decode()
    finally:
        child.kill()
        child.communicate()
    assert kind.startswith("text/plain; version=0.0.4")
    assert 'ending="DEFERRED"' in text
    assert "shop" not in text


def test_ctrl_c_ends_it_quietly(reknit: CommandLine) -> None:
    with serving(reknit) as (child, _):
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=30)
    assert (child.returncode, out, err) == (0, "", "")


def test_a_run_that_waits_for_ci_goes_on_when_the_webhook_comes(tmp_path: Path) -> None:
    """It would wait an hour; what comes twice, out of order or without news does no harm."""
    with GitHub(tmp_path / "hub") as hub:
        whole = changed(test=False, lint=False)
        settings = {"ci": {"wait_s": 3600}}
        scene = PullScene(tmp_path, hub, reviews=(PASSED,), settings=settings, answers=False, changes=whole)
        head = hub.head(SLUG, BRANCH)
        for name in ("lint", "build"):
            hub.check(SLUG, head, name)
        run = scene.command.start("fix", "pr", "--format", "json", cwd=scene.clone)
        with contextlib.ExitStack() as closing:
            closing.callback(run.kill)
            server, url = closing.enter_context(serving(scene.command))
            run_id = until(run, "waiting")["run"]
            hub.hooks.append((url, SECRET))
            hub.faults.webhook_twice = hub.faults.webhook_reordered = 9
            hub.faults.late_s = 0.1
            hub.label(SLUG, scene.number, "no news")
            hub.wait_for_deliveries()
            for name in ("lint", "build"):
                hub.check(SLUG, head, name, "success")
            out, err = run.communicate(timeout=scale(120))
            hub.wait_for_deliveries()
            server.send_signal(signal.SIGINT)
            told = server.communicate(timeout=30)[1].splitlines()
        assert json.loads(out.splitlines()[-1])["ending"] == "CLEAN", err
        assert {delivery.status for delivery in hub.deliveries} == {202}
        assert [line for line in told if not line.endswith(f" for {run_id}")] == []
        assert len(hub.comments(SLUG, scene.number)) == 1
        assert hub.violations == []


def test_issues_are_merged_when_the_webhook_comes(tmp_path: Path) -> None:
    """By GitHub's own word: what somebody else signs is refused, and what comes twice is noted once."""
    with GitHub(tmp_path / "hub") as hub, contextlib.ExitStack() as closing:
        hub.make_repository(SLUG, {"a.py": "import os\n"})
        commit = hub.commit(SLUG, "reknit/r-1", {"a.py": ""})
        number = hub.open_pull(SLUG, head="reknit/r-1")
        command = CommandLine(tmp_path, {"GH_TOKEN": hub.token})
        command.configure(forge={"api": hub.url})
        (tmp_path / "state").mkdir()
        database = open_store(f"sqlite:///{tmp_path}/state/reknit.sqlite")
        closing.callback(database.dispose)
        ledger = SqlIssueLedger(database)
        ids = resolve(ledger, f"{hub.url.removeprefix('http://')}/{SLUG}", commit, 1, 2)
        server, url = closing.enter_context(serving(command))
        hub.hooks[:] = [(url, "another"), (url, SECRET)]
        hub.faults.webhook_twice = 9
        hub.merge(SLUG, number, "squash")
        assert server.stderr is not None
        lines = [server.stderr.readline() for _ in range(3)]
        hub.wait_for_deliveries()
        server.send_signal(signal.SIGINT)
        rest = server.communicate(timeout=30)[1]
        refused = "refused a request from 127.0.0.1: 401, not signed with the secret of this server\n"
        assert sorted(lines) == [f"merged: {', '.join(f'I-{issue}' for issue in ids)}\n", refused, refused]
        assert rest == ""
        assert [delivery.status for delivery in hub.deliveries] == [401, 401, 202, 202]
        assert statuses(ledger, ids) == [("MERGED", f"{hub.url}/{SLUG}/pull/{number}")] * 2
        assert [len(ledger.history(issue)) for issue in ids] == [4, 4]
        assert hub.violations == []
