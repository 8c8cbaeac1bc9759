"""Expected values in a Go test: literals whose change must turn the test red, however the tested code is written.

Only where a mismatch is certain to be reported: `if got != 42 { t.Fatal(…) }`, `!reflect.DeepEqual(got, want)`,
`assert.Equal(t, 42, got)` as a statement, and the rows of a table that are compared in one of these ways.
"""

from collections.abc import Iterator

from reknit.core.tamper_checks.far_literals import far
from reknit.core.tamper_checks.syntax import Edit, Node, of_kind, replaced, start

MOST = 4
"""Twins of one test."""
_LITERALS = ("int_literal", "float_literal", "interpreted_string_literal", "raw_string_literal", "true", "false")
_FAILING = ("Fatal", "Fatalf", "Error", "Errorf", "Fail", "FailNow", "panic")
_EQUAL = ("DeepEqual", "Equal")
_ASSERTING = ("Equal", "EqualValues", "Exactly", "Len", "EqualError", "DeepEqual")
_PRINTING = ("Log", "Logf", "Sprintf", "Sprint", "Diff")
_CERTAIN = ("block", "statement_list", "for_statement", "expression_statement", "argument_list", "func_literal")
"""What may be around a comparison for it to be reached."""


def far_edits(function: Node) -> list[tuple[Edit, ...]]:
    """The edits of each twin."""
    found: list[tuple[Edit, ...]] = []
    for expected in _expected(function):
        edits = _edits(function, expected)
        if edits and edits not in found:
            found.append(edits)
    return found[:MOST]


def _expected(function: Node) -> Iterator[Node]:
    for node in of_kind(function, "if_statement", "expression_statement"):
        if not _is_reached(node, function):
            continue
        condition = node.field("condition")
        if condition and _reports(node.field("consequence")):
            yield from _compared(condition)
        elif node.kind() == "expression_statement":
            yield from _asserted(node, function)


def _is_reached(node: Node, function: Node) -> bool:
    """Whether nothing around it, up to the function, decides if it is run."""
    around = [each for each in node.ancestors() if start(each) > start(function)]
    is_certain = all(each.kind() in _CERTAIN for each in around if each.kind() != "call_expression")
    return is_certain and all(_called(each) == "Run" for each in around if each.kind() == "call_expression")


def _reports(block: Node | None) -> bool:
    return any(_called(call) in _FAILING for call in of_kind(block, "call_expression")) if block else False


def _compared(condition: Node) -> Iterator[Node]:
    """Of `a != 1 || !reflect.DeepEqual(b, want)`, all operands: each mismatch makes the condition true."""
    left, right, sign = condition.field("left"), condition.field("right"), condition.field("operator")
    if condition.kind() == "parenthesized_expression":
        for inner in condition.named_children():
            yield from _compared(inner)
    elif left and right and sign and sign.text() == "||":
        yield from _compared(left)
        yield from _compared(right)
    elif left and right and sign and sign.text() == "!=":
        yield from (right, left)
    elif condition.kind() == "unary_expression" and sign and sign.text() == "!":
        call = condition.field("operand")
        if call and call.kind() == "call_expression" and _called(call) in _EQUAL:
            yield from reversed(_arguments(call))


def _asserted(statement: Node, function: Node) -> Iterator[Node]:
    """The two values that are compared; what follows them is a message."""
    for call in statement.named_children():
        if call.kind() == "call_expression" and _called(call) in _ASSERTING:
            given = _arguments(call)
            first = 1 if given and given[0].text() in _reporters(function) else 0
            yield from given[first : first + 2]


def _reporters(function: Node) -> set[str]:
    """The names of its `*testing.T`, and of those of its subtests."""
    declared = of_kind(function, "parameter_declaration")
    return {name.text() for each in declared if (name := each.field("name")) and each.text().endswith(".T")}


def _called(call: Node) -> str:
    name = call.field("function")
    return name.text().rpartition(".")[2] if name else ""


def _arguments(call: Node) -> list[Node]:
    given = call.field("arguments")
    return given.named_children() if given else []


def _edits(function: Node, expected: Node) -> tuple[Edit, ...]:
    if edit := _changed(expected):
        return (edit,)
    if expected.kind() == "composite_literal":
        return _first_inside(expected)
    if not _is_only_expected(function, expected):
        return ()
    return _rows(function, expected) if expected.kind() == "selector_expression" else _declared(function, expected)


