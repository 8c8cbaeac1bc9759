"""How prompts are made."""

from collections.abc import Callable, Mapping

PromptMaker = Callable[[str, Mapping[str, object]], str]
"""Name of a prompt and the facts it is filled with."""
