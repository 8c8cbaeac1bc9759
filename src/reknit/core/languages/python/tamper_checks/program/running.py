"""Part of the driver: finds each test by its id, runs it, and reports the result."""

SOURCE = r'''
def marks_of(thing):
    """Return its own marks and those of its base classes."""
    if not isinstance(thing, type):
        return list(getattr(thing, MARKS, ()))
    found = []
    for kind in thing.__mro__:
        own = kind.__dict__.get("pytestmark", ())
        found += [*kind.__dict__.get(MARKS, ()), *(own if isinstance(own, (list, tuple)) else (own,))]
    return found


def check_marks(marks, module):
    for mark in marks:
        if not isinstance(mark, Mark):
            raise CannotRun("a mark")
        if mark.name == "skip":
            raise Skip("skip")
        if mark.name in ("skipif", "xfail"):
            given = list(mark.args) or [mark.kwargs.get("condition", True)]
            known = {"os": os, "sys": sys, **vars(module)}
            if any(eval(each, known) if isinstance(each, str) else each for each in given):
                raise Skip(mark.name)
        if mark.name in ("django_db", "forked", "subprocess"):
            raise CannotRun("a mark")


class Bench:
    """One file of tests, ready to run."""

    def __init__(self, loader, config, file):
        self.loader, self.file = loader, file
        path = join_path(loader.root, file)
        before = states_of(parent_of(path)) if parent_of(file) else {}
        self.prepare_paths(path)
        self.shelf = Shelf()
        self.plugins = []
        for each in config["conftests"]:
            if file.startswith(parent_of(each) + "/") or not parent_of(each):
                self.add_conftest(join_path(loader.root, each))
        name, _ = self.module_name(path)
        self.module = loader.modules.get(name) or loader.load_file(path, name)
        after = states_of(parent_of(path))
        for changed in [each for each in before if after.get(each) != before[each]]:
            raise Failed("loading the code rewrites " + os.path.relpath(changed, loader.root))
        self.add_plugins(self.module)
        self.shelf.add_all(self.module)
        self.wide = Wide()
        self.started = set()

    def module_name(self, path):
        """Return its dotted name, and the folder that must be on the path: the first that is not a package."""
        parts, folder = [os.path.basename(path)[: -len(".py")]], parent_of(path)
        while is_file(join_path(folder, "__init__.py")) and folder != parent_of(folder):
            parts.insert(0, os.path.basename(folder))
            folder = parent_of(folder)
        if parts[-1] == "__init__":
            parts.pop()
        return ".".join(parts), folder

    def prepare_paths(self, path):
        folder = self.module_name(path)[1]
        if folder not in sys.path:
            sys.path.insert(0, folder)
            self.loader.found.clear()

    def add_conftest(self, path):
        self.prepare_paths(path)
        name, folder = self.module_name(path)
        name = name if "." in name else folder + "/" + name
        module = self.loader.modules.get(name) or self.loader.load_file(path, name)
        self.add_plugins(module)
        self.shelf.add_all(module)

    def add_plugins(self, module):
        named = getattr(module, "pytest_plugins", ())
        for each in [named] if isinstance(named, str) else named:
            if self.loader.find(each) is None and not each.startswith("pytest"):
                path = self.loader.project_file(each)
                if path is None:
                    raise CannotRun("a plugin")
                self.loader.found[each] = path
            loaded = self.loader.load(each)
            self.add_plugins(loaded)
            self.shelf.add_all(loaded)

    def run(self, test):
        put_back()
        inside = test[len(self.file) + 2 :]
        path, bracket, rest = inside.partition("[")
        wanted = rest[:-1] if bracket else None
        *kinds, name = path.split("::")
        holder = self.module
        for each in kinds:
            holder = self.member(holder, each)
        function = self.member(holder, name, static=isinstance(holder, type))
        if isinstance(holder, type) and hasattr(holder, "assertEqual") and hasattr(holder, "run"):
            if wanted is not None:
                raise CannotRun("parameters")
            return run_case(self, holder, self.attribute(holder, name))
        self.run_function(holder if kinds else None, function, wanted)

    def attribute(self, holder, name):
        other = self.loader.words.known.get(name)
        return other if other is not None and hasattr(holder, other) else name

    def member(self, holder, name, static=False):
        name = self.attribute(holder, name)
        if not hasattr(holder, name):
            raise CannotRun("no test of this name")
        found = inspect.getattr_static(holder, name) if static else getattr(holder, name)
        return found.__func__ if isinstance(found, (staticmethod, classmethod)) else found

    def run_function(self, kind, function, wanted):
        if not callable(function):
            raise CannotRun("not a function")
        own = getattr(self.module, "pytestmark", ())
        outer = list(own) if isinstance(own, (list, tuple)) else [own]
        marks = marks_of(function) + (marks_of(kind) if kind else []) + outer
        check_marks(marks, self.module)
        shelf = self.shelf.copy()
        if kind:
            shelf.add_all(kind, kind)
        instance = kind() if kind else None
        is_method = kind is not None and not isinstance(vars(kind).get(function.__name__), staticmethod)
        test = Prepared(shelf, self.wide, self.module, function, kind, instance)
        names = argument_names(function, is_method)
        names += [each for mark in marks if mark.name == "usefixtures" for each in mark.args]
        groups = [choices_of(mark) for mark in marks if mark.name == "parametrize"]
        given = {name for group in groups for each in group[:1] for name in each.values}
        direct = {name for group in groups for each in group[:1] for name in each.values if name not in each.indirect}
        for name in test.closure([each for each in names if each not in direct]):
            recipes = shelf.recipes.get(name)
            if recipes and recipes[-1][0].params is not None and name not in given:
                groups.append(choices_of_recipe(recipes[-1][0]))
        if bool(groups) != (wanted is not None):
            raise CannotRun("parameters")
        for choice in find_call(groups, wanted) if groups else ():
            check_marks(choice.marks, self.module)
            for name, value in choice.values.items():
                (test.params if name in choice.indirect else test.values)[name] = value
        try:
            self.set_up_holders(kind, instance, function)
            test.set_up(names)
            arguments = {each: test.value(each, None) for each in argument_names(function, is_method)}
            call = function.__get__(instance, kind) if is_method else function
            if inspect.iscoroutinefunction(call):
                test.in_loop(call(**arguments))
            else:
                call(**arguments)
        finally:
            if instance is not None and hasattr(instance, "teardown_method"):
                call_with(instance.teardown_method, function)
            test.close()

    def set_up_holders(self, kind, instance, function):
        for holder, name, argument in (
            (self.module, "setup_module", self.module), (kind, "setup_class", kind)):
            if holder is not None and hasattr(holder, name) and (id(holder), name) not in self.started:
                self.started.add((id(holder), name))
                call_with(getattr(holder, name), argument)
        if kind is None and hasattr(self.module, "setup_function"):
            call_with(self.module.setup_function, function)
        if instance is not None and hasattr(instance, "setup_method"):
            call_with(instance.setup_method, function)


def call_with(function, argument):
    if inspect.signature(function).parameters:
        return function(argument)
    return function()


class Outcome:
    """The result that a test case reports to; keeps the first error."""

    shouldStop = False
    failfast = False
    buffer = False
    tb_locals = False

    def __init__(self):
        self.error = None

    def keep(self, test, error):
        self.error = self.error or error[1]

    addError = addFailure = keep

    def addSubTest(self, test, part, error):
        if error is not None:
            self.keep(test, error)

    def addSkip(self, test, reason):
        self.error = self.error or Skip(reason)

    def addExpectedFailure(self, test, error):
        self.error = self.error or Skip("expected failure")

    def addUnexpectedSuccess(self, test):
        self.error = self.error or Failed("unexpected success")

    def ignore(self, *args):
        pass

    startTest = stopTest = addSuccess = addDuration = startTestRun = stopTestRun = ignore


def run_case(bench, kind, name):
    shelf = bench.shelf.copy()
    shelf.add_all(kind, kind)
    check_marks(marks_of(kind) + marks_of(getattr(kind, name)), bench.module)
    case = kind(name)
    test = Prepared(shelf, bench.wide, bench.module, getattr(kind, name), kind, case)
    outcome = Outcome()
    marks = marks_of(kind) + marks_of(getattr(kind, name))
    try:
        if hasattr(bench.module, "setUpModule") and bench.module not in bench.started:
            bench.started.add(bench.module)
            bench.module.setUpModule()
        if kind not in bench.started:
            bench.started.add(kind)
            kind.setUpClass()
            bench.wide.ends.append(kind.tearDownClass)
        test.set_up([each for mark in marks if mark.name == "usefixtures" for each in mark.args])
        case.run(outcome)
    finally:
        test.close()
    if outcome.error is not None:
        raise outcome.error


def lines_in(error, module):
    """Return the lines of the test's text in the traceback of an error."""
    found, trace = [], error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_globals is vars(module):
            found.append(trace.tb_lineno)
        trace = trace.tb_next
    return found


def name_of(error):
    """Return the kind of the error; empty for a test that cannot be called, which is not reported."""
    kind = type(error)
    if kind in (CannotRun, Skip):
        return ""
    return "Failed" if kind is Failed else kind.__name__


def work(config, say):
    loader = LOADER
    benches, count = {}, 0
    for test, file, lines in config["tests"]:
        module = None
        try:
            if file not in benches:
                benches[file] = Bench(loader, config, file)
            module = benches[file].module
            benches[file].run(test)
            say(test=test, ok=True)
        except BaseException as error:
            kind = name_of(error)
            if not kind:
                continue
            if module is None:
                kind = "load: " + kind
            elif lines and not set(lines) & set(lines_in(error, module)[-1:]):
                kind += " in another line"
            first = (str(error).splitlines() or [""])[0]
            say(test=test, ok=False, kind=kind, message=first[:300])
        count += 1
    for bench in benches.values():
        finish(bench.wide.ends)
    say(end=count)


def main():
    global WORDS, LOADER, MARKS, RECIPE
    config = json.loads(sys.stdin.read())
    say = open_output(config.pop("mark"))
    WORDS = Words(config["words"])
    MARKS, RECIPE = WORDS.new(), WORDS.new()
    root = os.getcwd()
    sys.path[1:1] = [join_path(root, each) for each in config["paths"]]
    texts = {join_path(root, path): text for path, text in config.pop("texts").items()}
    LOADER = Loader(WORDS, root, texts)
    LOADER.stand_ins["pytest"] = stand_in(WORDS)
    work(config, say)
    sys.stderr.flush()
    end_process(0)


main()
'''
