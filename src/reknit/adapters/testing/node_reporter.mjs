// Streams the results of `node --test`, with the file of each test, to the descriptor {stream}.
// Without one it writes JUnit: then node imports it by a data: address, so that no file of ours is in the tree.
// `result_sender.js` is put in front of this file.
import fs from "node:fs";
import path from "node:path";

const STREAM = "{stream}";
const MAX_OUTPUT_CHARS = 20000;
const NOT_XML = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const clean = (value) => String(value).replace(NOT_XML, "?");
const text = (value) => clean(value).replace(/[&<>"]/g, (sign) => ENTITIES[sign]);
const oneLine = (value) => clean(value).replace(/[\t\n\r]/g, " "); // as in an attribute of XML

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
  if (failure === "cancelledByParent" && data.nesting > 0) return "cancelled";
  if (data.skip !== undefined || data.todo !== undefined) return "skipped";
  if (type === "test:fail") return failure === "subtestsFailed" ? null : "failed";
  return isFile || data.details?.type === "suite" ? null : "passed";
}

async function* results(source) {
  const above = [];
  const output = new Map();
  let cancelled = []; // failed too, unless what is around them failed for a reason of its own
  for await (const { type, data } of source) {
    if (type === "test:stderr" && data.file) {
      const file = path.resolve(data.file); // relative in newer versions
      output.set(file, ((output.get(file) ?? "") + data.message).slice(0, MAX_OUTPUT_CHARS));
    } else if (type === "test:start") {
      above.length = data.nesting;
      above.push(data.name);
    } else if (type === "test:pass" || type === "test:fail") {
      const file = data.file ? path.relative(process.cwd(), data.file) : "";
      const isFile = data.nesting === 0 && data.file !== undefined && path.resolve(data.name) === data.file;
      const result = outcome(type, data, isFile);
      const inside = cancelled.filter((each) => each.nesting > data.nesting);
      cancelled = cancelled.filter((each) => each.nesting <= data.nesting);
      if (result !== "failed" && result !== "cancelled") yield* inside;
      if (result === null) continue;
      const name = isFile ? file : [...above.slice(0, data.nesting), data.name].join(" > ");
      const said = isFile ? fileWords(data, output.get(data.file) ?? "") : words(data);
      const record = { file: oneLine(file), name: oneLine(name), result, words: result === "failed" ? clean(said) : "" };
      if (result === "cancelled") cancelled.push({ ...record, result: "failed", words: clean(said), nesting: data.nesting });
      else yield record;
    }
  }
}

async function* asXml(source) {
  yield '<?xml version="1.0" encoding="utf-8"?>\n<testsuite name="node">\n';
  for await (const { file, name, result, words: said } of results(source)) {
    yield `<testcase classname="${text(file)}" name="${text(name)}" file="${text(file)}">`;
    if (result === "skipped") yield "<skipped/>";
    if (result === "failed") yield `<failure>${text(said)}</failure>`;
    yield "</testcase>\n";
  }
  yield "</testsuite>\n";
}

function streaming(descriptor) {
  const send = sender(descriptor);
  send({ begin: "node" });
  fs.rmSync(path.dirname(new URL(import.meta.url).pathname), { recursive: true, force: true });
  return async function* report(source) {
    let count = 0;
    for await (const { file, name, result, words: said } of results(source)) {
      send({ suite: "node", classname: file, name, file, result, words: said });
      count += 1;
    }
    send({ end: count });
    yield "";
  };
}

export default /^\d+$/.test(STREAM) ? streaming(Number(STREAM)) : asXml;
