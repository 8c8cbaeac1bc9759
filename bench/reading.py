"""The goals of the readers: SARIF and JUnit of 100,000 results."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.figure import Figure
from bench.inputs import SARIF, failing, write_inputs
from bench.measure import ROUNDS, Costs, compare

RESULTS = 100_000


def figures(results: int = RESULTS, rounds: int = ROUNDS) -> Iterator[Figure]:
    with TemporaryDirectory(prefix="reknit-bench-") as name:
        folder = Path(name)
        write_inputs(folder, results)
        yield from _sarif(folder, results, rounds)
        yield from _junit(folder, results, rounds)


def _sarif(folder: Path, results: int, rounds: int) -> Iterator[Figure]:
    loads, without_gc, values, ours, whole = compare(
        (
            "anchors.orjson_loads",
            "anchors.orjson_without_gc",
            "readers.sarif_values",
            "readers.sarif_fingerprints",
            "importing.sarif",
        ),
        folder,
        rounds,
    )
    _check_all_read(results, values, ours, whole)
    size_mb = (folder / SARIF).stat().st_size / (1 << 20)
    yield Figure("SARIF, values and fingerprints / orjson", _ms(ours), _ms(loads), ours.cpu_of(loads), 0.35)
    yield Figure("  the same / orjson with gc off", _ms(ours), _ms(without_gc), ours.cpu_of(without_gc))
    yield Figure("  values alone / orjson", _ms(values), _ms(loads), values.cpu_of(loads))
    yield Figure("  whole import up to the database / orjson", _ms(whole), _ms(loads), whole.cpu_of(loads))
    yield Figure("SARIF, peak of memory / size of the file", _mb(ours.peak_mb), _mb(size_mb), ours.peak_mb / size_mb, 2)
    yield Figure("  whole import, the same", _mb(whole.peak_mb), _mb(size_mb), whole.peak_mb / size_mb)


def _junit(folder: Path, results: int, rounds: int) -> Iterator[Figure]:
    bare, ours, whole = compare(("anchors.bare_expat", "readers.junit_values", "importing.junit"), folder, rounds)
    _check_all_read(failing(results), ours, whole)
    yield Figure("JUnit / bare expat", _ms(ours), _ms(bare), ours.cpu_of(bare), 2.5)
    yield Figure("  whole import up to the database / bare expat", _ms(whole), _ms(bare), whole.cpu_of(bare))


def _check_all_read(expected: int, *ours: Costs) -> None:
    """A reader that passes something over is quick."""
    for costs in ours:
        if costs.count != expected:
            raise SystemExit(f"{costs.count} of {expected} results were read: the figures would mean nothing")


def _ms(costs: Costs) -> str:
    return f"{costs.cpu_s * 1000:,.0f} ms CPU"


def _mb(size: float) -> str:
    return f"{size:,.0f} MB"
