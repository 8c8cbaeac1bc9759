"""The live view of a pull-request run in a terminal: its iterations, the current step and the next one."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from reknit.core.fix_pr.checks import CheckState, add_sign
from reknit.core.fix_pr.output.record import IterationRecord, Record, fold_repeats, read_record
from reknit.core.fix_pr.output.run_text import NEXT, PHASES, describe_decision, drop_retry_time, shorten
from reknit.core.live.activity import Activity
from reknit.core.live.panel import render_tests
from reknit.core.runs.view import EventView, RunView, describe_spending, get_pull
from reknit.core.text.format import format_seconds, sanitize_line
from reknit.interfaces.cli.output.lines import Read, leave_hint, load_activity

WIDEST = 120
READ_EVERY_S = 1.0
"""Also at once after an event of the run."""
AROUND = 13
"""Lines of the view besides the iterations; an iteration takes about two."""
COLUMNS = {"iter": 5, "review": 13, "tests": 13, "ci": 7, "decision": 11, "commit": 7, "cost": 6}
"""Column -> width in a terminal of 80 columns; in a wider one two of them grow."""
GROWING = {"ci": 1 / 3, "decision": 2 / 3}
CHECKS = ("review", "tests", "ci")
_COLOURS = {"pass": "green", "fail": "red", "pending": "yellow", "error": "yellow", "off": "dim"}
_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_OVER = frozenset({"turn", "answer", "report", "end"})
"""Steps after which an iteration already has its row."""


@dataclass(frozen=True)
class Moment:
    """Everything that is drawn at one time."""

    run: RunView
    record: Record
    results: Mapping[str, Mapping[str, Any]]
    """The results so far of the checks in the current iteration."""
    newest: str
    since_s: float
    now: float
    activity: Activity = Activity()


class PullTerminal:
    """The live table of a pull-request run. `read` returns a document by its name; empty: it does not exist yet."""

    def __init__(self, read: Read, console: Console | None = None, *, leave: str = "") -> None:
        self._read, self._leave = read, leave
        self._console = console or Console(stderr=True, highlight=False)
        self._live: Live | None = None
        self._run: RunView | None = None
        self._record = Record()
        self._seen: dict[str, Mapping[str, Any]] = {}
        self._read_at = -READ_EVERY_S
        self._looked_at: dict[str, int] = {}
        self._newest = ""
        self._activity = Activity()
        self._step, self._since = "", time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, it: BaseException | None, at: TracebackType | None) -> None:
        """Leave the table on the screen."""
        if self._live and self._run:
            self._read_all()
            self._live.update(_above(draw_final_view(self._run, self._record, self._width)), refresh=True)
            self._live.stop()

    def tell(self, view: EventView) -> None:
        self._read_at = -READ_EVERY_S
        check, iteration = view.event.data.get("check"), view.event.data.get("iteration")
        if view.event.kind == "check" and isinstance(check, str) and isinstance(iteration, int):
            self._looked_at[check] = iteration
        if view.event.kind != "started":
            self._newest = f"{view.event.label}: {view.event.text}"

    def tick(self, run: RunView) -> None:
        step = f"{run.phase}/{run.state}/{run.reason}"
        if step != self._step:
            self._step, self._since = step, time.monotonic()
        self._run = run
        if time.monotonic() - self._read_at >= READ_EVERY_S:
            self._read_all()
        if self._live is None:
            self._live = Live(console=self._console, auto_refresh=False, redirect_stdout=False, redirect_stderr=False)
            self._live.start()
        elapsed = time.monotonic() - self._since
        moment = Moment(run, self._record, self._seen, self._newest, elapsed, time.time(), self._activity)
        panel = draw_view(moment, (self._console.height - AROUND) // 2, self._width, self._leave)
        self._live.update(_above(panel), refresh=True)

    @property
    def _width(self) -> int:
        return min(self._console.width, WIDEST)

    def _read_all(self) -> None:
        """Read the run's documents. A check's result belongs to an earlier iteration until an event says otherwise."""
        self._read_at = time.monotonic()
        self._activity = load_activity(self._read)
        self._record = read_record(json.loads(self._read("course") or "{}"))
        current = [check for check in CHECKS if self._looked_at.get(check) == self._record.under_way]
        self._seen = {check: json.loads(text) for check in current if (text := self._read(f"check.{check}"))}


def _above(panel: Panel) -> Group:
    """Add an empty line below, where a terminal echoes ctrl-c without moving the view."""
    return Group(panel, "")


def draw_view(moment: Moment, rows: int, width: int, leave: str = "") -> Panel:
    """Draw the view at one moment. `rows`: maximum number of iterations; the last ones are shown."""
    run = moment.run
    table = _table(moment.record.turns, max(rows, 3), width)
    if run.phase not in _OVER:
        table.add_row(*_under_way(moment))
    lines = Table.grid(padding=(0, 1))
    lines.add_row(Text("now", style="bold"), _now(moment))
    for text in moment.activity.lines or render_tests(moment.activity):
        lines.add_row("", Text(f"{moment.activity.agent} {text}".strip(), overflow="ellipsis", no_wrap=True))
    lines.add_row(Text("next", style="bold"), Text(NEXT.get(run.phase, "")))
    facts = f"{run.id} · {format_seconds(moment.now - run.created_at)} · {describe_spending(run)}"
    below = f" {leave_hint(run.id, leave)} "
    return _framed(Group(_head(run), Text(facts), "", table, "", lines), width, below=below)


def draw_final_view(run: RunView, record: Record, width: int) -> Panel:
    """Draw the view that stays on the screen at the end; the ending of the run is printed below it."""
    return _framed(Group(_head(run), "", _table(record.looks, len(record.looks), width)), width)


def _framed(inside: Group, width: int, below: str | None = None) -> Panel:
    return Panel(inside, title="reknit fix pr", subtitle=below, width=width, border_style="dim")


def _head(run: RunView) -> Text:
    pull = get_pull(run)
    return Text(f"PR #{pull['number']} {sanitize_line(str(pull['title']))}", "bold", overflow="ellipsis", no_wrap=True)


def _table(looks: tuple[IterationRecord, ...], rows: int, width: int) -> Table:
    table = Table(box=None, padding=(0, 1), header_style="dim")
    for name, least in COLUMNS.items():
        table.add_column(name, width=least + int(GROWING.get(name, 0) * max(0, width - 80)))
    folded_looks = fold_repeats(looks)
    if len(folded_looks) > rows:
        table.add_row("…", f"{len(folded_looks) - rows} more")
    for numbers, look in folded_looks[max(0, len(folded_looks) - rows) :]:
        cells = (_cell(status, summary) for status, summary in zip(_statuses(look), look.shown, strict=True))
        did = shorten(look.did or describe_decision(look.review, look.tests, look.ci))
        table.add_row(numbers, *cells, Text(did), look.commit[:7], f"${look.cost_usd:.2f}")
    return table


def _statuses(look: IterationRecord) -> tuple[CheckState, CheckState, CheckState]:
    return look.review, look.tests, look.ci


def _cell(status: CheckState, summary: str) -> Text:
    """Return a sign and a word: colour adds no information."""
    text = Text(add_sign(status, summary).replace(", ", ",\n  "))  # a number stays with its word
    text.stylize(_COLOURS[status], 0, 1)
    return text


def _under_way(moment: Moment) -> tuple[str | Text, ...]:
    results, spin = moment.results, _SPINNER[int(moment.now * 8) % len(_SPINNER)]
    cells = [
        _cell(results[check]["status"], results[check]["shown"]) if check in results else Text(f"{spin} looks")
        for check in CHECKS
    ]
    decision = describe_decision(*(results[check]["status"] for check in CHECKS)) if len(results) == len(CHECKS) else ""
    cost = moment.run.spent_usd - sum(turn.cost_usd for turn in moment.record.turns)
    return str(moment.record.under_way), *cells, Text(decision), "", f"${max(0.0, cost):.2f}"


def _now(moment: Moment) -> Text:
    run = moment.run
    if run.state == "waiting" and run.until is not None:
        clock = time.strftime("%H:%M:%S", time.localtime(run.until))
        remaining = format_seconds(max(0.0, run.until - moment.now))
        return Text(f"{drop_retry_time(run.reason)}, checks again at {clock} (in {remaining})")
    doing = PHASES.get(run.phase, run.phase or "starting")
    newest = f" › {moment.newest}" if moment.newest else ""
    return Text(f"{doing}  {format_seconds(moment.since_s)}{newest}", overflow="ellipsis", no_wrap=True)
