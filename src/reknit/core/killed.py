"""What it means for an agent's call when reknit killed its box."""

from collections.abc import Mapping

from reknit.core.agent_call import Broke
from reknit.core.box import EndReason

KILLED: Mapping[EndReason, Broke] = {"wall": Broke("timeout"), "idle": Broke("idle"), "output": Broke("output")}
"""Without `exit`: then the agent's own words and exit code are looked at."""
