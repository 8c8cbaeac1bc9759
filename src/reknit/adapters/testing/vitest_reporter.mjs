// Streams the results of vitest, with the names of its JUnit report, to the descriptor {stream}.
// `result_sender.js` is put in front of this file.
import fs from "node:fs";
import path from "node:path";

const MAX_MESSAGE_CHARS = 400000;
const NOT_XML = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const SKIPPED = new Set(["skip", "todo"]);

const clean = (value) => String(value).replace(NOT_XML, "").replace(/[\t\n\r]/g, " ");

const tests = (task, above = "") =>
  task.type === "suite"
    ? task.tasks.flatMap((inner) => tests(inner, `${above}${task.name} > `))
    : [{ name: `${above}${task.name}`, mode: task.mode, result: task.result }];

const suites = (task) => (task.type === "suite" ? [task, ...task.tasks.flatMap(suites)] : []);

// A suite or a file with an error of its own: a hook failed, or it could not be loaded.
const broken = (file) =>
  suites(file)
    .filter((suite) => suite.result?.errors?.length)
    .map(({ name, result }) => ({ name, mode: "run", result }));

function outcome({ mode, result }) {
  if (result?.state === "fail") return "failed";
  return SKIPPED.has(mode) || result?.state !== "pass" ? "skipped" : "passed";
}

// As in the JUnit report: the frames of the repository's own files, relative to its root.
function frames(error, root) {
  const lines = String(error.stack ?? "").split("\n");
  const own = lines.filter((line) => /^\s*at /.test(line) && !/node_modules|node:|\(<anonymous>\)/.test(line));
  return own.map((line) => ` ❯ ${line.trim().slice(3).replace("file://", "").replace(`${root}/`, "")}`);
}

const words = ({ result }, root) =>
  (result?.errors ?? [])
    .map((error) => [error.message, "", `${error.name}: ${error.message}`, "", error.diff ?? "", "", ...frames(error, root)])
    .flat()
    .join("\n")
    .slice(0, MAX_MESSAGE_CHARS);

const send = sender(Number("{stream}"));
send({ begin: "vitest" });
fs.rmSync(path.dirname(new URL(import.meta.url).pathname), { recursive: true, force: true });

export default class Reporter {
  root = process.cwd();
  sent = new Set();
  count = 0;
  isOver = false;

  onInit(vitest) {
    this.root = vitest.config.root;
  }

  onTestModuleEnd(module) {
    this.add(module.task);
  }

  onTestRunEnd(modules) {
    this.end(modules.map((module) => module.task));
  }

  // before vitest 3
  onFinished(files = []) {
    this.end(files);
  }

  end(files) {
    if (this.isOver) return;
    this.isOver = true;
    files.forEach((file) => this.add(file));
    send({ end: this.count });
  }

  add(file) {
    if (this.sent.has(file)) return;
    this.sent.add(file);
    const place = clean(path.relative(this.root, file.filepath));
    const all = [...file.tasks.flatMap((task) => tests(task)), ...broken(file)];
    if (all.length === 0 && file.result?.state === "fail") all.push({ name: file.name, mode: "run", result: file.result });
    for (const test of all) {
      const result = outcome(test);
      const name = clean(test.name);
      this.count += 1;
      send({ suite: place, classname: place, name, result, words: result === "failed" ? words(test, this.root) : "" });
    }
  }
}
