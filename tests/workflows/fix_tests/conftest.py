"""The demo's repository with a recorded run, as the shared steps have it."""

from tests.workflows.shared.conftest import scene as scene
