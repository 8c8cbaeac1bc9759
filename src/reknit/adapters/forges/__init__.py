"""Adapters of the `Forge` port, one module a forge."""
