/* candor client, version 1: turns a true answer into a report, on the respondent's own device.
 * Its plan is described on the page ?clients of the R package candor. Randomness:
 * crypto.getRandomValues(). There is no other source. */
var candorClient = (function () {
"use strict";
function fail(what) { throw new Error("candor: " + what); }
function has(object, name) { return Object.prototype.hasOwnProperty.call(object, name); }

// Words of 32 bits from the operating system. A generator that is missing, fails, or repeats itself
// leaves few different words: 5 of 128 equal others once in 1e26 times.
function systemWords() {
  const buffer = new Uint32Array(128);
  let next = 128;
  const word = function () {
    if (next === 128) {
      try { crypto.getRandomValues(buffer); } catch (refused) { /* All words are 0. */ }
      if (new Set(buffer).size < 124) {
        fail("this device has no secure random numbers; nothing was sent");
      }
      next = 0;
    }
    const drawn = buffer[next];
    buffer[next++] = 0;
    return drawn;
  };
  return Object.assign(word, { system: true });
}

const hex = (number, size) => number.toString(16).padStart(size, "0");

// Two words as 16 hexadecimal digits, in units of 2^-64. Texts of one length have the order of
// their numbers.
const uniform = words => hex(words(), 8) + hex(words(), 8);

// A probability: 16 hexadecimal digits, or "1", which is above all of them.
function grid(text) {
  if (text === "1") return "g";
  if (typeof text === "string" && /^[0-9a-f]{16}$/.test(text)) return text;
  return fail("a probability must have 16 hexadecimal digits");
}

// True with probability p. Two words are always drawn: the time does not tell the answer.
const chance = (p, words) => uniform(words) < grid(p);

// What a lie needs is drawn for a truth too: the time does not tell them apart. Words that are
// given (in tests) are not.
const lie = (own, words, make) => own && !words.system ? null : make();

// Uniform on 0, ..., m - 1: words from the largest multiple of m on are left out.
function below(m, words) {
  const limit = 4294967296 - 4294967296 % m;
  let word;
  do word = words(); while (word >= limit);
  return word % m;
}

// `size` of the numbers 0, ..., k - 1 without `out` (-1: all).
function sample(k, size, out, words) {
  const left = [...Array(k).keys()].filter(v => v !== out);
  for (let i = 0; i < size; i++) {
    const j = i + below(left.length - i, words);
    [left[i], left[j]] = [left[j], left[i]];
  }
  return left.slice(0, size);
}

// Bits as hexadecimal text, the lowest bit of the first byte first. One bit of it: the second digit
// of a byte has its lower half.
function packed(bits) {
  const bytes = new Uint8Array(Math.ceil(bits.length / 8));
  bits.forEach((one, v) => { bytes[v >> 3] |= one << (v & 7); });
  return Array.from(bytes, byte => hex(byte, 2)).join("");
}
const bit = (text, v) => parseInt(text[v >> 2 ^ 1], 16) >> (v & 3) & 1;

// k bits, each 1 with probability `own` where set(v) holds, and with `other` elsewhere.
const flips = (plan, k, set, words) =>
  [...Array(k).keys()].map(v => chance(set(v) ? plan.own : plan.other, words));

const hashFunction = (plan, words) => [1 + below(plan.prime - 1, words), below(plan.prime, words)];

// slope * code + shift modulo the prime, all below it and it below 2^31, without numbers above
// 2^53; as one of g values.
function hashed({ codes, g, prime }, truth, [slope, shift]) {
  const high = Math.floor(slope / 65536) * codes[truth] % prime;
  return Math.floor((high * 65536 + slope % 65536 * codes[truth] + shift) % prime * g / prime);
}
function toldOr(plan, truth, m, words) {
  const own = chance(plan.chance, words), any = lie(own, words, () => below(m, words));
  return own ? truth : any;
}

// Is the number of ones in the binary digits of x odd?
const odd = x => x > 0 && !odd(x & (x - 1));

const draw = {
  // The truth with probability `chance`, else any level.
  all(plan, truth, words) { return toldOr(plan, truth, plan.k, words); },
  // The same, else any other level.
  others(plan, truth, words) {
    const other = toldOr(plan, -1, plan.k - 1, words);
    return other < 0 ? truth : other + (other >= truth ? 1 : 0);
  },
  // Row x: cumulated probabilities of all reports but the last.
  rows(plan, truth, words) {
    const number = uniform(words);
    return plan.cuts[truth].filter(cut => number >= grid(cut)).length;
  },
  // Independent bits, one for each level.
  bits(plan, truth, words) { return packed(flips(plan, plan.k, v => v === truth, words)); },
  // The bits of a text of bits, each drawn once more.
  again(plan, text, words) { return packed(flips(plan, plan.k, v => bit(text, v), words)); },
  // `size` levels, numbered from 1.
  subset(plan, truth, words) {
    const own = chance(plan.chance, words);
    const any = lie(own, words, () => sample(plan.k, plan.size, -1, words));
    const others = lie(!own, words, () => sample(plan.k, plan.size - 1, truth, words));
    return (own ? others.concat(truth) : any).sort((a, b) => a - b).map(v => v + 1);
  },
  // A hash function of one's own or that of a cohort, and a value from 1 to g.
  hash(plan, truth, words) {
    const cohort = plan.slopes && below(plan.slopes.length, words);
    const [slope, shift] = plan.slopes ? [plan.slopes[cohort], plan.shifts[cohort]] :
      hashFunction(plan, words);
    const value = 1 + toldOr(plan, hashed(plan, truth, [slope, shift]), plan.g, words);
    return plan.slopes ? { cohort: cohort + 1, value } : { slope, shift, value };
  },
  // A column of the truth's block on which its row is +1, or any number.
  hadamard(plan, truth, words) {
    const own = chance(plan.chance, words), any = below(plan.blocks * plan.size, words);
    const row = Math.floor(truth / plan.blocks) + 1, column = any & (plan.size - 1);
    const turned = odd(row & column) ? column ^ (row & -row) : column;
    return own ? truth % plan.blocks * plan.size + turned : any;
  },
  // The sign of the truth's row in a column, turned with probability `flip`.
  sign(plan, truth, words) {
    const index = below(plan.size, words);
    return { index, sign: odd(truth & index) === chance(plan.flip, words) ? 1 : -1 };
  },
  // The bits of `size` of k buckets: numbers from 1, negative where the bit is 0.
  flipped(plan, truth, words) {
    const bucket = Math.floor(truth * plan.k / plan.levels.length);
    const places = sample(plan.k, plan.size, -1, words).sort((a, b) => a - b);
    return flips(plan, plan.size, v => places[v] === bucket, words)
      .map((one, v) => one ? places[v] + 1 : -places[v] - 1);
  },
  // A Bloom filter: the bits of the truth's places in a cohort are set.
  bloom(plan, truth, words, memory, cohort = below(plan.cohorts, words)) {
    const set = plan.places[cohort][truth];
    return { cohort: cohort + 1, bits: packed(flips(plan, plan.k, v => set.includes(v), words)) };
  },
  // A number of a range, rounded at random to a place of a grid; then a cell near it, or any cell.
  number(plan, answer, words) {
    const part = chance(plan.coarse_share, words) ? plan.coarse : plan.fine;
    const place = (answer - plan.low) / (plan.high - plan.low) * part.steps;
    const up = parseInt(uniform(words), 16) / 2 ** 64 < place % 1 ? 1 : 0;
    const near = !chance(part.other, words);
    const own = Math.min(Math.floor(place) + up, part.steps) + below(part.window, words);
    const any = lie(near, words, () => below(part.steps + part.window, words));
    return part.start + part.step * (near ? own : any);
  },
  // A number times a card plus a card; with a chance the number itself.
  cards(plan, answer, words) {
    const card = cards => cards.values[draw.rows(cards, 0, words)];
    const w = card(plan.multiply), u = card(plan.add), lied = chance(plan.lie, words);
    const made = plan.inside ? w * (answer + u) : w * answer + u;
    return Number((lied ? made : answer).toFixed(plan.digits));
  },
  // `second` draws from the permanent answer each time.
  memoised({ first, second }, truth, words, memory) {
    if (!memory) fail("this plan needs a memory");
    const { hash, cohort, answer } = permanent(first, truth, words, memory);
    const truthOrText = second.kind === "again" ? answer : Number(answer);
    const drawn = draw[second.kind](second, truthOrText, words);
    if (hash) return { slope: hash[0], shift: hash[1], value: 1 + drawn };
    return cohort === undefined ? drawn : { cohort: cohort + 1, bits: drawn };
  }
};

// The permanent answer to a truth, with its hash function or cohort: drawn by `first` once, and
// kept.
function permanent(first, truth, words, memory) {
  const keep = function (key, make) {
    if (memory.get(key) === undefined || memory.get(key) === null) memory.set(key, String(make()));
    return memory.get(key);
  };
  if (first.kind === "hash") {
    const text = keep("function", () => hashFunction(first, words).join(" "));
    const hash = text.split(" ").map(Number), own = hashed(first, truth, hash);
    return { hash, answer: keep(String(own), () => toldOr(first, own, first.g, words)) };
  }
  const cohort = first.kind === "bloom" ?
    Number(keep("cohort", () => below(first.cohorts, words))) : undefined;
  const answer = keep(String(truth), function () {
    const drawn = draw[first.kind](first, truth, words, memory, cohort);
    return first.kind === "bloom" ? drawn.bits : drawn;
  });
  return { cohort, answer };
}

// What a draw takes of an answer: its position among the levels, of a number that of its bin; or
// the number itself, with no more decimals than its cards hide.
function position({ name, plan }, answer) {
  if (!has(draw, plan.kind)) fail("unknown plan " + plan.kind);
  const refuse = why => fail("the answer" + (name ? " to " + name : "") + why);
  const isNumber = typeof answer === "number";
  if (plan.high !== undefined) {
    if (!isNumber || !(answer >= plan.low && answer <= plan.high)) refuse(" is out of range");
    const isLong = has(plan, "decimals") && answer !== Number(answer.toFixed(plan.decimals));
    return isLong ? refuse(" has too many decimals") : answer;
  }
  const k = plan.levels.length, hasBin = isNumber && plan.breaks && answer <= plan.breaks[k];
  const at = hasBin ? Math.min(plan.breaks.filter(b => b <= answer).length, k) - 1 :
    plan.levels.indexOf(String(answer));
  return at < 0 ? refuse(" is not one of the levels") : at;
}

const questions = client => client.questions || [{ name: "", plan: client.plan }];
const part = (memory, q) => memory && memory.of ? memory.of(q.name) : memory;
const isMemoised = q => q.plan.kind === "memoised";
const isPermanent = client => questions(client).every(isMemoised);

// Of several questions `answer` is an object. All answers are looked up before the first draw. A
// plan that samples questions takes answers to all, or to the one that was drawn before. With
// `decline` null is an answer, reported as it is.
function report(client, answer, { memory, decline, words = systemWords() } = {}) {
  if (client.format !== "candor client" || client.version !== 1) fail("not a plan of this version");
  const all = questions(client), answers = client.questions ? answer : { "": answer };
  const asked = client.sample ? all.filter(q => has(answers, q.name)) : all;
  if (![1, all.length].includes(asked.length)) fail("answer one question, or all");
  const truths = asked.map(function (q) {
    if (!has(answers, q.name)) fail("no answer to " + q.name);
    return decline && answers[q.name] === null ? null : position(q, answers[q.name]);
  });
  // Permanent answers to all levels, before an answer is used: neither name, number nor time of
  // what is kept tell it.
  if (memory && words.system) asked.filter(isMemoised).forEach(function (q) {
    q.plan.levels.forEach((level, x) => permanent(q.plan.first, x, words, part(memory, q)));
  });
  // The report of one question; null is one that was declined.
  const drawn = function (q, at) {
    if (truths[at] === null) return null;
    const made = draw[q.plan.kind](q.plan, truths[at], words, part(memory, q));
    return typeof made === "number" && q.plan.reports.length ? q.plan.reports[made] : made;
  };
  if (client.sample) {
    const at = below(asked.length, words);
    return { question: asked[at].name, report: text(drawn(asked[at], at)) };
  }
  const reports = Object.fromEntries(asked.map((q, at) => [q.name, drawn(q, at)]));
  return client.questions ? reports : reports[""];
}

// What is passed on: the identifier, and each report as a text that rr_tally() reads, numbers with
// spaces between them.
function text(report) {
  if (report === null) return null;
  return typeof report === "object" ? Object.values(report).join(" ") : String(report);
}
function fields(client, kept) {
  const all = client.questions ? kept.report : { report: kept.report }, texts = { id: kept.id };
  Object.keys(all).forEach(name => { texts[name] = text(all[name]); });
  return texts;
}

// Where the report of a plan is kept: another law under the same key has another place (FNV-1a of
// the plan), another language has not.
function place(key, client) {
  let print = 0x811c9dc5;
  const labels = ["levels", "reports", "mechanism"];
  const law = JSON.stringify(client, (name, value) => labels.includes(name) ? undefined : value);
  for (const letter of law) print = Math.imul(print ^ letter.codePointAt(0), 0x01000193);
  return key + " " + (print >>> 0).toString(16);
}

// What a browser keeps: `change` gives what was kept to `make`, and promises what that returns,
// when it is on the disk. Two tabs wait for one another, and a browser that is killed has kept all
// of it or nothing. No connection stays open.
const open = () => new Promise(function (done, failed) {
  const opening = indexedDB.open("candor", 1);
  opening.onupgradeneeded = () => { opening.result.createObjectStore("reports"); };
  opening.onsuccess = function () {
    opening.result.onversionchange = () => opening.result.close();
    done(opening.result);
  };
  opening.onerror = () => failed(opening.error);
  setTimeout(() => failed(new Error("candor: this browser keeps nothing")), 5000);
});
const device = { change: (at, make) => open().then(base => new Promise(function (done, failed) {
  const transaction = base.transaction("reports", "readwrite", { durability: "strict" });
  const reports = transaction.objectStore("reports"), asked = reports.get(at);
  let made;
  asked.onsuccess = function () {
    try {
      made = make(asked.result);
      if (made !== asked.result) reports.put(made, at);
    } catch (error) { failed(error); transaction.abort(); }
  };
  transaction.oncomplete = () => done(made);
  transaction.onabort = () => failed(transaction.error);
}).finally(() => base.close())) };

// Can the browser keep something? If not, the page does, for as long as it is open.
async function lasting() {
  const entries = new Map(), probe = text => device.change("probe", () => text);
  const change = async (at, make) => entries.set(at, make(entries.get(at))).get(at);
  return probe("0".repeat(4096)).then(() => probe())
    .then(() => ({ store: device, keeps: true }), () => ({ store: { change }, keeps: false }));
}

// Is it what once() keeps? That is permanent answers to all levels; or an identifier and, for each
// question, a label, a number or a list of them.
function whole(client, kept) {
  const isValue = value => typeof value === "string" ? value !== "" : Number.isFinite(value);
  const isReport = value => value === null || isValue(value) ||
    (typeof value === "object" && Object.keys(value).length && Object.values(value).every(isValue));
  const isAnswer = function ({ first, second }, mine, truth) {
    const { cohort, answer } = permanent(first, truth, null, { get: entry => mine[entry] });
    if (cohort !== undefined && !has(first.places, cohort)) return false;
    return second.kind === "again" ?
      /^[0-9a-f]+$/.test(answer) && answer.length === 2 * Math.ceil(second.k / 8) :
      /^[0-9]+$/.test(answer) && answer < second.k;
  };
  try {
    if (isPermanent(client)) return questions(client).every(({ name, plan }) =>
      plan.levels.every((level, x) => isAnswer(plan, kept.permanent[name], x)));
    const names = client.sample ? ["question", "report"] : questions(client).map(q => q.name);
    const reports = client.questions ? kept.report : { "": kept.report };
    return /^[0-9a-f]{32}$/.test(kept.id) && names.every(name => isReport(reports[name]));
  } catch (broken) { return false; }
}

// { id, report, before }: the same for ever, whatever is answered then, since a second draw would
// tell more. `id` is a random number of the report, by which two copies of it are known. Of
// permanent answers each report is a new one, and they alone are kept: a report beside them would
// help to guess.
async function once(key, client, answer, { store = device, decline } = {}) {
  let drawn;
  const kept = await store.change(place(key, client), function (old) {
    const known = whole(client, old), renewed = isPermanent(client), words = systemWords();
    if (known && !renewed) return old;
    const permanent = known ? old.permanent : {};
    const of = function (name) {
      const mine = permanent[name] = permanent[name] || {};
      return { get: entry => mine[entry], set: (entry, value) => { mine[entry] = value; } };
    };
    const id = uniform(words) + uniform(words);
    drawn = { id, report: report(client, answer, { decline, memory: { of } }) };
    return renewed ? { permanent } : drawn;
  });
  return { sent: false, ...(drawn || kept), before: !drawn };
}

// What once() would return again, or undefined; null if it is damaged, which is put aside.
async function kept(key, client, store) {
  const at = place(key, client), old = await store.change(at, same => same);
  if (old === undefined || whole(client, old)) return isPermanent(client) ? undefined : old;
  await store.change(at + " aside", () => old);
  return null;
}

const any = m => below(m, systemWords());
return { report, once, kept, fields, any, place, lasting, questions, isPermanent, plan: null };
})();
if (typeof module === "object" && module.exports) module.exports = candorClient;
