// Runs the collected tests in the order of the file, up to the last one that is requested.

const $LIMIT_MS = 20000;
const $finished = (run) => {
  let timer;
  const late = new $Promise((resolve) => {
    timer = $wait(() => resolve({ __proto__: null, error: new $Error("took too long") }), $LIMIT_MS);
  });
  const work = (async () => {
    try { await run(); return null; } catch (error) { return { __proto__: null, error }; }
  })();
  return new $Promise((resolve) => {
    $then(late, resolve);
    $then(work, (outcome) => { $stopWaiting(timer); resolve(outcome); });
  });
};
const $called = (fn, self, given, takesDone) => {
  if (!takesDone) return $apply(fn, self, given);
  return new $Promise((resolve, reject) => {
    const done = (error) => (error ? reject(error) : resolve());
    done.fail = reject;
    const all = $copy(given);
    $push(all, done);
    $apply(fn, self, all);
  });
};

class $Skip extends $Error {}
const $skip = () => { throw new $Skip("skipped"); };
const $mochaThis = (title) => ({
  timeout() { return this; }, slow() { return this; }, retries() { return this; }, skip: $skip,
  test: { title, fullTitle: () => title }, currentTest: { title, fullTitle: () => title, state: "passed" },
});
const $restoredMock = (ends) => $strictly({ ...$NODE_MOCK, method: (object, name, implementation) => {
  const fn = $NODE_MOCK.method(object, name, implementation);
  $push(ends, () => fn.mock.restore());
  return fn;
} }, "t.mock");
const $nodeContext = (test, path, ends) => {
  const local = { __proto__: null, before: [], after: ends, beforeEach: [], afterEach: [] };
  const add = (kind) => (fn) => { $push(local[kind], fn); };
  return {
    name: test.title, fullName: path, signal: new AbortController().signal, assert: $ASSERT, mock: $restoredMock(ends),
    diagnostic() {}, plan() {}, runOnly() {}, skip: $skip, todo: $skip, before: (fn) => fn(), after: add("after"),
    beforeEach: add("beforeEach"), afterEach: add("afterEach"), waitFor: () => $unsupported("waitFor"),
    test: (...given) => $subtest(given, path, local),
  };
};
async function $subtest(given, path, local) {
  const said = $registration(given);
  if (said.isSkipped || !said.fn) return;
  const test = { __proto__: null, title: said.title, fn: said.fn, above: null };
  for (let i = 0; i < local.beforeEach.length; i++) await local.beforeEach[i]();
  await $runTest(test, path + $rules.separator + said.title, { __proto__: null, error: undefined, isReady: true });
  for (let i = 0; i < local.afterEach.length; i++) await local.afterEach[i]();
}
const $callTest = (test, path, ends) => {
  const row = test.row || [], fn = test.fn;
  if ($rules.runner === "node") return $called(fn, undefined, [$nodeContext(test, path, ends)], fn.length === 2);
  if ($rules.runner === "vitest") {
    const on = (f) => { $push(ends, f); };
    const context = { expect: $expect, task: { name: test.title }, skip: $skip, onTestFinished: on, onTestFailed() {} };
    const all = $copy(row);
    $push(all, context);
    return $apply(fn, undefined, all);
  }
  return $called(fn, $mochaThis(test.title), row, fn.length > row.length);
};
const $callHook = (fn) => {
  if ($rules.runner === "node") return $called(fn, undefined, [{ name: "", mock: $NODE_MOCK }], fn.length === 2);
  return $called(fn, $mochaThis(""), [], $rules.runner !== "vitest" && fn.length > 0);
};
const $hooksOf = (suite, kind) => {
  const all = [];
  for (let at = suite; at; at = at.above)
    for (let i = at[kind].length - 1; i >= 0; i--) $push(all, at[kind][i]);
  return all;
};

async function $runTest(test, path, state) {
  const ends = [];
  let outcome = state.error === undefined ? null : { __proto__: null, error: state.error };
  const attempt = async (run) => { const ended = await $finished(run); outcome ||= ended; };
  const befores = $hooksOf(test.above, "beforeEach"), afters = $hooksOf(test.above, "afterEach");
  for (let i = befores.length - 1; i >= 0 && !outcome; i--) await attempt(() => $callHook(befores[i]));
  if (!outcome) await attempt(() => $callTest(test, path, ends));
  for (let i = 0; i < ends.length; i++) await attempt(() => ends[i]());
  for (let i = 0; i < afters.length; i++) await attempt(() => $callHook(afters[i]));
  $report(path, outcome);
}

const $isAsked = (path) => {
  for (let i = 0; i < $asked.length; i++) {
    const name = $asked[i].name;
    if (name === "" || name === path || $find(name, path + $rules.separator) === 0) return true;
  }
  return false;
};
const $pathOf = (item, above) => (above ? above + $rules.separator + item.title : item.title);
const $countAsked = (suite, above) => {
  let count = 0;
  for (let i = 0; i < suite.items.length; i++) {
    const item = suite.items[i], path = $pathOf(item, above);
    count += item.items ? $countAsked(item, path) : $isAsked(path) ? 1 : 0;
  }
  return count;
};
let $left = 0;
const $inOrder = (suite) => {
  if ($rules.runner !== "mocha") return suite.items;
  const all = [];
  for (let i = 0; i < suite.items.length; i++) if (!suite.items[i].items) $push(all, suite.items[i]);
  for (let i = 0; i < suite.items.length; i++) if (suite.items[i].items) $push(all, suite.items[i]);
  return all;
};
async function $runSuite(suite, above, error) {
  if ($left === 0 || suite.isSkipped) return;
  for (let i = 0; i < suite.before.length && error === undefined; i++) {
    const outcome = await $finished(() => $callHook(suite.before[i]));
    if (outcome) error = outcome.error;
  }
  const items = $inOrder(suite);
  for (let i = 0; i < items.length && $left > 0; i++) {
    const item = items[i], path = $pathOf(item, above);
    if (item.items) { await $runSuite(item, path, error); continue; }
    if ($isAsked(path)) $left--;
    if (!item.isSkipped) await $runTest(item, path, { __proto__: null, error });
  }
  for (let i = 0; i < suite.after.length; i++) await $finished(() => $callHook(suite.after[i]));
}
