"""Locates the state folder and the database of this installation."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from reknit.core.errors import UsageError

LEASE_S = 60.0
LEAST_LEASE_S = 1.0


@dataclass(frozen=True)
class Installation:
    """The state folder, the database and the environment of this process."""

    state: Path
    database: str
    environment: Mapping[str, str]

    @property
    def runs(self) -> Path:
        return self.state / "runs"

    def gitdir(self, run_id: str) -> Path:
        """Return the path of our own repository, in which a run works."""
        return self.runs / run_id / "trusted.git"

    @property
    def hooks(self) -> Path:
        """Folder of the markers of windows in fix mode. The Stop hook reads them: see `interfaces/hook/entry.py`."""
        return self.state / "hooks"

    @property
    def log(self) -> Path:
        return self.state / "reknit.log"

    @property
    def lease_s(self) -> float:
        """Seconds until a silent process counts as dead, and its runs may be taken over. Postgres only."""
        text = self.environment.get("REKNIT_LEASE_S") or LEASE_S
        try:
            lease_s = float(text)
        except ValueError:
            lease_s = 0.0
        if not LEAST_LEASE_S <= lease_s < float("inf"):
            message = f"REKNIT_LEASE_S is {text!r}; expected a number of seconds, at least {LEAST_LEASE_S:g}"
            raise UsageError("config", message, help=f"unset it: the default is {LEASE_S:g}")
        return lease_s


def find_installation(environment: Mapping[str, str]) -> Installation:
    """Use `REKNIT_STATE` and `REKNIT_DATABASE` if set; otherwise a SQLite file in the user's state folder."""
    folder = environment.get("REKNIT_STATE")
    state = Path(folder) if folder else platformdirs.user_state_path("reknit", appauthor=False)
    state = state.absolute()
    return Installation(state, environment.get("REKNIT_DATABASE") or f"sqlite:///{state}/reknit.sqlite", environment)
