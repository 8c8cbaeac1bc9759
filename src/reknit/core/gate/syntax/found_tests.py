"""What a syntax tree says about the tests of one file, in any language."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True)
class FoundTest:
    name: str
    """With the names of the classes or suites around it: `TestX::test_b`."""
    assertions: int
    skips: Counter[str]
    parameters: int
    """Literal parameter sets, as in `parametrize`, `it.each` or a table of cases."""
    is_empty: bool
    """It ends before it can check anything."""
    definitions: int = 1


@dataclass(frozen=True)
class FoundTests:
    tests: dict[str, FoundTest] = field(default_factory=dict)
    skips: Counter[str] = field(default_factory=Counter)
    """Skips outside a test, in the file (`pytest.skip`) or in a class (`TestX::pytest.mark.skip`)."""

    def add(self, test: FoundTest) -> None:
        """A second test of the same name is counted with the first: in most languages, it would hide it."""
        earlier = self.tests.get(test.name)
        definitions = earlier.definitions + 1 if earlier else 1
        self.tests[test.name] = FoundTest(
            test.name, test.assertions, test.skips, test.parameters, test.is_empty, definitions
        )
