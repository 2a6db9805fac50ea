// node in-node.js <candor.js> <tasks> <result>: counts of reports, drawn from a seed; a task with a `file` writes reports of the
// answers to it, as CSV.
const fs = require("fs");
const client = require(process.argv[2]), { countReports, seededWords } = require("./draw.js");
const cell = x => Array.isArray(x) ? x.join(" ") : String(x);
const result = JSON.parse(fs.readFileSync(process.argv[3], "utf8")).map(function (task, place) {
  const words = seededWords(2026 + place), lines = [];
  if (!task.file) return countReports(client, task, words);
  task.answers.forEach(function (answer, i) {
    for (let j = 0; j < task.times[i]; j++) {
      const report = client.report(task.client, answer, { words, memory: new Map() });
      const fields = typeof report === "object" && !Array.isArray(report) ? report : { report };
      if (!lines.length) lines.push(Object.keys(fields).join(","));
      lines.push(Object.values(fields).map(cell).join(","));
    }
  });
  fs.writeFileSync(task.file, lines.join("\n") + "\n");
  return null;
});
fs.writeFileSync(process.argv[4], JSON.stringify(result));
