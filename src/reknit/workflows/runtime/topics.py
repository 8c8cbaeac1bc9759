"""Topics on which a waiting run receives messages."""

HINT = "hint"
"""Something may have changed on the forge: poll now, not at the end of the wait."""
