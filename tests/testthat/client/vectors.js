// node vectors.js <folder of the client> <file of vectors>: prints how many cases passed, and those that did not.
const client = require(process.argv[2] + "/candor.js");
const cases = JSON.parse(require("fs").readFileSync(process.argv[3], "utf8")).cases;
const sorted = x => x && typeof x === "object" && !Array.isArray(x)
  ? Object.fromEntries(Object.keys(x).sort().map(name => [name, sorted(x[name])])) : x;
const same = (x, y) => JSON.stringify(sorted(x)) === JSON.stringify(sorted(y));
// A device keeps text.
const texts = x => Object.fromEntries(Object.entries(x).map(([key, value]) => [key, String(value)]));
const result = { passed: 0, failed: [] };
cases.forEach(function ({ input, expected }, i) {
  let used = 0;
  const memory = input.memory && Object.assign({}, input.memory);
  const kept = memory && { get: key => memory[key], set: (key, value) => { memory[key] = value; } };
  const report = client.report(input.client, input.answer, { words: () => input.words[used++], memory: kept });
  const good = same(report, expected.report) && used === expected.words_used && (!memory || same(texts(memory), texts(expected.memory)));
  if (good) result.passed++; else result.failed.push({ case: i, report: report, used: used });
});
console.log(JSON.stringify(result));
