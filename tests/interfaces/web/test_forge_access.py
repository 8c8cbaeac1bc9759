"""A server for several people: they log in with the forge and have its rights; all else is refused and recorded."""

import contextlib
import http.client
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from reknit.adapters.github.login import GitHubLogin
from reknit.interfaces.web.forge_access import RIGHTS_S, ForgeAccess
from reknit.interfaces.web.server import bind
from tests.interfaces.web.visiting import AT_WORK, BLOCKED, PARKED, Answer, Person, Visited, visited
from tests.tools.github import GitHub
from tests.tools.github.oauth import CLIENT_ID, CLIENT_SECRET
from tests.tools.recorded_runs import spec

SLUG, OTHER = "acme/shop", "acme/other"
RUNS = (AT_WORK, BLOCKED, PARKED)


@dataclass
class Server:
    """The pages, the forge, and a clock that tests move."""

    place: Visited
    hub: GitHub
    now: list[float]
    port: int

    def meet(self) -> Person:
        return Person(self.port)

    def log_in(self, login: str) -> Person:
        """As a browser in which this person is signed in to the forge."""
        person = self.meet()
        assert self.finish(person, self.visit_forge(person, login)).status == 303
        return person

    def visit_forge(self, person: Person, login: str) -> str:
        """Return the address to which the forge sends the browser back."""
        self.hub.oauth.browser_of = login
        address = urlsplit(person.get("/login").headers["location"])
        with contextlib.closing(http.client.HTTPConnection(address.netloc)) as connection:
            connection.request("GET", f"{address.path}?{address.query}")
            return connection.getresponse().headers["location"]

    def finish(self, person: Person, back: str) -> Answer:
        return person.get(back.removeprefix(person.origin))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with contextlib.ExitStack() as closing:
        hub = closing.enter_context(GitHub(tmp_path / "hub"))
        hub.make_repository(SLUG, {"a": "a"}, writers=("dev", "writer"), private=True)
        hub.make_repository(OTHER, {"a": "a"}, writers=("dev", "stranger"), private=True)
        hub.make_repository("acme/public", {"a": "a"})
        listener = bind("127.0.0.1", 0)
        port, now = listener.getsockname()[1], [1000.0]
        listener.close()
        login = GitHubLogin(hub.url, CLIENT_ID, CLIENT_SECRET)
        host = hub.url.removeprefix("http://")
        keys = {"/srv/shop": f"{host}/{SLUG}", "/srv/other": f"{host}/{OTHER}", "/srv/public": f"{host}/acme/public"}
        access = ForgeAccess(f"http://127.0.0.1:{port}", login, lambda path: keys.get(path, ""), clock=lambda: now[0])
        place = closing.enter_context(visited(tmp_path, access, port))
        yield Server(place, hub, now, port)


def set_rights(server: Server, *, private: bool = True, writers: tuple[str, ...] = ("writer",)) -> None:
    repository = server.hub._world.repositories[SLUG]
    repository.private = private
    repository.writers.clear()
    repository.writers.update(("acme", *writers))


def test_a_writer_sees_the_runs_of_the_repository_and_stops_one(server: Server) -> None:
    person = server.log_in("writer")
    assert [run for run in RUNS if run in person.get("/runs").text] == list(RUNS)
    assert person.post(f"/runs/{AT_WORK}/stop", person.read_form_token()).status == 303
    assert server.place.list_accepted() == [("writer", "enter", ""), ("writer", "stop", AT_WORK)]
    assert "writer" in person.get("/").text
    assert server.hub.violations == []


def test_a_reader_sees_the_runs_and_no_button(server: Server) -> None:
    set_rights(server, private=False)
    person = server.log_in("reader")
    assert AT_WORK in person.get("/").text
    assert "/stop" not in person.get(f"/runs/{AT_WORK}").text


def test_one_who_may_not_read_the_repository_sees_nothing_of_it(server: Server) -> None:
    person = server.log_in("stranger")
    for path in ("/", "/inbox", "/runs", "/spend", "/fixes"):
        assert not any(run in person.get(path).text for run in RUNS)
    assert "0 runs" in person.get("/spend").text
    assert [person.get(f"/runs/{run}{more}").status for run in RUNS for more in ("", "/live")] == [404] * 6


def test_a_right_that_is_taken_away_is_gone_after_some_minutes(server: Server) -> None:
    person = server.log_in("writer")
    assert person.get(f"/runs/{AT_WORK}").status == 200
    set_rights(server, writers=())
    assert person.get(f"/runs/{AT_WORK}").status == 200
    server.now[0] += RIGHTS_S
    assert person.get(f"/runs/{AT_WORK}").status == 404


