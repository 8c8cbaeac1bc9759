"""Makes the page of a run: collects what it shows, and renders it as one HTML file without scripts."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.app.installation import Installation
from reknit.app.runs.apply import read_landed_diff
from reknit.app.runs.liveness import read_stored_run
from reknit.app.runs.transcripts import read_transcripts
from reknit.core.capability import StoredRun
from reknit.core.run_page.page import MAX_PARTS, RunPage, RunSources, build_page
from reknit.core.runs.spec import name_attempt_ref
from reknit.core.runs.view import AttemptView, EventView, RunView
from reknit.core.text.redact import clean
from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader

MAX_PAGE_BYTES = 2_000_000
_TRANSCRIPTS_BYTES = 4_000_000
_BUDGETS = (1_000_000, 200_000, 40_000)
"""Bytes of diffs, conversations and outputs: the next budget is taken if the page is too large with this one."""


def make_run_page(installation: Installation, stored: StoredRun, events: Sequence[EventView]) -> str:
    """Return the page of a run, of at most `MAX_PAGE_BYTES`."""
    sources = read_sources(installation, stored, events)
    page = ""
    for budget in _BUDGETS:
        page = render_page(build_page(sources, budget))
        if len(page.encode()) <= MAX_PAGE_BYTES:
            break
    return page


def write_run_page(installation: Installation, run_name: str) -> Path:
    """Write the page into the folder of the run, and return its path."""
    stored = read_stored_run(installation, run_name)
    events = RunReader(open_store(installation.database)).events(stored.run.id)
    path = installation.runs / stored.run.id / "page.html"
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_text(make_run_page(installation, stored, events), encoding="utf-8")
    return path


def read_sources(installation: Installation, stored: StoredRun, events: Sequence[EventView]) -> RunSources:
    """Collect what the page shows. What is not on this machine is left out."""
    run = stored.run
    calls = max(1, len(stored.attempts))
    transcripts = read_transcripts(installation, run, most_bytes=_TRANSCRIPTS_BYTES // calls)
    gitdir = installation.gitdir(run.id)
    if not gitdir.exists():
        return RunSources(stored, events, transcripts)
    attempt_diffs = _read_attempt_diffs(TrustedGit(str(gitdir)), run, stored.attempts)
    return RunSources(stored, events, transcripts, read_landed_diff(installation, stored), attempt_diffs)


def _read_attempt_diffs(git: TrustedGit, run: RunView, attempts: Sequence[AttemptView]) -> Mapping[int, str]:
    pairs = {
        attempt.number: (
            name_attempt_ref(run.id, attempt.number, "before"),
            name_attempt_ref(run.id, attempt.number, "after"),
        )
        for attempt in attempts[:MAX_PARTS]
    }
    return git.diffs(pairs)


def render_page(page: RunPage) -> str:
    """Render the page. It has no script, no image and no address; its policy allows only its own style."""
    environment = _load_environment()
    style = environment.get_template("run.css").render()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return environment.get_template("run.html").render(
        page=page,
        style=Markup(style),  # noqa: S704 - a file of the package
        style_hash=f"sha256-{digest}",
    )


@cache
def _load_environment() -> Environment:
    return Environment(
        loader=PackageLoader("reknit", "pages"), autoescape=True, undefined=StrictUndefined, finalize=_finalize
    )


def _finalize(value: object) -> object:
    """Clean each value that the template shows, so that no field can be forgotten."""
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value
