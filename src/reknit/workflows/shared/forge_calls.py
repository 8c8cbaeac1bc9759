"""Calls to the forge: failures become values, and a rate limit seen by one run is known to all."""

import asyncio
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import urlsplit

from reknit.core.errors import UsageError
from reknit.core.fix_pr.task import FixPullRequest
from reknit.core.forge.values import ForgeError, ForgeFailure, ForgePlace, Pull, Remote
from reknit.core.gateway.metering import ProviderRefusal
from reknit.core.runs.spec import RunSpec
from reknit.core.text.format import to_one_line
from reknit.core.vote.task import VoteOnPullRequest
from reknit.ports.forge import Forge, ForgeMaker
from reknit.ports.repository import TrustedRepository
from reknit.workflows.runtime.services import Services

T = TypeVar("T")


def find_forge_place(spec: RunSpec) -> ForgePlace:
    """Return the forge and the repository of the run's pull request."""
    return (spec.task if isinstance(spec.task, VoteOnPullRequest) else spec.task_as(FixPullRequest)).place


async def ask_forge(services: Services, spec: RunSpec, question: Callable[[Forge], T]) -> T | ForgeFailure:
    """Ask the forge, and return a failure as a value. A rate limit is shared with all runs."""
    forge = services.forge(find_forge_place(spec))
    if until := services.accounts.not_before(forge.account):
        return ForgeFailure("limited", "known from an earlier answer", until)
    try:
        return await asyncio.to_thread(question, forge)
    except ForgeError as hindered:
        if hindered.failure.kind == "limited":
            services.accounts.record_limit(forge.account, ProviderRefusal(429, hindered.failure.until))
        return hindered.failure


def make_remote(services: Services, spec: RunSpec, url: str) -> Remote:
    """Return the remote at that URL for this run's forge."""
    place = find_forge_place(spec)
    return build_remote(lambda where: services.forge(where), place, url)


def build_remote(forges: ForgeMaker, place: ForgePlace, url: str) -> Remote:
    """Return the remote with our credential, which goes only to the forge's own host, whatever its answers name."""
    host = urlsplit(place.api).netloc
    if urlsplit(url).netloc.lower() != ("github.com" if host == "api.github.com" else host).lower():
        raise UsageError("foreign-remote", f"{place.api} names a repository on another host: {to_one_line(url)[:200]}")
    return Remote(url, forges(place).credential())


def fetch_pull(services: Services, spec: RunSpec, pull: Pull) -> tuple[str, str]:
    """Fetch (head, tip of the base branch) into the run's gitdir; empty if that branch is gone."""
    return fetch_heads(services.workspace(spec).repository, lambda url: make_remote(services, spec, url), pull)


def fetch_heads(repository: TrustedRepository, remote_at: Callable[[str], Remote], pull: Pull) -> tuple[str, str]:
    """Fetch (head, tip of the base branch) into any gitdir. `remote_at`: returns the remote at an address."""
    head, base = f"refs/heads/{pull.head_ref}", f"refs/heads/{pull.base_ref}"
    if pull.head_url == pull.base_url:
        heads = repository.fetch_from(remote_at(pull.base_url), [base, head])
        return heads.get(head, ""), heads.get(base, "")
    # Fetched separately: both branches may have the same name.
    tip = repository.fetch_from(remote_at(pull.base_url), [base]).get(base, "")
    return repository.fetch_from(remote_at(pull.head_url), [head]).get(head, ""), tip
