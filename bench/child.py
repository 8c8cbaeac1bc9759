"""Runs one case in a Python of its own and says what it cost: `python -m bench.child MODULE FUNCTION FOLDER`."""

import importlib
import json
import sys
import time
from pathlib import Path


def main(module: str, function: str, folder: str) -> None:
    work = getattr(importlib.import_module(f"bench.{module}"), function)
    begun = time.process_time()
    count = work(Path(folder))
    spent = time.process_time() - begun
    sys.stdout.write(json.dumps({"cpu_s": spent, "peak_mb": _peak_mb(), "count": count}))


def _peak_mb() -> float:
    """Asked here and not of the parent: what a parent is told of its child is never below its own peak."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


if __name__ == "__main__":
    main(*sys.argv[1:])
