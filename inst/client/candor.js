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
  let next = buffer.length;
  return function () {
    if (next === buffer.length) {
      try { globalThis.crypto.getRandomValues(buffer); } catch (refused) { buffer.fill(0); }
      if (new Set(buffer).size < 124) {
        fail("this device has no secure random numbers; nothing was sent");
      }
      next = 0;
    }
    const word = buffer[next];
    buffer[next++] = 0;
    return word;
  };
}

// A probability as two words: 16 hexadecimal digits in units of 2^-64, or "1".
function grid(text) {
  if (text === "1") return [4294967296, 0];
  if (typeof text !== "string" || !/^[0-9a-f]{16}$/.test(text)) {
    fail("a probability must have 16 hexadecimal digits");
  }
  return [parseInt(text.slice(0, 8), 16), parseInt(text.slice(8), 16)];
}
function less(high, low, p) { return high < p[0] || (high === p[0] && low < p[1]); }

// True with probability p. Two words are always drawn: the time does not tell the answer.
function chance(p, words) { const high = words(), low = words(); return less(high, low, p); }
function told(plan, words) { return chance(grid(plan.chance), words); }

// What a lie needs is drawn for a truth too: the time does not tell them apart. Words that are
// given (in tests) are not.
function lie(own, words, make) { return own && words.given ? null : make(); }

// Uniform on 0, ..., m - 1: words from the largest multiple of m on are left out.
function below(m, words) {
  const limit = 4294967296 - 4294967296 % m;
  let word;
  do word = words(); while (word >= limit);
  return word % m;
}

// `size` of the numbers 0, ..., k - 1 without `out` (-1: all).
function sample(k, size, out, words) {
  const left = Array.from({ length: k }, (none, v) => v).filter(v => v !== out);
  for (let i = 0; i < size; i++) {
    const j = i + below(left.length - i, words);
    [left[i], left[j]] = [left[j], left[i]];
  }
  return left.slice(0, size);
}

// Bits as hexadecimal text, the lowest bit of the first byte first; and back.
function hex(bits) {
  const bytes = new Uint8Array(Math.ceil(bits.length / 8));
  bits.forEach((one, v) => { bytes[v >> 3] |= one << (v & 7); });
  return Array.from(bytes, byte => byte.toString(16).padStart(2, "0")).join("");
}
function bit(text, v) { return (parseInt(text.substr(2 * (v >> 3), 2), 16) >> (v & 7)) & 1; }

// k bits, each 1 with probability `own` where set(v) holds, and with `other` elsewhere.
function flips(plan, k, set, words) {
  const own = grid(plan.own), other = grid(plan.other);
  return Array.from({ length: k }, (none, v) => chance(set(v) ? own : other, words) ? 1 : 0);
}

// a z + b modulo the prime, all below it and it below 2^31, without numbers above 2^53.
function affine(a, z, b, prime) {
  const high = Math.floor(a / 65536), low = a % 65536;
  return ((high * z % prime) * 65536 + low * z + b) % prime;
}
function hashed(plan, truth, slope, shift) {
  return Math.floor(affine(slope, plan.codes[truth], shift, plan.prime) * plan.g / plan.prime);
}
function toldOr(plan, truth, m, words) {
  const own = told(plan, words), any = lie(own, words, () => below(m, words));
  return own ? truth : any;
}

// Is the number of ones in the binary digits of x odd?
function odd(x) { let ones = 0; for (; x > 0; x &= x - 1) ones ^= 1; return ones === 1; }

