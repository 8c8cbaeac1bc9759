"""The page of a run: no text of it becomes markup, and neither size nor time grows with the run."""

import re
import time
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.app.runs.page import MAX_PAGE_BYTES, make_run_page, render_page, write_run_page
from reknit.core.finding import Finding
from reknit.core.run_page.page import build_page
from reknit.core.runs.spec import name_attempt_ref
from tests.adapters.git.users_git import head, repository
from tests.tools.recorded_runs import make_place, open_ledger, spec
from tests.tools.run_page_samples import PROVEN, SOURCES, poison_each_text

PAYLOAD = (
    "\"'><script>canary()</script><img src=x onerror=canary()></style></pre></details></main>\x1b[2J\u202e{{ 7 * 7 }}"
)


class Markup(HTMLParser):
    """Counts tags, and keeps attributes that a text could have brought."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes |= {name for name, _ in attrs}


KNOWN = Markup(render_page(build_page(SOURCES)))


def test_no_text_of_a_run_becomes_markup() -> None:
    pages = 0
    for sources in poison_each_text(SOURCES, PAYLOAD):
        page = render_page(build_page(sources))
        markup = Markup(page)
        assert markup.tags.keys() <= KNOWN.tags.keys()
        assert markup.attributes <= KNOWN.attributes
        assert not re.search("[\x1b\u202e]|<script|<img", page)
        pages += 1
    assert pages > 200


def test_the_page_has_no_address_and_allows_only_its_own_style() -> None:
    page = render_page(build_page(SOURCES))
    assert {"script", "img", "a", "link", "iframe"}.isdisjoint(KNOWN.tags)
    assert {"src", "href", "style", "onclick"}.isdisjoint(KNOWN.attributes)
    assert re.search(r"content=\"default-src 'none'; style-src 'sha256-[\w+/=]{44}'; base-uri 'none'", page)
    assert "url(" not in page
    assert "@import" not in page


def test_a_long_run_makes_a_bounded_page_quickly(tmp_path: Path) -> None:
    installation = make_place(tmp_path)
    user = repository(tmp_path / "shop", {"README.md": "shop"})
    git = TrustedGit.open(str(installation.gitdir("r-1")))
    git.fetch(str(user), head(user))
    old, new = ("".join(f'<b>{word} {number}</b> & "text"\n' for number in range(10_000)) for word in ("old", "new"))
    base = git.commit_for_tests(head(user), {"a.py": old}, at=1.0)
    attempts = [replace(PROVEN, number=number) for number in range(1, 51)]
    for attempt in attempts:
        after = git.commit_for_tests(base, {"a.py": new + f"{attempt.number}\n"}, at=1.0)
        git.keep(name_attempt_ref("r-1", attempt.number, "before"), base)
        git.keep(name_attempt_ref("r-1", attempt.number, "after"), after)
    run = replace(SOURCES.stored.run, base=base, commit=after)
    started = time.monotonic()
    page = make_run_page(installation, replace(SOURCES.stored, run=run, attempts=attempts), [*SOURCES.events] * 300)
    took = time.monotonic() - started
    assert len(page.encode()) <= MAX_PAGE_BYTES
    assert page.count("<details>") == 50
    assert "more lines: <kbd>reknit show r-1 --attempt 50</kbd>" in page
    assert took < 10, "it takes less than a second on an idle machine"


def test_what_costs_most_space_is_cut_until_the_page_fits(tmp_path: Path) -> None:
    stored = SOURCES.stored
    hostile = '"' * 200
    receipts = [{**stored.receipts[0], "checks": [hostile] * 200}] * 40
    page = make_run_page(make_place(tmp_path), replace(stored, receipts=receipts), ())
    assert len(page.encode()) <= MAX_PAGE_BYTES


@pytest.mark.parametrize("ended", [False, True])
def test_a_run_without_attempts_has_a_page(tmp_path: Path, *, ended: bool) -> None:
    installation = make_place(tmp_path)
    ledger = open_ledger(installation)
    ledger.create(spec())
    if ended:
        ledger.start_attempt("r-1", 1, Finding("T-1", "tests", "test-failed", "t"), "local", "claude")
    path = write_run_page(installation, "r-1")
    assert path == installation.runs / "r-1" / "page.html"
    assert "reknit fix tests · shop at bbbbbbb" in path.read_text()
