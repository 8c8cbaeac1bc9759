"""Which repositories on a forge the remotes of a clone mean, and what to say when a forge does not answer."""

from reknit.adapters.vcs.user_repository import UserRepository
from reknit.app.config import Config
from reknit.core.errors import LoginNeeded, ReknitError, UsageProblem
from reknit.core.forge import ForgePlace, Hindrance
from reknit.core.remote_url import place_of


def forge_places(repository: UserRepository, config: Config) -> list[ForgePlace]:
    remotes = dict(repository.remotes())
    likely = ["upstream", repository.upstream()[0], "origin", *remotes]
    wanted = [config.forge.remote] if config.forge.remote else likely
    known = [place_of(remotes.get(name, name)) for name in dict.fromkeys(wanted) if name in remotes or "/" in name]
    places = [_place(config, *found) for found in dict.fromkeys(known) if found]
    if not places:
        what = "No PR for current branch.  no remote of this repository is on a forge"
        raise UsageProblem("no-pr", what, help="`git remote -v` lists them; `forge.remote` names the right one")
    return places


def _place(config: Config, host: str, slug: str) -> ForgePlace:
    """A token that was named for one forge is not sent to whatever host a clone's remotes speak of."""
    is_meant = bool(config.forge.api) or host == "github.com"
    token_env = config.forge.token_env if is_meant else ""
    return ForgePlace(config.forge.kind, config.forge.api or _api(host), slug, token_env)


def _api(host: str) -> str:
    return "https://api.github.com" if host == "github.com" else f"https://{host}/api/v3"


def forge_problem(hindrance: Hindrance, where: ForgePlace) -> ReknitError:
    if hindrance.kind == "login":
        fix = "`gh auth login`, or set GH_TOKEN"
        return LoginNeeded("login", f"{where.api} does not take the login: {hindrance.detail}", help=fix)
    if hindrance.kind in ("missing", "forbidden"):
        what = f"{where.slug} cannot be seen at {where.api}: {hindrance.detail}"
        return UsageProblem("no-repository", what, help="check the remote, and what the token may see")
    what = f"{where.api} did not answer ({hindrance.kind}): {hindrance.detail}"
    return UsageProblem("forge", what, help="try again later; nothing was started")
