// Runs the jobs in order. Results go to a separate descriptor, and the input of the program is left nowhere.

const $text = $read(0, "utf8");
const $reopened = (number) => {
  try { $fs.closeSync(number); $fs.openSync("/dev/null", number ? "w" : "r"); } catch { /* it stays as it is */ }
};
const $output = (() => {
  for (const name of ["/proc/self/fd/1", "/dev/fd/1"])
    try { return $fs.openSync(name, "w"); } catch { /* a socket cannot be opened again */ }
  return 1;
})();
$reopened(0);
if ($output !== 1) $reopened(1);
const $program = $read(__filename, "utf8");
try { $unlink(__filename); } catch { /* a tree that cannot be written to */ }
const $telling = /^(?:NODE_TEST|NODE_V8|VITEST|JEST|MOCHA|npm_|CI$|TEST$)/;
for (const name of $keys(process.env))
  if ($telling.test(name) || process.env[name] === "test") delete process.env[name];

const { nonce: $nonce, rules: $rules, jobs: $jobs, isOne: $isOne } = $parse($text);
const $say = (line) => $write($output, $nonce + $json(line) + "\n");
const $asked = $isOne ? $jobs[0].tests : [];
const $results = { __proto__: null };

const $firstLine = (error) => {
  try {
    return $slice($split($String($isObject(error) ? error.message : error), "\n")[0], 0, 200);
  } catch { return ""; }
};
const $kind = (error) => {
  if (error instanceof $Distrust) return "UntrustedConversion";
  if (error instanceof $Failure) return "AssertionError";
  try { return $isText(error.name) ? error.name : "Error"; } catch { return "Error"; }
};
function $report(path, outcome) {
  if (outcome && outcome.error instanceof $Skip) return;
  for (let i = 0; i < $asked.length; i++) {
    const { name, id } = $asked[i];
    if (name !== path && name !== "") continue;
    const before = $results[id];
    if (before && before.error) continue;
    $results[id] = { __proto__: null, error: outcome };
  }
}
const $line = (id, found) => {
  if (!found.error) return { __proto__: null, test: id, ok: true, kind: "", message: "" };
  const error = found.error.error;
  return { __proto__: null, test: id, ok: false, kind: found.kind || $kind(error), message: $firstLine(error) };
};
const $tell = () => {
  let count = 0;
  for (let i = 0; i < $asked.length; i++) {
    const missing = { __proto__: null, kind: "NotFound", error: { __proto__: null, error: "it is not in the file" } };
    const found = $results[$asked[i].id] || missing;
    if (found.error && found.error.error instanceof $Unsupported) continue;
    $say($line($asked[i].id, found));
    count++;
  }
  $say({ __proto__: null, end: count });
  $exit(0);
};

// Each file runs in its own process, as under its runner. Only this process knows the nonce.
const $runEach = () => {
  const { spawnSync } = require("node:child_process");
  let count = 0;
  for (const job of $jobs) {
    const own = require("node:crypto").randomBytes(16).toString("hex");
    $fs.writeFileSync(__filename, $program);
    const input = $json({ nonce: own, rules: $rules, jobs: [job], isOne: true });
    const lines = spawnSync(process.execPath, [__filename], { input }).stdout.toString().split(own).slice(1);
    try { $unlink(__filename); } catch { /* it is gone */ }
    const said = lines.map((line) => $parse(line.split("\n")[0])), last = said.pop();
    const early = (test) => ({ test: test.id, ok: false, kind: "Exit", message: "the program ended early" });
    const whole = last && last.end === said.length ? said : job.tests.map(early);
    for (const line of whole) $say(line);
    count += whole.length;
  }
  $say({ end: count });
};

const $runOne = async () => {
  try { await $load($jobs[0]); } catch (error) {
    for (let i = 0; i < $asked.length; i++) {
      const kind = $asked[i].name === "" ? "" : "LoadError";
      $results[$asked[i].id] = { __proto__: null, kind, error: { __proto__: null, error } };
    }
    return $tell();
  }
  for (let i = 0; i < $asked.length; i++)
    if ($asked[i].name === "") $results[$asked[i].id] = { __proto__: null, error: null };
  $left = $countAsked($top, "");
  await $runSuite($top, "", undefined);
  return $tell();
};
if ($isOne) $runOne();
else $runEach();
