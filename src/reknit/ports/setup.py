"""Runs the set-up of a project and keeps what it installed."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from reknit.core.box import BoxView
from reknit.core.setup.values import Layer, Setup, SetupFailed
from reknit.ports.box import Box


@dataclass(frozen=True)
class SetupOrder:
    setup: Setup
    layer: str
    """The name that what it installs is kept by."""
    view: BoxView
    """A fresh tree of the commit that the set-up belongs to."""
    tracked_folders: Collection[str]
    outbox: str
    """An empty host folder on the same disk."""
    wall_s: float


class LayerBuild(Protocol):
    """The right to build one layer; nobody else builds it meanwhile."""

    async def run(self, order: SetupOrder, box: Box) -> SetupFailed | None:
        """None: the layer is kept now."""

    def close(self) -> None: ...


class ProjectSetups(Protocol):
    def toolchain(self, setup: Setup) -> Sequence[str]:
        """What identifies the installed programs that the set-up uses; a change makes another layer."""

    def names(self, key: str) -> Sequence[str]:
        """Of the kept layers with this key, as `core/setup/sharing.py` makes them."""

    def hold(self, name: str, holder: str) -> Layer | None:
        """The layer with this name, kept at least until `release(holder)`; None: there is none."""

    def build(self, name: str) -> LayerBuild | None:
        """None: another process builds this layer now."""

    def release(self, holder: str) -> None:
        """Also if it holds nothing."""
