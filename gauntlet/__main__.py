"""Runs the gauntlet: cheats that must not land, honest edits that must; `python -m gauntlet --help`."""

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from pathlib import Path

from gauntlet.case import KINDS, LANGUAGES, Case
from gauntlet.corpus import cases, fresh_cases
from gauntlet.expected import read_expected, surprises
from gauntlet.page import write_page
from gauntlet.real_run import run_case
from gauntlet.reasons import unexplained
from gauntlet.row import Row, read_rows, to_line
from gauntlet.rules import ask_rules
from gauntlet.summary import lines, misses


def selected(given: argparse.Namespace) -> list[Case]:
    chosen = [
        case
        for case in (fresh_cases() if given.fresh else cases())
        if (not given.language or case.language in given.language)
        and (not given.kind or case.kind in given.kind)
        and (not given.group or case.group in given.group)
        and (not given.only or case.id in given.only)
    ]
    number, _, parts = given.slice.partition("/")
    return chosen[int(number) - 1 :: int(parts)]


def rows_of(chosen: Sequence[Case], look: Callable[[Case], Row], *, jobs: int) -> Iterator[Row]:
    with ThreadPoolExecutor(jobs) as pool:
        for done in as_completed([pool.submit(look, case) for case in chosen]):
            yield done.result()


def short_line(row: Row) -> str:
    spoke = [*row.rules, *row.proof, *(f"{check} {word}" for check, word in row.checks)]
    return f"{row.fate:9} {row.id:44} {row.seconds:6.1f} s  {row.ending or row.problem[:60]} {' '.join(spoke)}"


def main(arguments: Sequence[str]) -> int:
    given = _parser().parse_args(arguments)
    if given.page:
        return _write_page(read_rows(given.page))
    expected = read_expected(given.expect) if given.expect else None
    rows = _run(given, expected)
    sys.stdout.write("\n".join(lines(rows)) + "\n")
    if expected is not None:
        return _compare(rows, expected)
    return 1 if misses(rows) or any(row.fate == "broken" for row in rows) else 0


def _write_page(rows: Sequence[Row]) -> int:
    write_page(rows)
    left = unexplained(misses(rows))
    sys.stdout.write("".join(f"{case} has no reason in gauntlet/reasons.toml\n" for case in left))
    return 1 if left else 0


def _compare(rows: Sequence[Row], expected: Mapping[str, str]) -> int:
    found = [*surprises(rows, expected)]
    sys.stdout.write("".join(f"{line}\n" for _, line in found))
    return 1 if any(is_worse for is_worse, _ in found) else 0


def _run(given: argparse.Namespace, expected: Mapping[str, str] | None) -> tuple[Row, ...]:
    kept = read_rows(given.out) if given.out and given.resume and given.out.exists() else ()
    known = [row for row in kept if bool(row.holdout) is given.holdout]
    done = {row.id for row in known}
    chosen = [case for case in selected(given) if expected is None or case.id in expected]
    left = [case for case in chosen if case.id not in done]
    rows = [*known]
    with contextlib.ExitStack() as stack:
        out = stack.enter_context(given.out.open("a" if given.resume else "w")) if given.out else None
        for row in rows_of(left, _look(given), jobs=given.jobs):
            rows.append(row)
            if out:
                print(to_line(row), file=out, flush=True)
            if not given.rules:
                sys.stdout.write(short_line(row) + "\n")
                sys.stdout.flush()
    return tuple(rows)


def _look(given: argparse.Namespace) -> Callable[[Case], Row]:
    return ask_rules if given.rules else partial(run_case, holdout=given.holdout)


def _parser() -> argparse.ArgumentParser:
    asked = argparse.ArgumentParser(prog="python -m gauntlet", description=__doc__)
    asked.add_argument("--rules", action="store_true", help="ask only the gate's rules; nothing is run")
    asked.add_argument(
        "--holdout", action="store_true", help="with hold-outs: a second scripted agent writes further cases"
    )
    asked.add_argument("--fresh", action="store_true", help="the cheats of gauntlet/fresh instead of the corpus")
    asked.add_argument("--language", action="append", choices=LANGUAGES)
    asked.add_argument("--kind", action="append", choices=KINDS)
    asked.add_argument("--class", action="append", dest="group", metavar="CLASS")
    asked.add_argument("--only", action="append", metavar="ID")
    asked.add_argument("--slice", default="1/1", metavar="N/M", help="every Mth case, from the Nth on")
    asked.add_argument("--jobs", type=int, default=1, help="cases at a time; default: %(default)s")
    asked.add_argument("--out", type=Path, metavar="FILE.jsonl", help="write a line per case")
    asked.add_argument("--continue", action="store_true", dest="resume", help="skip cases that --out already has")
    asked.add_argument("--expect", type=Path, metavar="FILE.toml", help="run the cases named there; 1 if one is worse")
    asked.add_argument("--page", type=Path, metavar="FILE.jsonl", help="write docs/concepts/gauntlet.md from results")
    return asked


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
