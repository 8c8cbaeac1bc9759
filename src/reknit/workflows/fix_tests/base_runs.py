"""Runs of the suite on base, each saved when it is finished: a resumed run does not repeat it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields

from reknit.core.fix_tests import events
from reknit.core.fix_tests.flakiness import RUNS_ALONE
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.report import TestReport
from reknit.workflows.runtime.codec import CODEC
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.work_folders import run_tests

SLOW_S = 10.0
"""A run of the suite that takes longer is reported when it is finished."""
_FURTHER_RUNS = tuple(f"base-red-{number}" for number in range(1, RUNS_ALONE))
_NAMES = ("base-0", "base-1", "base-red", *_FURTHER_RUNS)
_LEAST_RUNS = 3
"""How many runs a slow suite gets: red tests are not run further once they took long enough."""


async def run_on_base(
    services: Services, spec: RunSpec, name: str, only: Sequence[str] = (), skip: Collection[str] = ()
) -> TestReport:
    if saved := services.ledger.document(spec.run_id, _document(name)):
        return TestReport(**CODEC.deserialize(saved))
    report = await run_tests(services, spec, name, spec.base, only=only, skip=skip)
    if report.seconds >= SLOW_S:
        number = _NAMES.index(name) + 1
        told = events.suite_ran(number, max(number, _LEAST_RUNS), report)
        services.ledger.event(spec.run_id, f"suite-{name}", told)
    if report.status != "error":  # a failed measurement may succeed the next time
        services.ledger.put_document(spec.run_id, _document(name), CODEC.serialize(_plain(report)))
    return report


def forget_runs_on_base(services: Services, spec: RunSpec) -> None:
    """The baseline has what they showed; every test id of a large suite three times over is not worth keeping."""
    for name in _NAMES:
        if services.ledger.document(spec.run_id, _document(name)):
            services.ledger.put_document(spec.run_id, _document(name), "")


def _plain(report: TestReport) -> dict[str, object]:
    """Its mappings may be of any type; a document holds plain ones."""
    values = {each.name: getattr(report, each.name) for each in fields(report)}
    return {name: dict(value) if isinstance(value, Mapping) else value for name, value in values.items()}


def _document(name: str) -> str:
    return f"report-{name}"
