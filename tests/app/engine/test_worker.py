"""A worker: what it takes over, and when it ends."""

import subprocess
import sys

from tests.tools.command_line import CommandLine


def test_with_nobody_dead_there_is_nothing_to_adopt(reknit: CommandLine) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "reknit", "worker", "--adopt"], env=reknit.environment, cwd=reknit.folder, check=False
    )
    assert done.returncode == 0
