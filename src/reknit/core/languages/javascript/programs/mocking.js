// Stands in for the mock functions of jest, vitest and node.

// Function -> its calls, kept where no other code can change them.
const $calls = new WeakMap();
const $copy = (list) => { const all = []; for (let i = 0; i < list.length; i++) $push(all, list[i]); return all; };
const $newRecord = (original) => ({
  __proto__: null, calls: [], results: [], contexts: [], instances: [], nodeCalls: [], once: [], restore: () => {},
  original, implementation: original,
});
const $recording = (record) => function (...given) {
  const isNew = new.target !== undefined;
  const use = record.once.length ? record.once[0] : record.implementation;
  if (record.once.length) record.once = $rest(record.once);
  $push(record.calls, given);
  $push(record.contexts, this);
  $push(record.instances, this);
  const result = { type: "incomplete", value: undefined };
  const call = { arguments: given, this: this, result: undefined, error: undefined };
  $push(record.results, result);
  $push(record.nodeCalls, call);
  try {
    const value = use ? (isNew ? $construct(use, given) : $apply(use, this, given)) : undefined;
    result.type = "return";
    result.value = call.result = value;
    return value;
  } catch (error) {
    result.type = "throw";
    result.value = call.error = error;
    throw error;
  }
};
const $rest = (list) => { const all = []; for (let i = 1; i < list.length; i++) $push(all, list[i]); return all; };
const $forget = (record) => {
  record.calls = []; record.results = []; record.contexts = []; record.instances = []; record.nodeCalls = [];
};
const $reset = (record, implementation) => {
  $forget(record);
  record.once = [];
  record.implementation = implementation;
};
const $made = [];

const $mockFunction = (implementation) => {
  const record = $newRecord(implementation), fn = $recording(record);
  $weakSet($calls, fn, record);
  $push($made, record);
  const answer = (value) => () => value, later = (value) => async () => value;
  const failing = (error) => async () => { throw error; };
  const set = (make) => (value) => { record.implementation = make(value); return fn; };
  const once = (make) => (value) => { $push(record.once, make(value)); return fn; };
  const itself = (f) => f;
  let name = "vi.fn()";
  $assign(fn, {
    mockReturnValue: set(answer), mockReturnValueOnce: once(answer),
    mockResolvedValue: set(later), mockResolvedValueOnce: once(later),
    mockRejectedValue: set(failing), mockRejectedValueOnce: once(failing),
    mockImplementation: set(itself), mockImplementationOnce: once(itself),
    mockReturnThis: () => { record.implementation = function () { return this; }; return fn; },
    mockClear: () => { $forget(record); return fn; },
    mockReset: () => { $reset(record, $rules.runner === "jest" ? undefined : record.original); return fn; },
    mockRestore: () => { record.restore(); $reset(record, record.original); },
    mockName: (given) => { name = given; return fn; }, getMockName: () => name,
    getMockImplementation: () => record.implementation,
  });
  const view = {};
  for (const part of ["calls", "results", "contexts", "instances"])
    $define(view, part, { __proto__: null, enumerable: true, get: () => record[part] });
  $define(view, "lastCall", { __proto__: null, enumerable: true, get: () => $last(record.calls) });
  $define(fn, "mock", { __proto__: null, value: view });
  return fn;
};

const $place = (object, name, kind, value) => {
  const old = $descriptor(object, name);
  $define(object, name, { __proto__: null, configurable: true, enumerable: old ? old.enumerable : true,
    ...(kind === "value" ? { value, writable: true } : { [kind]: value }) });
  return () => { if (old) $define(object, name, old); else delete object[name]; };
};
const $spyOn = (object, name, kind) => {
  const old = $descriptor(object, name);
  const original = kind ? old && old[kind] : object[name];
  if (!kind && $isObject(original) && $weakHas($calls, original)) return original;
  const fn = $mockFunction(original);
  $weakGet($calls, fn).restore = $place(object, name, kind || "value", fn);
  return fn;
};
const $all = (act) => () => { for (let i = 0; i < $made.length; i++) act($made[i]); };

const $stubbed = [];
const $stub = (object, name, value) => { $push($stubbed, $place(object, name, "value", value)); };
const $unstub = () => { for (let i = $stubbed.length - 1; i >= 0; i--) $stubbed[i](); $stubbed.length = 0; };
const $strictly = (object, place) => new $Proxy(object, {
  __proto__: null, get: (_, name) => ($has(object, name) ? object[name] : $unsupported(`${place}.${$String(name)}`)),
});
const $environment = process.env;
const $VI = {
  fn: $mockFunction, spyOn: $spyOn, isMockFunction: (f) => $isObject(f) && $weakHas($calls, f), mocked: (v) => v,
  clearAllMocks: $all($forget), resetAllMocks: $all((record) => $reset(record, record.original)),
  restoreAllMocks: $all((record) => { record.restore(); $reset(record, record.original); }),
  stubGlobal: (name, value) => $stub(globalThis, name, value),
  stubEnv: (name, value) => {
    const old = $environment[name];
    $push($stubbed, () => { if (old === undefined) delete $environment[name]; else $environment[name] = old; });
    $environment[name] = value;
  },
  unstubAllGlobals: $unstub, unstubAllEnvs: $unstub, setTimeout: () => {}, setConfig: () => {},
};

// Mock functions of node keep their record in `fn.mock`.
const $nodeMock = (original, implementation = original) => {
  const record = $newRecord(original), fn = $recording(record);
  record.implementation = implementation;
  $weakSet($calls, fn, record);
  $push($made, record);
  $define(fn, "mock", { __proto__: null, value: {
    get calls() { return $copy(record.nodeCalls); }, callCount: () => record.nodeCalls.length,
    resetCalls: () => $forget(record), mockImplementation: (f) => { record.implementation = f; },
    mockImplementationOnce: (f) => { $push(record.once, f); },
    restore: () => { record.restore(); record.implementation = record.original; },
  } });
  return fn;
};
const $NODE_MOCK = {
  fn: (original = function () {}, implementation) =>
    $nodeMock(original, typeof implementation === "function" ? implementation : undefined),
  method: (object, name, implementation) => {
    const original = object[name];
    const fn = $nodeMock(original, typeof implementation === "function" ? implementation : undefined);
    $weakGet($calls, fn).restore = $place(object, name, "value", fn);
    return fn;
  },
  restoreAll: $all((record) => { record.restore(); record.implementation = record.original; }),
  reset: $all((record) => { record.restore(); record.implementation = record.original; }),
};
