// Compares values as `assert`, `expect` and chai do, without their code.

class $Failure extends $Error {
  constructor(options) {
    super(typeof options === "object" && options !== null ? options.message : options);
    $define(this, "name", { __proto__: null, value: "AssertionError", writable: true, configurable: true });
    this.code = "ERR_ASSERTION";
  }
}
class $Distrust extends $Error {}
class $Unsupported extends $Error {}
const $fail = (message) => { throw new $Failure(message); };
const $unsupported = (name) => { throw new $Unsupported(name); };
const $show = (v) => { try { return $inspect(v, { depth: 2, customInspect: false }); } catch { return typeof v; } };

// A matcher in the place of an expected value, such as expect.any(Number): it decides which values it accepts.
const $matchers = new WeakMap();
const $matcher = (accepts) => { const made = $freeze($create(null)); $weakSet($matchers, made, accepts); return made; };

const $loose = (a, b) => {
  if ($isObject(a) === $isObject(b)) return a == b || (a !== a && b !== b);
  const object = $isObject(a) ? a : b, other = $isObject(a) ? b : a;
  if (other === null || other === undefined) return false;
  if (!$convertsAsUsual(object)) throw new $Distrust("an object that converts itself is compared with a constant");
  return a == b;
};

// Ways to compare. loose: by `==`; types: types must be equal; absent: an undefined property differs from none.
const $LEGACY = $freeze({ loose: true, types: false, absent: true });
const $STRICT = $freeze({ loose: false, types: true, absent: true });
const $EQUAL = $freeze({ loose: false, types: false, absent: false });
const $DEEP = $freeze({ loose: false, types: false, absent: true });

const $KINDS = ["isDate", "isRegExp", "isMap", "isSet", "isTypedArray", "isAnyArrayBuffer", "isNativeError",
  "isBoxedPrimitive", "isPromise", "isWeakMap", "isWeakSet", "isDataView"];
const $kindOf = (v) => {
  for (let i = 0; i < $KINDS.length; i++) if ($types[$KINDS[i]](v)) return $KINDS[i];
  return $isArray(v) ? "isArray" : typeof v;
};
const $unboxed = (v) => {
  const names = ["Number", "String", "Boolean", "Symbol", "BigInt"];
  for (let i = 0; i < names.length; i++) if ($types[`is${names[i]}Object`](v)) return $unbox[names[i]](v);
  return undefined;
};

function $same(a, b, how, seen) {
  if ($isObject(b) && $weakHas($matchers, b)) return $weakGet($matchers, b)(a);
  if ($is(a, b)) return true;
  if (!$isObject(a) || !$isObject(b)) return how.loose ? $loose(a, b) : false;
  if (typeof a === "function" || typeof b === "function") return false;
  const kind = $kindOf(a);
  if (kind !== $kindOf(b) || (how.types && $proto(a) !== $proto(b))) return false;
  if (!how.types && kind === "object" && !how.loose && $tag(a) !== $tag(b)) return false;
  for (let at = seen; at; at = at.above) if (at.a === a && at.b === b) return true;
  return $sameInside(a, b, kind, how, { __proto__: null, a, b, above: seen });
}

function $sameInside(a, b, kind, how, seen) {
  if (kind === "isDate") return $is($time(a), $time(b));
  if (kind === "isRegExp") return $source(a) === $source(b) && $flags(a) === $flags(b);
  if (kind === "isBoxedPrimitive") return $is($unboxed(a), $unboxed(b));
  if (kind === "isWeakMap" || kind === "isWeakSet" || kind === "isPromise") return false;
  if (kind === "isNativeError" && !how.absent) return a.message === b.message;
  if (kind === "isNativeError" && (a.message !== b.message || a.name !== b.name)) return false;
  if (kind === "isMap") return $sameMap(a, b, how, seen);
  if (kind === "isSet") return $sameSet(a, b, how, seen);
  if (kind === "isAnyArrayBuffer") return $sameItems(new Uint8Array(a), new Uint8Array(b), how, seen);
  if (kind === "isTypedArray") return $sameItems(a, b, how, seen);
  if (kind === "isArray" && a.length !== b.length) return false;
  return $sameProperties(a, b, how, seen);
}

const $enumerable = (v, how) => {
  const all = $ownKeys(v), kept = [];
  for (let i = 0; i < all.length; i++) {
    const found = $descriptor(v, all[i]);
    if (found && found.enumerable && (how.absent || v[all[i]] !== undefined)) $push(kept, all[i]);
  }
  return kept;
};
const $sameItems = (a, b, how, seen) => {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!$same(a[i], b[i], how, seen)) return false;
  return true;
};
const $sameProperties = (a, b, how, seen) => {
  const keys = $enumerable(b, how);
  if ($enumerable(a, how).length !== keys.length) return false;
  for (let i = 0; i < keys.length; i++)
    if (!(how.absent ? $has(a, keys[i]) : keys[i] in a) || !$same(a[keys[i]], b[keys[i]], how, seen)) return false;
  return true;
};
const $sameMap = (a, b, how, seen) => {
  let is = $mapSize(a) === $mapSize(b);
  $mapEach(b, (value, key) => {
    if (!is) return;
    if ($mapHas(a, key)) { is = $same($mapGet(a, key), value, how, seen); return; }
    let found = false;
    $mapEach(a, (v, k) => { found ||= $same(k, key, how, seen) && $same(v, value, how, seen); });
    is = found;
  });
  return is;
};
const $sameSet = (a, b, how, seen) => {
  let is = $setSize(a) === $setSize(b);
  $setEach(b, (value) => {
    if (!is || $setHas(a, value)) return;
    let found = false;
    $setEach(a, (v) => { found ||= $same(v, value, how, seen); });
    is = found;
  });
  return is;
};

// Returns whether everything in `b` is in `a` too; `a` may contain more.
function $holds(a, b, how) {
  if ($isObject(b) && $weakHas($matchers, b)) return $same(a, b, how);
  if (!$isObject(a) || !$isObject(b) || $kindOf(a) !== $kindOf(b) || $kindOf(b) !== "object")
    return $isArray(a) && $isArray(b) ? a.length === b.length && $eachHolds(a, b, how) : $same(a, b, how);
  const keys = $enumerable(b, $STRICT);
  for (let i = 0; i < keys.length; i++)
    if (!(keys[i] in a) || !$holds(a[keys[i]], b[keys[i]], how)) return false;
  return true;
}
const $eachHolds = (a, b, how) => {
  for (let i = 0; i < b.length; i++) if (!$holds(a[i], b[i], how)) return false;
  return true;
};

const $isText = (v) => typeof v === "string";
const $fits = (text, wanted) => {
  if ($types.isRegExp(wanted)) { wanted.lastIndex = 0; return $isText(text) && $matches(wanted, text) !== null; }
  return $isText(text) && $find(text, wanted) >= 0;
};
