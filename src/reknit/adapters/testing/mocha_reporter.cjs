// Streams the results of mocha, as in its JSON report, to the descriptor {stream}.
// `result_sender.js` is put in front of this file.
const fs = require("node:fs");

const send = sender(Number("{stream}"));
send({ begin: "mocha" });
fs.rmSync(__dirname, { recursive: true, force: true });

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
