// Streams what jest says of each test file, as in its JSON report, to the descriptor {stream}.
const fs = require("node:fs");

const send = sender(Number("{stream}"));
send({ begin: "jest" });
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

function assertion({ ancestorTitles, title, status, failureMessages }) {
  return { ancestorTitles, title, status, failureMessages };
}

module.exports = class Reporter {
  count = 0;

  onTestResult(_test, result) {
    const error = result.testExecError;
    this.count += 1;
    send({
      file: {
        name: result.testFilePath,
        status: error || result.numFailingTests > 0 ? "failed" : "passed",
        message: result.failureMessage ?? error?.message ?? "",
        assertionResults: result.testResults.map(assertion),
      },
    });
  }

  onRunComplete() {
    send({ end: this.count });
  }
};
