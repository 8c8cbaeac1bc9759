// Streams the results of mocha, as in its JSON report, to the descriptor {stream}.
const fs = require("node:fs");

const send = sender(Number("{stream}"));
send({ begin: "mocha" });
fs.rmSync(__dirname, { recursive: true, force: true });

// The key is read before any test runs; each record has it, and a running number.
function sender(descriptor) {
  const { readSync, writeSync } = fs;
  const stringify = JSON.stringify;
  const buffer = Buffer.alloc(64);
  let key = "";
  while (!key.endsWith("\n")) {
    const count = readSync(descriptor, buffer, 0, buffer.length, null);
    if (count === 0) throw new Error("the stream of results is closed");
    key += buffer.toString("latin1", 0, count);
  }
  key = key.trim();
  let number = 0;
  return (record) => {
    let data = Buffer.from(`${key} ${number} ${stringify(record)}\n`);
    number += 1;
    while (data.length > 0) data = data.subarray(writeSync(descriptor, data));
  };
}

module.exports = function Reporter(runner) {
  let count = 0;
  const add = (result) => (test, error) => {
    count += 1;
    const said = error ? { stack: String(error.stack ?? ""), message: String(error.message ?? error) } : {};
    const title = test.fullTitle();
    send({ result, title: test.title, fullTitle: title, file: test.file, err: said });
    console.log(`${result}: ${title}`);
    if (error) console.log(said.stack || said.message);
  };
  runner.on("pass", add("passed"));
  runner.on("pending", add("skipped"));
  runner.on("fail", add("failed"));
  runner.once("end", () => send({ end: count }));
};
