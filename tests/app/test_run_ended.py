"""An ended run is told about once, also if its last step runs again, and a failure changes nothing."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from reknit.app.installation import find_installation
from reknit.app.run_ended import make_announcer
from reknit.core.runs.ending import Ending
from reknit.store.database import open_store
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.reader import RunReader
from tests.tools.gateway_client import upstream_that
from tests.tools.recorded_runs import spec

Make = Callable[..., tuple[Callable[[str], None], SqlRunLedger]]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Return a function that makes the announcer of an installation with these settings, and an ended run."""

    def make(**settings: str) -> tuple[Callable[[str], None], SqlRunLedger]:
        variables = {f"REKNIT_NOTIFY__{name.upper()}": value for name, value in settings.items()}
        installation = find_installation({"REKNIT_STATE": str(tmp_path), "HOME": str(tmp_path), **variables})
        ledger = SqlRunLedger(open_store(installation.database))
        ledger.create(spec("r-1"))
        ledger.end("r-1", Ending("FIXED", "all"))
        return make_announcer(installation, ledger), ledger

    return make


@pytest.fixture
def receiver() -> Iterator[tuple[str, list[str]]]:
    paths, lock = list[str](), threading.Lock()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        with lock:
            paths.append(handler.path)
        handler.send_response(404 if "broken" in handler.path else 200)
        handler.send_header("content-length", "0")
        handler.end_headers()

    with upstream_that(answer) as url:
        yield url, paths


def test_it_is_told_once_although_the_step_runs_twice(make: Make, receiver: tuple[str, list[str]]) -> None:
    url, paths = receiver
    announce, ledger = make(webhook=f"{url}/hook")
    announce("r-1")
    announce("r-1")
    make_announcer(find_installation({"REKNIT_STATE": "unused", "REKNIT_NOTIFY__WEBHOOK": f"{url}/hook"}), ledger)(
        "r-1"
    )
    assert paths == ["/hook"]
    assert RunReader(ledger.engine).events("r-1") == []


def test_a_failure_is_an_event_without_the_address_and_the_ending_stays(
    make: Make, receiver: tuple[str, list[str]]
) -> None:
    url, _ = receiver
    announce, ledger = make(slack=f"{url}/broken/secret")
    announce("r-1")
    [view] = RunReader(ledger.engine).events("r-1")
    assert (view.event.kind, view.event.text) == ("notify_failed", "slack: it answered 404")
    assert RunReader(ledger.engine).run("r-1").ending == "FIXED"


def test_without_a_channel_nothing_is_written(make: Make) -> None:
    announce, ledger = make()
    announce("r-1")
    assert ledger.mark_once("r-1", "notified")
    assert not ledger.mark_once("r-1", "notified")
