"""Asks the forge which fixes are merged without being told to: rarely, and silent if it cannot be asked."""

import hashlib
import time
from contextlib import suppress

from reknit.app.installation import Installation
from reknit.app.issues.from_forge import sync
from reknit.app.issues.ledger import RepositoryIssues
from reknit.core.errors import ReknitError

PAUSE_S = 600.0
"""Between two questions about one repository."""
FEW = 20
"""Commits to ask about, the newest: one request each, and a person is waiting."""


def sync_if_due(place: Installation, backlog: RepositoryIssues) -> tuple[int, ...]:
    """The issues that became MERGED; `reknit issues sync` asks about all, at any time, and says what went wrong."""
    if not backlog.ledger.landed(backlog.key):
        return ()
    stamp = place.state / "synced" / hashlib.sha256(backlog.key.encode(errors="replace")).hexdigest()[:32]
    with suppress(FileNotFoundError):
        if 0 <= time.time() - stamp.stat().st_mtime < PAUSE_S:
            return ()
    stamp.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    stamp.touch()  # before asking: a forge that does not answer is not asked again at once
    with suppress(ReknitError):
        return sync(place, backlog, most=FEW).merged
    return ()
