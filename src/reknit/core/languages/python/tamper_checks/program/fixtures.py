"""Part of the driver: stands in for pytest's own fixtures."""

SOURCE = r'''
MISSING = object()


class Patches:
    def __init__(self):
        self.done = []

    @classmethod
    @contextlib.contextmanager
    def context(cls):
        patches = cls()
        try:
            yield patches
        finally:
            patches.undo()

    def target(self, target, name, value):
        if value is not MISSING:
            return target, name, value
        path, _, last = target.rpartition(".")
        if LOADER.is_private(path):
            raise CannotRun("a path of the tests")
        parts = path.split(".")
        found = importlib.import_module(parts[0])
        for at, part in enumerate(parts[1:], 2):
            if not hasattr(found, part):
                importlib.import_module(".".join(parts[:at]))
            found = getattr(found, part)
        return found, last, name

    def setattr(self, target, name, value=MISSING, raising=True):
        target, name, value = self.target(target, name, value)
        old = getattr(target, name, MISSING)
        if old is MISSING and raising:
            raise AttributeError("%r has no attribute %r" % (target, name))
        if inspect.isclass(target):
            old = target.__dict__.get(name, MISSING)
        self.done.append((setattr, delattr, target, name, old))
        setattr(target, name, value)

    def delattr(self, target, name=MISSING, raising=True):
        if name is MISSING:
            target, name, _ = self.target(target, MISSING, MISSING)
        old = getattr(target, name, MISSING)
        if old is MISSING:
            if raising:
                raise AttributeError(name)
            return
        if inspect.isclass(target):
            old = target.__dict__.get(name, MISSING)
        self.done.append((setattr, delattr, target, name, old))
        delattr(target, name)

    def setitem(self, dic, name, value):
        self.done.append((type(dic).__setitem__, type(dic).__delitem__, dic, name, dic.get(name, MISSING)))
        dic[name] = value

    def delitem(self, dic, name, raising=True):
        if name not in dic:
            if raising:
                raise KeyError(name)
            return
        self.done.append((type(dic).__setitem__, type(dic).__delitem__, dic, name, dic.get(name, MISSING)))
        del dic[name]

    def setenv(self, name, value, prepend=None):
        value = str(value)
        if prepend and name in os.environ:
            value = value + prepend + os.environ[name]
        self.setitem(os.environ, name, value)

    def delenv(self, name, raising=True):
        self.delitem(os.environ, name, raising)

    def syspath_prepend(self, path):
        old = sys.path[:]
        self.done.append((lambda *_: sys.path.__setitem__(slice(None), old), None, None, None, old))
        sys.path.insert(0, str(path))
        importlib.invalidate_caches()

    def chdir(self, path):
        old = os.getcwd()
        self.done.append((lambda *_: os.chdir(old), None, None, None, old))
        os.chdir(str(path))

    def undo(self):
        while self.done:
            put, drop, target, name, old = self.done.pop()
            if old is not MISSING:
                put(target, name, old)
            else:
                with contextlib.suppress(KeyError, AttributeError):
                    drop(target, name)


class Printed(tuple):
    out = property(lambda self: self[0])
    err = property(lambda self: self[1])


class Capture:
    def __init__(self):
        self.old = sys.stdout, sys.stderr
        self.start()

    def start(self):
        sys.stdout, sys.stderr = [io.TextIOWrapper(io.BytesIO(), "utf-8", newline="", write_through=True) for _ in "oe"]

    def readouterr(self):
        said = []
        for each in (sys.stdout, sys.stderr):
            if not isinstance(each, io.TextIOWrapper) or not isinstance(each.buffer, io.BytesIO):
                raise CannotRun("another stream in the place of the captured one")
            said.append(each.buffer.getvalue().decode("utf-8"))
            each.buffer.seek(0)
            each.buffer.truncate()
        return Printed(said)

    @contextlib.contextmanager
    def disabled(self):
        yield

    def close(self):
        sys.stdout, sys.stderr = self.old


class Folders:
    """`tmp_path_factory`."""

    def __init__(self, base):
        self.base = base

    def getbasetemp(self):
        return self.base

    def mktemp(self, basename, numbered=True):
        import pathlib

        if not numbered:
            (self.base / basename).mkdir()
            return self.base / basename
        return pathlib.Path(tempfile.mkdtemp(prefix=basename, dir=str(self.base)))


class LogRecords:
    """`caplog`."""

    def __init__(self):
        import logging

        self.logging = logging
        outer = self

        class Kept(logging.Handler):
            def emit(self, record):
                outer.records.append(record)
                outer.lines.append(self.format(record))

        self.records, self.lines = [], []
        self.handler = Kept()
        self.handler.setFormatter(logging.Formatter("%(levelname)-8s %(name)s:%(filename)s:%(lineno)d %(message)s"))
        self.levels = {}
        logging.getLogger().addHandler(self.handler)

    @property
    def text(self):
        return "".join(line + "\n" for line in self.lines)

    @property
    def messages(self):
        return [record.getMessage() for record in self.records]

    @property
    def record_tuples(self):
        return [(record.name, record.levelno, record.getMessage()) for record in self.records]

    def clear(self):
        del self.records[:], self.lines[:]

    def set_level(self, level, logger=None):
        found = self.logging.getLogger(logger)
        self.levels.setdefault(logger, found.level)
        found.setLevel(level)
        self.handler.setLevel(level)

    @contextlib.contextmanager
    def at_level(self, level, logger=None):
        found = self.logging.getLogger(logger)
        old, own = found.level, self.handler.level
        found.setLevel(level)
        self.handler.setLevel(level)
        try:
            yield
        finally:
            found.setLevel(old)
            self.handler.setLevel(own)

    def close(self):
        self.logging.getLogger().removeHandler(self.handler)
        for name, level in self.levels.items():
            self.logging.getLogger(name).setLevel(level)

    def __getattr__(self, name):
        raise CannotRun("caplog." + name)


def new_folder():
    import pathlib

    return pathlib.Path(os.path.realpath(tempfile.mkdtemp()))


def built_in(name, request):
    """Return the value of one of pytest's own fixtures, and the function that ends it."""
    if name == "monkeypatch":
        patches = Patches()
        return patches, patches.undo
    if name == "tmp_path":
        folder = new_folder()
        return folder, lambda: shutil.rmtree(str(folder), ignore_errors=True)
    if name == "tmp_path_factory":
        folder = new_folder()
        return Folders(folder), lambda: shutil.rmtree(str(folder), ignore_errors=True)
    if name == "capsys":
        capture = Capture()
        return capture, capture.close
    if name == "caplog":
        records = LogRecords()
        return records, records.close
    if name == "recwarn":
        context = warnings.catch_warnings(record=True)
        caught = WarningList(context.__enter__())
        warnings.simplefilter("default")
        return caught, lambda: context.__exit__(None, None, None)
    raise CannotRun("the fixture " + name)
'''
