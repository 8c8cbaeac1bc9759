"""Part of the driver: rewrites a test's syntax tree so that no word in it shows that it is a test."""

SOURCE = r'''
def is_telling(name):
    return "test" in name.lower()


def says_fixture(node):
    return any("fixture" in ast.dump(each) for each in getattr(node, "decorator_list", ()))


def is_of_runner(module):
    return module.partition(".")[0] in ("unittest", "_pytest") or module.startswith("pytest")


def names_to_replace(tree):
    """Return the tests and classes that the text defines, and its imports of their runner, unless another thing has
    the same name."""
    defined, taken = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            (taken if says_fixture(node) else defined).add(node.name)
        elif isinstance(node, ast.arg):
            taken.add(node.arg)
        elif isinstance(node, ast.keyword):
            taken.add(node.arg)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            of_runner = [is_of_runner(getattr(node, "module", None) or each.name) for each in node.names]
            for each, is_ours in zip(node.names, of_runner):
                (defined if is_ours else taken).add((each.asname or each.name).partition(".")[0])
    return {name for name in defined - taken if is_telling(name) and not name.startswith("__")}


class Rewriter(ast.NodeTransformer):
    def __init__(self, place, names, classes, words, helpers):
        self.place = place
        self.names = names
        self.classes = classes
        self.words = words
        self.helpers = helpers

    def renamed(self, name):
        return self.words.instead_of(name) if name in self.names else name

    def visit_FunctionDef(self, node):
        node.name = self.renamed(node.name)
        return self.generic_visit(node)

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef

    def visit_Name(self, node):
        node.id = self.renamed(node.id)
        return node

    def visit_Attribute(self, node):
        if self.is_own(node.value):
            node.attr = self.renamed(node.attr)
        return self.generic_visit(node)

    def is_own(self, node):
        """Check for an object of a class of this text: other objects may have an attribute of the same name."""
        if isinstance(node, ast.Call):
            node = node.func
        return isinstance(node, ast.Name) and (node.id in ("self", "cls", "super") or node.id in self.classes)

    def visit_Global(self, node):
        node.names = [self.renamed(name) for name in node.names]
        return node

    visit_Nonlocal = visit_Global

    def visit_Compare(self, node):
        self.generic_visit(node)
        if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            return node
        name = self.helpers["equal" if isinstance(node.ops[0], ast.Eq) else "unequal"]
        call = ast.Call(ast.Name(name, ast.Load()), [node.left, node.comparators[0]], [])
        return ast.copy_location(call, node)

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in ("abs", "round") and node.args:
            first = node.args[0]
            if isinstance(first, ast.BinOp):
                first.left, first.right = self.as_number(first.left), self.as_number(first.right)
            else:
                node.args[0] = self.as_number(first)
        return node

    def as_number(self, node):
        return ast.copy_location(ast.Call(ast.Name(self.helpers["plain_number"], ast.Load()), [node], []), node)

    def visit_Import(self, node):
        kept, made = [], []
        for alias in node.names:
            if not self.place.is_private(alias.name):
                kept.append(alias)
                continue
            full = self.bring(alias.name, "")
            if alias.asname:
                made.append(self.bind(alias.asname, full, node))
            else:
                top = alias.name.partition(".")[0]
                made.append(ast.copy_location(ast.Expr(full), node))
                made.append(self.bind(top, self.bring(top, ""), node))
        if kept:
            node.names = kept
            made.insert(0, node)
        return made

    def visit_ImportFrom(self, node):
        if node.module == "__future__":
            return node
        name = self.place.absolute(node.module or "", node.level)
        if not self.place.is_private(name):
            made = []
            plain = [each for each in node.names if not self.place.is_private(name + "." + each.name)]
            for each in node.names:
                if each not in plain:
                    made.append(self.bind(each.asname or each.name, self.bring(name + "." + each.name, ""), node))
            if plain:
                node.module, node.level, node.names = name, 0, plain
                made.append(node)
            return made
        if node.names[0].name == "*":
            call = ast.Call(ast.Name(self.helpers["bring_all"], ast.Load()), [ast.Constant(name)], [])
            scope = ast.Call(ast.Name("globals", ast.Load()), [], [])
            update = ast.Attribute(scope, "update", ast.Load())
            return ast.copy_location(ast.Expr(ast.Call(update, [call], [])), node)
        return [self.bind(each.asname or each.name, self.bring(name, each.name), node) for each in node.names]

    def bring(self, module, name):
        arguments = [ast.Constant(module), ast.Constant(name)]
        return ast.Call(ast.Name(self.helpers["bring"], ast.Load()), arguments, [])

    def bind(self, name, value, node):
        return ast.copy_location(ast.Assign([ast.Name(self.renamed(name), ast.Store())], value, None), node)


def quiet_code(code, words):
    """Return the same code without a name that shows a test."""
    constants = tuple(quiet_code(each, words) if isinstance(each, types.CodeType) else each for each in code.co_consts)
    changed = {"co_consts": constants}
    if is_telling(code.co_name) or "assert" in code.co_name:
        changed["co_name"] = words.instead_of(code.co_name)
    if is_telling(getattr(code, "co_qualname", "")) or "assert" in getattr(code, "co_qualname", ""):
        changed["co_qualname"] = changed.get("co_name", code.co_name)
    return code.replace(**changed)


def is_from_project(value, ours):
    return type(value).__module__ not in ours


def plain_number(value):
    """Return the number in its builtin type: a type of the project may define its own arithmetic."""
    for kind in NUMBERS:
        if kind in type(value).__mro__:
            return kind.__pos__(value)
    return value


class Equality:
    """Compares by the type of the plain value, so that no other type can equal everything."""

    plain_number = staticmethod(plain_number)

    def __init__(self):
        self.ours = {"builtins"}

    def equal(self, left, right):
        for plain, other in ((right, left), (left, right)):
            kind = type(plain)
            if kind is Near:
                return plain == other
            if kind not in INT_EQ or (type(other) is kind and kind in PLAIN):
                continue
            if type(other) is kind:
                return self.same_inside(kind, left, right)
            if not is_from_project(other, self.ours):
                continue
            number = plain_number(other)
            if number is not other:
                return plain == number
            said = INT_EQ[kind](plain, other)
            if said is not NotImplemented:
                return said
        return left == right

    def same_inside(self, kind, left, right):
        if kind in (list, tuple):
            return len(left) == len(right) and all(a is b or self.equal(a, b) for a, b in zip(left, right))
        if kind is dict:
            same_keys = len(left) == len(right) and all(key in right for key in left)
            return same_keys and all(left[key] is right[key] or self.equal(left[key], right[key]) for key in left)
        return left == right

    def unequal(self, left, right):
        kinds = (type(left), type(right))
        if any(kind is Near or kind in INT_EQ for kind in kinds):
            said = self.equal(left, right)
            if said is True or said is False:
                return not said
        return left != right
'''
