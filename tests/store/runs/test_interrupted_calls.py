"""What a run has spent agrees with its gateway to the cent, also after Ctrl-C, `kill -9` and `resume`."""

import json
import subprocess
import sys

import pytest
import sqlalchemy as sa

from reknit.core.runs.spending import Spending
from reknit.core.runs.view import RunView, describe_spending
from reknit.store.runs.coordination import SqlAccounts
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.reader import RunReader
from reknit.workflows.shared.agent_call import RunCallAccounting
from tests.store.runs.test_ledger import spec
from tests.tools.gateway_client import BODY, WAIT_S, about, client_of
from tests.tools.scripted_model import ScriptedModel

RUN = "r-abc123"
HELLO = {"text": "hello", "usage": {"input": 100, "output": 20}}
HELLO_USD = 100 * 1e-6 + 20 * 5e-6
WORST_USD = (len(json.dumps(BODY)) + 1_000) * 2e-6 + 1_000 * 5e-6
CUT_OFF_USD = (100 + 200) * 2e-6 + 1_000 * 5e-6
"""Reserved for the second request: the counted prompt of the first one bounds its prompt."""
WORKER = """
import sys
from reknit.store.database import open_store
from tests.store.runs import test_interrupted_calls as calls
with calls.client_of(sys.argv[2], calls.account(open_store(sys.argv[1]), "attempt-1-1")) as client:
    client.status()
    client.status()
"""


def account(store: sa.Engine, call: str) -> RunCallAccounting:
    """Return the accounting that a run gives to the gateway of this call."""
    return RunCallAccounting(SqlRunLedger(store), SqlAccounts(store), RUN, call)


def read_run(store: sa.Engine) -> RunView:
    return RunReader(store).run(RUN)


@pytest.fixture
def ledger(store: sa.Engine) -> SqlRunLedger:
    ledger = SqlRunLedger(store)
    ledger.create(spec(RUN))
    return ledger


def _leave_by_ctrl_c(store: sa.Engine, model: ScriptedModel) -> None:
    """Close the gateway while its second request is open, as a cancelled step does."""
    with client_of(model.url, account(store, "attempt-1-1")) as client:
        assert client.status() == 200
        connection = client.connect()
        connection.request("POST", "/v1/messages", json.dumps(BODY), {"x-api-key": client.gateway.token})
        assert model.wait_for(2)
        used = client.gateway.close()
    run = read_run(store)
    assert (run.spent_usd, run.held_usd) == (used.cost_usd, used.held_usd)


def _leave_by_kill(store: sa.Engine, model: ScriptedModel) -> None:
    """Kill the whole process while its second request is open."""
    url = store.url.render_as_string(hide_password=False)
    with subprocess.Popen([sys.executable, "-c", WORKER, url, model.url]) as worker:
        assert model.wait_for(2, WAIT_S)
        worker.kill()


@pytest.mark.parametrize("leave", [_leave_by_ctrl_c, _leave_by_kill], ids=["ctrl-c", "kill -9"])
def test_what_was_reserved_for_a_request_that_was_cut_off_is_not_spent(ledger: SqlRunLedger, leave: object) -> None:
    store = ledger.engine
    with ScriptedModel(turns=[HELLO, {"hang": True, "repeat": True}]) as model:
        assert callable(leave)
        leave(store, model)
    cut_off = ledger.read_spending(RUN)
    assert cut_off == Spending(about(HELLO_USD), 5.0, about(CUT_OFF_USD))
    assert describe_spending(read_run(store)) == "$0.00 of $5.00 spent, up to $0.01 reserved"

    with ScriptedModel(turns=[HELLO]) as model, client_of(model.url, account(store, "attempt-1-2")) as client:
        assert client.status() == 200
        used = client.gateway.close()
        account(store, "attempt-1-2").record_cost(used.cost_usd, used.held_usd)
    run = read_run(store)
    assert run.spent_usd == about(2 * HELLO_USD)
    assert run.held_usd == cut_off.held_usd
    assert ledger.total_cost(RUN) == about(2 * HELLO_USD + CUT_OFF_USD)  # the budget counts it


def test_nothing_stays_reserved_for_a_call_that_ended_normally(ledger: SqlRunLedger) -> None:
    held: list[float] = []

    def look(_: object) -> None:
        held.append(read_run(ledger.engine).held_usd)

    accounting = account(ledger.engine, "attempt-1-1")
    with ScriptedModel(turns=[HELLO], decide=look) as model, client_of(model.url, accounting) as client:
        assert client.status() == 200
    run = read_run(ledger.engine)
    assert held == [about(WORST_USD)]
    assert run.held_usd == 0.0
    assert run.spent_usd == about(HELLO_USD)
