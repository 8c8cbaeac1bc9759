"""Records a new run, before an engine knows it."""

from reknit.core.runs.claim_text import TakenByRun
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.reader import RunReader
from reknit.workflows.runtime.codec import CODEC


def record(ledger: SqlRunLedger, spec: RunSpec) -> None:
    ledger.create(spec)
    ledger.put_document(spec.run_id, "spec", CODEC.serialize(spec))
    holder = ledger.claim(spec.claims, spec.run_id) if spec.claims else spec.run_id
    if holder != spec.run_id:
        ledger.end(spec.run_id, Ending("CANCELLED", f"{holder} is already working on this", "taken"))
        raise TakenByRun(RunReader(ledger.engine).run(holder))