def test_without_an_answer_of_the_forge_nobody_has_a_right(server: Server) -> None:
    person = server.log_in("writer")
    server.hub.faults.server_error = 99
    assert person.get(f"/runs/{AT_WORK}").status == 404
    server.hub.faults.server_error = 0
    assert person.get(f"/runs/{AT_WORK}").status == 200, "a failure is not remembered as a right"


def test_a_run_of_a_clone_without_the_forge_is_nobodys(server: Server) -> None:
    server.place.ledger.create(spec("r-00000001"))  # its repository is not known to the forge
    assert server.log_in("writer").get("/runs/r-00000001").status == 404


def of_another_browser(server: Server) -> Answer:
    """A login that an attacker began: the victim would work in the attacker's name."""
    return server.finish(server.meet(), server.visit_forge(server.meet(), "writer"))


def with_another_state(server: Server) -> Answer:
    person = server.meet()
    server.visit_forge(person, "writer")
    return person.get("/enter?code=code0&state=x")


def with_a_wrong_code(server: Server) -> Answer:
    person = server.meet()
    state = parse_qs(urlsplit(server.visit_forge(person, "writer")).query)["state"][0]
    return person.get(f"/enter?code=wrong&state={state}")


def twice(server: Server) -> Answer:
    person = server.meet()
    back = server.visit_forge(person, "writer")
    server.finish(person, back)
    return server.finish(person, back)


def too_late(server: Server) -> Answer:
    person = server.meet()
    back = server.visit_forge(person, "writer")
    server.now[0] += 601
    return server.finish(person, back)


def without_anything(server: Server) -> Answer:
    return server.meet().get("/enter")


@pytest.mark.parametrize(
    "begin", [of_another_browser, with_another_state, with_a_wrong_code, twice, too_late, without_anything]
)
def test_a_login_that_the_forge_did_not_confirm_here_is_refused(
    server: Server, begin: Callable[[Server], Answer]
) -> None:
    answer = begin(server)
    assert answer.status == 401
    assert [entry.action for entry in server.place.list_refusals()] == ["enter"]


Ask = Callable[[Server], Answer]


def as_person(login: str, action: str, *, run: str = AT_WORK, forge: str = "") -> Ask:
    def ask(server: Server) -> Answer:
        if forge == "public":
            set_rights(server, private=False)
        person = server.log_in(login)
        return person.post(f"/runs/{run}/{action}", find_token(server, person))

    return ask


def find_token(server: Server, person: Person) -> str:
    """Of the session itself: somebody without runs sees no form."""
    session = server.place.access.sessions.find(person.cookie)
    return session.form_token if session else ""


def as_writer(change: Callable[[Server, Person, str], Answer]) -> Ask:
    def ask(server: Server) -> Answer:
        person = server.log_in("writer")
        return change(server, person, find_token(server, person))

    return ask


