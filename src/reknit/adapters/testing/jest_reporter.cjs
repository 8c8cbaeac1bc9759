// Streams what jest says of each test file, as in its JSON report, to the descriptor {stream}.
// `result_sender.js` is put in front of this file.
const fs = require("node:fs");

const send = sender(Number("{stream}"));
send({ begin: "jest" });
fs.rmSync(__dirname, { recursive: true, force: true });

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
