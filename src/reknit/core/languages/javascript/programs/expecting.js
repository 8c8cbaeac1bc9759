// Stands in for `expect` of jest and vitest.

const $contains = (all, part, equal) => {
  if ($isText(all)) return $isText(part) && $find(all, part) >= 0;
  if ($types.isSet(all)) { let is = false; $setEach(all, (v) => { is ||= equal(v, part); }); return is; }
  if (all === null || all === undefined) return false;
  const items = $isArray(all) ? all : typeof all[$iterator] === "function" ? [...all] : [];
  for (let i = 0; i < items.length; i++) if (equal(items[i], part)) return true;
  return false;
};
const $equalled = (a, b) => $same(a, b, $EQUAL);
const $instead = (text, sign, by) => $join($split(text, sign), by);
const $wordsOf = (path) => ($isArray(path) ? path : $split($instead($instead($String(path), "[", "."), "]", ""), "."));
const $property = (value, path) => {
  if (!$isArray(path) && $isObject(value) && path in value) return { value: value[path] };
  let at = value;
  const words = $wordsOf(path);
  for (let i = 0; i < words.length; i++) {
    if (at === null || at === undefined || !(words[i] in $Object(at))) return null;
    at = at[words[i]];
  }
  return { value: at };
};
const $Object = Object;
const $callsOf = (fn) => ($isObject(fn) && $weakGet($calls, fn)) || $unsupported("a function that is not a mock");
const $anyCall = (fn, fits) => {
  const calls = $callsOf(fn).calls;
  for (let i = 0; i < calls.length; i++) if (fits(calls[i], i)) return true;
  return false;
};
const $anyResult = (fn, fits) => {
  const all = $callsOf(fn).results;
  for (let i = 0; i < all.length; i++) if (all[i].type === "return" && fits(all[i].value)) return true;
  return false;
};
const $last = (list) => list[list.length - 1];
const $fitsThrown = (error, wanted) => {
  if (wanted === undefined) return true;
  if ($isObject(wanted) && $weakHas($matchers, wanted)) return $same(error, wanted, $EQUAL);
  const message = $isObject(error) ? error.message : error;
  if ($isText(wanted) || $types.isRegExp(wanted)) return $fits(message, wanted);
  return typeof wanted === "function" ? $isObject(error) && $isInstance(wanted, error) : message === wanted.message;
};
const $isOfType = (v, type) => {
  if (type === Number || type === String || type === Boolean || type === BigInt || type === Symbol)
    if (typeof v === $lower(type.name)) return true;
  if (type === Object || type === Function) return typeof v === $lower(type.name);
  return $isObject(v) && $isInstance(type, v);
};

