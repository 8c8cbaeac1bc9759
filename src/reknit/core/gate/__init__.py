"""Judges the changes of an attempt by rules: accepts them, or refuses them with reasons that a person can read."""
