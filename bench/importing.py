"""`issues import` up to its database: reports read, results sorted by file, each fingerprinted from real lines."""

from contextlib import closing
from pathlib import Path

from bench.inputs import JUNIT, SARIF, SOURCES
from reknit.adapters.bounded.calls import ChildCalls
from reknit.app.issues.import_reports import read_reports
from reknit.app.issues.results_by_file import ResultsByFile, WorkingTree
from reknit.core.issues.identity.fingerprint import NormalizedFile, locate_result


def sarif(folder: Path) -> int:
    return _import(folder, SARIF)


def junit(folder: Path) -> int:
    return _import(folder, JUNIT)


def _import(folder: Path, report: str) -> int:
    tree = WorkingTree(str(folder / SOURCES))
    pile = ResultsByFile(tree, tree.root)
    with closing(ChildCalls()) as calls:
        read_reports([str(folder / report)], "", pile, calls)
    count = 0
    for path in sorted(pile.by_path):
        data = tree.read(path)
        text = None if data is None else NormalizedFile(data)
        count += len([locate_result(found, path, text) for found in pile.by_path.pop(path)])
    return count
