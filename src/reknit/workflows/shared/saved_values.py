"""Documents of a run: values too large for a checkpoint, and finished test runs that a resumed run reuses."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TypeVar

from reknit.core.runs.spec import RunSpec
from reknit.core.testing.report import TestReport
from reknit.workflows.runtime.codec import CODEC
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.work_folders import run_tests


async def run_once(
    services: Services, spec: RunSpec, name: str, rev: str, only: Sequence[str] = (), skip: Collection[str] = ()
) -> tuple[TestReport, float]:
    """Run the tests, or return the saved report. `name`: unique in the run. Returns when the run ended, too."""
    if saved := services.ledger.document(spec.run_id, document_name(name)):
        values = CODEC.deserialize(saved)
        at = values.pop("at", services.clock())  # an older release saved none
        return TestReport(**values), at
    report = await run_tests(services, spec, name, rev, only=only, skip=skip)
    at = services.clock()
    if report.status != "error":  # a failed measurement may succeed the next time
        services.ledger.put_document(spec.run_id, document_name(name), CODEC.serialize({**_plain(report), "at": at}))
    return report, at


def forget_runs(services: Services, spec: RunSpec, names: Iterable[str]) -> None:
    """Forget runs whose results are saved elsewhere: all test ids of a large suite are not worth keeping twice."""
    for name in names:
        if services.ledger.document(spec.run_id, document_name(name)):
            services.ledger.put_document(spec.run_id, document_name(name), "")


def document_name(name: str) -> str:
    """Return the name of the document that holds a test run."""
    return f"report-{name}"


def _plain(report: TestReport) -> dict[str, object]:
    """Return the fields with plain dicts: a report's mappings may be of any type."""
    values = {field.name: getattr(report, field.name) for field in fields(report)}
    return {name: dict(value) if isinstance(value, Mapping) else value for name, value in values.items()}


T = TypeVar("T")


def save_value(services: Services, spec: RunSpec, name: str, value: T, errors: int = 0) -> T:
    """Save a value. An error is saved under the number of earlier errors, so that the next try may succeed."""
    failed = getattr(value, "status", "") == "error"
    services.ledger.put_document(spec.run_id, f"{name}-error-{errors}" if failed else name, CODEC.serialize(value))
    return value


def load_value(services: Services, spec: RunSpec, name: str, errors: int = 0) -> object | None:
    """Return a saved value, or the error saved after so many errors; None if there is neither."""
    text = services.ledger.document(spec.run_id, name) or services.ledger.document(
        spec.run_id, f"{name}-error-{errors}"
    )
    return CODEC.deserialize(text) if text else None
