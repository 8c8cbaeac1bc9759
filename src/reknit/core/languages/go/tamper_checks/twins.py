"""Finds expected values in a Go test: literals whose change must turn the test red, however the code is written.

A literal counts only if the test certainly reports a mismatch: in `if got != 42 { t.Fatal(…) }`, in
`!reflect.DeepEqual(got, want)`, in the statement `assert.Equal(t, 42, got)`, and in rows of a table that are compared
in one of these ways.
"""

from collections.abc import Iterator

from reknit.core.syntax import read_field
from reknit.core.tamper_checks.syntax import Edit, Node, change_literal, find_kind, replace_node, start_index

MAX_TWINS = 4
"""Maximum number of twins for one test."""
_LITERALS = ("int_literal", "float_literal", "interpreted_string_literal", "raw_string_literal", "true", "false")
_FAILING = ("Fatal", "Fatalf", "Error", "Errorf", "Fail", "FailNow", "panic")
_EQUAL = ("DeepEqual", "Equal")
_ASSERTING = ("Equal", "EqualValues", "Exactly", "Len", "EqualError", "DeepEqual")
_PRINTING = ("Log", "Logf", "Sprintf", "Sprint", "Diff")
_CERTAIN = ("block", "statement_list", "for_statement", "expression_statement", "argument_list", "func_literal")
"""Node kinds that may surround a comparison that is certainly reached."""


def make_twin_edits(function: Node) -> list[tuple[Edit, ...]]:
    """Return the edits of each twin."""
    twins: list[tuple[Edit, ...]] = []
    for expected in _find_expected(function):
        edits = _edit_expected(function, expected)
        if edits and edits not in twins:
            twins.append(edits)
    return twins[:MAX_TWINS]


def _find_expected(function: Node) -> Iterator[Node]:
    for node in find_kind(function, "if_statement", "expression_statement"):
        if not _is_reached(node, function):
            continue
        condition = node.field("condition")
        if condition and _reports_failure(node.field("consequence")):
            yield from _find_compared(condition)
        elif node.kind() == "expression_statement":
            yield from _find_asserted(node, function)


def _is_reached(node: Node, function: Node) -> bool:
    """Return True if no condition between the function and the node decides if it runs."""
    around = [ancestor for ancestor in node.ancestors() if start_index(ancestor) > start_index(function)]
    is_certain = all(ancestor.kind() in _CERTAIN for ancestor in around if ancestor.kind() != "call_expression")
    return is_certain and all(
        _function_name(ancestor) == "Run" for ancestor in around if ancestor.kind() == "call_expression"
    )


def _reports_failure(block: Node | None) -> bool:
    return any(_function_name(call) in _FAILING for call in find_kind(block, "call_expression")) if block else False


def _find_compared(condition: Node) -> Iterator[Node]:
    """Yield all operands of `a != 1 || !reflect.DeepEqual(b, want)`: each mismatch makes the condition true."""
    left_operand, right_operand, sign = condition.field("left"), condition.field("right"), condition.field("operator")
    if condition.kind() == "parenthesized_expression":
        for inner in condition.named_children():
            yield from _find_compared(inner)
    elif left_operand and right_operand and sign and sign.text() == "||":
        yield from _find_compared(left_operand)
        yield from _find_compared(right_operand)
    elif left_operand and right_operand and sign and sign.text() == "!=":
        yield from (right_operand, left_operand)
    elif condition.kind() == "unary_expression" and sign and sign.text() == "!":
        call = condition.field("operand")
        if call and call.kind() == "call_expression" and _function_name(call) in _EQUAL:
            yield from reversed(_find_arguments(call))


def _find_asserted(statement: Node, function: Node) -> Iterator[Node]:
    """Yield the two compared values; a message follows them."""
    for call in statement.named_children():
        if call.kind() == "call_expression" and _function_name(call) in _ASSERTING:
            arguments = _find_arguments(call)
            first = 1 if arguments and arguments[0].text() in _reporter_names(function) else 0
            yield from arguments[first : first + 2]


def _reporter_names(function: Node) -> set[str]:
    """Return the names of every `*testing.T`: of the test and of its subtests."""
    declared = find_kind(function, "parameter_declaration")
    return {
        name.text()
        for declaration in declared
        if (name := declaration.field("name")) and declaration.text().endswith(".T")
    }


def _function_name(call: Node) -> str:
    return read_field(call, "function").rpartition(".")[2]


def _find_arguments(call: Node) -> list[Node]:
    arguments = call.field("arguments")
    return arguments.named_children() if arguments else []


def _edit_expected(function: Node, expected: Node) -> tuple[Edit, ...]:
    if edit := _change_literal(expected):
        return (edit,)
    if expected.kind() == "composite_literal":
        return _change_first_value(expected)
    if not _is_only_expected(function, expected):
        return ()
    return (
        _change_rows(function, expected)
        if expected.kind() == "selector_expression"
        else _change_declaration(function, expected)
    )


