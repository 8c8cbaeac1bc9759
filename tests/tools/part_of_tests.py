"""Chooses the tests of CI where each test plays a whole run: a third of each file. `make nightly` runs all of them.

What such a test decides has a table in `core`, so most of them show again that the parts fit together.
"""

import zlib
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest

EVERY_NTH = 3
ROOT = Path(__file__).parent.parent
WHOLE_RUNS = (
    "app/hook/test_fix_pr.py",
    "app/test_doctor.py",
    "e2e",
    "environment",
    "interfaces/cli/commands/test_config.py",
    "interfaces/cli/commands/test_control.py",
    "interfaces/cli/commands/test_parked.py",
    "interfaces/cli/commands/test_plan.py",
    "interfaces/cli/test_broken_databases.py",
    "interfaces/cli/test_new_capability.py",
    "interfaces/test_github_action.py",
    "workflows/fix_issues",
    "workflows/fix_pr",
    "workflows/fix_tests",
    "workflows/review",
    "workflows/shared/test_agent_call.py",
    "workflows/shared/test_proofs.py",
    "workflows/shared/test_tampering.py",
    "workflows/test_hook_check.py",
    "workflows/test_hook_check_long_tests.py",
    "workflows/test_plan.py",
    "workflows/test_vote.py",
)
"""Files and folders below `tests`."""


def split_items(items: Sequence[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Return the tests that are run and those that are left out, both in their order.

    Of each file every third test is run, and at least one. Which comes first differs by file, so that rows which
    several files share are all run somewhere.
    """
    files: dict[Path, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if _plays_whole_run(item):
            files[item.path].append(item)
    left = set[pytest.Item]()
    for path, group in files.items():
        first = zlib.crc32(path.name.encode()) % min(EVERY_NTH, len(group))
        ordered = sorted(group, key=lambda item: item.nodeid)
        left.update(item for number, item in enumerate(ordered) if number % EVERY_NTH != first)
    return [item for item in items if item not in left], [item for item in items if item in left]


def _plays_whole_run(item: pytest.Item) -> bool:
    return any(item.path.is_relative_to(ROOT / place) for place in WHOLE_RUNS)
