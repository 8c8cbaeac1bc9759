"""Migrations of reknit's tables."""
