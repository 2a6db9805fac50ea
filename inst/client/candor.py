"""candor client, version 1: turns a true answer into a report, on the respondent's own device.

A plan (JSON, made by the R package candor; its page ?clients says what is in it) has probabilities as whole numbers of
2^-64. Randomness is that of the module secrets, that is of the operating system. There is no other source.

    client = Client(PLAN)
    client.report("yes")                      # a report, drawn anew
    client.once("drugs-2026", "yes", store)   # the same report for ever; store: a dict that the device keeps
    client.report("yes", memory=kept)         # permanent answers; kept: a dict (of several questions: of dicts)
"""
import json
import secrets
import struct

PLAN = None


class Words:
    """Words of 32 bits from the operating system, or those of a function: for tests."""

    def __init__(self, words=None):
        self.left = []
        self.own = words is not None
        self.next = words if self.own else self.system

    def system(self):
        if not self.left:
            self.left = list(struct.unpack("8I", secrets.token_bytes(32)))
        return self.left.pop()

    def chance(self, p):
        """True with probability p, in units of 2^-64. Two words are always drawn."""
        high = self.next()
        return (high << 32 | self.next()) < p

    def below(self, m):
        """Uniform on 0, ..., m - 1: words from the largest multiple of m on are left out."""
        limit = 2**32 - 2**32 % m
        word = self.next()
        while word >= limit:
            word = self.next()
        return word % m

    def flips(self, chances):
        if self.own:
            return [int(self.chance(p)) for p in chances]
        k = len(chances)
        drawn = struct.unpack("%dQ" % k, secrets.token_bytes(8 * k))
        return [int(u < p) for u, p in zip(drawn, chances)]

    def sample(self, k, size, out=-1):
        """`size` of the numbers 0, ..., k - 1 without `out`."""
        left = [v for v in range(k) if v != out]
        for i in range(size):
            j = i + self.below(len(left) - i)
            left[i], left[j] = left[j], left[i]
        return left[:size]


def grid(text):
    """A probability: 16 hexadecimal digits in units of 2^-64, or "1"."""
    if text == "1":
        return 1 << 64
    if not isinstance(text, str) or len(text) != 16 or set(text) - set("0123456789abcdef"):
        raise ValueError("candor: a probability must have 16 hexadecimal digits")
    return int(text, 16)


