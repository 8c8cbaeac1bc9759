"""Loads the text of a test file as if it were a file of another name in the same folder."""

LOADING = r"""
const $libraries = () => {
  const hooks = $HOOKS, mocked = $strictly($VI, $rules.runner);
  const node = (...given) => $addTest(given, false);
  $assign(node, $TEST, { test: node, it: $TEST, describe: $DESCRIBE, suite: $DESCRIBE, ...hooks, assert: $ASSERT,
    mock: $strictly($NODE_MOCK, "mock") });
  node.default = node;
  const common = { describe: $DESCRIBE, suite: $DESCRIBE, it: $TEST, test: $TEST, ...hooks };
  const vitest = { ...common, expect: $expect, vi: mocked, vitest: mocked, assert: $CHAI_ASSERT, chai: $CHAI,
    onTestFinished: () => $unsupported("onTestFinished"), expectTypeOf: () => $unsupported("expectTypeOf") };
  const off = { xit: $TEST.skip, xtest: $TEST.skip, xdescribe: $DESCRIBE.skip, fit: $TEST, fdescribe: $DESCRIBE };
  const jest = { ...common, ...off, expect: $expect, jest: mocked };
  const mocha = { ...common, ...off, context: $DESCRIBE, xcontext: $DESCRIBE.skip, specify: $TEST,
    xspecify: $TEST.skip };
  mocha.default = mocha;
  return { __proto__: null, node, vitest, jest, mocha };
};
const $LIBRARY_OF = {
  __proto__: null, "node:test": "node", test: "node", vitest: "vitest", "@jest/globals": "jest", mocha: "mocha",
};
const $ASSERTS = {
  __proto__: null, assert: $ASSERT, "node:assert": $ASSERT, "assert/strict": $ASSERT_STRICT,
  "node:assert/strict": $ASSERT_STRICT, chai: $CHAI,
};
const $standIns = () => {
  const libraries = $libraries();
  return (name) => {
    if (name === "") return $rules.runner === "node" ? {} : libraries[$rules.runner];
    return $LIBRARY_OF[name] ? libraries[$LIBRARY_OF[name]] : $ASSERTS[name];
  };
};

// Data that the test file names is read before the code of the project can change it.
const $dataOf = (job, at) => {
  const texts = { __proto__: null };
  for (const name of job.data)
    try { texts[name] = $read($path.resolve($path.dirname(at), name), "utf8"); } catch { texts[name] = undefined; }
  return texts;
};
const $inPlace = $vm.constants && $vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
const $compiled = (job, at, globals) => {
  const names = $keys(globals).filter((name) => name !== "default").join(", ");
  const inner = `return function (exports, require, module, __filename, __dirname) {${job.text}\n};`;
  const text = `(function ({ ${names} }) { ${inner} })`;
  return new $vm.Script(text, { filename: at, importModuleDynamically: $inPlace }).runInThisContext()(globals);
};
const $loadCommonJs = (job, at) => {
  const standIn = $standIns(), texts = $dataOf(job, at), own = $module.createRequire(at);
  const require = (name) => {
    const found = standIn(name);
    if (found !== undefined && name !== "") return found;
    return texts[name] === undefined ? own(name) : $parse(texts[name]);
  };
  $assign(require, { resolve: own.resolve, cache: own.cache, main: own.main, extensions: own.extensions });
  const module = { exports: {}, id: at, filename: at, loaded: false, children: [], paths: [] };
  $apply($compiled(job, at, standIn("")), module.exports, [module.exports, require, module, at, $path.dirname(at)]);
};

// Modules come through hooks, which give the text of the job and translate TypeScript: the text is in no file.
const $loadModule = async (job, at) => {
  const url = $fileUrl(at).href, standIn = $standIns(), texts = $dataOf(job, at);
  globalThis[job.take] = (name) => (texts[name] === undefined ? standIn(name) : { default: $parse(texts[name]) });
  const data = { url, text: job.text, at, root: process.cwd(), runner: $rules.runner };
  $module.register(`data:text/javascript,${encodeURIComponent($hooksText)}`, { parentURL: url, data });
  await import(url);
};

const $load = async (job) => {
  const at = $path.join(process.cwd(), job.path);
  if (job.isModule) await $loadModule(job, at);
  else $loadCommonJs(job, at);
  for (let i = 0; i < $late.length; i++) await $late[i];
};
"""