def post(server: Server, person: Person, token: str, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return person.ask("POST", f"/runs/{AT_WORK}/stop", f"form_token={token}", **named)


def with_host(name: str) -> Ask:
    def change(_server: Server, person: Person, token: str) -> Answer:
        person.host = name
        return person.post(f"/runs/{AT_WORK}/stop", token)

    return as_writer(change)


def with_cookie(find: Callable[[Server, Person], str]) -> Ask:
    def change(server: Server, person: Person, token: str) -> Answer:
        person.cookie = find(server, person)
        return person.post(f"/runs/{AT_WORK}/stop", token)

    return as_writer(change)


def with_headers(**headers: str) -> Ask:
    return as_writer(lambda server, person, token: post(server, person, token, **headers))


def with_token(find: Callable[[Server, str], str]) -> Ask:
    return as_writer(lambda server, person, token: person.post(f"/runs/{AT_WORK}/stop", find(server, token)))


def make_stale(server: Server, person: Person) -> str:
    server.now[0] += 13 * 3600
    return person.cookie


def end_session(server: Server, person: Person) -> str:
    server.place.access.sessions.end(person.cookie)
    return person.cookie


def lose_right(server: Server, person: Person, token: str) -> Answer:
    server.now[0] += RIGHTS_S
    set_rights(server, writers=())
    return person.post(f"/runs/{AT_WORK}/stop", token)


def lose_forge_token(server: Server, person: Person, token: str) -> Answer:
    session = server.place.access.sessions.find(person.cookie)
    server.hub.faults.revoked.add(session.forge_token if session else "")
    return person.post(f"/runs/{AT_WORK}/stop", token)


def lose_forge(server: Server, person: Person, token: str) -> Answer:
    server.hub.faults.server_error = 9
    return person.post(f"/runs/{AT_WORK}/stop", token)


def nobody(action: str) -> Ask:
    return lambda server: server.meet().post(f"/runs/{AT_WORK}/{action}", "x")


READ, WRITE = "no right to read the repository", "no right to write to the repository"
PAGE, TOKEN, HOST, LOGIN = "sent by another page", "without the token of the form", "another host name", "not logged in"
REQUESTS: list[tuple[str, Ask, str]] = [
    *((f"nobody, {action}", nobody(action), LOGIN) for action in ("stop", "resume", "settle")),
    *((f"a reader, {action}", as_person("reader", action, forge="public"), WRITE) for action in ("stop", "resume")),
    ("a reader empties the inbox", as_person("reader", "settle", run=BLOCKED, forge="public"), WRITE),
    *((f"a writer of another one, {act}", as_person("stranger", act), READ) for act in ("stop", "resume", "settle")),
    ("one who is new to the forge", as_person("newcomer", "stop"), READ),
    ("a run that does not exist", as_person("writer", "stop", run="r-ffffffff"), READ),
    ("a right that was taken away", as_writer(lose_right), READ),
    ("a token that the forge revoked", as_writer(lose_forge_token), READ),
    ("a forge that does not answer", as_writer(lose_forge), READ),
    ("a foreign page", with_headers(Origin="https://evil.example"), PAGE),
    ("a page without an origin", with_headers(Origin="null"), PAGE),
    ("our name on another port", with_headers(Origin="http://127.0.0.1:1"), PAGE),
    ("our name over TLS", with_headers(Origin="https://127.0.0.1"), PAGE),
    ("no word about its page", with_headers(), PAGE),
    ("a neighbouring page", with_headers(Sec_Fetch_Site="same-site"), PAGE),
    ("a foreign site", with_headers(Sec_Fetch_Site="cross-site"), PAGE),
    ("a foreign name", with_host("evil.example"), HOST),
    ("a foreign name that begins like ours", with_host("127.0.0.1.evil.example"), HOST),
    ("another port", with_host("127.0.0.1:1"), HOST),
    ("a stale cookie", with_cookie(make_stale), LOGIN),
    ("a cookie of a session that ended", with_cookie(end_session), LOGIN),
    ("a cookie that nobody has", with_cookie(lambda _server, _person: "x" * 43), LOGIN),
    ("no token", with_token(lambda _server, _token: ""), TOKEN),
    ("half a token", with_token(lambda _server, token: token[:20]), TOKEN),
    ("the token of another person", with_token(lambda server, _: find_token(server, server.log_in("dev"))), TOKEN),
    (
        "the token of an earlier session",
        with_token(lambda server, _: find_token(server, server.log_in("writer"))),
        TOKEN,
    ),
]


def test_there_are_thirty_of_them() -> None:
    assert len(REQUESTS) >= 30


@pytest.mark.parametrize(("ask", "reason"), [pytest.param(ask, reason, id=name) for name, ask, reason in REQUESTS])
def test_a_request_without_the_right_changes_nothing_and_is_recorded(server: Server, ask: Ask, reason: str) -> None:
    answer = ask(server)
    assert answer.status in (401, 403, 421)
    assert [entry.reason for entry in server.place.list_refusals()] == [reason]
    assert {action for _, action, _ in server.place.list_accepted()} <= {"enter"}
    states = [run.state for run in map(server.place.dashboard.find_run, (AT_WORK, PARKED)) if run]
    assert states == ["running", "interrupted"]
    assert server.place.dashboard.count_unsettled(None) == 1


@pytest.mark.parametrize(("action", "run"), [("stop", AT_WORK), ("settle", BLOCKED)])
def test_control_the_same_requests_with_the_right_are_accepted(server: Server, action: str, run: str) -> None:
    assert as_person("writer", action, run=run)(server).status == 303
    assert server.place.list_refusals() == []


def test_one_who_logs_out_needs_a_new_login(server: Server) -> None:
    person = server.log_in("writer")
    cookie = person.cookie
    assert person.ask("POST", "/leave", Origin=person.origin).status == 303
    person.cookie = cookie
    assert person.get("/").status == 401


def test_only_the_operator_reads_the_audit_trail(server: Server) -> None:
    assert server.log_in("writer").get("/audit").status == 403