def pack(bits):
    """Hexadecimal text, the lowest bit of the first byte first."""
    number = int("".join(map(str, reversed(bits))), 2)
    return number.to_bytes((len(bits) + 7) // 8, "little").hex()


def unpack(text, k):
    number = int.from_bytes(bytes.fromhex(text), "little")
    return [number >> v & 1 for v in range(k)]


def odd(x):
    return bin(x).count("1") % 2 == 1


class Question:
    def __init__(self, plan):
        self.plan = plan
        self.draw = getattr(self, "draw_" + str(plan["kind"]), None)
        if self.draw is None:
            raise ValueError("candor: unknown plan %s" % plan["kind"])
        self.place = {level: x for x, level in enumerate(plan.get("levels", []))}
        for name in ("chance", "own", "other", "flip"):
            if name in plan:
                setattr(self, name, grid(plan[name]))
        if "cuts" in plan:
            self.cuts = [[grid(cut) for cut in row] for row in plan["cuts"]]
        if plan["kind"] == "memoised":
            self.first, self.second = Question(plan["first"]), Question(plan["second"])

    def position(self, answer):
        breaks = self.plan.get("breaks")
        if breaks and isinstance(answer, (int, float)) and breaks[0] <= answer <= breaks[-1]:
            return min(sum(b <= answer for b in breaks), len(breaks) - 1) - 1
        if str(answer) not in self.place:
            raise ValueError("candor: the answer is not one of the levels")
        return self.place[str(answer)]

    def report(self, truth, words, memory):
        kept = (memory,) if self.plan["kind"] == "memoised" else ()
        drawn = self.draw(truth, words, *kept)
        return self.plan["reports"][drawn] if isinstance(drawn, int) and self.plan["reports"] else drawn

    def draw_all(self, truth, words):
        return truth if words.chance(self.chance) else words.below(self.plan["k"])

    def draw_others(self, truth, words):
        if words.chance(self.chance):
            return truth
        value = words.below(self.plan["k"] - 1)
        return value + (value >= truth)

    def draw_rows(self, truth, words):
        high = words.next()
        number = high << 32 | words.next()
        return sum(number >= cut for cut in self.cuts[truth])

    def draw_bits(self, truth, words):
        chances = [self.other] * self.plan["k"]
        chances[truth] = self.own
        return pack(words.flips(chances))

    def draw_again(self, text, words):
        return pack(words.flips([self.own if one else self.other for one in unpack(text, self.plan["k"])]))

    def draw_subset(self, truth, words):
        k, size = self.plan["k"], self.plan["size"]
        chosen = words.sample(k, size - 1, truth) + [truth] if words.chance(self.chance) else words.sample(k, size)
        return sorted(v + 1 for v in chosen)

    def hashed(self, truth, slope, shift):
        plan = self.plan
        return (slope * plan["codes"][truth] + shift) % plan["prime"] * plan["g"] // plan["prime"]

    def draw_hash(self, truth, words):
        plan = self.plan
        if "slopes" in plan:
            cohort = words.below(len(plan["slopes"]))
            report, slope, shift = {"cohort": cohort + 1}, plan["slopes"][cohort], plan["shifts"][cohort]
        else:
            slope, shift = 1 + words.below(plan["prime"] - 1), words.below(plan["prime"])
            report = {"slope": slope, "shift": shift}
        own = self.hashed(truth, slope, shift)
        report["value"] = 1 + (own if words.chance(self.chance) else words.below(plan["g"]))
        return report

    def draw_hadamard(self, truth, words):
        blocks, size = self.plan["blocks"], self.plan["size"]
        told, number = words.chance(self.chance), words.below(blocks * size)
        row, column = truth // blocks + 1, number % size
        return truth % blocks * size + (column ^ (row & -row) if odd(row & column) else column) if told else number

    def draw_sign(self, truth, words):
        index = words.below(self.plan["size"])
        return {"index": index, "sign": 1 if odd(truth & index) == words.chance(self.flip) else -1}

    def draw_flipped(self, truth, words):
        k = self.plan["k"]
        bucket, places = truth * k // len(self.plan["levels"]), sorted(words.sample(k, self.plan["size"]))
        bits = words.flips([self.own if place == bucket else self.other for place in places])
        return [place + 1 if one else -place - 1 for place, one in zip(places, bits)]

    def draw_bloom(self, truth, words, cohort=None):
        if cohort is None:
            cohort = words.below(self.plan["cohorts"])
        chances = [self.other] * self.plan["k"]
        for place in self.plan["places"][cohort][truth]:
            chances[place] = self.own
        return {"cohort": cohort + 1, "bits": pack(words.flips(chances))}

    def draw_memoised(self, truth, words, memory):
        if memory is None:
            raise ValueError("candor: this plan needs a memory")
        first, kind = self.first, self.first.plan["kind"]

        def keep(key, make):
            if key not in memory:
                memory[key] = make()
            return memory[key]

        if kind == "hash":
            prime = first.plan["prime"]
            function = keep("function", lambda: "%d %d" % (1 + words.below(prime - 1), words.below(prime)))
            slope, shift = map(int, function.split())
            own = first.hashed(truth, slope, shift)
            kept = keep(str(own), lambda: own if words.chance(first.chance) else words.below(first.plan["g"]))
            return {"slope": slope, "shift": shift, "value": 1 + self.second.draw(int(kept), words)}
        if kind == "bloom":
            cohort = int(keep("cohort", lambda: words.below(first.plan["cohorts"])))
            kept = keep(str(truth), lambda: first.draw(truth, words, cohort)["bits"])
            return {"cohort": cohort + 1, "bits": self.second.draw(kept, words)}
        kept = keep(str(truth), lambda: first.draw(truth, words))
        return self.second.draw(kept if self.second.plan["kind"] == "again" else int(kept), words)


class Client:
    def __init__(self, plan):
        plan = json.loads(plan) if isinstance(plan, str) else plan
        if plan.get("format") != "candor client" or plan.get("version") != 1:
            raise ValueError("candor: not a plan of this version")
        self.one = None if "questions" in plan else Question(plan["plan"])
        self.questions = {q["name"]: Question(q["plan"]) for q in plan.get("questions", [])}

    def report(self, answer, words=None, memory=None):
        source = Words(words)
        if self.one:
            return self.one.report(self.one.position(answer), source, memory)
        # All answers are looked up before the first draw.
        truths = {name: question.position(answer[name]) for name, question in self.questions.items()}
        return {name: question.report(truths[name], source, None if memory is None else memory.setdefault(name, {}))
                for name, question in self.questions.items()}

    def once(self, key, answer, store, memory=None):
        """The same report for ever, whatever is answered then."""
        if key not in store:
            store[key] = json.dumps(self.report(answer, memory=memory))
        return json.loads(store[key])


def report(plan, answer, words=None, memory=None):
    return Client(plan).report(answer, words, memory)
