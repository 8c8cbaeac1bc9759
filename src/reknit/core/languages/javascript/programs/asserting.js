// Stands in for `node:assert` and chai's `assert`.

const $need = (is, message, otherwise) => {
  if (is) return;
  if ($types.isNativeError(message)) throw message;
  $fail($isText(message) ? message : otherwise);
};
const $fitsError = (error, wanted) => {
  if (wanted === undefined || wanted === null) return true;
  if ($isText(wanted)) return $isObject(error) && $fits(error.message, wanted);
  const said = $isObject(error) ? `${error.name}: ${error.message}` : $String(error);
  if ($types.isRegExp(wanted)) return $fits(said, wanted);
  if (typeof wanted !== "function") return $fitsFields(error, wanted);
  if (wanted.prototype !== undefined && $isInstance(wanted, error)) return true;
  if (wanted.prototype !== undefined && (wanted === $Error || $isInstance($Error, wanted.prototype))) return false;
  return wanted.call({}, error) === true;
};
const $fitsFields = (error, wanted) => {
  const keys = $types.isNativeError(wanted) ? ["name", "message"] : $keys(wanted);
  for (let i = 0; i < keys.length; i++) {
    const want = wanted[keys[i]], got = $isObject(error) ? error[keys[i]] : undefined;
    if ($types.isRegExp(want) && $isText(got) ? !$fits(got, want) : !$same(got, want, $STRICT)) return false;
  }
  return true;
};
const $thrown = (f) => {
  try { f(); } catch (error) { return { __proto__: null, error }; }
  return null;
};
const $rejected = async (f) => {
  try { await (typeof f === "function" ? f() : f); } catch (error) { return { __proto__: null, error }; }
  return null;
};
const $passOn = (thrown) => {
  if (thrown.error instanceof $Unsupported || thrown.error instanceof $Distrust) throw thrown.error;
};
const $mustThrow = (thrown, wanted, message) => {
  if (thrown) $passOn(thrown);
  $need(thrown, $isText(wanted) ? wanted : message, "Missing expected exception.");
  if ($isText(wanted)) return;
  if (!$fitsError(thrown.error, wanted)) {
    if (typeof wanted === "function" && wanted.prototype !== undefined) throw thrown.error;
    $need(false, message, "The error is not the expected one");
  }
};
const $mustNot = (thrown, message) => {
  if (thrown) $passOn(thrown);
  $need(!thrown, message, "Got unwanted exception.");
};

const $comparison = (compare, wanted, word) => (a, b, message) =>
  $need(compare(a, b) === wanted, message, `${$show(a)} ${word} ${$show(b)}`);
const $deepStrict = (a, b) => $same(a, b, $STRICT), $deepLegacy = (a, b) => $same(a, b, $LEGACY);
const $textFits = (a, b) => $fits(a, b);

const $makeAssert = (isStrict) => {
  const ok = (value, message) => $need(value, message, "The expression evaluated to a falsy value");
  const assert = (value, message) => ok(value, message);
  const strictly = {
    strictEqual: $comparison($is, true, "!=="), notStrictEqual: $comparison($is, false, "==="),
    deepStrictEqual: $comparison($deepStrict, true, "is not"),
    notDeepStrictEqual: $comparison($deepStrict, false, "is"),
  };
  $assign(assert, strictly, {
    ok, AssertionError: $Failure,
    equal: isStrict ? strictly.strictEqual : $comparison($loose, true, "!="),
    notEqual: isStrict ? strictly.notStrictEqual : $comparison($loose, false, "=="),
    deepEqual: isStrict ? strictly.deepStrictEqual : $comparison($deepLegacy, true, "is not"),
    notDeepEqual: isStrict ? strictly.notDeepStrictEqual : $comparison($deepLegacy, false, "is"),
    partialDeepStrictEqual: $comparison((a, b) => $holds(a, b, $STRICT), true, "does not hold"),
    match: $comparison($textFits, true, "does not match"), doesNotMatch: $comparison($textFits, false, "matches"),
    throws: (f, wanted, message) => $mustThrow($thrown(f), wanted, message),
    doesNotThrow: (f, message) => $mustNot($thrown(f), message),
    rejects: async (f, wanted, message) => $mustThrow(await $rejected(f), wanted, message),
    doesNotReject: async (f, message) => $mustNot(await $rejected(f), message),
    fail: (message) => $need(false, message, "Failed"),
    ifError: (value) => { if (value !== null && value !== undefined) throw value; },
  });
  return assert;
};

const $ASSERT = $makeAssert(false), $ASSERT_STRICT = $makeAssert(true);
$ASSERT.strict = $ASSERT_STRICT.strict = $ASSERT_STRICT;
$ASSERT.default = $ASSERT;
$ASSERT_STRICT.default = $ASSERT_STRICT;

// The assertions of chai have the same names; `equal` compares by `==`, and there is one kind of deep equality.
const $deepChai = (a, b) => $same(a, b, $DEEP);
const $CHAI_ASSERT = $assign((v, m) => $need(v, m, "falsy"), $ASSERT, {
  deepEqual: $comparison($deepChai, true, "is not"), notDeepEqual: $comparison($deepChai, false, "is"),
  isTrue: (v, m) => $need(v === true, m, "not true"), isFalse: (v, m) => $need(v === false, m, "not false"),
  isOk: (v, m) => $need(v, m, "falsy"), isNotOk: (v, m) => $need(!v, m, "truthy"),
  isNull: (v, m) => $need(v === null, m, "not null"), isNotNull: (v, m) => $need(v !== null, m, "null"),
  isUndefined: (v, m) => $need(v === undefined, m, "defined"),
  isDefined: (v, m) => $need(v !== undefined, m, "undefined"),
  isArray: (v, m) => $need($isArray(v), m, "no array"), isString: (v, m) => $need($isText(v), m, "no string"),
  isNumber: (v, m) => $need(typeof v === "number", m, "no number"),
  isFunction: (v, m) => $need(typeof v === "function", m, "no function"),
  lengthOf: (v, n, m) => $need(v.length === n || v.size === n, m, "another length"),
  instanceOf: (v, type, m) => $need($isObject(v) && $isInstance(type, v), m, "another type"),
  property: (v, name, m) => $need(name in v, m, "no such property"),
  include: (v, part, m) => $need($contains(v, part, $is), m, "not included"),
  throws: (f, wanted, fitting) => {
    const thrown = $thrown(f);
    if (thrown) $passOn(thrown);
    $need(thrown && $fitsError(thrown.error, wanted) && $fitsError(thrown.error, fitting), "", "did not throw that");
  },
});
$CHAI_ASSERT.throw = $CHAI_ASSERT.throws;