const draw = {
  // The truth with probability `chance` (told), else any level.
  all(plan, truth, words) { return toldOr(plan, truth, plan.k, words); },
  // The same, else any other level.
  others(plan, truth, words) {
    const own = told(plan, words), value = lie(own, words, () => below(plan.k - 1, words));
    return own ? truth : value + (value >= truth ? 1 : 0);
  },
  // Row x: cumulated probabilities of all reports but the last.
  rows(plan, truth, words) {
    const high = words(), low = words();
    return plan.cuts[truth].filter(cut => !less(high, low, grid(cut))).length;
  },
  // Independent bits, one for each level.
  bits(plan, truth, words) { return hex(flips(plan, plan.k, v => v === truth, words)); },
  // The bits of a text of bits, each drawn once more.
  again(plan, text, words) { return hex(flips(plan, plan.k, v => bit(text, v), words)); },
  // `size` levels, numbered from 1.
  subset(plan, truth, words) {
    const own = told(plan, words);
    const any = lie(own, words, () => sample(plan.k, plan.size, -1, words));
    const others = lie(!own, words, () => sample(plan.k, plan.size - 1, truth, words));
    return (own ? others.concat(truth) : any).sort((a, b) => a - b).map(v => v + 1);
  },
  // A hash function of one's own or that of a cohort, and a value from 1 to g.
  hash(plan, truth, words) {
    const cohort = plan.slopes && below(plan.slopes.length, words);
    const slope = plan.slopes ? plan.slopes[cohort] : 1 + below(plan.prime - 1, words);
    const shift = plan.slopes ? plan.shifts[cohort] : below(plan.prime, words);
    const value = 1 + toldOr(plan, hashed(plan, truth, slope, shift), plan.g, words);
    return plan.slopes ? { cohort: cohort + 1, value } : { slope, shift, value };
  },
  // A column of the truth's block on which its row is +1, or any number.
  hadamard(plan, truth, words) {
    const own = told(plan, words), any = below(plan.blocks * plan.size, words);
    const row = Math.floor(truth / plan.blocks) + 1, column = any & (plan.size - 1);
    const turned = odd(row & column) ? column ^ (row & -row) : column;
    return own ? truth % plan.blocks * plan.size + turned : any;
  },
  // The sign of the truth's row in a column, turned with probability `flip`.
  sign(plan, truth, words) {
    const index = below(plan.size, words);
    return { index, sign: odd(truth & index) === chance(grid(plan.flip), words) ? 1 : -1 };
  },
  // The bits of `size` of k buckets: numbers from 1, negative where the bit is 0.
  flipped(plan, truth, words) {
    const bucket = Math.floor(truth * plan.k / plan.levels.length);
    const places = sample(plan.k, plan.size, -1, words).sort((a, b) => a - b);
    return flips(plan, plan.size, v => places[v] === bucket, words)
      .map((one, v) => one ? places[v] + 1 : -places[v] - 1);
  },
  // A Bloom filter: the bits of the truth's places in a cohort are set.
  bloom(plan, truth, words, cohort) {
    if (cohort === undefined) cohort = below(plan.cohorts, words);
    const set = plan.places[cohort][truth];
    return { cohort: cohort + 1, bits: hex(flips(plan, plan.k, v => set.includes(v), words)) };
  },
  // A number of a range, rounded at random to a place of a grid; then a cell near it, or any cell.
  number(plan, answer, words) {
    const part = chance(grid(plan.coarse_share), words) ? plan.coarse : plan.fine;
    const place = (answer - plan.low) / (plan.high - plan.low) * part.steps;
    const from = Math.floor(place);
    const up = (words() * 4294967296 + words()) / 18446744073709551616 < place - from ? 1 : 0;
    const near = !chance(grid(part.other), words);
    const own = Math.min(from + up, part.steps) + below(part.window, words);
    const any = lie(near, words, () => below(part.steps + part.window, words));
    return part.start + part.step * (near ? own : any);
  },
  // A number times a card plus a card; with a chance the number itself.
  cards(plan, answer, words) {
    const card = cards => cards.values[draw.rows(cards, 0, words)];
    const w = card(plan.multiply), u = card(plan.add), lied = chance(grid(plan.lie), words);
    const made = plan.inside ? w * (answer + u) : w * answer + u;
    return Number((lied ? made : answer).toFixed(plan.digits));
  },
  // `second` draws from the permanent answer each time.
  memoised(plan, truth, words, memory) {
    if (!memory) fail("this plan needs a memory");
    const second = plan.second, kept = permanent(plan.first, truth, words, memory);
    const { slope, shift, cohort, answer } = kept, isText = second.kind === "again";
    const drawn = draw[second.kind](second, isText ? answer : Number(answer), words);
    if (plan.first.kind === "hash") return { slope, shift, value: 1 + drawn };
    return plan.first.kind === "bloom" ? { cohort: cohort + 1, bits: drawn } : drawn;
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
    const [slope, shift] = keep("function", () =>
      1 + below(first.prime - 1, words) + " " + below(first.prime, words)).split(" ").map(Number);
    const own = hashed(first, truth, slope, shift);
    return { slope, shift, answer: keep(String(own), () => toldOr(first, own, first.g, words)) };
  }
  if (first.kind === "bloom") {
    const cohort = Number(keep("cohort", () => below(first.cohorts, words)));
    const answer = keep(String(truth), () => draw.bloom(first, truth, words, cohort).bits);
    return { cohort, answer };
  }
  return { answer: keep(String(truth), () => draw[first.kind](first, truth, words)) };
}