const $MATCHERS = {
  toBe: $is, toEqual: $equalled, toStrictEqual: (a, b) => $same(a, b, $STRICT),
  toHaveLength: (a, n) => a !== null && a !== undefined && a.length === n,
  toBeTruthy: (a) => !!a, toBeFalsy: (a) => !a, toBeNull: (a) => a === null, toBeNaN: (a) => a !== a,
  toBeUndefined: (a) => a === undefined, toBeDefined: (a) => a !== undefined,
  toBeNullable: (a) => a === null || a === undefined,
  toBeGreaterThan: (a, b) => a > b, toBeGreaterThanOrEqual: (a, b) => a >= b,
  toBeLessThan: (a, b) => a < b, toBeLessThanOrEqual: (a, b) => a <= b,
  toBeCloseTo: (a, b, digits = 2) => $is(a, b) || $abs(a - b) < $power(10, -digits) / 2,
  toContain: (a, b) => $contains(a, b, $is), toContainEqual: (a, b) => $contains(a, b, $equalled),
  toMatch: (a, b) => $fits(a, b), toMatchObject: (a, b) => $holds(a, b, $EQUAL),
  toHaveProperty: (a, path, ...value) => {
    const found = $property(a, path);
    return !!found && (value.length === 0 || $equalled(found.value, value[0]));
  },
  toBeInstanceOf: (a, type) => $isObject(a) && $isInstance(type, a),
  toBeTypeOf: (a, name) => typeof a === name,
  toBeOneOf: (a, all) => $contains(all, a, (x, y) => $same(y, x, $EQUAL)),
  toSatisfy: (a, accepts) => !!accepts(a),
  toHaveBeenCalled: (a) => $callsOf(a).calls.length > 0,
  toHaveBeenCalledOnce: (a) => $callsOf(a).calls.length === 1,
  toHaveBeenCalledTimes: (a, n) => $callsOf(a).calls.length === n,
  toHaveBeenCalledWith: (a, ...given) => $anyCall(a, (call) => $sameItems(call, given, $EQUAL)),
  toHaveBeenCalledExactlyOnceWith: (a, ...given) =>
    $callsOf(a).calls.length === 1 && $sameItems($callsOf(a).calls[0], given, $EQUAL),
  toHaveBeenLastCalledWith: (a, ...given) =>
    $callsOf(a).calls.length > 0 && $sameItems($last($callsOf(a).calls), given, $EQUAL),
  toHaveBeenNthCalledWith: (a, n, ...given) => $anyCall(a, (call, i) => i === n - 1 && $sameItems(call, given, $EQUAL)),
  toHaveReturned: (a) => $anyResult(a, () => true),
  toHaveReturnedWith: (a, value) => $anyResult(a, (v) => $equalled(v, value)),
};
$assign($MATCHERS, {
  toBeCalled: $MATCHERS.toHaveBeenCalled, toBeCalledTimes: $MATCHERS.toHaveBeenCalledTimes,
  toBeCalledWith: $MATCHERS.toHaveBeenCalledWith, lastCalledWith: $MATCHERS.toHaveBeenLastCalledWith,
});
const $throwing = (actual, wanted, isRejected) => {
  if (isRejected) return $fitsThrown(actual, wanted);
  const thrown = $thrown(actual);
  if (thrown) $passOn(thrown);
  return !!thrown && $fitsThrown(thrown.error, wanted);
};
const $matching = (actual, name, given, state) => {
  const is = name === "toThrow" || name === "toThrowError"
    ? $throwing(actual, given[0], state.awaits === "rejects") : $apply($MATCHERS[name], null, $after(actual, given));
  if (!is === !state.not) $fail(`expect(received)${state.not ? ".not" : ""}.${name}(expected): ${$show(actual)}`);
};
const $settled = async (actual, awaits) => {
  const value = typeof actual === "function" ? actual() : actual;
  let outcome;
  try { outcome = { __proto__: null, value: await value }; } catch (error) { outcome = { __proto__: null, error }; }
  if ("error" in outcome) $passOn(outcome);
  if (awaits === "rejects" ? !("error" in outcome) : "error" in outcome) $fail(`expect(received).${awaits}`);
  return awaits === "rejects" ? outcome.error : outcome.value;
};

const $expectation = (actual, state) => new $Proxy($freeze($create(null)), {
  __proto__: null,
  get: (_, name) => {
    if (name === "not") return $expectation(actual, { __proto__: null, not: !state.not, awaits: state.awaits });
    if (name === "resolves" || name === "rejects")
      return $expectation(actual, { __proto__: null, not: state.not, awaits: name });
    if (name === "to" && !state.awaits) return $chai(actual, { __proto__: null, not: state.not });
    if (name !== "toThrow" && name !== "toThrowError" && !$has($MATCHERS, name)) return $unsupported($String(name));
    if (!state.awaits) return (...given) => $matching(actual, name, given, state);
    return async (...given) => $matching(await $settled(actual, state.awaits), name, given, state);
  },
});

const $expect = (actual) => $expectation(actual, { __proto__: null, not: false, awaits: "" });
const $asymmetric = (isWanted) => ({
  objectContaining: (b) => $matcher((a) => ($isObject(a) && $holdsFields(a, b)) === isWanted),
  arrayContaining: (b) => $matcher((a) => ($isArray(a) && $holdsItems(a, b)) === isWanted),
  stringContaining: (b) => $matcher((a) => $fits(a, b) === isWanted),
  stringMatching: (b) => $matcher((a) => $fits(a, b) === isWanted),
  closeTo: (b, digits) => $matcher((a) => $MATCHERS.toBeCloseTo(a, b, digits) === isWanted),
});
const $holdsFields = (a, b) => {
  const keys = $keys(b);
  for (let i = 0; i < keys.length; i++) if (!(keys[i] in a) || !$equalled(a[keys[i]], b[keys[i]])) return false;
  return true;
};
const $holdsItems = (a, b) => {
  for (let i = 0; i < b.length; i++) if (!$contains(a, b[i], $equalled)) return false;
  return true;
};
$assign($expect, $asymmetric(true), {
  not: $asymmetric(false),
  any: (type) => $matcher((a) => $isOfType(a, type)),
  anything: () => $matcher((a) => a !== null && a !== undefined),
  assertions: () => {}, hasAssertions: () => {},
  fail: (message) => $fail(message), unreachable: (message) => $fail(message),
});
$freeze($expect);