def _is_only_expected(function: Node, expected: Node) -> bool:
    """Whether a variable or field is compared and printed, and nothing else, unlike in `decode(tt.in) != tt.in`."""
    if expected.kind() not in ("identifier", "selector_expression"):
        return False
    uses = (node for node in of_kind(function, expected.kind()) if node.text() == expected.text())
    return all(_is_harmless(around) for node in uses if (around := node.parent()))


def _is_harmless(around: Node) -> bool:
    if around.kind() == "argument_list":
        call = around.parent()
        return call is not None and _called(call) in (*_FAILING, *_EQUAL, *_ASSERTING, *_PRINTING)
    return around.kind() in ("binary_expression", "expression_list", "var_spec", "const_spec")


def _changed(node: Node) -> Edit | None:
    sign = node.field("operator")
    operand = node.field("operand")
    is_negative = bool(sign and sign.text() == "-" and operand and operand.kind() in _LITERALS)
    new = far(node.text()) if node.kind() in _LITERALS or is_negative else ""
    return replaced(node, new) if new else None


def _first_inside(composite: Node) -> tuple[Edit, ...]:
    """One value of `[]int{1, 2}`: keys and lengths of arrays stay."""
    body = composite.field("body")
    for element in body.named_children() if body else ():
        value = element.named_children()[-1] if element.named_children() else element
        leaf = value.named_children()[0] if value.kind() == "literal_element" and value.named_children() else value
        if edit := _changed(leaf):
            return (edit,)
    return ()


def _declared(function: Node, name: Node) -> tuple[Edit, ...]:
    """`want := 42`, if it is set only there."""
    given = [(names, values) for names, values in _assigned(function) if name.text() in names]
    names, values = given[0] if len(given) == 1 else ((), [])
    if len(names) != 1 or len(values) != 1:
        return ()
    if values[0].kind() == "composite_literal":
        return _first_inside(values[0])
    edit = _changed(values[0])
    return (edit,) if edit else ()


def _assigned(function: Node) -> Iterator[tuple[tuple[str, ...], list[Node]]]:
    """Names and their values."""
    for node in of_kind(function, "short_var_declaration", "assignment_statement", "var_spec", "const_spec"):
        names, values = node.field("left") or node.field("name"), node.field("right") or node.field("value")
        said = names.text() if names else ""
        yield tuple(part.strip() for part in said.split(",")), values.named_children() if values else []


def _rows(function: Node, expected: Node) -> tuple[Edit, ...]:
    """`tt.want` -> that value in every row of the table: rows that are not compared may be among them."""
    row, field = expected.field("operand"), expected.field("field")
    table = _table(function, row.text()) if row and field else None
    body = table.field("body") if table else None
    if not (body and table and field):
        return ()
    at = _position(table, field.text())
    values = (_value(element, field.text(), at) for element in body.named_children())
    return tuple(edit for value in values if value and (edit := _changed(value)))


def _table(function: Node, row: str) -> Node | None:
    """What `for _, row := range …` goes over, if it is written in the function."""
    for clause in of_kind(function, "range_clause"):
        left, right = clause.field("left"), clause.field("right")
        if not left or not right or left.text().split(",")[-1].strip() != row:
            continue
        if right.kind() == "composite_literal":
            return right
        given = [values for names, values in _assigned(function) if names == (right.text(),)]
        return given[0][0] if given and given[0] and given[0][0].kind() == "composite_literal" else None
    return None


def _position(table: Node, field: str) -> int:
    """The place of a field in rows without keys; -1 if the type of the rows is declared elsewhere."""
    names: list[str] = []
    kind = table.field("type")
    for node in of_kind(kind, "field_declaration") if kind else ():
        names += [part.text() for part in node.named_children() if part.kind() == "field_identifier"]
    return names.index(field) if field in names else -1


def _value(element: Node, field: str, at: int) -> Node | None:
    """Of `{"a", 42}`, `{name: "a", want: 42}` or `"key": {…}`."""
    rows = list(of_kind(element, "literal_value"))
    cells = [cell for cell in rows[0].named_children() if cell.kind() != "comment"] if rows else []
    for cell in cells:
        parts = cell.named_children()
        if cell.kind() == "keyed_element" and parts and parts[0].text() == field:
            return _inner(parts[-1])
    is_plain = cells and cells[0].kind() != "keyed_element"
    return _inner(cells[at]) if is_plain and 0 <= at < len(cells) else None


def _inner(node: Node) -> Node:
    inside = node.named_children()
    return inside[0] if node.kind() == "literal_element" and inside else node
