import ast

import pytest

from reknit.core.gate.syntax.always_equal import blind_comparisons


def _blind(body: str, name: str = "__eq__") -> list[str]:
    module = ast.parse(f"class A:\n    x = 1\n    def {name}(self, o):\n        {body}\n")
    [node] = module.body
    assert isinstance(node, ast.ClassDef)
    return list(blind_comparisons(node))


@pytest.mark.parametrize(
    "body",
    [
        "return True",
        "'always'; return True",
        "return o is not None",
        "return not None",
        "return isinstance(o, int)",
        "return bool(o) or True",
        "return callable(o) or True",
        "print(self, o); return True",
        "x(); return 1",
        "return NotImplemented if o is None else True",
    ],
)
def test_an_answer_without_a_look_is_blind(body: str) -> None:
    assert _blind(body) == ["__eq__"]
    assert _blind(body, "__ne__") == ["__ne__"]
    assert _blind(body, "__lt__") == []


@pytest.mark.parametrize(
    "body",
    [
        "return self.a == o.a",
        "return self[0] == o[0]",
        "return self is o",
        "return tuple(self) == tuple(o)",
        "return super().__eq__(o)",
        "return isinstance(o, A)",
        "return isinstance(o, type(self))",
        "return NotImplemented",
        "raise TypeError",
        "...",
        "return",
    ],
)
def test_an_honest_comparison(body: str) -> None:
    assert _blind(body) == []
