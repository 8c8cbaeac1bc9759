"""Part of the driver: finds, by its id, one of the calls that parameters make of a test."""

SOURCE = r'''
def escaped(text):
    return text.encode("unicode_escape").decode("ascii")


def id_of(value, name, at, ids):
    if callable(ids):
        said = ids(value)
        if said is not None:
            return id_of(said, name, at, None)
    if isinstance(value, str):
        return escaped(value)
    if isinstance(value, bytes):
        return "".join(map(chr, value)).encode("unicode_escape").decode("ascii")
    if value is None or isinstance(value, (int, float, bool, complex)):
        return str(value)
    if isinstance(value, re.Pattern):
        return escaped(value.pattern if isinstance(value.pattern, str) else value.pattern.decode("latin-1"))
    if isinstance(value, enum.Enum):
        return str(value)
    own = getattr(value, "__name__", None)
    if isinstance(own, str):
        return WORDS.original.get(own, own)
    return name + str(at)


class Choice:
    """One row of one `parametrize`: values by name, which of them go to fixtures, and its part of the id."""

    def __init__(self, values, indirect, part, marks):
        self.values, self.indirect, self.part, self.marks = values, indirect, part, marks


def distinct(choices):
    """Drop rows with equal ids: each version of pytest numbers them in its own way."""
    parts = [each.part for each in choices]
    return [each for each in choices if parts.count(each.part) == 1]


def choices_of(mark):
    names, rows = (list(mark.args) + [mark.kwargs.get("argvalues")])[:2] if mark.args else (
        mark.kwargs["argnames"], mark.kwargs["argvalues"])
    ids = mark.kwargs.get("ids")
    if len(mark.args) > 2:
        raise CannotRun("parametrize by position")
    single = isinstance(names, str) and "," not in names
    names = [name.strip() for name in names.split(",") if name.strip()] if isinstance(names, str) else list(names)
    single = single or len(names) == 1 and isinstance(mark.args[0] if mark.args else "", str)
    indirect = mark.kwargs.get("indirect", False)
    indirect = names if indirect is True else list(indirect or ())
    rows = list(rows)
    ids = ids if ids is None or callable(ids) else list(ids)
    made = []
    for at, row in enumerate(rows):
        given = row.id if isinstance(row, Row) else None
        marks = row.marks if isinstance(row, Row) else ()
        values = row.values if isinstance(row, Row) else (row,) if single else tuple(row)
        if len(values) != len(names):
            raise CannotRun("rows of parametrize")
        if given is None and isinstance(ids, list) and ids[at] is not None:
            given = id_of(ids[at], names[0], at, None)
        elif given is not None:
            given = escaped(given) if isinstance(given, str) else str(given)
        if given is None:
            call = ids if callable(ids) else None
            given = "-".join(id_of(value, name, at, call) for name, value in zip(names, values))
        made.append(Choice(dict(zip(names, values)), indirect, given, marks))
    return distinct(made)


def choices_of_recipe(recipe):
    made = []
    for at, row in enumerate(recipe.params):
        value = row.values[0] if isinstance(row, Row) else row
        given = row.id if isinstance(row, Row) else None
        ids = recipe.ids
        if given is None and ids is not None and not callable(ids):
            given = list(ids)[at]
        call = ids if callable(ids) else None
        part = escaped(given) if isinstance(given, str) else id_of(value, recipe.name, at, call)
        made.append(Choice({recipe.name: value}, [recipe.name], part, row.marks if isinstance(row, Row) else ()))
    return distinct(made)


def find_call(groups, wanted):
    """Return the choice of each group whose ids form the wanted id; pytest decides the order of the groups."""
    found = []
    for row in itertools.product(*groups):
        parts = [each.part for each in row]
        if len(wanted) != sum(map(len, parts)) + max(len(parts) - 1, 0):
            continue
        if any("-".join(order) == wanted for order in itertools.permutations(parts)):
            found.append(row)
    if len(found) != 1:
        raise CannotRun("%d calls have this id" % len(found))
    return found[0]
'''
