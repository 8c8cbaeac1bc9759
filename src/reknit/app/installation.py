"""Where this installation keeps its state, and which database it uses."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from reknit.core.errors import UsageProblem

LEASE_S = 60.0
LEAST_LEASE_S = 1.0


@dataclass(frozen=True)
class Installation:
    state: Path
    database: str
    environment: Mapping[str, str]

    @property
    def runs(self) -> Path:
        return self.state / "runs"

    def gitdir(self, run_id: str) -> Path:
        """Our own repository, in which a run works."""
        return self.runs / run_id / "trusted.git"

    @property
    def hooks(self) -> Path:
        """Markers of the windows in fix mode. The entry of the Stop hook reads them: see `interfaces/hook`."""
        return self.state / "hooks"

    @property
    def log(self) -> Path:
        return self.state / "reknit.log"

    @property
    def lease_s(self) -> float:
        """Postgres: seconds until a silent process counts as dead, and its runs may be taken over."""
        given = self.environment.get("REKNIT_LEASE_S") or LEASE_S
        try:
            lease_s = float(given)
        except ValueError:
            lease_s = 0.0
        if not LEAST_LEASE_S <= lease_s < float("inf"):
            what = f"REKNIT_LEASE_S is {given!r}; expected a number of seconds, at least {LEAST_LEASE_S:g}"
            raise UsageProblem("config", what, help=f"unset it: the default is {LEASE_S:g}")
        return lease_s


def installation(environment: Mapping[str, str]) -> Installation:
    """`REKNIT_STATE` and `REKNIT_DATABASE` if set; otherwise a SQLite file in the user's state folder."""
    given = environment.get("REKNIT_STATE")
    state = Path(given) if given else platformdirs.user_state_path("reknit", appauthor=False)
    state = state.absolute()
    return Installation(state, environment.get("REKNIT_DATABASE") or f"sqlite:///{state}/reknit.sqlite", environment)
