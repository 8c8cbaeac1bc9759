"""The figures of `reknit stats`: what the runs of one period did, and what they cost."""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from reknit.core.errors import UsageError

DEFAULT_PERIOD = "30d"
_PERIOD = re.compile(r"([1-9]\d{0,3})([hdw])", re.ASCII)
_UNIT_S = {"h": 3600, "d": 86_400, "w": 7 * 86_400}
_UNIT_NAMES = {"h": "hour", "d": "day", "w": "week"}
SHOWN_FINDINGS = 10


@dataclass(frozen=True)
class Period:
    """The time that the figures are about: it ends now."""

    count: int
    unit: str

    @property
    def seconds(self) -> int:
        return self.count * _UNIT_S[self.unit]

    @property
    def text(self) -> str:
        """Return the period in words: `the last 30 days`."""
        name = _UNIT_NAMES[self.unit]
        return f"the last {name}" if self.count == 1 else f"the last {self.count} {name}s"


def parse_period(text: str) -> Period:
    """Parse a period: `12h`, `30d` or `4w`."""
    match = _PERIOD.fullmatch(text)
    if match is None:
        raise UsageError("usage", f"no period: {text[:40]!r}", help="write `12h`, `30d` or `4w`")
    return Period(int(match[1]), match[2])


@dataclass(frozen=True)
class EndingFigures:
    """The runs with one ending."""

    ending: str
    """The word of the ending; `open`: the run has not ended."""
    runs: int
    spent_usd: float
    reserved_usd: float
    seconds: float
    """Sum of the times from start to end; open runs count nothing."""


@dataclass(frozen=True)
class AgentFigures:
    """The attempts of one agent. Reviewers and voters make no attempts."""

    agent: str
    attempts: int
    landed: int
    """Number of its fixes that were accepted and landed."""
    cost_usd: float
    tokens: int
    seconds: float


@dataclass(frozen=True)
class FindingFigures:
    """The attempts on one finding, in all runs of its repository."""

    repository: str
    finding: str
    runs: int
    attempts: int
    cost_usd: float


@dataclass(frozen=True)
class RuleFigures:
    """The refusals by one rule of the gate."""

    rule: str
    refusals: int


@dataclass(frozen=True)
class Figures:
    """Everything that `reknit stats` shows."""

    repository: str
    """Path of the repository; empty: every repository."""
    period: Period
    endings: Sequence[EndingFigures] = ()
    agents: Sequence[AgentFigures] = ()
    findings: Sequence[FindingFigures] = ()
    """The most expensive ones, at most `SHOWN_FINDINGS`."""
    rules: Sequence[RuleFigures] = ()

    @property
    def runs(self) -> int:
        return sum(one.runs for one in self.endings)

    @property
    def spent_usd(self) -> float:
        return sum(one.spent_usd for one in self.endings)

    @property
    def reserved_usd(self) -> float:
        return sum(one.reserved_usd for one in self.endings)

    @property
    def landed(self) -> int:
        return sum(one.landed for one in self.agents)

    @property
    def usd_per_fix(self) -> float | None:
        """Return what an accepted fix cost, with all that was spent on the others; None: there is none."""
        return self.spent_usd / self.landed if self.landed else None


def build_stats_document(figures: Figures, now: float) -> dict[str, object]:
    """Return the figures as a JSON document. Units are in the names; times are Unix times."""
    return {
        "schema": 1, "repository": figures.repository or None, "since": now - figures.period.seconds, "until": now,
        "runs": figures.runs, "spent_usd": figures.spent_usd, "reserved_usd": figures.reserved_usd,
        "accepted_fixes": figures.landed, "usd_per_accepted_fix": figures.usd_per_fix,
        "tokens": sum(one.tokens for one in figures.agents), "seconds": sum(one.seconds for one in figures.endings),
        "endings": [*map(asdict, figures.endings)], "agents": [*map(asdict, figures.agents)],
        "findings": [*map(asdict, figures.findings)], "refusals": [*map(asdict, figures.rules)],
    }  # fmt: skip
