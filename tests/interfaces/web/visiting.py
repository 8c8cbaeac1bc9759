"""The dashboard in this process, runs that it shows, and a person with a browser's headers."""

import contextlib
import http.client
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlencode

from reknit.app.dashboard import Dashboard
from reknit.app.installation import Installation
from reknit.core.dashboard.values import AuditEntry
from reknit.core.runs.ending import Ending
from reknit.core.runs.event import Event
from reknit.interfaces.web.access import Access, LocalAccess
from reknit.interfaces.web.limits import RequestLimits
from reknit.interfaces.web.pages import make_pages
from reknit.interfaces.web.server import WebServer, bind
from reknit.store.runs.ledger import SqlRunLedger
from tests.interfaces.web.listening import in_thread
from tests.tools.recorded_runs import make_place, open_ledger, spec

AT_WORK, BLOCKED, PARKED = "r-0000000a", "r-0000000b", "r-0000000c"
HOSTILE = "<script>alert(1)</script>"


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    text: str


@dataclass
class Person:
    """Keeps a cookie, as a browser does."""

    port: int
    cookie: str = ""
    login_cookie: str = ""
    host: str = ""
    more: dict[str, str] = field(default_factory=dict)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(self, method: str, path: str, body: str = "", **headers: str) -> Answer:
        sent = {"Host": self.host or f"127.0.0.1:{self.port}", **self.more, **headers}
        cookies = {"reknit_session": self.cookie, "reknit_login": self.login_cookie}
        sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items() if value)
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)) as connection:
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            text = answer.read().decode()
        fields = {name.lower(): value for name, value in answer.getheaders()}
        if cookie := re.match(r"reknit_(session|login)=([^;]+)", fields.get("set-cookie", "")):
            setattr(self, "cookie" if cookie[1] == "session" else "login_cookie", cookie[2])
        return Answer(answer.status, fields, text)

    def get(self, path: str) -> Answer:
        return self.ask("GET", path)

    def read_form_token(self) -> str:
        token = re.search(r'name="form_token" value="([^"]+)"', self.get("/inbox").text)
        return token[1] if token else ""

    def post(self, path: str, form_token: str, **headers: str) -> Answer:
        return self.ask("POST", path, urlencode({"form_token": form_token}), Origin=self.origin, **headers)


@dataclass
class Visited:
    """A server with pages, and its database."""

    server: WebServer
    installation: Installation
    dashboard: Dashboard
    access: Access
    ledger: SqlRunLedger
    said: list[str]

    def meet(self) -> Person:
        return Person(self.server.port)

    def list_refusals(self) -> list[AuditEntry]:
        return [entry for entry in reversed(self.dashboard.list_audit()) if entry.outcome == "refused"]

    def list_accepted(self) -> list[tuple[str, str, str]]:
        entries = reversed(self.dashboard.list_audit())
        return [(entry.who, entry.action, entry.target) for entry in entries if entry.outcome == "accepted"]


def record_runs(ledger: SqlRunLedger, repository: str = "/srv/shop") -> None:
    """One run at work, one that is blocked, and one that a person stopped."""
    for run_id in (AT_WORK, BLOCKED, PARKED):
        ledger.create(replace(spec(run_id), repository=repository, created_at=time.time()))
        ledger.set_phase(run_id, "attempt")
        ledger.put_event(run_id, "a", Event("attempt", "..", "attempt 1", f"edits {HOSTILE}"))
    ledger.end(BLOCKED, Ending("BLOCKED", f"a person must allow {HOSTILE}"))
    ledger.set_interrupted(PARKED, "by a person")


@contextlib.contextmanager
def visited(folder: Path, access: Access | None = None, port: int = 0) -> Iterator[Visited]:
    installation = make_place(folder)
    ledger = open_ledger(installation)
    record_runs(ledger)
    listener, said = bind("127.0.0.1", port), []  # type: ignore[var-annotated]
    access = access or LocalAccess(listener.getsockname()[1])
    dashboard = Dashboard(installation)
    server = WebServer(listener, make_pages(dashboard, access), said.append, RequestLimits())
    with in_thread(server):
        yield Visited(server, installation, dashboard, access, ledger, said)
