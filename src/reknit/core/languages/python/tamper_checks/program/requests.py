"""Part of the driver: gives a test its fixtures, and ends them after it."""

SOURCE = r'''
SCOPES = ["session", "package", "module", "class", "function"]


def argument_names(function, is_method):
    """Return the names that pytest fills in: those without a default, and not set by a patch."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (ValueError, TypeError):
        raise CannotRun("a test without a signature") from None
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    names = [each.name for each in parameters if each.kind in kinds and each.default is inspect.Parameter.empty]
    if is_method:
        names = names[1:]
    put_in = [
        each
        for each in getattr(function, "patchings", ())
        if not each.attribute_name and getattr(each.new, "name", "") == "DEFAULT"
    ]
    return names[len(put_in) :]


class Shelf:
    """The fixtures that a test can request by name, the nearest last."""

    def __init__(self):
        self.recipes = {}

    def add_all(self, holder, owner=None):
        for name in dir(holder) if owner else list(vars(holder)):
            recipe = getattr(inspect.getattr_static(holder, name, None), RECIPE, None)
            if isinstance(inspect.getattr_static(holder, name, None), (staticmethod, classmethod)):
                recipe = getattr(getattr(holder, name), RECIPE, None)
            if isinstance(recipe, Recipe):
                self.recipes.setdefault(recipe.name, []).append((recipe, owner))

    def copy(self):
        other = Shelf()
        other.recipes = {name: list(each) for name, each in self.recipes.items()}
        return other

    def autouse(self):
        return [name for name, each in self.recipes.items() if each[-1][0].autouse]


class Request:
    """The request for a fixture, and the fixture `request`."""

    def __init__(self, test, name="", depth=0, param=MISSING):
        self.test, self.fixturename, self.depth = test, name, depth
        if param is not MISSING:
            self.param = param

    cls = property(lambda self: self.test.kind)
    instance = property(lambda self: self.test.instance)
    module = property(lambda self: self.test.module)
    function = property(lambda self: self.test.function)
    fixturenames = property(lambda self: list(self.test.names))

    def getfixturevalue(self, name):
        return self.test.value(name, self)

    def addfinalizer(self, function):
        self.test.ends.append(function)

    def __getattr__(self, name):
        raise CannotRun("request." + name)


class Prepared:
    """One test with its fixtures."""

    def __init__(self, shelf, wide, module, function, kind=None, instance=None):
        self.shelf, self.wide, self.module, self.function = shelf, wide, module, function
        self.kind, self.instance = kind, instance
        self.values, self.params, self.ends, self.names = {}, {}, [], []
        self.loop = None

    def closure(self, names):
        found = []
        pending = [*self.shelf.autouse(), *names]
        while pending:
            name = pending.pop(0)
            if name in found:
                continue
            found.append(name)
            for recipe, owner in self.shelf.recipes.get(name, ())[-1:]:
                pending += argument_names(recipe.function, owner is not None and not is_static(owner, recipe))
        return found

    def set_up(self, names):
        self.names = self.closure(names)
        self.names.sort(key=self.scope_of)
        for name in self.names:
            if name not in self.values:
                self.value(name, None)

    def scope_of(self, name):
        recipes = self.shelf.recipes.get(name)
        if name in self.values:
            return -1
        return SCOPES.index(recipes[-1][0].scope) if recipes else 0 if name == "tmp_path_factory" else 4

    def value(self, name, asker):
        if name == "request":
            return asker or Request(self)
        recipes = self.shelf.recipes.get(name, ())
        depth = asker.depth + 1 if asker is not None and asker.fixturename == name else 0
        if name in self.values and not depth:
            return self.values[name]
        if depth >= len(recipes):
            if name == "pytestconfig" or depth > len(recipes):
                raise CannotRun("the fixture " + name)
            value, end = built_in(name, asker)
            self.ends.append(end)
        else:
            recipe, owner = recipes[-1 - depth]
            value = self.made(recipe, owner, name, depth)
        if not depth:
            self.values[name] = value
        return value

    def made(self, recipe, owner, name, depth):
        key = (id(recipe), repr(self.params.get(name, None)))
        if recipe.scope != "function" and key in self.wide.values:
            return self.wide.values[key]
        request = Request(self, name, depth, self.params.get(name, MISSING))
        if recipe.params is not None and name not in self.params:
            raise CannotRun("a fixture with parameters")
        wanted = argument_names(recipe.function, owner is not None and not is_static(owner, recipe))
        arguments = {each: request if each == "request" else self.value(each, request) for each in wanted}
        function = recipe.function
        if owner is not None and not is_static(owner, recipe):
            function = function.__get__(self.instance, owner)
        ends = self.ends if recipe.scope == "function" else self.wide.ends
        value = self.called(function, arguments, ends)
        if recipe.scope != "function":
            self.wide.values[key] = value
        return value

    def called(self, function, arguments, ends):
        if inspect.iscoroutinefunction(function):
            return self.in_loop(function(**arguments))
        if inspect.isasyncgenfunction(function):
            stream = function(**arguments)
            value = self.in_loop(stream.__anext__())
            ends.append(lambda: self.in_loop(finished(stream)))
            return value
        if not inspect.isgeneratorfunction(function):
            return function(**arguments)
        stream = function(**arguments)
        value = next(stream)

        def end():
            for _ in stream:
                raise Failed("fixture function has more than one 'yield'")

        ends.append(end)
        return value

    def in_loop(self, awaitable):
        if self.loop is None:
            self.loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self.loop)
        return self.loop.run_until_complete(awaitable)

    def close(self):
        error = finish(self.ends)
        if self.loop is not None:
            self.loop.close()
            asyncio.set_event_loop(None)
        if error is not None:
            raise error


def is_static(owner, recipe):
    return any(isinstance(each, staticmethod) and each.__func__ is recipe.function for each in vars(owner).values())


async def finished(stream):
    async for _ in stream:
        raise Failed("fixture function has more than one 'yield'")


def finish(ends):
    """End all, in reverse, and return the first error."""
    error = None
    while ends:
        try:
            ends.pop()()
        except BaseException as problem:
            error = error or problem
    return error


class Wide:
    """Values of fixtures that outlive a test."""

    def __init__(self):
        self.values, self.ends = {}, []
'''
