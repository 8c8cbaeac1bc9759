"""The version of our tables, apart from the code that creates them: queueing a run must not load that."""

HEAD = "0007"
"""The newest migration; a test compares it with the migrations folder."""
