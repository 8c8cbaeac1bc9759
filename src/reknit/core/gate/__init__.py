"""The gate: pure rules over what an attempt changed. It accepts, or refuses with reasons a person can read."""
