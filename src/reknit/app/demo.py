"""The demo: a broken repository and scripted agents, one that learns and one that never does. No key, no network."""

import importlib.resources
import json
import shutil
from pathlib import Path

from reknit.adapters.git.demo_commit import commit_all
from reknit.core.errors import UsageProblem

SOURCE = "shop/pricing.py"
BROKEN = "return price - percent"
LEARNER = json.dumps(
    [
        {"delete": ["tests/test_pricing.py"], "say": "The test was outdated, so I removed it.", "cost_usd": 0.02},
        {"replace": {SOURCE: [BROKEN, "return price * percent / 100"]}, "say": "Fixed.", "cost_usd": 0.03},
        {"replace": {SOURCE: [BROKEN, "return price * (1 - percent / 100)"]}, "say": "Fixed.", "cost_usd": 0.03},
    ]
)
"""It deletes the test, then makes a wrong fix, then the right one."""
HOPELESS = json.dumps(
    [
        {"replace": {SOURCE: [BROKEN, f"return price - {number} * percent"]}, "say": "Done!", "cost_usd": 0.01}
        for number in (3, 4, 5)
    ]
)


def make_repository(parent: Path, tests: str = "") -> Path:
    """`tests`: a test command in place of the repository's own."""
    repository = parent / "shop"
    if repository.exists():
        raise UsageProblem("demo", f"{str(repository)!r} already exists", help="choose another folder with --keep")
    with importlib.resources.as_file(importlib.resources.files("reknit.app") / "demo_repository") as source:
        shutil.copytree(source, repository, ignore=shutil.ignore_patterns("__pycache__"))
    if tests:
        (repository / "run_tests.py").unlink()
        (repository / "reknit.toml").write_text(f'fixer = "scripted"\n\n[checks.tests]\nrun = "{tests}"\n')
    commit_all(str(repository), "A shop with a bug in its prices")
    return repository
