"""A pull request with one red test and one open thread, a forge with faults, and a worker that dies at one moment."""

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reknit.app.webhook_receiver import WebhookReceiver
from reknit.interfaces.web.server import create_server
from reknit.interfaces.web.webhooks import PATH, make_webhook_routes
from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader
from tests.crash.quick_tests import QUICK_TESTS
from tests.crash.stage import Stage
from tests.crash.workers import Launch
from tests.interfaces.web.listening import in_thread
from tests.tools import pull_play
from tests.tools.github import GitHub
from tests.tools.pull_scene import BRANCH, FIX_TEST, PASSED, RIGHT, SLUG, SOURCE, PullScene, changed, shop_files
from tests.tools.repository_print import fingerprint

SECRET = "hook"
KILLED = -9
MAX_CI_S = 7.0
"""For a run that does not wait for it. On a busy machine the others need seconds to come that far."""
QUICK: dict[str, Any] = {"ci_wait_s": 0.1, "ci_watch_s": 0.4, "ci_grace_s": 2.0, "ci_patience_s": 8.0}


@dataclass(frozen=True)
class Outcome:
    """What is left on the forge and in the database, as far as it must hold whatever happened."""

    faults: tuple[str, ...]
    killed_at: str
    """Empty: the run was over before that moment."""
    ending: str
    reason: str
    repaired: bool
    pushed: tuple[str, ...]
    """Subjects of the run's commits on the branch."""
    comments: int
    replies: int
    lost: tuple[str, ...]
    """Commits of people that are no longer in the branch, though nobody of them took them out."""
    untouched: bool
    violations: tuple[str, ...]
    log: str

    @property
    def wrongs(self) -> list[str]:
        told = {
            f"ended {self.ending}: {self.reason}": self.ending in ("", "FAILED"),
            "called clean and is not repaired": self.ending == "CLEAN" and not self.repaired,
            f"pushed twice: {self.pushed}": len(set(self.pushed)) != len(self.pushed),
            f"{self.comments} comments": self.comments > 1,
            f"{self.replies} replies in one thread": self.replies > 1,
            f"lost {self.lost}": bool(self.lost),
            "the clone was touched": not self.untouched,
            f"violations {self.violations}": bool(self.violations),
        }
        return [wrong for wrong, holds in told.items() if holds]


class FaultScene(Stage):
    def __init__(
        self, folder: Path, faults: Sequence[str], launch: Sequence[Launch], database: str = "", *,
        longest_ci_s: float = MAX_CI_S, plan: bool = True,
    ) -> None:  # fmt: skip
        """`plan`: here; otherwise its first worker does it."""
        self.faults, self._longest_ci_s = tuple(faults), longest_ci_s
        self.hub = GitHub(folder / "hub")
        self._builds: list[threading.Thread] = []
        self._closing = threading.Event()
        self._people: list[str] = []
        fork = "dev" if "fork_deleted" in faults else ""
        changes = {SOURCE: changed(lint=False)[SOURCE]}
        files = {**shop_files(), **QUICK_TESTS}
        self.scene = PullScene(
            folder, self.hub, [FIX_TEST], [PASSED], changes=changes, answers=False, fork=fork, files=files,
            database=database,
        )  # fmt: skip
        super().__init__(folder, {**self.scene.command.environment, "TRACE_FILE": str(folder / "trace")}, launch)
        self.hub.on_push = self._pushed
        self._pushed(self.scene.head_slug, BRANCH, self.hub.head(self.scene.head_slug, BRANCH))
        line = self.hub.read(self.scene.head_slug, BRANCH, SOURCE).splitlines().index("    return price - percent") + 1
        self.hub.thread(SLUG, self.scene.number, author="ann", file=SOURCE, line=line, text="a share, please")
        if plan:
            self.plan(pull_play.plan(self.scene, self.scene.number, **QUICK))
        self._before = fingerprint(self.scene.clone)

    def play(self, die_at: int | None) -> Outcome:
        """The run with its faults, killed at that trace and carried on by another worker."""
        with self._webhooks():
            for name in self.faults:
                self.hub.faults.switch(name)
            code = self.start(die_at)
            killed_at = self.traces()[-1] if code == KILLED else ""
            if code == KILLED:
                code = self.replace()
            assert code == 0, self.log()
            return self.outcome(killed_at)

    def close(self) -> None:
        self._closing.set()
        for build in self._builds:
            build.join()
        self.hub.close()

    def _pushed(self, slug: str, branch: str, sha: str) -> None:
        """CI begins at once, and is done when the run has begun to wait for it."""
        if "Reknit-Run" not in self.hub.log(slug, branch)[0][1]:
            self._people.append(sha)
        self.hub.check(SLUG, sha, "build")
        ci = threading.Thread(target=self._build, args=(sha,))
        ci.start()
        self._builds.append(ci)

    def _build(self, sha: str) -> None:
        trace, deadline, pause = self.folder / "trace", time.monotonic() + self._longest_ci_s, threading.Event()
        while time.monotonic() < deadline and not self._closing.is_set():
            if trace.exists() and "wait_ci.v1 after" in trace.read_text():
                break
            pause.wait(0.03)
        if not self._closing.is_set():
            self.hub.check(SLUG, sha, "build", "success")

    @contextmanager
    def _webhooks(self) -> Iterator[None]:
        if not any(name.startswith("webhook") for name in self.faults):
            yield
            return
        receiver = WebhookReceiver(self.installation, SECRET, lambda _: None)
        routes = make_webhook_routes(receiver, lambda _: None)
        with in_thread(create_server("127.0.0.1", 0, routes, lambda _: None)) as server:
            self.hub.hooks.append((f"http://127.0.0.1:{server.port}{PATH}", SECRET))
            try:
                yield
            finally:
                self.hub.hooks.clear()
                self.hub.wait_for_deliveries()

    def outcome(self, killed_at: str = "") -> Outcome:
        database = open_store(self.installation.database)
        run = RunReader(database).run(self.spec.run_id)
        database.dispose()
        gone = "fork_deleted" in self.faults and self.scene.head_slug not in self.hub.slugs()
        log = [] if gone else self.hub.log(self.scene.head_slug, BRANCH)
        shas = {sha for sha, _, _ in log}
        # A person who rewrites the branch takes out what was there; only the last such state must be kept.
        kept = self._people[-1:] if "force_pushed" in self.faults else self._people
        said = [text for thread in self.hub.threads(SLUG, self.scene.number) for _, text in thread["said"]]
        return Outcome(
            faults=self.faults,
            killed_at=killed_at,
            ending=run.ending or "",
            reason=run.reason,
            repaired=not gone and RIGHT in self.hub.read(self.scene.head_slug, BRANCH, SOURCE),
            pushed=tuple(message.partition("\n")[0] for _, message, _ in log if self.spec.run_id in message),
            comments=sum("<!-- reknit:" in comment["body"] for comment in self.hub.comments(SLUG, self.scene.number)),
            replies=sum("reknit" in text for text in said),
            lost=() if gone else tuple(sha for sha in kept if sha not in shas),
            untouched=fingerprint(self.scene.clone) == self._before,
            violations=tuple(self.hub.violations),
            log=self.log() if os.environ.get("SHOW_LOG") else "",
        )
