"""The GitHub Action: what a step of a workflow asks for, and what it shows there."""
