// Stands in for chai's `expect`.

// Words of a chain that only make it readable.
const $LINKS = ["to", "be", "been", "is", "that", "which", "and", "has", "have", "with", "at", "of", "same", "but",
  "does", "still", "also"];
const $TYPES = { array: $isArray, null: (v) => v === null, undefined: (v) => v === undefined, date: $types.isDate,
  regexp: $types.isRegExp, error: $types.isNativeError, map: $types.isMap, set: $types.isSet,
  promise: $types.isPromise };
const $isNamedType = (v, name) => {
  const word = $lower(name);
  if ($has($TYPES, word)) return $TYPES[word](v);
  return typeof v === word && v !== null && !(word === "object" && $isArray(v));
};
const $sizeOf = (v) => ($types.isMap(v) ? $mapSize(v) : $types.isSet(v) ? $setSize(v) : v.length);
const $isSized = (v) => $isText(v) || $isArray(v) || $types.isMap(v) || $types.isSet(v);
const $isEmpty = (v) => ($isSized(v) ? $sizeOf(v) : $keys(v).length) === 0;
// Words that check as soon as they are read.
const $STATES = {
  true: (v) => v === true, false: (v) => v === false, null: (v) => v === null, undefined: (v) => v === undefined,
  ok: (v) => !!v, exist: (v) => v !== null && v !== undefined, NaN: (v) => v !== v, empty: $isEmpty,
};
const $membersOf = (a, b, state) => {
  const equal = state.deep ? $deepChai : $is;
  if (!state.contain && a.length !== b.length) return false;
  for (let i = 0; i < b.length; i++) if (!$contains(a, b[i], equal)) return false;
  return true;
};
const $keysOf = (v, given, state) => {
  const wanted = given.length === 1 && $isArray(given[0]) ? given[0] : given;
  const found = $keys(v);
  if (!state.contain && found.length !== wanted.length) return false;
  for (let i = 0; i < wanted.length; i++) if (!$includes(found, wanted[i])) return false;
  return true;
};
const $included = (v, part, state) => {
  const equal = state.deep ? $deepChai : $is;
  if ($isText(v) || $isArray(v) || $types.isSet(v)) return $contains(v, part, equal);
  const keys = $keys(part);
  for (let i = 0; i < keys.length; i++) if (!(keys[i] in v) || !equal(v[keys[i]], part[keys[i]])) return false;
  return true;
};
const $chaiThrows = (f, wanted, fitting) => {
  const thrown = $thrown(f);
  if (thrown) $passOn(thrown);
  return !!thrown && $fitsThrown(thrown.error, wanted) && $fitsThrown(thrown.error, fitting);
};
const $CHECKS = {
  equal: (v, b, _, state) => (state.deep ? $deepChai(v, b) : v === b), eql: (v, b) => $deepChai(v, b),
  a: (v, name) => $isNamedType(v, name), lengthOf: (v, n) => $sizeOf(v) === n,
  above: (v, b) => v > b, least: (v, b) => v >= b, below: (v, b) => v < b, most: (v, b) => v <= b,
  within: (v, low, high) => v >= low && v <= high, closeTo: (v, b, delta) => $abs(v - b) <= delta,
  instanceof: (v, type) => $isObject(v) && $isInstance(type, v), match: (v, b) => $fits(v, b),
  string: (v, b) => $fits(v, b), oneOf: (v, all) => $includes(all, v), satisfy: (v, accepts) => !!accepts(v),
  include: (v, part, _, state) => $included(v, part, state), members: (v, all, _, state) => $membersOf(v, all, state),
  keys: () => false, throw: (v, wanted, fitting) => $chaiThrows(v, wanted, fitting),
};
const $SAME_CHECK = {
  equals: "equal", eq: "equal", eqls: "eql", an: "a", length: "lengthOf", gt: "above", greaterThan: "above",
  gte: "least", lt: "below", lessThan: "below", lte: "most", approximately: "closeTo", instanceOf: "instanceof",
  includes: "include", contain: "include", contains: "include", key: "keys", throws: "throw", Throw: "throw",
  satisfies: "satisfy",
};
const $judged = (value, is, name, state) => {
  if (!is === !state.not) $fail(`expected ${$show(value)} ${state.not ? "not " : ""}to ${name}`);
  return $chai(value, state);
};
const $chaiProperty = (value, state, given) => {
  const found = $isObject(value) || $isText(value) ? given[0] in $Object(value) : false;
  const equal = state.deep ? $deepChai : $is;
  const is = found && (given.length < 2 || equal(value[given[0]], given[1]));
  $judged(value, is, "have that property", state);
  return $chai(found ? value[given[0]] : undefined, { __proto__: null, not: false });
};
const $chai = (value, state) => new $Proxy(() => {}, {
  __proto__: null,
  get: (_, name) => {
    if ($includes($LINKS, name)) return $chai(value, state);
    if (name === "not" || name === "deep")
      return $chai(value, { __proto__: null, not: state.not, deep: state.deep, contain: state.contain, [name]: true });
    if ($has($STATES, name)) return $judged(value, $STATES[name](value), name, state);
    if (name === "property") return (...given) => $chaiProperty(value, state, given);
    const check = $has($SAME_CHECK, name) ? $SAME_CHECK[name] : name;
    if (!$has($CHECKS, check)) return $unsupported($String(name));
    const rest = { __proto__: null, not: state.not, deep: state.deep, contain: true };
    const call = (...given) => {
      const is = check === "keys" ? $keysOf(value, given, state) : $CHECKS[check](value, given[0], given[1], state);
      return $judged(value, is, check, state);
    };
    if (check !== "include" && check !== "lengthOf" && check !== "a") return call;
    return new $Proxy(call, { __proto__: null, get: (_, next) => $chai(value, rest)[next] });
  },
});
const $CHAI = {
  expect: $assign((value) => $chai(value, { __proto__: null, not: false }), { fail: (m) => $fail(m) }),
  assert: $CHAI_ASSERT, AssertionError: $Failure,
  use: () => $unsupported("chai.use"), should: () => $unsupported("should"),
};
$CHAI.default = $CHAI;
