// Put in front of each JavaScript reporter, which imports `fs` and runs alone in a box.
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