// What a draw takes of an answer: its position among the levels, of a number that of its bin; or
// the number itself.
function position(plan, answer, name) {
  if (!has(draw, plan.kind)) fail("unknown plan " + plan.kind);
  if (plan.high !== undefined) {
    if (typeof answer === "number" && answer >= plan.low && answer <= plan.high) return answer;
    fail("the answer" + name + " is outside of the range");
  }
  const bins = typeof answer === "number" && plan.breaks;
  const last = bins && answer === bins[bins.length - 1] ? 1 : 0;
  const at = bins ? bins.filter(b => b <= answer).length - 1 - last :
    plan.levels.indexOf(String(answer));
  if (at >= 0 && at < plan.levels.length) return at;
  fail("the answer" + name + " is not one of the levels");
}

// The report of one question; null is one that was declined.
function question(plan, truth, words, memory) {
  if (truth === null) return null;
  const drawn = draw[plan.kind](plan, truth, words, plan.kind === "memoised" ? memory : undefined);
  return typeof drawn === "number" && plan.reports.length ? plan.reports[drawn] : drawn;
}
const questions = client => client.questions || [{ plan: client.plan }];
const part = (memory, q) =>
  q.name !== undefined && memory && memory.of ? memory.of(q.name) : memory;
const isPermanent = client => questions(client).every(q => q.plan.kind === "memoised");

// Of several questions `answer` is an object. All answers are looked up before the first draw. A
// plan that samples questions takes answers to all, or to the one that was drawn before. With
// `decline` null is an answer, reported as it is.
function report(client, answer, options = {}) {
  if (client.format !== "candor client" || client.version !== 1) fail("not a plan of this version");
  const { memory, words: given } = options;
  const words = given ? Object.assign(() => given(), { given: true }) : systemWords();
  const asked = questions(client).filter(q => !client.sample || has(answer, q.name));
  if (client.sample && asked.length !== 1 && asked.length !== client.questions.length) {
    fail("answer one question, or all");
  }
  const truths = asked.map(function (q) {
    if (client.questions && !has(answer, q.name)) fail("no answer to " + q.name);
    const own = client.questions ? answer[q.name] : answer;
    if (own === null && options.decline) return null;
    return position(q.plan, own, client.questions ? " to " + q.name : "");
  });
  // Permanent answers to all levels, before an answer is used: neither name, number nor time of
  // what is kept tell it.
  if (memory && !given) asked.filter(q => q.plan.kind === "memoised").forEach(function (q) {
    const mine = part(memory, q);
    q.plan.levels.forEach((level, truth) => permanent(q.plan.first, truth, words, mine));
  });
  const drawn = at => question(asked[at].plan, truths[at], words, part(memory, asked[at]));
  if (!client.questions) return drawn(0);
  if (!client.sample) return Object.fromEntries(asked.map((q, at) => [q.name, drawn(at)]));
  const at = below(asked.length, words);
  return { question: asked[at].name, report: text(drawn(at)) };
}

