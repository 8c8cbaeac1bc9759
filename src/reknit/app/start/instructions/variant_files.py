"""Reads the variants: shipped with reknit, then the repository's own, which add and never replace."""

from importlib import resources
from pathlib import Path

from reknit.adapters.files.regular_files import read_instruction
from reknit.app.start.instructions.agent_files import combine_file_problems, locate_problems
from reknit.core.errors import InternalError, UsageError
from reknit.core.planning.variants.variant import Variant
from reknit.core.planning.variants.variant_file import parse_variant

SHIPPED_VARIANTS = (
    "grey", "red", "professor", "fixit", "green", "world-breaker", "old-man", "blue", "savage", "immortal",
)  # fmt: skip
VARIANT_FOLDER = ".reknit/variants"
_ENDING = ".toml"
_PROBLEM = "variant-file"
_MAX_VARIANTS = 50


def read_variants(root: Path | None) -> tuple[Variant, ...]:
    """Read the shipped variants in their order, then those of the repository by name.

    `root`: the top of the repository, if any.
    """
    problems: list[UsageError] = []
    own = [variant for path in _list_files(root) if (variant := _read(path, root, problems))] if root else []
    if problems:
        raise combine_file_problems(_PROBLEM, "variant files", problems)
    return (*map(_read_shipped, SHIPPED_VARIANTS), *own)


def _read_shipped(name: str) -> Variant:
    text = resources.files("reknit").joinpath("variants", f"{name}{_ENDING}").read_text("utf-8")
    variant = parse_variant(text, name)
    if not isinstance(variant, Variant):
        raise InternalError(_PROBLEM, f"the shipped variant {name!r} is wrong: {variant[0].message}")
    return variant


def _list_files(root: Path) -> list[Path]:
    folder = root / VARIANT_FOLDER
    if not folder.is_dir():
        return []
    files = sorted(path for path in folder.iterdir() if path.suffix == _ENDING)
    if len(files) > _MAX_VARIANTS:
        message = f"there are {len(files)} variants, and {_MAX_VARIANTS} are read at most"
        raise UsageError(_PROBLEM, message, where=VARIANT_FOLDER, help="remove those that are not used")
    return files


def _read(path: Path, root: Path, problems: list[UsageError]) -> Variant | None:
    """Read one variant. None if the file is wrong; then all its problems are in `problems`."""
    location = f"{VARIANT_FOLDER}/{path.name}"
    if path.stem in SHIPPED_VARIANTS:
        message = f"the variant {path.stem!r} is shipped with reknit and cannot be replaced"
        problems.append(UsageError(_PROBLEM, message, where=location, help="rename the file"))
        return None
    try:
        parsed = parse_variant(read_instruction(path, below=root, where=location, kind=_PROBLEM), path.stem, location)
    except UsageError as problem:
        problems.append(problem)
        return None
    if isinstance(parsed, Variant):
        return parsed
    problems += locate_problems(_PROBLEM, location, parsed)
    return None
