"""What must hold where a variant runs. What cannot be told does not hold."""

from collections.abc import Callable, Mapping

from reknit.core.planning.context import RepoContext
from reknit.core.planning.intent import Intent
from reknit.core.planning.plan_file.plan import PLANS
from reknit.core.planning.variants.variant import Floor, Variant
from reknit.core.text.format import counted

CONFIRM = "--confirm-burn-everything"


def unmet(variant: Variant, context: RepoContext, intent: Intent) -> tuple[str, ...]:
    """Why each floor that does not hold does not."""
    return tuple(why for floor in variant.floors if (why := FLOORS[floor](context, intent)))


def changed_files(context: RepoContext) -> tuple[str, ...]:
    """Without the plans: one that nobody has committed yet must not keep its own variant from running."""
    return tuple(path for path in context.changed if not path.startswith(f"{PLANS}/"))


def _off_the_default_branch(context: RepoContext, _intent: Intent) -> str:
    if not context.branch:
        return "it needs a branch of its own, and none is checked out"
    if not context.default_branch:
        return "it must not run on the default branch, and origin does not say which one that is"
    return f"it must not run on the default branch {context.branch}" if context.on_default_branch else ""


def _confirmed(_context: RepoContext, intent: Intent) -> str:
    return "" if intent.confirmed else f"it needs {CONFIRM}, which was not given"


def _clean_tree(context: RepoContext, _intent: Intent) -> str:
    if not context.status_known:
        return "it needs a clean tree, and git did not say what has changed"
    changed = len(changed_files(context))
    return f"it needs a clean tree, and {counted(changed, 'file')} changed since the last commit" if changed else ""


def _tests(context: RepoContext, _intent: Intent) -> str:
    return "" if context.inventory.tests else "it needs a test command, and none was found"


FLOORS: Mapping[Floor, Callable[[RepoContext, Intent], str]] = {
    "off the default branch": _off_the_default_branch,
    "confirmed": _confirmed,
    "clean tree": _clean_tree,
    "tests": _tests,
}
"""Empty: it holds."""
