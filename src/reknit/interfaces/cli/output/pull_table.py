"""The live view of a pull-request run in a terminal: its iterations, the current step and the next one."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from reknit.core.fix_pr.check_summary import signed
from reknit.core.fix_pr.checks_snapshot import CheckState
from reknit.core.fix_pr.output.record import IterationRecord, Record, folded, record_in
from reknit.core.fix_pr.output.run_text import NEXT, PHASES, decided, short, waits_for
from reknit.core.runs.view import EventView, RunView, pull_of
from reknit.core.text.format import seconds, spent_of, words
from reknit.interfaces.cli.output.lines import leaving

Read = Callable[[str], str]

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
    seen: Mapping[str, Mapping[str, Any]]
    """The results so far of the checks in the current iteration."""
    newest: str
    since_s: float
    now: float


class PullTerminal:
    """`read` returns a document of the run by its name; empty: it does not exist yet."""

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
        self._step, self._since = "", time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, it: BaseException | None, at: TracebackType | None) -> None:
        """The table stays on the screen."""
        if self._live and self._run:
            self._read_all()
            self._live.update(_above(left_behind(self._run, self._record, self._width)), refresh=True)
            self._live.stop()

    def tell(self, seen: EventView) -> None:
        self._read_at = -READ_EVERY_S
        check, iteration = seen.event.data.get("check"), seen.event.data.get("iteration")
        if seen.event.kind == "check" and isinstance(check, str) and isinstance(iteration, int):
            self._looked_at[check] = iteration
        if seen.event.kind != "started":
            self._newest = f"{seen.event.label}: {seen.event.text}"

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
        moment = Moment(run, self._record, self._seen, self._newest, elapsed, time.time())
        panel = drawn(moment, (self._console.height - AROUND) // 2, self._width, self._leave)
        self._live.update(_above(panel), refresh=True)

    @property
    def _width(self) -> int:
        return min(self._console.width, WIDEST)

    def _read_all(self) -> None:
        """A check's last result belongs to an earlier iteration until an event says otherwise."""
        self._read_at = time.monotonic()
        self._record = record_in(json.loads(self._read("course") or "{}"))
        current = [check for check in CHECKS if self._looked_at.get(check) == self._record.under_way]
        self._seen = {check: json.loads(found) for check in current if (found := self._read(f"check.{check}"))}


def _above(panel: Panel) -> Group:
    """Adds an empty line below, where a terminal echoes ctrl-c without moving the view."""
    return Group(panel, "")


def drawn(moment: Moment, rows: int, width: int, leave: str = "") -> Panel:
    """`rows`: how many iterations fit; the last ones are shown."""
    run = moment.run
    table = _table(moment.record.turns, max(rows, 3), width)
    if run.phase not in _OVER:
        table.add_row(*_under_way(moment))
    lines = Table.grid(padding=(0, 1))
    lines.add_row(Text("now", style="bold"), _now(moment))
    lines.add_row(Text("next", style="bold"), Text(NEXT.get(run.phase, "")))
    facts = f"{run.id} · {seconds(moment.now - run.created_at)} · {spent_of(run.spent_usd, run.budget_usd)}"
    below = f" {leaving(run.id, leave)} "
    return _framed(Group(_head(run), Text(facts), "", table, "", lines), width, below=below)


def left_behind(run: RunView, record: Record, width: int) -> Panel:
    """What stays on the screen at the end; the ending of the run is printed below it."""
    return _framed(Group(_head(run), "", _table(record.looks, len(record.looks), width)), width)


def _framed(inside: Group, width: int, below: str | None = None) -> Panel:
    return Panel(inside, title="reknit fix pr", subtitle=below, width=width, border_style="dim")


def _head(run: RunView) -> Text:
    pull = pull_of(run)
    return Text(f"PR #{pull['number']} {words(str(pull['title']))}", "bold", overflow="ellipsis", no_wrap=True)


def _table(looks: tuple[IterationRecord, ...], rows: int, width: int) -> Table:
    table = Table(box=None, padding=(0, 1), header_style="dim")
    for name, least in COLUMNS.items():
        table.add_column(name, width=least + int(GROWING.get(name, 0) * max(0, width - 80)))
    shown = folded(looks)
    if len(shown) > rows:
        table.add_row("…", f"{len(shown) - rows} more")
    for numbers, look in shown[max(0, len(shown) - rows) :]:
        cells = (_cell(status, said) for status, said in zip(_statuses(look), look.shown, strict=True))
        did = short(look.did or decided(look.review, look.tests, look.ci))
        table.add_row(numbers, *cells, Text(did), look.commit[:7], f"${look.cost_usd:.2f}")
    return table


def _statuses(look: IterationRecord) -> tuple[CheckState, CheckState, CheckState]:
    return look.review, look.tests, look.ci


def _cell(status: CheckState, said: str) -> Text:
    """A sign and a word: colour adds no information."""
    text = Text(signed(status, said).replace(", ", ",\n  "))  # a number stays with its word
    text.stylize(_COLOURS[status], 0, 1)
    return text


def _under_way(moment: Moment) -> tuple[str | Text, ...]:
    seen, spin = moment.seen, _SPINNER[int(moment.now * 8) % len(_SPINNER)]
    cells = [
        _cell(seen[check]["status"], seen[check]["shown"]) if check in seen else Text(f"{spin} looks")
        for check in CHECKS
    ]
    asked = decided(*(seen[check]["status"] for check in CHECKS)) if len(seen) == len(CHECKS) else ""
    cost = moment.run.spent_usd - sum(turn.cost_usd for turn in moment.record.turns)
    return str(moment.record.under_way), *cells, Text(asked), "", f"${max(0.0, cost):.2f}"


def _now(moment: Moment) -> Text:
    run = moment.run
    if run.state == "waiting" and run.until is not None:
        clock = time.strftime("%H:%M:%S", time.localtime(run.until))
        left = seconds(max(0.0, run.until - moment.now))
        return Text(f"{waits_for(run.reason)}, checks again at {clock} (in {left})")
    doing = PHASES.get(run.phase, run.phase or "starting")
    newest = f" › {moment.newest}" if moment.newest else ""
    return Text(f"{doing}  {seconds(moment.since_s)}{newest}", overflow="ellipsis", no_wrap=True)
