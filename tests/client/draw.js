// What is run in node and in Chromium alike. Words come from crypto.getRandomValues(), 4,096 at a time.
function wordsInBulk() {
  const buffer = new Uint32Array(4096);
  let next = buffer.length;
  return function () {
    if (next === buffer.length) { crypto.getRandomValues(buffer); next = 0; }
    return buffer[next++];
  };
}

// How often each report is drawn for each answer: { client, answers, n } gives an object for each answer.
function countReports(client, task) {
  const words = wordsInBulk();
  return task.answers.map(function (answer) {
    const counts = {};
    for (let i = 0; i < task.n; i++) {
      const report = JSON.stringify(client.report(task.client, answer, { words, memory: new Map() }));
      counts[report] = (counts[report] || 0) + 1;
    }
    return counts;
  });
}

function checkVectors(client, cases) {
  const sorted = x => x && typeof x === "object" && !Array.isArray(x)
    ? Object.fromEntries(Object.keys(x).sort().map(name => [name, sorted(x[name])])) : x;
  return cases.filter(function ({ input, expected }) {
    let used = 0;
    const memory = new Map(Object.entries(input.memory || {}));
    const report = client.report(input.client, input.answer, { words: () => input.words[used++], memory });
    return used === expected.words_used && JSON.stringify(sorted(report)) === JSON.stringify(sorted(expected.report));
  }).length;
}

if (typeof module === "object") module.exports = { countReports, checkVectors, wordsInBulk };
