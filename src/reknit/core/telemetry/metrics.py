"""Renders the figures of all runs in the text format of Prometheus."""

from collections.abc import Iterable, Iterator, Mapping

from reknit.core.stats.figures import Figures, Period
from reknit.core.text.format import sanitize_line

EVER = Period(9999, "w")
"""Counters must not fall, so they count from the beginning."""
_Sample = tuple[Mapping[str, str], float]


def render_metrics(figures: Figures) -> str:
    """Return one sample per line. `figures`: of `EVER`, and of every repository."""
    ended = [one for one in figures.endings if one.ending != "open"]
    open_runs = sum(one.runs for one in figures.endings if one.ending == "open")
    agents, rules = figures.agents, figures.rules
    families: list[tuple[str, str, str, Iterable[_Sample]]] = [
        ("reknit_runs_total", "counter", "Runs that ended.", [({"ending": it.ending}, it.runs) for it in ended]),
        ("reknit_run_seconds_total", "counter", "Seconds from start to end of ended runs.",
         [({"ending": it.ending}, it.seconds) for it in ended]),
        ("reknit_open_runs", "gauge", "Runs that have not ended.", [({}, open_runs)]),
        ("reknit_spent_usd_total", "counter", "US dollars spent.", [({}, figures.spent_usd)]),
        ("reknit_reserved_usd", "gauge", "US dollars that may have been billed, and are not known to be.",
         [({}, figures.reserved_usd)]),
        ("reknit_attempts_total", "counter", "Attempts.", [({"agent": it.agent}, it.attempts) for it in agents]),
        ("reknit_attempt_tokens_total", "counter", "Tokens of attempts.",
         [({"agent": it.agent}, it.tokens) for it in agents]),
        ("reknit_accepted_fixes_total", "counter", "Fixes that were proven and landed.",
         [({"agent": it.agent}, it.landed) for it in agents]),
        ("reknit_gate_refusals_total", "counter", "Refusals by the gate.",
         [({"rule": it.rule}, it.refusals) for it in rules]),
    ]  # fmt: skip
    return "".join(line + "\n" for family in families for line in _render_family(*family))


def _render_family(name: str, kind: str, text: str, samples: Iterable[_Sample]) -> Iterator[str]:
    yield f"# HELP {name} {text}"
    yield f"# TYPE {name} {kind}"
    for labels, value in samples:
        inner = ",".join(f'{key}="{_escape(word)}"' for key, word in labels.items())
        yield f"{name}{'{' + inner + '}' if inner else ''} {value:.17g}"


def _escape(word: str) -> str:
    return sanitize_line(word).replace("\\", "\\\\").replace('"', '\\"')
