"""Runs of the tests, each saved when it is finished: a resumed run does not repeat it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields

from reknit.core.runs.spec import RunSpec
from reknit.core.testing.report import TestReport
from reknit.workflows.runtime.codec import CODEC
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.work_folders import run_tests


async def run_once(
    services: Services, spec: RunSpec, name: str, rev: str, only: Sequence[str] = (), skip: Collection[str] = ()
) -> tuple[TestReport, float]:
    """What it showed, and when it ended. `name`: of this run and no other."""
    if saved := services.ledger.document(spec.run_id, run_document(name)):
        values = CODEC.deserialize(saved)
        at = values.pop("at", services.clock())  # an older release saved none
        return TestReport(**values), at
    report = await run_tests(services, spec, name, rev, only=only, skip=skip)
    at = services.clock()
    if report.status != "error":  # a failed measurement may succeed the next time
        services.ledger.put_document(spec.run_id, run_document(name), CODEC.serialize({**_plain(report), "at": at}))
    return report, at


def forget_runs(services: Services, spec: RunSpec, names: Iterable[str]) -> None:
    """What they showed is saved elsewhere; every test id of a large suite several times over is not worth keeping."""
    for name in names:
        if services.ledger.document(spec.run_id, run_document(name)):
            services.ledger.put_document(spec.run_id, run_document(name), "")


def run_document(name: str) -> str:
    return f"report-{name}"


def _plain(report: TestReport) -> dict[str, object]:
    """Its mappings may be of any type; a document holds plain ones."""
    values = {each.name: getattr(report, each.name) for each in fields(report)}
    return {name: dict(value) if isinstance(value, Mapping) else value for name, value in values.items()}
