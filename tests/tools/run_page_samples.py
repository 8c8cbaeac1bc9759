"""A run with everything that its page can show, and the same run with a hostile text in any of its fields."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from reknit.core.agents.conversation import Turn
from reknit.core.agents.transcript import Transcript
from reknit.core.capability import StoredRun
from reknit.core.run_page.page import RunSources
from reknit.core.runs.event import Event
from reknit.core.runs.view import AttemptView, EventView, RunView

TEST = "tests/test_pricing.py::test_discount_is_a_share"
DIFF = """\
diff --git a/shop/pricing.py b/shop/pricing.py
index 1..2 100644
--- a/shop/pricing.py
+++ b/shop/pricing.py
@@ -1,3 +1,3 @@ def discount(price, percent):
 # a discount
-    return price - percent
+    return price * (1 - percent / 100)
"""
DELETED = """\
diff --git a/tests/test_pricing.py b/tests/test_pricing.py
deleted file mode 100644
--- a/tests/test_pricing.py
+++ /dev/null
@@ -1,2 +0,0 @@
-def test_discount_is_a_share():
-    assert discount(200, 10) == 180
"""
RUN = RunView(
    id="r-1", kind="fix tests", repository="/home/ada/shop", base="b" * 40, agent="claude", state="ended",
    phase="finish", worker="", reason="everything asked for is fixed and proven", until=None, ending="FIXED",
    detail={"fixed": ["T-1"], "left": []}, commit="c" * 40, spent_usd=0.31, budget_usd=5.0, created_at=1_795_136_000.0,
    ended_at=1_795_136_244.0, undone_at=None, spec={"task": {"named_tests": []}},
)  # fmt: skip
REFUSED = AttemptView(
    number=1, finding="T-1", subject=TEST, strategy="local", starts=1, outcome="done",
    gate={"refusals": [
        {"rule": "test-removed", "path": "tests/test_pricing.py", "sentence": f"the fix removed {TEST}"},
        {"rule": "too-much", "path": "", "sentence": "the change is too large"},
    ]},
    proof=None, said="I removed it.", cost_usd=0.09, tokens=100, started_at=1_795_136_011.0, ended_at=1_795_136_052.0,
)  # fmt: skip
RED = replace(
    REFUSED, number=2, strategy="search", gate={"refusals": []}, cost_usd=0.12,
    proof={"word": "still_red", "sentence": f"{TEST} is still red", "output_tail": "E   20.0 != 180\n1 failed"},
)  # fmt: skip
PROVEN = replace(
    RED, number=3, strategy="deep",
    proof={
        "word": "proven", "sentence": "128 passed", "fixed": [TEST], "passed": 128, "output_tail": "",
        "checks": [
            {"check": "twins", "word": "held", "sentence": "same results"},
            {"check": "canaries", "word": "no verdict", "sentence": "there are none"},
        ],
    },
)  # fmt: skip
RECEIPT = {
    "finding": "T-1", "tests": [TEST], "base": "b" * 40, "commit": "c" * 40, "attempt": 3, "strategy": "deep",
    "agent": "claude", "evidence": "junit", "red_before": f"{TEST} was red every time", "green_after": "128 passed",
    "red_without": "1 test(s) were red again without the fix", "checks": ["twins held: same results"], "tree": "d" * 40,
    "gate": "1 file(s), +1 -1; 22 rules, none refused", "box": "bubblewrap", "holdout": "", "judged": "yes",
    "tools": [], "allowed": [], "advice": [],
    "ran": [{"what": "the whole suite, on base", "tests": 128, "seconds": 11.0, "at": 1.0, "times": 1}],
}  # fmt: skip
_SPANS: tuple[tuple[str, str, float, dict[str, object]], ...] = (
    ("started", "r-1", 0.0, {}), ("baseline", "baseline", 11.0, {}), ("attempt", "attempt 1", 11.0, {}),
    ("attempt_ended", "attempt 1", 52.0, {"seconds": 41.0, "cost_usd": 0.09}), ("gate", "gate", 52.5, {}),
    ("attempt_ended", "attempt 2", 124.0, {"seconds": 71.0, "cost_usd": 0.12}), ("verify", "verify", 126.0, {}),
    ("waiting", "waiting", 126.0, {}), ("attempt", "attempt 3", 148.0, {}), ("verify", "verify", 240.0, {}),
)  # fmt: skip
EVENTS = tuple(
    EventView(number, "r-1", RUN.created_at + seconds, Event(kind, "ok", label, "text", data))
    for number, (kind, label, seconds, data) in enumerate(_SPANS)
)
TURNS = (
    Turn("says", "I look at the file first."),
    Turn("thinks", "It is a share."),
    Turn("tool", "shop/pricing.py", "reads"),
    Turn("tool", "pytest -q", "runs"),
    Turn("result", "1 failed", is_error=True),
    Turn("tool", "score: 40", "uses finish_review"),
)
SOURCES = RunSources(
    StoredRun(RUN, (REFUSED, RED, PROVEN), (RECEIPT,)),
    EVENTS,
    (Transcript("attempt-1", "claude", TURNS), Transcript("review-1", "gemini", TURNS)),
    DIFF,
    {1: DELETED, 2: DIFF, 3: DIFF},
)
KEPT_FIELDS = ("kind",)
"""Fields of `RunView` that reknit itself writes, and that choose the texts."""


def replace_texts(value: Any, change: Callable[[str], str], name: str = "") -> Any:
    """Return the value with every text in it changed, whatever it is made of."""
    if isinstance(value, str):
        return value if name in KEPT_FIELDS else change(value)
    if is_dataclass(value) and not isinstance(value, type):
        parts = {each.name: getattr(value, each.name) for each in fields(value)}
        return replace(value, **{key: replace_texts(part, change, key) for key, part in parts.items()})
    if isinstance(value, Mapping):
        return {key: replace_texts(part, change) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(replace_texts(part, change) for part in value)
    return value


def poison_each_text(sources: RunSources, payload: str) -> Iterator[RunSources]:
    """Yield the run with the payload in one of its texts: at its end, then in place of it, text by text."""
    count = 0

    def tally(text: str) -> str:
        nonlocal count
        count += 1
        return text

    replace_texts(sources, tally)
    for place in range(count):
        for is_whole in (False, True):
            seen = iter(range(count))

            def poison(text: str, place: int = place, is_whole: bool = is_whole, numbers: Any = seen) -> str:
                if next(numbers) != place:
                    return text
                return payload if is_whole else text + payload

            yield replace_texts(sources, poison)
