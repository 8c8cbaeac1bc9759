"""Calls to the forge: failures become values, and a rate limit seen by one run is known to all."""

import asyncio
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import urlsplit

from reknit.core.errors import UsageProblem
from reknit.core.forge.values import ForgeError, ForgeFailure, ForgePlace, Pull, Remote
from reknit.core.gateway.metering import ProviderRefusal
from reknit.core.runs.spec import RunSpec
from reknit.core.text.format import one_line
from reknit.ports.forge import Forge, ForgeMaker
from reknit.ports.repository import TrustedRepository
from reknit.workflows.runtime.services import Services

T = TypeVar("T")


def forge_place(spec: RunSpec) -> ForgePlace:
    return spec.vote.place if spec.vote else spec.pull_target.place


async def ask(services: Services, spec: RunSpec, question: Callable[[Forge], T]) -> T | ForgeFailure:
    forge = services.forge(forge_place(spec))
    if until := services.accounts.not_before(forge.account):
        return ForgeFailure("limited", "known from an earlier answer", until)
    try:
        return await asyncio.to_thread(question, forge)
    except ForgeError as hindered:
        if hindered.failure.kind == "limited":
            services.accounts.limited(forge.account, ProviderRefusal(429, hindered.failure.until))
        return hindered.failure


def remote(services: Services, spec: RunSpec, url: str) -> Remote:
    place = forge_place(spec)
    return remote_of(lambda where: services.forge(where), place, url)


def remote_of(forges: ForgeMaker, place: ForgePlace, url: str) -> Remote:
    """The credential goes only to the forge's own host, never to another one that its answers name."""
    host = urlsplit(place.api).netloc
    if urlsplit(url).netloc.lower() != ("github.com" if host == "api.github.com" else host).lower():
        raise UsageProblem("foreign-remote", f"{place.api} names a repository on another host: {one_line(url)[:200]}")
    return Remote(url, forges(place).credential())


def fetch(services: Services, spec: RunSpec, pull: Pull) -> tuple[str, str]:
    """Fetch (head, tip of the base branch) into the run's gitdir; empty if that branch is gone."""
    return fetch_heads(services.workspace(spec).repository, lambda url: remote(services, spec, url), pull)


def fetch_heads(repository: TrustedRepository, remote_at: Callable[[str], Remote], pull: Pull) -> tuple[str, str]:
    """The same into any gitdir. `remote_at`: by its address."""
    head, base = f"refs/heads/{pull.head_ref}", f"refs/heads/{pull.base_ref}"
    if pull.head_url == pull.base_url:
        found = repository.fetch_from(remote_at(pull.base_url), [base, head])
        return found.get(head, ""), found.get(base, "")
    # Fetched separately: both branches may have the same name.
    tip = repository.fetch_from(remote_at(pull.base_url), [base]).get(base, "")
    return repository.fetch_from(remote_at(pull.head_url), [head]).get(head, ""), tip
