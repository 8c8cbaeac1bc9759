"""Reads the variants: shipped with reknit, then the repository's own, which add and never replace."""

from importlib import resources
from pathlib import Path

from reknit.adapters.files.instruction_file import read_instruction
from reknit.app.start.instructions.file_problems import combined, located
from reknit.core.errors import InternalError, UsageProblem
from reknit.core.planning.variants.variant import Variant
from reknit.core.planning.variants.variant_file import parse_variant

SHIPPED = (
    "grey", "red", "professor", "fixit", "green", "world-breaker", "old-man", "blue", "savage", "immortal",
)  # fmt: skip
FOLDER = ".reknit/variants"
_ENDING = ".toml"
_PROBLEM = "variant-file"
_MOST = 50


def variants_of(root: Path | None) -> tuple[Variant, ...]:
    """Shipped ones in their order, then those of the repository by name. `root`: the top of the repository, if any."""
    problems: list[UsageProblem] = []
    own = [variant for path in _files(root) if (variant := _read(path, root, problems))] if root else []
    if problems:
        raise combined(_PROBLEM, "variant files", problems)
    return (*map(_shipped, SHIPPED), *own)


def _shipped(name: str) -> Variant:
    text = resources.files("reknit").joinpath("variants", f"{name}{_ENDING}").read_text("utf-8")
    variant = parse_variant(text, name)
    if not isinstance(variant, Variant):
        raise InternalError(_PROBLEM, f"the shipped variant {name!r} is wrong: {variant[0].what}")
    return variant


def _files(root: Path) -> list[Path]:
    folder = root / FOLDER
    if not folder.is_dir():
        return []
    found = sorted(path for path in folder.iterdir() if path.suffix == _ENDING)
    if len(found) > _MOST:
        what = f"there are {len(found)} variants, and {_MOST} are read at most"
        raise UsageProblem(_PROBLEM, what, where=FOLDER, help="remove those that are not used")
    return found


def _read(path: Path, root: Path, problems: list[UsageProblem]) -> Variant | None:
    """None if it is wrong; then all that is wrong with it is in `problems`."""
    where = f"{FOLDER}/{path.name}"
    if path.stem in SHIPPED:
        what = f"the variant {path.stem!r} is shipped with reknit and cannot be replaced"
        problems.append(UsageProblem(_PROBLEM, what, where=where, help="rename the file"))
        return None
    try:
        parsed = parse_variant(read_instruction(path, below=root, where=where, kind=_PROBLEM), path.stem, where)
    except UsageProblem as problem:
        problems.append(problem)
        return None
    if isinstance(parsed, Variant):
        return parsed
    problems += located(_PROBLEM, where, parsed)
    return None
