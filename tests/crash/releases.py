"""Later releases of the product, played by changing it in memory before a replacement worker starts."""

import importlib.util
import inspect
import sys
import types
from importlib import import_module

from dbos import DBOS


def become(variant: str) -> None:
    {"class-moved": class_moved, "function-renamed": function_renamed, "second-version": second_version}[variant]()


def class_moved() -> None:
    """A checkpointed class now lives in another module under another name; its old place is empty."""
    import_module("reknit.app.engine.registration").register_workflows()  # every user has the class before it moves
    steps, made = import_module("reknit.workflows.fix_tests.steps"), import_module("reknit.core.runs.attempt")
    elsewhere = types.ModuleType("reknit.core.runs.elsewhere")
    moved = made.AttemptResult
    moved.__module__, moved.__qualname__ = elsewhere.__name__, "Handed"
    elsewhere.Handed = moved  # type: ignore[attr-defined]
    sys.modules[elsewhere.__name__] = elsewhere
    del made.AttemptResult
    codec = import_module("reknit.workflows.runtime.codec")
    codec.CODEC.__init__({**codec.TAGS, "made": "runs.elsewhere:Handed"})
    assert steps.AttemptResult is moved


def function_renamed() -> None:
    _load_changed(lambda source: source.replace("async def repair(", "async def mend(") + "\nrepair = mend\n")


def second_version() -> None:
    """`repair.v2` does its steps in another order, beside the old flow; runs of the old one end on the old one."""
    changed = _load_changed(lambda source: source)
    again = inspect.getsource(changed).replace('name="repair.v1"', 'name="repair.v2"')
    again = again.replace("async def repair(", "async def repair_two(").replace(
        "    return await steps.finish(spec, await check",
        "    await steps.observe(spec)\n    return await steps.finish(spec, await check",
    )
    assert "repair_two" in again
    assert again.count("steps.observe") == 2
    namespace = types.ModuleType("reknit.workflows.fix_tests.repair_two")
    sys.modules[namespace.__name__] = namespace
    exec(compile(again, "repair_two", "exec"), namespace.__dict__)
    changed.repair_two = namespace.repair_two  # type: ignore[attr-defined]
    assert DBOS is not None


def _load_changed(change) -> types.ModuleType:  # type: ignore[no-untyped-def]
    found = importlib.util.find_spec("reknit.workflows.fix_tests.workflow")
    assert found is not None
    assert found.origin is not None
    with open(found.origin) as file:
        source = file.read()
    changed = change(source)
    module = types.ModuleType("reknit.workflows.fix_tests.workflow")
    module.__file__ = found.origin
    sys.modules["reknit.workflows.fix_tests.workflow"] = module
    exec(compile(changed, found.origin, "exec"), module.__dict__)
    import reknit.workflows.fix_tests

    reknit.workflows.fix_tests.workflow = module  # type: ignore[attr-defined]
    return module
