// Writes the results of `node --test` as JUnit with the file of each test, which node's own reporter leaves out.
// node imports it by a data: address, so that no file of ours is in the tree.
import path from "node:path";

const LONGEST = 20000;
const NOT_XML = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const text = (value) => String(value).replace(NOT_XML, "?").replace(/[&<>"]/g, (sign) => ENTITIES[sign]);

function words(data) {
  const error = data.details?.error;
  const cause = error?.cause ?? error;
  const said = cause?.stack ?? cause?.message ?? cause ?? "failed";
  return `${cause?.message ?? said}\n${said}`;
}

// A file that ended badly: its own output says why.
function fileWords(data, output) {
  const reason = output.split("\n").find((line) => line.includes("Error"));
  return `${reason ?? `the file ended with exit code ${data.details?.error?.exitCode}`}\n${output}`;
}

function outcome(type, data, isFile) {
  const failure = data.details?.error?.failureType;
  if (String(data.skip ?? "").startsWith("test name does not match")) return null;
  if (failure === "cancelledByParent") return null; // the suite around it says why
  if (data.skip !== undefined || data.todo !== undefined) return "skipped";
  if (type === "test:fail") return failure === "subtestsFailed" ? null : "failed";
  return isFile || data.details?.type === "suite" ? null : "passed";
}

export default async function* report(source) {
  const above = [];
  const output = new Map();
  yield '<?xml version="1.0" encoding="utf-8"?>\n<testsuite name="node">\n';
  for await (const { type, data } of source) {
    if (type === "test:stderr" && data.file) {
      const file = path.resolve(data.file); // relative in newer versions
      output.set(file, ((output.get(file) ?? "") + data.message).slice(0, LONGEST));
    } else if (type === "test:start") {
      above.length = data.nesting;
      above.push(data.name);
    } else if (type === "test:pass" || type === "test:fail") {
      const file = data.file ? path.relative(process.cwd(), data.file) : "";
      const isFile = data.nesting === 0 && data.file !== undefined && path.resolve(data.name) === data.file;
      const result = outcome(type, data, isFile);
      if (result === null) continue;
      const name = isFile ? file : [...above.slice(0, data.nesting), data.name].join(" > ");
      yield `<testcase classname="${text(file)}" name="${text(name)}" file="${text(file)}">`;
      if (result === "skipped") yield "<skipped/>";
      const said = isFile ? fileWords(data, output.get(data.file) ?? "") : words(data);
      if (result === "failed") yield `<failure>${text(said)}</failure>`;
      yield "</testcase>\n";
    }
  }
  yield "</testsuite>\n";
}
