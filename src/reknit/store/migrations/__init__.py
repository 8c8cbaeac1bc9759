"""Migrations of our own tables."""
