"""Topics on which a waiting run can be spoken to."""

HINT = "hint"
"""Something may have changed on the forge: look now, not when the wait is over."""
