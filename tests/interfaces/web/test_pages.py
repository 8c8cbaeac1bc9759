"""The pages as a person reads them: the same facts as in the terminal, harmless, and live."""

import hashlib
import http.client
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest

from reknit.core.run_text import render_run
from reknit.core.runs.ending import Ending
from reknit.core.runs.event import Event
from reknit.interfaces.web.access import LocalAccess
from reknit.store.runs.reader import RunReader
from tests.interfaces.web.visiting import AT_WORK, BLOCKED, HOSTILE, PARKED, Person, Visited, visited
from tests.tools.recorded_runs import spec

VENDORED = {
    "htmx.js": "a0abb04f2f45a1f89d1d4844023245537e5e6014c87b144553e0607b4cc32130",
    "hx-sse.js": "18ef2761356ec1fe0bb6d92612315b37517a7c1e9856b661c5ae81fef239d103",
}
"""From htmx.org 4.0.1 on npm: `dist/htmx.min.js` and `dist/ext/hx-sse.min.js`."""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Visited]:
    with visited(tmp_path) as made:
        yield made


@pytest.fixture
def person(place: Visited) -> Person:
    assert isinstance(place.access, LocalAccess)
    made = place.meet()
    made.get(f"/enter?token={place.access.token}")
    return made


def runs_in(html: str) -> list[str]:
    return re.findall(r'href="/runs/(r-[0-9a-f]+)"', html)


def test_the_scripts_are_those_that_were_published() -> None:
    folder = resources.files("reknit.interfaces.web").joinpath("static")
    hashes = {name: hashlib.sha256(folder.joinpath(name).read_bytes()).hexdigest() for name in VENDORED}
    assert hashes == VENDORED


def test_now_has_the_runs_that_have_not_ended_and_the_inbox_what_needs_a_person(person: Person) -> None:
    assert runs_in(person.get("/").text) == [PARKED, AT_WORK]
    assert "1 in the inbox" in person.get("/").text
    inbox = person.get("/inbox").text
    assert runs_in(inbox) == [BLOCKED]
    assert f"<code>reknit show {BLOCKED} --why</code>" in inbox
    assert runs_in(person.get("/runs").text) == [PARKED, BLOCKED, AT_WORK]


def test_what_a_person_settles_leaves_the_inbox(place: Visited, person: Person) -> None:
    assert person.post(f"/runs/{BLOCKED}/settle", person.read_form_token()).headers["location"] == "/inbox"
    assert runs_in(person.get("/inbox").text) == []
    assert ("local", "settle", BLOCKED) in place.list_accepted()
    assert "settle" in person.get("/audit").text


def test_the_page_of_a_run_says_what_the_terminal_says(place: Visited, person: Person) -> None:
    html = person.get(f"/runs/{BLOCKED}").text
    reader = RunReader(place.ledger.engine)
    text = render_run(reader.stored(reader.run(BLOCKED)))
    assert text.replace("<", "&lt;").replace(">", "&gt;") in html
    assert "<button>" not in html
    assert "<button>stop</button>" in person.get(f"/runs/{AT_WORK}").text
    assert "<button>resume</button>" in person.get(f"/runs/{PARKED}").text


@pytest.mark.parametrize("path", ["/", "/inbox", "/runs", f"/runs/{BLOCKED}", f"/runs/{AT_WORK}"])
def test_text_of_an_agent_is_text(person: Person, path: str) -> None:
    assert HOSTILE not in person.get(path).text


def test_fixes_and_costs_are_per_week(place: Visited, person: Person) -> None:
    place.ledger.charge(AT_WORK, "call", 0.25)
    assert "$0.25 in 3 runs that began in the last 12 weeks." in person.get("/spend").text
    assert "There is nothing here" in person.get("/fixes").text


def test_a_long_list_has_pages(place: Visited, person: Person) -> None:
    for number in range(60):
        place.ledger.create(spec(f"r-1{number:07x}"))
    first = person.get("/runs").text
    link = re.search(r'href="(/runs\?after=[^"]+)"', first)
    assert link
    second = person.get(link[1]).text
    assert (len(runs_in(first)), len(runs_in(second))) == (50, 13)
    assert "?after=" not in second
    assert "hx-sse:connect" not in person.get("/?after=1.0_r-1").text, "only the first page is live"


def read_event(stream: http.client.HTTPResponse) -> str:
    lines: list[str] = []
    while (line := stream.readline().decode()) != "\n":
        assert line, "the stream has ended"
        lines += [line.removeprefix("data: ")] if line.startswith("data: ") else []
    return "".join(lines)


@pytest.mark.parametrize("path", ["/live", f"/runs/{AT_WORK}/live"])
def test_a_live_page_changes_when_the_run_does(place: Visited, person: Person, path: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", person.port, timeout=30)
    headers = {"Cookie": f"reknit_session={person.cookie}"}
    connection.request("GET", path, headers=headers)
    stream = connection.getresponse()
    assert stream.headers["content-type"].startswith("text/event-stream")
    assert "the agent works" in read_event(stream)
    place.ledger.set_phase(AT_WORK, "verify")
    place.ledger.put_event(AT_WORK, "b", Event("verify", "ok", "verify", "3 tests pass"))
    while "proves the change" not in (html := read_event(stream)):
        pass
    place.ledger.end(AT_WORK, Ending("CLEAN", "all pass"))
    if path == "/live":
        while AT_WORK in html:
            html = read_event(stream)
    else:
        while "all pass" not in html:
            html = read_event(stream)
    connection.close()


@pytest.mark.parametrize("over", ["session", "server"])
def test_a_stream_ends_with_its_session_and_with_the_server(place: Visited, person: Person, over: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", person.port, timeout=30)
    connection.request("GET", "/live", headers={"Cookie": f"reknit_session={person.cookie}"})
    stream = connection.getresponse()
    read_event(stream)
    if over == "session":
        place.access.sessions.end(person.cookie)
    else:
        place.server.should_exit = True
    stream.read()  # to its end
    connection.close()
