"""A branch with twelve planted problems in Python and TypeScript, and the reviewer who finds each of them."""

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from reknit.adapters.git.landing import commit_all
from tests.e2e.backlog_stage import MENDER
from tests.tools.backlog_scene import RUNNER

BRANCH = "discounts"
LEVELS = {
    "correctness": "blocking",
    "security": "blocking",
    "tests": "warning",
    "architecture": "warning",
    "performance": "suggestion",
    "maintainability": "suggestion",
}
AGENTS = dict.fromkeys(LEVELS, "claude") | {"security": "gemini", "performance": "codex"}
SATISFIED = "maintainability"
"""The reviewer who finds nothing."""
GO_ONLY = "go-idioms"
GO_REVIEWER = "---\nlevel: blocking\nlanguages: [go]\n---\nErrors are wrapped and never ignored.\n"
TEST = """import unittest

from shop.{module} import {function}


class Test(unittest.TestCase):
    def test_{function}(self) -> None:
        self.assertEqual({function}({argument}), {expected})
"""


@dataclass(frozen=True)
class Planted:
    id: str
    """The id its finding gets: the first of each reviewer is 001."""
    reviewer: str
    category: str
    file: str
    title: str
    old: str
    new: str
    effort: int
    files: int

    @property
    def line(self) -> int:
        return AFTER[self.file].split(self.old)[0].count("\n") + 1


BEFORE: Mapping[str, str] = {
    "check.py": RUNNER,
    "mend.py": MENDER,
    f".reknit/reviewers/{GO_ONLY}.md": GO_REVIEWER,
    "shop/__init__.py": "",
    "shop/prices.py": "def total(prices: list[float]) -> float:\n    return sum(prices)\n",
    "tests/__init__.py": "",
    "tests/test_prices.py": TEST.format(module="prices", function="total", argument="[1.0, 2.0]", expected="3.0"),
    "web/cart.ts": "export const currency = 'EUR'\n",
}
AFTER: Mapping[str, str] = {
    "shop/prices.py": BEFORE["shop/prices.py"]
    + """

def mean(prices: list[float]) -> float:
    return total(prices) / len(prices)


def cheapest(prices: list[float]) -> float:
    return sorted(prices)[-1]
""",
    "shop/tax.py": "def tax(price: float) -> float:\n    return round(price * 0.19, 0)\n",
    "shop/store.py": """import sqlite3


def price_of(store: sqlite3.Connection, name: str) -> float:
    found = store.execute(f"SELECT price FROM items WHERE name = '{name}'").fetchone()
    return float(found[0])
""",
    "shop/report.py": """from shop.prices import total


def report(prices: list[float]) -> str:
    print(total(prices))
    return f"{total(prices):.2f}"
""",
    "shop/stock.py": """def missing(wanted: list[str], stock: list[str]) -> list[str]:
    return [name for name in wanted if name not in stock]


def unique(names: list[str]) -> list[str]:
    return [name for place, name in enumerate(names) if name not in names[:place]]


def joined(names: list[str]) -> str:
    text = ""
    for name in names:
        text = text + name
    return text
""",
    "tests/test_prices.py": BEFORE["tests/test_prices.py"]
    + """
    def test_mean(self) -> None:
        self.assertTrue(True)
""",
    "tests/test_tax.py": TEST.format(module="tax", function="tax", argument="100.0", expected="19.0"),
    "web/cart.ts": BEFORE["web/cart.ts"]
    + """
export function total(prices: number[]): number {
  let sum = 0
  for (let at = 0; at < prices.length - 1; at++) sum += prices[at]
  return sum
}
""",
    "web/page.ts": """export function greet(place: HTMLElement, name: string): void {
  place.innerHTML = `Hello ${name}`
}
""",
    "web/api.ts": """export async function load(): Promise<unknown> {
  return (await fetch('http://shop.internal:8080/prices')).json()
}
""",
}

