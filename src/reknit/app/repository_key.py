"""The name of a repository in the issue ledger."""

from reknit.adapters.git.user_repository import UserRepository
from reknit.core.repository.remote_url import place_of


def repository_key(repository: UserRepository) -> str:
    """`host/owner/name`, so that clones share their issues; for a repository on no forge, its path."""
    remotes = dict(repository.remotes())
    likely = [remotes[name] for name in ("origin", "upstream", *remotes) if name in remotes]
    found = next((found for found in map(place_of, likely) if found), None)
    return "/".join(found).lower() if found else repository.root
