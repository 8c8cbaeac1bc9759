"""Makes bars from the events of a run: where its time and its money went."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from reknit.core.run_page.diff import shorten
from reknit.core.runs.view import EventView
from reknit.core.text.format import format_seconds

BarKind = Literal["tests", "agent", "gate", "waiting"]

MAX_BARS = 120
_KINDS: Mapping[str, BarKind] = {
    **dict.fromkeys(
        ("baseline", "verify", "rechecked", "prove", "check", "criterion", "tools_looked", "tools_checked", "set_up"),
        "tests",
    ),
    **dict.fromkeys(
        (
            *("attempt_ended", "reviewed", "second_look", "second_opinion", "challenged", "voter", "holdout"),
            *("analysis", "confirmed"),
        ),
        "agent",
    ),
    "gate": "gate",
}
"""Kind of an event that ends a span of time -> how its time was spent."""
_LEAST_PERCENT = 0.4


@dataclass(frozen=True)
class Bar:
    """One span of time of a run."""

    label: str
    kind: BarKind
    time: str
    cost: str
    """Empty if it cost nothing."""
    left: float
    """Start, in percent of the run's time."""
    width: float
    """Length, in percent of the run's time."""


def build_bars(events: Sequence[EventView]) -> tuple[Bar, ...]:
    """Return a bar for each event that ends something; of a very long run, the last ones."""
    if not events:
        return ()
    start, total = events[0].at, max(events[-1].at - events[0].at, 0.001)
    bars: list[Bar] = []
    before = events[0]
    for view in events[1:]:
        kind: BarKind | None = "waiting" if before.event.kind == "waiting" else _KINDS.get(view.event.kind)
        about = before.event if kind == "waiting" else view.event
        if kind:
            seconds = _read_number(view, "seconds") if kind == "agent" else 0.0
            seconds = min(seconds or view.at - before.at, view.at - start)
            cost = _read_number(view, "cost_usd") if kind != "waiting" else 0.0
            bars.append(
                Bar(
                    label=shorten(about.label, 60), kind=kind, time=format_seconds(seconds),
                    cost=f"${cost:.2f}" if cost else "",
                    left=round(100 * (view.at - seconds - start) / total, 2),
                    width=round(max(100 * seconds / total, _LEAST_PERCENT), 2),
                )
            )  # fmt: skip
        before = view
    return tuple(bars[-MAX_BARS:])


def _read_number(view: EventView, name: str) -> float:
    value = view.event.data.get(name)
    return float(value) if isinstance(value, int | float) and value > 0 else 0.0
