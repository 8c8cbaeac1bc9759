"""Asking the forge: its refusals become values, and a limit told to one run is known to all."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from reknit.core.errors import InternalError
from reknit.core.forge import Hindered, Hindrance, Remote
from reknit.core.metering import NotNow
from reknit.core.run import PullTarget, RunSpec
from reknit.flows.services import Services
from reknit.ports import Forge

T = TypeVar("T")


def target(spec: RunSpec) -> PullTarget:
    if spec.pull is None:
        raise InternalError("no-pull-request", f"{spec.run_id} has no pull request")
    return spec.pull


async def ask(services: Services, spec: RunSpec, question: Callable[[Forge], T]) -> T | Hindrance:
    forge = services.forge(target(spec).place)
    if until := services.accounts.not_before(forge.account):
        return Hindrance("limited", "known from an earlier answer", until)
    try:
        return await asyncio.to_thread(question, forge)
    except Hindered as hindered:
        if hindered.hindrance.kind == "limited":
            services.accounts.limited(forge.account, NotNow(429, hindered.hindrance.until))
        return hindered.hindrance


def remote(services: Services, spec: RunSpec, url: str) -> Remote:
    return Remote(url, services.forge(target(spec).place).credential())