def _is_only_expected(function: Node, expected: Node) -> bool:
    """Return True if it is a variable or field only compared and printed, unlike in `decode(tt.in) != tt.in`."""
    if expected.kind() not in ("identifier", "selector_expression"):
        return False
    uses = (node for node in find_kind(function, expected.kind()) if node.text() == expected.text())
    return all(_is_harmless(around) for node in uses if (around := node.parent()))


def _is_harmless(around: Node) -> bool:
    if around.kind() == "argument_list":
        call = around.parent()
        return call is not None and _function_name(call) in (*_FAILING, *_EQUAL, *_ASSERTING, *_PRINTING)
    return around.kind() in ("binary_expression", "expression_list", "var_spec", "const_spec")


def _change_literal(node: Node) -> Edit | None:
    sign = node.field("operator")
    operand = node.field("operand")
    is_negative = bool(sign and sign.text() == "-" and operand and operand.kind() in _LITERALS)
    new = change_literal(node.text()) if node.kind() in _LITERALS or is_negative else ""
    return replace_node(node, new) if new else None


def _change_first_value(composite: Node) -> tuple[Edit, ...]:
    """Change one value of `[]int{1, 2}`; keys and lengths of arrays stay."""
    body = composite.field("body")
    for element in body.named_children() if body else ():
        value = element.named_children()[-1] if element.named_children() else element
        leaf = value.named_children()[0] if value.kind() == "literal_element" and value.named_children() else value
        if edit := _change_literal(leaf):
            return (edit,)
    return ()


def _change_declaration(function: Node, name: Node) -> tuple[Edit, ...]:
    """Change the value of `want := 42`, if no other statement sets it."""
    assignments = [(names, values) for names, values in _find_assignments(function) if name.text() in names]
    names, values = assignments[0] if len(assignments) == 1 else ((), [])
    if len(names) != 1 or len(values) != 1:
        return ()
    if values[0].kind() == "composite_literal":
        return _change_first_value(values[0])
    edit = _change_literal(values[0])
    return (edit,) if edit else ()


def _find_assignments(function: Node) -> Iterator[tuple[tuple[str, ...], list[Node]]]:
    """Yield assigned names with their values."""
    for node in find_kind(function, "short_var_declaration", "assignment_statement", "var_spec", "const_spec"):
        names, values = node.field("left") or node.field("name"), node.field("right") or node.field("value")
        target_text = names.text() if names else ""
        yield tuple(part.strip() for part in target_text.split(",")), values.named_children() if values else []


def _change_rows(function: Node, expected: Node) -> tuple[Edit, ...]:
    """Change the value of `tt.want` in every row of the table; some rows may not be compared."""
    row, field = expected.field("operand"), expected.field("field")
    table = _find_table(function, row.text()) if row and field else None
    body = table.field("body") if table else None
    if not (body and table and field):
        return ()
    at = _field_position(table, field.text())
    values = (_find_cell(element, field.text(), at) for element in body.named_children())
    return tuple(edit for value in values if value and (edit := _change_literal(value)))


def _find_table(function: Node, row: str) -> Node | None:
    """Return the table of `for _, row := range …`, if it is written in the function."""
    for clause in find_kind(function, "range_clause"):
        variables, iterable = clause.field("left"), clause.field("right")
        if not variables or not iterable or variables.text().split(",")[-1].strip() != row:
            continue
        if iterable.kind() == "composite_literal":
            return iterable
        assignments = [values for names, values in _find_assignments(function) if names == (iterable.text(),)]
        return (
            assignments[0][0]
            if assignments and assignments[0] and assignments[0][0].kind() == "composite_literal"
            else None
        )
    return None


def _field_position(table: Node, field: str) -> int:
    """Return the index of a field in rows without keys; -1 if the row type is declared elsewhere."""
    names: list[str] = []
    kind = table.field("type")
    for node in find_kind(kind, "field_declaration") if kind else ():
        names += [part.text() for part in node.named_children() if part.kind() == "field_identifier"]
    return names.index(field) if field in names else -1


def _find_cell(element: Node, field: str, at: int) -> Node | None:
    """Return the cell of a field in `{"a", 42}`, `{name: "a", want: 42}` or `"key": {…}`."""
    rows = list(find_kind(element, "literal_value"))
    cells = [cell for cell in rows[0].named_children() if cell.kind() != "comment"] if rows else []
    for cell in cells:
        parts = cell.named_children()
        if cell.kind() == "keyed_element" and parts and parts[0].text() == field:
            return _unwrap(parts[-1])
    is_plain = cells and cells[0].kind() != "keyed_element"
    return _unwrap(cells[at]) if is_plain and 0 <= at < len(cells) else None


def _unwrap(node: Node) -> Node:
    inside = node.named_children()
    return inside[0] if node.kind() == "literal_element" and inside else node
