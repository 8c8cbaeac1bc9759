"""Part of the driver: a module that stands in for pytest."""

SOURCE = r'''
class Mark:
    def __init__(self, name, args=(), kwargs=None):
        self.name, self.args, self.kwargs = name, args, kwargs or {}
        self.mark = self

    def __call__(self, *args, **kwargs):
        if len(args) == 1 and not kwargs and isinstance(args[0], (types.FunctionType, type)):
            own = args[0].__dict__.get(MARKS, ())
            setattr(args[0], MARKS, (*own, self))
            return args[0]
        return Mark(self.name, (*self.args, *args), {**self.kwargs, **kwargs})


class Marks:
    def __getattr__(self, name):
        return Mark(name)


class Row:
    def __init__(self, *values, id=None, marks=()):
        self.values, self.id = values, id
        self.marks = tuple(marks) if isinstance(marks, (list, tuple)) else (marks,)


class Recipe:
    """The definition of a fixture."""

    def __init__(self, function, scope, params, autouse, ids, name):
        self.function, self.scope, self.params, self.autouse, self.ids = function, scope, params, autouse, ids
        self.name = name


def fixture(function=None, *, scope="function", params=None, autouse=False, ids=None, name=None):
    if callable(scope):
        raise CannotRun("a scope by function")

    def keep(function):
        own = function.__name__
        rows = None if params is None else list(params)
        setattr(function, RECIPE, Recipe(function, scope, rows, autouse, ids, name or WORDS.original.get(own, own)))
        return function

    return keep(function) if function is not None else keep


class Caught:
    def __init__(self):
        self.value = self.type = self.tb = None

    def match(self, pattern):
        check_match(pattern, self.value)
        return True

    def exconly(self, tryshort=False):
        return "%s: %s" % (self.type.__name__, self.value)

    def errisinstance(self, kind):
        return isinstance(self.value, kind)

    @property
    def typename(self):
        return self.type.__name__

    def __getattr__(self, name):
        raise CannotRun(name)


def check_match(pattern, value):
    said = "\n".join([str(value), *getattr(value, "__notes__", ())])
    if not re.search(pattern, said):
        raise AssertionError("Regex pattern did not match.")


class Raises:
    def __init__(self, kind, match, check=None):
        self.kind, self.match, self.check, self.caught = kind, match, check, Caught()

    def __enter__(self):
        return self.caught

    def __exit__(self, kind, value, trace):
        if kind is None:
            raise Failed("DID NOT RAISE %r" % (self.kind,))
        if not issubclass(kind, self.kind):
            return False
        self.caught.type, self.caught.value, self.caught.tb = kind, value, trace
        if self.match is not None:
            check_match(self.match, value)
        if self.check is not None and not self.check(value):
            raise AssertionError("check did not return True")
        return True


def raises(expected_exception=None, *args, match=None, check=None, **kwargs):
    if expected_exception is None:
        expected_exception = BaseException
    context = Raises(expected_exception, match, check)
    if not args:
        if kwargs:
            raise CannotRun("raises")
        return context
    with context as caught:
        args[0](*args[1:], **kwargs)
    return caught


class Warned(warnings.catch_warnings):
    def __init__(self, kind, match):
        super().__init__(record=True)
        self.kind, self.match = kind, match

    def __enter__(self):
        self.list = super().__enter__()
        warnings.simplefilter("always")
        return WarningList(self.list)

    def __exit__(self, kind, value, trace):
        super().__exit__(kind, value, trace)
        if kind is not None:
            return
        found = [each for each in self.list if issubclass(each.category, self.kind)]
        if not found:
            raise Failed("DID NOT WARN. No warnings of type %r were emitted." % (self.kind,))
        if self.match is not None and not any(re.search(self.match, str(each.message)) for each in found):
            raise Failed("DID NOT WARN. No warnings of type %r matching the regex were emitted." % (self.kind,))
        for each in self.list:
            if each not in found:
                warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)


class WarningList:
    def __init__(self, caught):
        self.list = caught

    def __iter__(self):
        return iter(self.list)

    def __len__(self):
        return len(self.list)

    def __getitem__(self, at):
        return self.list[at]

    def pop(self, cls=Warning):
        for at, each in enumerate(self.list):
            if issubclass(each.category, cls):
                return self.list.pop(at)
        raise AssertionError("%r not found in warning list" % (cls,))

    def clear(self):
        self.list[:] = []


def warns(expected_warning=Warning, *args, match=None, **kwargs):
    context = Warned(expected_warning, match)
    if not args:
        return context
    with context:
        return args[0](*args[1:], **kwargs)


def deprecated_call(*args, match=None, **kwargs):
    return warns((DeprecationWarning, PendingDeprecationWarning, FutureWarning), *args, match=match, **kwargs)


def skip(reason="", *, allow_module_level=False, msg=None):
    raise Skip(reason)


def fail(reason="", pytrace=True, msg=None):
    raise Failed(reason or msg or "")


def importorskip(modname, minversion=None, reason=None, *, exc_type=ImportError):
    if minversion:
        raise CannotRun("a version of a module")
    try:
        return importlib.import_module(modname)
    except exc_type:
        raise Skip(modname) from None


class Near:
    """A number within a tolerance, or a collection of such."""

    def __init__(self, expected, rel, abs_, nan_ok):
        if not isinstance(expected, (int, float, complex, list, tuple, dict)) or isinstance(expected, bool):
            if type(expected).__name__ not in ("Decimal", "Fraction"):
                raise CannotRun("approx of %s" % type(expected).__name__)
        self.expected, self.rel, self.abs, self.nan_ok = expected, rel, abs_, nan_ok

    def near(self, each):
        if each is None or isinstance(each, (str, bytes)):
            return Exactly(each)
        return Near(each, self.rel, self.abs, self.nan_ok)

    def __eq__(self, actual):
        expected = self.expected
        if isinstance(expected, dict):
            return set(actual) == set(expected) and all(self.near(expected[key]) == actual[key] for key in expected)
        if isinstance(expected, (list, tuple)):
            try:
                return len(actual) == len(expected) and all(self.near(b) == a for a, b in zip(actual, expected))
            except TypeError:
                return False
        actual = plain_number(actual)
        if actual is expected or type(actual) in PLAIN and actual == expected:
            return True
        if isinstance(actual, (str, bytes)) or actual is None:
            return False
        if expected != expected:
            return self.nan_ok and actual != actual
        if isinstance(actual, Near):
            return False
        relative = 1e-6 if self.rel is None else self.rel
        least = 1e-12 if self.abs is None else self.abs
        span = least if self.rel is None and self.abs is not None else max(relative * abs(expected), least)
        if type(expected).__name__ in ("Decimal", "Fraction"):
            span = type(expected)(str(span))
        if float("inf") in (abs(expected), abs(actual)):
            return actual == expected
        return bool(abs(expected - actual) <= span)

    __hash__ = None

    def __repr__(self):
        return "%r" % (self.expected,)


class Exactly:
    def __init__(self, value):
        self.value = value

    def __eq__(self, actual):
        return actual == self.value

    __hash__ = None


def approx(expected, rel=None, abs=None, nan_ok=False):
    return Near(expected, rel, abs, nan_ok)


class Unknown:
    """A name that may be used in an annotation; any other use gives no verdict."""

    def __init__(self, name):
        self.__dict__["_name"] = name

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Unknown(self._name + "." + name)

    def __getitem__(self, item):
        return self

    def __or__(self, other):
        return self

    __ror__ = __or__

    def __call__(self, *args, **kwargs):
        raise CannotRun(self._name)


class StandIn(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Unknown(name)


def stand_in(words):
    module = StandIn(words.new())
    named = dict(
        fixture=fixture, yield_fixture=fixture, raises=raises, warns=warns, deprecated_call=deprecated_call, skip=skip,
        fail=fail, importorskip=importorskip, approx=approx, param=Row, mark=Marks(), MonkeyPatch=Patches,
    )
    vars(module).update(named)
    return module
'''