// What is passed on: the identifier, and each report as a text that rr_tally() reads, numbers with
// spaces between them.
function text(report) {
  if (report === null) return null;
  return typeof report === "object" ? Object.values(report).join(" ") : String(report);
}
function fields(client, kept) {
  const all = client.questions ? kept.report : { report: kept.report };
  const texts = Object.entries(all).map(([name, report]) => [name, text(report)]);
  return Object.assign({ id: kept.id }, Object.fromEntries(texts));
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
function device() {
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
  return { change: (at, make) => open().then(base => new Promise(function (done, failed) {
    const transaction = base.transaction("reports", "readwrite", { durability: "strict" });
    const reports = transaction.objectStore("reports"), asked = reports.get(at);
    let made, refused;
    asked.onsuccess = function () {
      try {
        made = make(asked.result);
        if (made !== asked.result) reports.put(made, at);
      } catch (error) { refused = error; transaction.abort(); }
    };
    transaction.oncomplete = () => done(made);
    transaction.onabort = () => failed(refused || transaction.error);
  }).finally(() => base.close())) };
}

// Can the browser keep something? If not, the page does, for as long as it is open.
async function lasting() {
  const store = device();
  try {
    await store.change("probe", () => "0".repeat(4096));
    await store.change("probe", () => undefined);
    return { store, keeps: true };
  } catch (refused) {
    const entries = new Map();
    const change = async (at, make) => entries.set(at, make(entries.get(at))).get(at);
    return { store: { change }, keeps: false };
  }
}

// Is it what once() keeps? That is permanent answers to all levels; or an identifier and, for each
// question, a label, a number or a list of them.
function whole(client, kept) {
  const isValue = value => typeof value === "string" ? value !== "" : Number.isFinite(value);
  const isReport = value => value === null || isValue(value) ||
    (typeof value === "object" && Object.keys(value).length && Object.values(value).every(isValue));
  const isAnswer = function (plan, mine, truth) {
    const { cohort, answer } = permanent(plan.first, truth, null, { get: entry => mine[entry] });
    const k = plan.second.k;
    if (cohort !== undefined && !has(plan.first.places, cohort)) return false;
    return plan.second.kind === "again" ?
      /^[0-9a-f]+$/.test(answer) && answer.length === 2 * Math.ceil(k / 8) :
      /^[0-9]+$/.test(answer) && Number(answer) < k;
  };
  try {
    if (isPermanent(client)) return questions(client).every(q =>
      q.plan.levels.every((level, x) => isAnswer(q.plan, kept.permanent[q.name || ""], x)));
    const names = client.sample ? ["question", "report"] : questions(client).map(q => q.name);
    const reports = names.map(name => client.questions ? kept.report[name] : kept.report);
    return /^[0-9a-f]{32}$/.test(kept.id) && reports.every(isReport);
  } catch (broken) { return false; }
}

// { id, report, before }: the same for ever, whatever is answered then, since a second draw would
// tell more. `id` is a random number of the report, by which two copies of it are known. Of
// permanent answers each report is a new one, and they alone are kept: a report beside them would
// help to guess.
async function once(key, client, answer, options = {}) {
  const renewed = isPermanent(client);
  let before = false, drawn;
  const kept = await (options.store || device()).change(place(key, client), function (old) {
    const known = whole(client, old);
    before = known && !renewed;
    if (before) return old;
    const all = known ? old.permanent : {};
    const of = function (name) {
      const mine = all[name] || (all[name] = {});
      return { get: entry => mine[entry], set: (entry, value) => { mine[entry] = value; } };
    };
    const words = systemWords(), digits = () => words().toString(16).padStart(8, "0");
    const memory = client.questions ? { of } : of("");
    drawn = {
      id: [1, 2, 3, 4].map(digits).join(""),
      report: report(client, answer, { decline: options.decline, memory })
    };
    return renewed ? { permanent: all } : drawn;
  });
  return Object.assign({ sent: false }, before ? kept : drawn, { before });
}

// What once() has kept, or undefined where it would draw.
async function kept(key, client, options = {}) {
  const old = await (options.store || device()).change(place(key, client), same => same);
  return whole(client, old) && !isPermanent(client) ? old : undefined;
}

const any = m => below(m, systemWords());
return { report, once, kept, fields, any, place, lasting, whole, isPermanent, plan: null };
})();
if (typeof module === "object" && module.exports) module.exports = candorClient;
