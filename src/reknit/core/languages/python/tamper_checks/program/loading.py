"""Part of the driver: loads the tests, the modules beside them, and unittest, under other names."""

SOURCE = r'''
TEST_FOLDER = re.compile(r"(?i)^_?(?:unit|integration)?_?tests?$|^testing$|^specs?$")
TEST_FILE = re.compile(r"(?i)^(?:test_.*|.*_tests?|tests?|conftest)\.py$")


class Place:
    """The folder and package of a text, which its imports need."""

    def __init__(self, loader, folder, package, is_library=False):
        self.loader = loader
        self.folder = folder
        self.package = package
        self.is_library = is_library

    def absolute(self, name, level):
        if not level:
            return name
        parts = self.package.split(".")
        base = parts[: len(parts) - level + 1]
        return ".".join([*base, name] if name else base)

    def is_private(self, name):
        return self.loader.is_private(name)


def states_of(folder):
    """Return the modification time of each file around a test."""
    found = {}
    for place, folders, names in walk_folders(folder):
        for name in names[:MAX_FILES]:
            with contextlib.suppress(OSError):
                found[join_path(place, name)] = read_state(join_path(place, name)).st_mtime_ns
        if len(found) >= MAX_FILES:
            break
    return found


class Loader:
    def __init__(self, words, root, texts):
        self.words = words
        self.root = root
        self.texts = texts
        self.modules = {}
        self.found = {}
        self.stand_ins = {}
        self.equality = Equality()
        self.helpers = {name: words.new() for name in ("equal", "unequal", "plain_number", "bring", "bring_all")}
        self.library = parent_of(os.__file__)

    def is_private(self, name):
        if is_of_runner(name):
            return True
        return bool(name) and self.find(name) is not None

    def find(self, name):
        """Return the file of a module, if it belongs to the tests of this project."""
        if name not in self.found:
            self.found[name] = self.look_for(name)
        return self.found[name]

    def look_for(self, name):
        path = name.replace(".", os.sep)
        for folder in sys.path:
            base = join_path(os.path.abspath(folder or self.root), path)
            for file in (join_path(base, "__init__.py"), base + ".py"):
                if file in self.texts or is_file(file):
                    return file if self.is_of_tests(file) else None
            if is_folder(base):
                return base if self.is_of_tests(join_path(base, "x.py")) else None
        return None

    def project_file(self, name):
        for folder in sys.path:
            file = join_path(os.path.abspath(folder or self.root), name.replace(".", os.sep) + ".py")
            if is_file(file):
                return file
        return None

    def is_of_tests(self, file):
        if not file.startswith(self.root + os.sep):
            return False
        *folders, name = file[len(self.root) + 1 :].split(os.sep)
        if any(each.endswith("-packages") for each in folders):
            return False
        return any(map(TEST_FOLDER.match, folders)) or bool(TEST_FILE.match(name))

    def bring(self, module, name):
        loaded = self.load(module)
        if not name:
            return loaded
        for each in (name, self.words.known.get(name, name)):
            if hasattr(loaded, each):
                return getattr(loaded, each)
        if self.is_private(module + "." + name):
            return self.load(module + "." + name)
        raise ImportError("cannot import name %r from %r" % (name, module))

    def bring_all(self, module):
        loaded = self.load(module)
        public = getattr(loaded, "__all__", None) or [name for name in vars(loaded) if not name.startswith("_")]
        return {name: getattr(loaded, self.words.known.get(name, name)) for name in public}

    def load(self, name):
        top = name.partition(".")[0]
        if top in ("pytest", "_pytest") or top.startswith("pytest_"):
            return self.stand_ins["pytest"]
        if name in self.modules:
            return self.modules[name]
        parent, _, last = name.rpartition(".")
        if parent:
            holder = self.load(parent)
        if top == "unittest":
            base = join_path(self.library, name.replace(".", os.sep))
            file = join_path(base, "__init__.py") if is_folder(base) else base + ".py"
        else:
            file = self.find(name)
        if file is None:
            loaded = importlib.import_module(name)
        else:
            loaded = self.load_file(file, name)
        if parent:
            setattr(holder, last, loaded)
        return loaded

    def load_file(self, file, name):
        is_library = name.partition(".")[0] == "unittest"
        alias = self.words.new()
        module = types.ModuleType(alias)
        self.modules[name] = module
        self.equality.ours.add(alias)
        if not is_library:
            sys.modules[alias] = module
        if is_folder(file):
            return module
        is_package = file.endswith("__init__.py")
        package = name if is_package else name.rpartition(".")[0]
        text = self.texts.get(file)
        if text is None:
            with read_text(file, encoding="utf-8") as opened:
                text = opened.read()
        try:
            self.run_text(module, text, Place(self, parent_of(file), package, is_library), file)
        except BaseException:
            del self.modules[name]
            sys.modules.pop(alias, None)
            raise
        return module

    def run_text(self, module, text, place, file):
        tree = parse_text(text)
        names = set() if place.is_library else names_to_replace(tree)
        classes = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
        tree = ast.fix_missing_locations(Rewriter(place, names, classes, self.words, self.helpers).visit(tree))
        shown = join_path(self.root, module.__name__ + ".py")
        code = quiet_code(compile_tree(tree, shown, "exec", dont_inherit=True), self.words)
        # the real folder only if the text uses it: its name may show that this is a test
        module.__file__ = join_path(parent_of(file), module.__name__ + ".py") if "__file__" in text else shown
        for use, name in self.helpers.items():
            setattr(module, name, getattr(self if "bring" in use else self.equality, use))
        run_code(code, vars(module))
        if place.is_library:
            for thing in list(vars(module).values()):
                if isinstance(thing, type) and thing.__module__ == module.__name__ and is_telling(thing.__name__):
                    thing.__name__ = thing.__qualname__ = self.words.instead_of(thing.__name__)
'''
