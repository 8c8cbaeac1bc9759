"""Who names a login, a device or an install command decides: a package, the test itself, or product code."""

import pytest

from reknit.core.causes.reading import read_message
from reknit.core.causes.surroundings import explain_by_hint
from reknit.core.causes.tree_facts import TreeFacts

FACTS = TreeFacts(
    frozenset({"shop/__init__.py", "setup.cfg"}),
    {"setup.cfg": "[options.extras_require]\ncrypto =\n    eth-hash\n", "test_x.py": "fast = 1\n"},
    lfs_pointers=frozenset({"data/big.bin"}),
)
OWN = "\nshop/cart.py:3: "
PACKAGE = "\n/x/site-packages/sdk/__init__.py:3: "


@pytest.mark.parametrize(
    ("message", "is_of_test", "verdict"),
    [
        pytest.param(f"SdkError: Unable to locate credentials{PACKAGE}SdkError", False, "environment", id="a package"),
        pytest.param("SdkError: Unable to locate credentials", True, "environment", id="the test itself"),
        pytest.param(f"SdkError: Unable to locate credentials{OWN}SdkError", False, "doubtful", id="product code"),
        pytest.param(f"ValueError: bad device{PACKAGE}ValueError", False, "doubtful", id="a word of a package"),
        pytest.param(f"ValueError: bad device{OWN}ValueError", False, None, id="a word of product code"),
        pytest.param(f"ValueError: bad rate{PACKAGE}ValueError", False, None, id="a wrong call of a package"),
        pytest.param("ImportError: pip install shop[crypto]", False, "environment", id="an extra of the project"),
        pytest.param("ImportError: pip install shop[fast]", False, "doubtful", id="an extra that nothing declares"),
        pytest.param("ImportError: pip install -U requests", False, "environment", id="a known package"),
        pytest.param("ImportError: pip install acme", False, "doubtful", id="an unknown package"),
        pytest.param(f"ToolError: pandoc was not found on PATH{OWN}ToolError", False, "doubtful", id="a program"),
        pytest.param(f"ToolError: pandoc is not installed{OWN}ToolError", False, "doubtful", id="something to install"),
        pytest.param(f"KeyError: 'a' of big.bin{OWN}KeyError", False, "doubtful", id="a pointer of Git LFS"),
        pytest.param("RuntimeError: pip install requests", False, "doubtful", id="not an import"),
        pytest.param(
            "ImportError: pip install requests\nNo module named 'shop.net'", False, "doubtful", id="after another"
        ),
    ],
)
def test_who_names_it(message: str, is_of_test: bool, verdict: str | None) -> None:
    cause = explain_by_hint(read_message(message), FACTS, is_of_test=is_of_test)
    assert (cause and cause.verdict) == verdict


def test_the_remedy_is_the_command_without_quotes() -> None:
    cause = explain_by_hint(
        read_message("ImportError: Do `pip install 'shop[crypto,fast]'` first."), FACTS, is_of_test=False
    )
    assert cause is not None
    assert (cause.sentence, cause.remedy) == ("shop[crypto] is not installed", "`pip install shop[crypto,fast]`")
