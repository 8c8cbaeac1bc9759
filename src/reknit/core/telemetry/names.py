"""Names of attributes in traces. The GenAI conventions of OpenTelemetry may still change, so all of them are here."""

OPERATION = "gen_ai.operation.name"
INVOKE_AGENT, INVOKE_WORKFLOW = "invoke_agent", "invoke_workflow"
AGENT_NAME = "gen_ai.agent.name"
RUN, KIND, ENDING, STEP, STRATEGY, OUTCOME = (
    f"reknit.{name}" for name in ("run", "kind", "ending", "step", "strategy", "outcome")
)
NUMBER, STARTS, TOKENS = "reknit.attempt", "reknit.starts", "reknit.tokens"
SPENT_USD, RESERVED_USD = "reknit.spent_usd", "reknit.reserved_usd"
SERVICE, SERVICE_NAME = "service.name", "reknit"
