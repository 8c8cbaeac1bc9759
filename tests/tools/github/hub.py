"""The stand-in itself: its servers, started and ended, and who gets which request."""

import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from tests.tools.github.acts import Acts
from tests.tools.github.api import Api
from tests.tools.github.bare import MissingError
from tests.tools.github.faults import Faults
from tests.tools.github.git_http import GitHttp, is_git
from tests.tools.github.oauth import OAuth
from tests.tools.github.tokens import App, token_in
from tests.tools.github.web import Answer, Request, TcpServer, UnixServer
from tests.tools.github.webhooks import Delivery
from tests.tools.github.world import Call, Robot, World

_MAX_SOCKET_PATH_BYTES = 107


class GitHub(Acts):
    """`with GitHub(folder) as hub:`; what it can be made to do is in `Acts`."""

    def __init__(self, folder: Path | str) -> None:
        self._world = World(Path(folder).absolute())
        self._api, self._git = Api(self._world), GitHttp(self._world)
        self.oauth = OAuth(self._world.tokens)
        self._unix: UnixServer | None = None
        self._socket_folder = ""
        self.token = self._world.tokens.give("dev")
        """Of the user `dev`."""
        self._tcp = TcpServer(self._answer)
        self._world.url = f"http://127.0.0.1:{self._tcp.port}"

    def __enter__(self) -> "GitHub":
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        if self._world.closing.is_set():
            return
        self._world.closing.set()
        self._tcp.end()
        if self._unix is not None:
            self._unix.end()
            Path(self.socket).unlink(missing_ok=True)
        if self._socket_folder:
            shutil.rmtree(self._socket_folder)
        self._world.webhooks.close()

    @property
    def url(self) -> str:
        return self._world.url

    @property
    def socket(self) -> str:
        """A unix socket that answers as `url` does, for the real `gh`."""
        if self._unix is None:
            path = str(self._world.root / "gh.sock")
            if len(path) > _MAX_SOCKET_PATH_BYTES:
                self._socket_folder = tempfile.mkdtemp(prefix="gh")
                path = f"{self._socket_folder}/s"
            self._world.root.mkdir(parents=True, exist_ok=True)
            self._unix = UnixServer(self._answer, path)
        return str(self._unix.server_address)

    @property
    def faults(self) -> Faults:
        return self._world.faults

    @property
    def app(self) -> App:
        return self._world.tokens.app

    @property
    def calls(self) -> list[Call]:
        return self._world.calls

    @property
    def violations(self) -> list[str]:
        """What it answered against GitHub's description, or was asked for and does not serve. Must stay empty."""
        return self._world.violations

    @property
    def hooks(self) -> list[tuple[str, str | bytes]]:
        """(address, secret) of those who get webhooks."""
        return self._world.webhooks.hooks

    @property
    def deliveries(self) -> list[Delivery]:
        return self._world.webhooks.delivered

    def wait_for_deliveries(self) -> None:
        self._world.webhooks.wait()

    @property
    def on_push(self) -> Robot | None:
        """The CI of a test: told slug, branch and commit of each push over HTTP and of each commit a fault made."""
        return self._world.on_push

    @on_push.setter
    def on_push(self, robot: Robot | None) -> None:
        self._world.on_push = robot

    @property
    def on_rerun(self) -> Callable[[str, str, str, int], None] | None:
        """Told slug, commit, name and id of each check that somebody has run again."""
        return self._world.on_rerun

    @on_rerun.setter
    def on_rerun(self, robot: Callable[[str, str, str, int], None] | None) -> None:
        self._world.on_rerun = robot

    def _answer(self, request: Request) -> Answer:
        token, at = token_in(request.headers.get("authorization", "")), time.time()
        if self.faults.take("slow"):
            self._world.closing.wait(self.faults.slow_s)
        if is_git(request.path):
            answer = self._git.answer(request)
        elif self.oauth.serves(request.path):
            answer = self.oauth.answer(request)
        elif request.path.startswith("/logs/"):
            answer = self._log_file(request)
        else:
            answer = self._api.answer(request)
        self.calls.append(Call(request.method, request.path, answer.status, at, token, request.query))
        return answer

    def _log_file(self, request: Request) -> Answer:
        """Where a redirect leads; like GitHub's storage it refuses whoever brings a token along."""
        if "authorization" in request.headers:
            return Answer(400, b"InvalidAuthenticationInfo")
        owner, name, number = request.path.removeprefix("/logs/").split("/")
        try:
            check = self._world.repository(f"{owner}/{name}").check(int(number))
        except MissingError:
            return Answer(404)
        return Answer(200, check.log.encode(), {"content-type": "text/plain; charset=utf-8"})
