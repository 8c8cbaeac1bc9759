// Loads the text of a test file as if it were a file of another name in the same folder.

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
const $compiled = (job, as, globals) => {
  const names = $keys(globals).filter((name) => name !== "default").join(", ");
  const inner = `return function (exports, require, module, __filename, __dirname) {${job.text}\n};`;
  const text = `(function ({ ${names} }) { ${inner} })`;
  return new $vm.Script(text, { filename: as, importModuleDynamically: $inPlace }).runInThisContext()(globals);
};
// `at`: the real path of the test file; `as`: its apparent path, which is all that loaded code sees.
const $loadCommonJs = (job, at, as) => {
  const standIn = $standIns(), texts = $dataOf(job, at);
  const { resolve } = $module.createRequire(at), own = $module.createRequire(as);
  const require = (name) => {
    const found = standIn(name);
    if (found !== undefined && name !== "") return found;
    return texts[name] === undefined ? own(resolve(name)) : $parse(texts[name]);
  };
  const later = async (name) => {
    if (name[0] === ".") return import($fileUrl($path.resolve($path.dirname(at), name)).href);
    return import($path.isAbsolute(name) ? $fileUrl(name).href : name);
  };
  $assign(require, { resolve, later, cache: own.cache, main: own.main, extensions: own.extensions });
  const module = { exports: {}, id: as, filename: as, loaded: false, children: [], paths: [] };
  $apply($compiled(job, as, standIn("")), module.exports, [module.exports, require, module, at, $path.dirname(at)]);
};

// Load modules by hooks, which supply the text of the job and translate TypeScript: no file contains the text.
const $loadModule = async (job, at, as) => {
  const url = $fileUrl(as).href, place = $fileUrl(at).href, standIn = $standIns(), texts = $dataOf(job, at);
  const meta = { __proto__: null, "import.meta.url": place, "import.meta.filename": at,
    "import.meta.dirname": $path.dirname(at) };
  globalThis[job.take] = (name) => {
    if (texts[name] !== undefined) return { default: $parse(texts[name]) };
    return meta[name] === undefined ? standIn(name) : meta[name];
  };
  const data = { url, place, text: job.text, at, root: process.cwd(), runner: $rules.runner };
  $module.register(`data:text/javascript,${encodeURIComponent($hooksText)}`, { parentURL: url, data });
  await import(url);
};

const $load = async (job) => {
  const at = $path.join(process.cwd(), job.place), as = $path.join(process.cwd(), job.path);
  if (job.isModule) await $loadModule(job, at, as);
  else $loadCommonJs(job, at, as);
  for (let i = 0; i < $late.length; i++) await $late[i];
};
