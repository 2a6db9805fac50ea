// What is run in node and in Chromium alike. Words come from crypto.getRandomValues(), 4,096 at a time, or from a seed.
function wordsInBulk() {
  const buffer = new Uint32Array(4096);
  let next = buffer.length;
  return function () {
    if (next === buffer.length) { crypto.getRandomValues(buffer); next = 0; }
    return buffer[next++];
  };
}

// Small fast counting, 32 bits (PractRand), so that a run can be repeated.
function seededWords(seed) {
  let a = seed, b = 0, c = 0, d = 1;
  const next = function () {
    const word = (a + b | 0) + d | 0;
    d = d + 1 | 0;
    a = b ^ b >>> 9;
    b = c + (c << 3) | 0;
    c = (c << 21 | c >>> 11) + word | 0;
    return word >>> 0;
  };
  for (let i = 0; i < 20; i++) next();
  return next;
}

// How often each report is drawn for each answer: { client, answers, n } gives an object for each answer.
function countReports(client, task, words) {
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

if (typeof module === "object") module.exports = { countReports, checkVectors, wordsInBulk, seededWords };
