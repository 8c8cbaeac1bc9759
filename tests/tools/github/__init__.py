"""A GitHub of our own for tests: real git behind it, checked by GitHub's own description, faults on a switch."""

from tests.tools.github.faults import Faults
from tests.tools.github.hub import GitHub
from tests.tools.github.tokens import App
from tests.tools.github.world import Call

__all__ = ["App", "Call", "Faults", "GitHub"]