PLANTED = (
    Planted(
        "COR-001", "correctness", "empty input", "shop/prices.py", "mean of no prices divides by zero",
        "return total(prices) / len(prices)", "return total(prices) / len(prices) if prices else 0.0", 1, 1,
    ),
    Planted(
        "COR-002", "correctness", "wrong result", "shop/prices.py", "cheapest returns the highest price",
        "return sorted(prices)[-1]", "return min(prices)", 2, 1,
    ),
    Planted(
        "COR-003", "correctness", "off by one", "web/cart.ts", "total leaves out the last price",
        "at < prices.length - 1", "at < prices.length", 1, 1,
    ),
    Planted(
        "COR-004", "correctness", "rounding", "shop/tax.py", "tax is rounded to whole euros",
        "round(price * 0.19, 0)", "round(price * 0.19)", 5, 3,
    ),
    Planted(
        "SEC-001", "security", "injection", "shop/store.py", "the name is part of the SQL text",
        "f\"SELECT price FROM items WHERE name = '{name}'\"", '"SELECT price FROM items WHERE name = ?", (name,)', 3, 2,
    ),
    Planted(
        "SEC-002", "security", "injection", "web/page.ts", "the name is written as HTML",
        "place.innerHTML", "place.textContent", 2, 1,
    ),
    Planted(
        "TST-001", "tests", "empty test", "tests/test_prices.py", "test_mean passes whatever mean does",
        "self.assertTrue(True)", "self.assertEqual(mean([1.0, 2.0]), 1.5)", 2, 1,
    ),
    Planted(
        "ARC-001", "architecture", "layers", "shop/report.py", "report prints instead of returning only",
        "    print(total(prices))\n", "", 4, 3,
    ),
    Planted(
        "ARC-002", "architecture", "configuration", "web/api.ts", "the address of the server is in the code",
        "fetch('http://shop.internal:8080/prices')", "fetch('/prices')", 3, 2,
    ),
    Planted(
        "PRF-001", "performance", "growth", "shop/stock.py", "missing searches a list per name",
        "return [name for name in wanted if name not in stock]",
        "known = set(stock)\n    return [name for name in wanted if name not in known]", 2, 1,
    ),
    Planted(
        "PRF-002", "performance", "growth", "shop/stock.py", "unique copies the list per name",
        "return [name for place, name in enumerate(names) if name not in names[:place]]",
        "return list(dict.fromkeys(names))", 3, 1,
    ),
    Planted(
        "PRF-003", "performance", "growth", "shop/stock.py", "joined copies the text per name",
        'text = ""\n    for name in names:\n        text = text + name\n    return text', 'return "".join(names)', 5, 2,
    ),
)  # fmt: skip
BY_ID = {planted.id: planted for planted in PLANTED}
UNFIXABLE = BY_ID["COR-004"]
ABOUT_A_TEST = BY_ID["TST-001"]
STILL_THERE = "a third of a cent is still lost"


def wrong_fix(attempt: int) -> tuple[str, str, str]:
    """(file, old, new): refused by the gate, by the tests, and then by the reviewer."""
    if attempt == 1:
        return "tests/test_tax.py", "self.assertEqual(tax(100.0), 19.0)", "self.assertTrue(tax(100.0))"
    return UNFIXABLE.file, UNFIXABLE.old, UNFIXABLE.new if attempt == 3 else "price"


def new_test(attempt: int) -> tuple[str, str, str]:
    """(file, old, new): a test that passes whatever `mean` does, then one that notices if it is wrong."""
    text = TEST.format(module="prices", function="mean", argument="[1.0, 2.0]", expected="1.5")
    return "tests/test_mean.py", "", text.replace(", 1.5)", ", mean([1.0, 2.0]))") if attempt == 1 else text


def make_repository(folder: Path) -> Path:
    """Two of the shipped reviewers get an agent of their own: one by a person's own file, one by the repository's."""
    root = folder / "shop of Zoë"
    _write(folder / "reviewers" / "security.md", _with_agent("security"))
    for name, text in BEFORE.items():
        _write(root / name, text)
    _write(root / ".reknit/reviewers/performance.md", _with_agent("performance"))
    commit_all(str(root), "begin")
    git(root, "switch", "--quiet", "--create", BRANCH)
    for name, text in AFTER.items():
        _write(root / name, text)
    commit_all(str(root), "feat: discounts")
    return root


def git(root: Path, *arguments: str) -> str:
    me = ["-c", "user.name=Zoë", "-c", "user.email=zoe@example.com"]
    return subprocess.run(["git", *me, *arguments], cwd=root, capture_output=True, text=True, check=True).stdout


def _with_agent(name: str) -> str:
    shipped = resources.files("reknit.prompts").joinpath("reviewers", f"{name}.md").read_text("utf-8")
    return shipped.replace("\nlevel: ", f"\nagent: {AGENTS[name]}\nlevel: ", 1)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
