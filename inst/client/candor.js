/* candor client, version 1: turns a true answer into a report, on the respondent's own device. Its plan is described on
 * the page ?clients of the R package candor. Randomness: crypto.getRandomValues(). There is no other source. */
(function (make) {
  if (typeof module === "object" && module.exports) module.exports = make();
  else globalThis.candorClient = make();
})(function () {
"use strict";

function fail(what) { throw new Error("candor: " + what); }
function has(object, name) { return Object.prototype.hasOwnProperty.call(object, name); }

// Words of 32 bits from the operating system.
function systemWords() {
  const source = globalThis.crypto;
  if (!source || !source.getRandomValues) fail("this device has no secure random numbers; nothing was sent");
  const buffer = new Uint32Array(64);
  let next = buffer.length;
  return function () {
    if (next === buffer.length) { source.getRandomValues(buffer); next = 0; }
    const word = buffer[next];
    buffer[next++] = 0;
    return word;
  };
}

// A probability as two words: 16 hexadecimal digits in units of 2^-64, or "1".
function grid(text) {
  if (text === "1") return [4294967296, 0];
  if (typeof text !== "string" || !/^[0-9a-f]{16}$/.test(text)) fail("a probability must have 16 hexadecimal digits");
  return [parseInt(text.slice(0, 8), 16), parseInt(text.slice(8), 16)];
}
function less(high, low, p) { return high < p[0] || (high === p[0] && low < p[1]); }

// True with probability p. Two words are always drawn: the time does not tell the answer.
function chance(p, words) { const high = words(), low = words(); return less(high, low, p); }
function told(plan, words) { return chance(grid(plan.chance), words); }

// Uniform on 0, ..., m - 1: words from the largest multiple of m on are left out.
function below(m, words) {
  const limit = 4294967296 - 4294967296 % m;
  let word;
  do word = words(); while (word >= limit);
  return word % m;
}

// `size` of the numbers 0, ..., k - 1 without `out` (-1: all).
function sample(k, size, out, words) {
  const left = [];
  for (let v = 0; v < k; v++) if (v !== out) left.push(v);
  for (let i = 0; i < size; i++) {
    const j = i + below(left.length - i, words), moved = left[i];
    left[i] = left[j];
    left[j] = moved;
  }
  return left.slice(0, size);
}

// Bits as hexadecimal text, the lowest bit of the first byte first; and back.
function hex(bits) {
  let text = "";
  for (let from = 0; from < bits.length; from += 8) {
    let byte = 0;
    for (let b = 0; b < 8 && from + b < bits.length; b++) byte += bits[from + b] << b;
    text += (byte < 16 ? "0" : "") + byte.toString(16);
  }
  return text;
}
function bit(text, v) { return (parseInt(text.substr(2 * (v >> 3), 2), 16) >> (v & 7)) & 1; }

// k bits, each 1 with probability `own` where set(v) holds, and with `other` elsewhere.
function flips(plan, k, set, words) {
  const own = grid(plan.own), other = grid(plan.other), bits = [];
  for (let v = 0; v < k; v++) bits.push(chance(set(v) ? own : other, words) ? 1 : 0);
  return bits;
}

// a z + b modulo the prime, all below it and it below 2^31, without numbers above 2^53.
function affine(a, z, b, prime) {
  const high = Math.floor(a / 65536), low = a % 65536;
  return ((high * z % prime) * 65536 + low * z + b) % prime;
}
function hashed(plan, truth, slope, shift) {
  return Math.floor(affine(slope, plan.codes[truth], shift, plan.prime) * plan.g / plan.prime);
}

// Is the number of ones in the binary digits of x odd?
function odd(x) { let ones = 0; for (; x > 0; x &= x - 1) ones ^= 1; return ones === 1; }

const draw = {
  // The truth with probability `chance` (told), else any level.
  all(plan, truth, words) { return told(plan, words) ? truth : below(plan.k, words); },
  // The same, else any other level.
  others(plan, truth, words) {
    if (told(plan, words)) return truth;
    const value = below(plan.k - 1, words);
    return value + (value >= truth ? 1 : 0);
  },
  // Row x: cumulated probabilities of all reports but the last.
  rows(plan, truth, words) {
    const high = words(), low = words();
    let report = 0;
    for (const cut of plan.cuts[truth]) if (!less(high, low, grid(cut))) report++;
    return report;
  },
  // Independent bits, one for each level.
  bits(plan, truth, words) { return hex(flips(plan, plan.k, v => v === truth, words)); },
  // The bits of a text of bits, each drawn once more.
  again(plan, text, words) { return hex(flips(plan, plan.k, v => bit(text, v), words)); },
  // `size` levels, numbered from 1.
  subset(plan, truth, words) {
    const own = told(plan, words);
    const set = own ? sample(plan.k, plan.size - 1, truth, words).concat(truth) : sample(plan.k, plan.size, -1, words);
    return set.sort((a, b) => a - b).map(v => v + 1);
  },
  // A hash function of one's own or that of a cohort, and a value from 1 to g.
  hash(plan, truth, words) {
    const cohort = plan.slopes && below(plan.slopes.length, words);
    const slope = plan.slopes ? plan.slopes[cohort] : 1 + below(plan.prime - 1, words);
    const shift = plan.slopes ? plan.shifts[cohort] : below(plan.prime, words);
    const own = hashed(plan, truth, slope, shift);
    const value = 1 + (told(plan, words) ? own : below(plan.g, words));
    return plan.slopes ? { cohort: cohort + 1, value } : { slope, shift, value };
  },
  // A column of the truth's block on which its row is +1, or any number.
  hadamard(plan, truth, words) {
    const own = told(plan, words), any = below(plan.blocks * plan.size, words);
    const row = Math.floor(truth / plan.blocks) + 1, column = any & (plan.size - 1);
    return own ? truth % plan.blocks * plan.size + (odd(row & column) ? column ^ (row & -row) : column) : any;
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
    return flips(plan, plan.size, v => places[v] === bucket, words).map((one, v) => (one ? 1 : -1) * (places[v] + 1));
  },
  // A Bloom filter: the bits of the truth's places in a cohort are set.
  bloom(plan, truth, words, cohort) {
    if (cohort === undefined) cohort = below(plan.cohorts, words);
    const set = plan.places[cohort][truth];
    return { cohort: cohort + 1, bits: hex(flips(plan, plan.k, v => set.includes(v), words)) };
  },
  // A permanent answer, drawn by `first` once and kept; `second` draws from it each time.
  memoised(plan, truth, words, memory) {
    if (!memory) fail("this plan needs a memory");
    const first = plan.first, second = plan.second;
    const keep = function (key, make) {
      let kept = memory.get(key);
      if (kept === null || kept === undefined) memory.set(key, kept = String(make()));
      return kept;
    };
    if (first.kind === "hash") {
      const [slope, shift] = keep("function", () =>
        1 + below(first.prime - 1, words) + " " + below(first.prime, words)).split(" ").map(Number);
      const own = hashed(first, truth, slope, shift);
      const kept = keep(String(own), () => told(first, words) ? own : below(first.g, words));
      return { slope, shift, value: 1 + draw[second.kind](second, Number(kept), words) };
    }
    if (first.kind === "bloom") {
      const cohort = Number(keep("cohort", () => below(first.cohorts, words)));
      const kept = keep(String(truth), () => draw.bloom(first, truth, words, cohort).bits);
      return { cohort: cohort + 1, bits: draw.again(second, kept, words) };
    }
    const kept = keep(String(truth), () => draw[first.kind](first, truth, words));
    return draw[second.kind](second, second.kind === "again" ? kept : Number(kept), words);
  }
};

// The position of an answer among the levels; of a number, that of its bin.
function position(plan, answer, name) {
  const bins = typeof answer === "number" && plan.breaks;
  const last = bins && answer === bins[bins.length - 1] ? 1 : 0;
  const at = bins ? bins.filter(b => b <= answer).length - 1 - last : plan.levels.indexOf(String(answer));
  if (!(at >= 0 && at < plan.levels.length)) fail("the answer" + name + " is not one of the levels");
  if (!has(draw, plan.kind)) fail("unknown plan " + plan.kind);
  return at;
}

function question(plan, truth, words, memory) {
  const drawn = draw[plan.kind](plan, truth, words, plan.kind === "memoised" ? memory : undefined);
  return typeof drawn === "number" && plan.reports.length ? plan.reports[drawn] : drawn;
}

// Of several questions `answer` is an object. All answers are looked up before the first draw.
function report(client, answer, options = {}) {
  if (client.format !== "candor client" || client.version !== 1) fail("not a plan of this version");
  const words = options.words || systemWords(), memory = options.memory;
  if (!client.questions) return question(client.plan, position(client.plan, answer, ""), words, memory);
  const truths = client.questions.map(function (q) {
    if (!has(answer, q.name)) fail("no answer to " + q.name);
    return position(q.plan, answer[q.name], " to " + q.name);
  });
  const out = {};
  client.questions.forEach(function (q, i) {
    out[q.name] = question(q.plan, truths[i], words, memory && memory.of ? memory.of(q.name) : memory);
  });
  return out;
}

// The same report for ever, whatever is answered then: a second draw would tell more.
function once(key, client, answer, options = {}) {
  const store = options.store || localStorage, kept = store.getItem(key);
  if (kept !== null) return JSON.parse(kept);
  const drawn = report(client, answer, options);
  store.setItem(key, JSON.stringify(drawn));
  return drawn;
}

return { report, once, plan: null };
});
