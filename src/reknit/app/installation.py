"""Where this installation keeps its state, and which database it uses."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs


@dataclass(frozen=True)
class Installation:
    state: Path
    database: str
    environment: Mapping[str, str]

    @property
    def runs(self) -> Path:
        return self.state / "runs"

    @property
    def log(self) -> Path:
        return self.state / "reknit.log"


def installation(environment: Mapping[str, str]) -> Installation:
    """`REKNIT_STATE` and `REKNIT_DATABASE` where they are set; else a SQLite file in the user's state folder."""
    given = environment.get("REKNIT_STATE")
    state = Path(given) if given else platformdirs.user_state_path("reknit", appauthor=False)
    state = state.absolute()
    return Installation(state, environment.get("REKNIT_DATABASE") or f"sqlite:///{state}/reknit.sqlite", environment)
