// Stands in for `describe`, `it`, `test` and the hooks: keeps what a test file registers.

const $newSuite = (title, above) => ({
  __proto__: null, title, above, isSkipped: false, items: [], pending: undefined,
  before: [], after: [], beforeEach: [], afterEach: [],
});
const $top = $newSuite("", null);
let $current = $top;
const $late = [];

const $registration = (given) => {
  const said = { __proto__: null, title: "", fn: undefined, isSkipped: false };
  for (let i = 0; i < given.length; i++) {
    const value = given[i];
    const isAlone = typeof value === "function" && given.length === 1;
    const isTitle = i === 0 && !isAlone && !(value && typeof value === "object");
    if (isTitle) said.title = typeof value === "function" ? value.name : $String(value);
    else if (typeof value === "function") said.fn = value;
    else if (value && typeof value === "object") said.isSkipped ||= !!(value.skip || value.todo);
  }
  if (said.title === "" && said.fn) said.title = said.fn.name || "<anonymous>";
  return said;
};
const $addTest = (given, isSkipped, row) => {
  const said = $registration(given);
  $push($current.items, {
    __proto__: null, title: said.title, fn: said.fn, row, above: $current,
    isSkipped: isSkipped || said.isSkipped || !said.fn,
  });
};
const $collect = (suite, fn, row) => {
  const outer = $current;
  $current = suite;
  try {
    const answer = $apply(fn, $SUITE_THIS, row || []);
    if ($types.isPromise(answer)) $push($late, answer);
  } finally { $current = outer; }
};
const $SUITE_THIS = { timeout() { return this; }, slow() { return this; }, retries() { return this; } };
const $addSuite = (given, isSkipped, row) => {
  const said = $registration(given), suite = $newSuite(said.title, $current);
  suite.isSkipped = isSkipped || said.isSkipped;
  $push($current.items, suite);
  if (said.fn) $collect(suite, said.fn, row);
};

const $shown = (value, sign) => {
  if (sign === "s") return $isObject(value) ? $show(value) : $String(value);
  if (sign === "d" || sign === "i" || sign === "f") return $String(sign === "i" ? parseInt(value, 10) : Number(value));
  return sign === "j" ? $json(value) : $show(value);
};
const $formatted = (title, row, number) => {
  let text = "", next = 0;
  for (let i = 0; i < title.length; i++) {
    const sign = title[i + 1];
    if (title[i] !== "%" || sign === undefined || $find("sdifjop#$%", sign) < 0) { text += title[i]; continue; }
    i++;
    if (sign === "%") text += "%";
    else if (sign === "#" || sign === "$") text += sign === "#" ? number : number + 1;
    else text += next < row.length ? $shown(row[next++], sign) : `%${sign}`;
  }
  return row.length === 1 && $isObject(row[0]) ? $named(text, row[0]) : text;
};
const $named = (title, values) => {
  const parts = $split(title, "$");
  let text = parts[0];
  for (let i = 1; i < parts.length; i++) {
    const found = $matches(/^[A-Za-z_][\w.]*/, parts[i]), at = found && $property(values, found[0]);
    text += at ? $shown(at.value, $isText(at.value) ? "s" : "o") + $slice(parts[i], found[0].length) : `$${parts[i]}`;
  }
  return text;
};
const $rowsOf = (table, values) => {
  if (!$isArray(table) || !$has(table, "raw")) return table;
  const names = [], rows = [], words = $split(table[0], "|");
  for (let i = 0; i < words.length; i++) $push(names, words[i].trim());
  for (let i = 0; i + names.length <= values.length; i += names.length) {
    const row = {};
    for (let n = 0; n < names.length; n++) row[names[n]] = values[i + n];
    $push(rows, row);
  }
  return rows;
};
const $each = (add, isSkipped, isWhole) => (table, ...values) => (title, ...rest) => {
  const rows = $rowsOf(table, values);
  for (let i = 0; i < rows.length; i++) {
    const row = $isArray(rows[i]) && !isWhole ? rows[i] : [rows[i]];
    add($after($formatted($String(title), $isArray(rows[i]) ? rows[i] : row, i), rest), isSkipped, row);
  }
};
const $registrar = (add, isSkipped, depth = 0) => {
  const register = (...given) => add(given, isSkipped);
  $assign(register, { each: $each(add, isSkipped, false), for: $each(add, isSkipped, true) });
  if (depth === 2) return register;
  const same = $registrar(add, isSkipped, depth + 1), off = $registrar(add, true, depth + 1);
  return $assign(register, {
    skip: off, todo: off, only: same, concurrent: same, sequential: same, shuffle: same,
    skipIf: (is) => (is ? off : same), runIf: (is) => (is ? same : off),
  });
};
const $hook = (kind) => (...given) => {
  for (let i = 0; i < given.length; i++) if (typeof given[i] === "function") $push($current[kind], given[i]);
};

const $TEST = $registrar($addTest, false), $DESCRIBE = $registrar($addSuite, false);
const $HOOKS = {
  before: $hook("before"), beforeAll: $hook("before"), setup: $hook("beforeEach"), suiteSetup: $hook("before"),
  after: $hook("after"), afterAll: $hook("after"), teardown: $hook("afterEach"), suiteTeardown: $hook("after"),
  beforeEach: $hook("beforeEach"), afterEach: $hook("afterEach"),
};
