"""Measures every goal of speed and size: `python -m bench [--only PART] [--json FILE]`; 1 when one is missed."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from bench import batches, commit_check, exploration, issues_import, issues_page, reading, stop_hook
from bench.figure import HEAD, Figure, line


def batching() -> Iterator[Figure]:
    for name, ratio, limit in batches.cases():
        yield Figure(name, "", "", ratio, limit)


PARTS: dict[str, Callable[[], Iterator[Figure]]] = {
    "reading": reading.figures,
    "importing": issues_import.figures,
    "paging": issues_page.figures,
    "batching": batching,
    "hook": stop_hook.figures,
    "checking": commit_check.figures,
    "exploring": exploration.figures,
}


def report(found: Iterable[Figure]) -> list[Figure]:
    sys.stdout.write(f"{HEAD}\n")
    seen = []
    for figure in found:
        sys.stdout.write(f"{line(figure)}\n")
        sys.stdout.flush()
        seen.append(figure)
    return seen


def main(arguments: Sequence[str]) -> int:
    asked = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    asked.add_argument("--only", choices=PARTS)
    asked.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    given = asked.parse_args(arguments)
    parts = [given.only] if given.only else PARTS
    seen = report(figure for part in parts for figure in PARTS[part]())
    if given.json:
        told = [{**asdict(figure), "missed": figure.is_missed} for figure in seen]
        given.json.write_text(json.dumps(told, indent=1) + "\n")
    return 1 if any(figure.is_missed for figure in seen) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
