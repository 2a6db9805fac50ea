"""candor client, version 1: turns a true answer into a report, on the respondent's own device.

A plan (JSON, made by the R package candor; its page ?clients says what is in it) has probabilities
as whole numbers of 2^-64. Randomness is that of the module secrets, that is of the operating
system. There is no other source.

    client = Client(PLAN)
    client.report("yes")                      # a report, drawn anew
    client.once("drugs-2026", "yes", store)   # {"id", "report"}, for ever the same
    client.report("yes", memory=kept)         # permanent answers

`store` and `kept` are dicts that the device keeps.
"""
import hashlib
import json
import secrets
import struct

PLAN = None


def secure_numbers(count):
    """Random numbers of 64 bits. A generator that repeats itself is refused."""
    numbers = struct.unpack("%dQ" % count, secrets.token_bytes(8 * count))
    if len(set(numbers)) < count:
        raise RuntimeError("candor: this device has no secure random numbers; nothing was sent")
    return numbers


class Words:
    """Words of 32 bits from the operating system, or those of a function: for tests."""

    def __init__(self, words=None):
        self.own, self.left = words, []

    def number(self):
        """Uniform on 0, ..., 2^64 - 1: two words."""
        if self.own:
            return self.own() << 32 | self.own()
        if not self.left:
            self.left = list(secure_numbers(6))
        return self.left.pop()

    def chance(self, p):
        """True with probability p, in units of 2^-64. Two words are always drawn."""
        return self.number() < p

    def below(self, m):
        """Uniform on 0, ..., m - 1: words from the largest multiple of m on are left out."""
        word = limit = 2**32 - 2**32 % m
        while word >= limit:
            word = self.own() if self.own else self.number() >> 32
        return word % m

    def lie(self, own, make):
        """What a lie needs, drawn for a truth too: the time does not tell them apart.

        Given words are not spent so.
        """
        return None if own and self.own else make()

    def flips(self, chances):
        if self.own:
            return [self.chance(p) for p in chances]
        # Four numbers show that a generator repeats itself, fewer may not.
        return [u < p for u, p in zip(secure_numbers(max(len(chances), 4)), chances)]

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
    number = sum(one << v for v, one in enumerate(bits))
    return number.to_bytes((len(bits) + 7) // 8, "little").hex()


def unpack(text, k):
    number = int.from_bytes(bytes.fromhex(text), "little")
    return [number >> v & 1 for v in range(k)]


def odd(x):
    return bin(x).count("1") % 2 == 1


def text(report):
    """A report as one text, as rr_tally() reads it: numbers with spaces between them."""
    if isinstance(report, dict):
        report = list(report.values())
    if isinstance(report, list):
        return " ".join(map(str, report))
    return report if report is None else str(report)


def without_labels(members):
    labels = ("levels", "reports", "mechanism")
    return {name: value for name, value in members.items() if name not in labels}


class Question:
    def __init__(self, plan):
        self.plan = plan
        self.draw = getattr(self, "draw_" + str(plan["kind"]), None)
        if self.draw is None:
            raise ValueError("candor: unknown plan %s" % plan["kind"])
        self.place = {level: x for x, level in enumerate(plan.get("levels", []))}
        for name in ("chance", "own", "other", "flip", "coarse_share", "lie"):
            if name in plan:
                setattr(self, name, grid(plan[name]))
        self.cuts = [[grid(cut) for cut in row] for row in plan.get("cuts", [])]
        self.is_memoised = plan["kind"] == "memoised"
        if self.is_memoised:
            self.first, self.second = Question(plan["first"]), Question(plan["second"])

    def position(self, answer):
        low, high, breaks = map(self.plan.get, ("low", "high", "breaks"))
        is_number = isinstance(answer, (int, float)) and not isinstance(answer, bool)
        if high is not None:
            if not is_number or not low <= answer <= high:
                raise ValueError("candor: the answer is out of range")
            if answer != round(answer, self.plan.get("decimals", 400)):
                raise ValueError("candor: the answer has too many decimals")
            return answer
        if breaks and is_number and breaks[0] <= answer <= breaks[-1]:
            return min(sum(b <= answer for b in breaks), len(breaks) - 1) - 1
        if str(answer) not in self.place:
            raise ValueError("candor: the answer is not one of the levels")
        return self.place[str(answer)]

    def report(self, truth, words, memory):
        if truth is None:
            return None
        kept = (memory,) if self.is_memoised else ()
        drawn = self.draw(truth, words, *kept)
        has_label = isinstance(drawn, int) and self.plan["reports"]
        return self.plan["reports"][drawn] if has_label else drawn

    def draw_all(self, truth, words):
        return self.told_or(truth, self.plan["k"], words)

    def draw_others(self, truth, words):
        value = self.told_or(-1, self.plan["k"] - 1, words)
        return truth if value < 0 else value + (value >= truth)

    def draw_rows(self, truth, words):
        number = words.number()
        return sum(number >= cut for cut in self.cuts[truth])

    def draw_bits(self, truth, words):
        chances = [self.other] * self.plan["k"]
        chances[truth] = self.own
        return pack(words.flips(chances))

    def draw_again(self, text, words):
        bits = unpack(text, self.plan["k"])
        return pack(words.flips([self.own if one else self.other for one in bits]))

    def draw_subset(self, truth, words):
        k, size, own = self.plan["k"], self.plan["size"], words.chance(self.chance)
        any_set = words.lie(own, lambda: words.sample(k, size))
        own_set = words.lie(not own, lambda: words.sample(k, size - 1, truth) + [truth])
        return sorted(v + 1 for v in (own_set if own else any_set))

    def hashed(self, truth, slope, shift):
        plan = self.plan
        return (slope * plan["codes"][truth] + shift) % plan["prime"] * plan["g"] // plan["prime"]

    def told_or(self, truth, m, words):
        own = words.chance(self.chance)
        value = words.lie(own, lambda: words.below(m))
        return truth if own else value

    def function(self, words):
        prime = self.plan["prime"]
        return 1 + words.below(prime - 1), words.below(prime)

    def draw_hash(self, truth, words):
        plan = self.plan
        if "slopes" in plan:
            cohort = words.below(len(plan["slopes"]))
            function = plan["slopes"][cohort], plan["shifts"][cohort]
            report = {"cohort": cohort + 1}
        else:
            function = self.function(words)
            report = {"slope": function[0], "shift": function[1]}
        report["value"] = 1 + self.told_or(self.hashed(truth, *function), plan["g"], words)
        return report

    def draw_hadamard(self, truth, words):
        blocks, size, told = self.plan["blocks"], self.plan["size"], words.chance(self.chance)
        number = words.below(blocks * size)
        row, column = truth // blocks + 1, number % size
        if odd(row & column):
            column ^= row & -row
        return truth % blocks * size + column if told else number

    def draw_sign(self, truth, words):
        index = words.below(self.plan["size"])
        return {"index": index, "sign": 1 if odd(truth & index) == words.chance(self.flip) else -1}

    def draw_flipped(self, truth, words):
        k = self.plan["k"]
        bucket = truth * k // len(self.plan["levels"])
        places = sorted(words.sample(k, self.plan["size"]))
        bits = words.flips([self.own if place == bucket else self.other for place in places])
        return [place + 1 if one else -place - 1 for place, one in zip(places, bits)]

    def draw_bloom(self, truth, words, cohort=None):
        if cohort is None:
            cohort = words.below(self.plan["cohorts"])
        chances = [self.other] * self.plan["k"]
        for place in self.plan["places"][cohort][truth]:
            chances[place] = self.own
        return {"cohort": cohort + 1, "bits": pack(words.flips(chances))}

    def draw_number(self, answer, words):
        plan = self.plan
        part = plan["coarse" if words.chance(self.coarse_share) else "fine"]
        place = (answer - plan["low"]) / (plan["high"] - plan["low"]) * part["steps"]
        up = words.number() / 2.0**64 < place % 1
        near = not words.chance(grid(part["other"]))
        own = min(int(place) + up, part["steps"]) + words.below(part["window"])
        other = words.lie(near, lambda: words.below(part["steps"] + part["window"]))
        return part["start"] + part["step"] * (own if near else other)

    def draw_cards(self, answer, words):
        def card(cards):
            return cards["values"][Question(dict(cards, kind="rows")).draw_rows(0, words)]

        plan = self.plan
        w, u, lied = card(plan["multiply"]), card(plan["add"]), words.chance(self.lie)
        made = w * (answer + u) if plan["inside"] else w * answer + u
        return float(round(made if lied else answer, plan["digits"]))

    def permanent(self, truth, words, memory):
        """The hash function or cohort, and the permanent answer, drawn once and kept."""
        def keep(key, make):
            if key not in memory:
                memory[key] = make()
            return memory[key]

        if self.plan["kind"] == "hash":
            function = keep("function", lambda: "%d %d" % self.function(words))
            slope, shift = map(int, function.split())
            own = self.hashed(truth, slope, shift)
            answer = keep(str(own), lambda: self.told_or(own, self.plan["g"], words))
            return {"slope": slope, "shift": shift}, answer
        if self.plan["kind"] == "bloom":
            cohort = int(keep("cohort", lambda: words.below(self.plan["cohorts"])))
            answer = keep(str(truth), lambda: self.draw(truth, words, cohort)["bits"])
            return {"cohort": cohort + 1}, answer
        return {}, keep(str(truth), lambda: self.draw(truth, words))

    def draw_memoised(self, truth, words, memory):
        if memory is None:
            raise ValueError("candor: this plan needs a memory")
        public, kept = self.first.permanent(truth, words, memory)
        drawn = self.second.draw(kept if self.second.plan["kind"] == "again" else int(kept), words)
        if self.first.plan["kind"] == "hash":
            return dict(public, value=1 + drawn)
        return dict(public, bits=drawn) if public else drawn


class Client:
    def __init__(self, plan):
        plan = json.loads(plan) if isinstance(plan, str) else plan
        if plan.get("format") != "candor client" or plan.get("version") != 1:
            raise ValueError("candor: not a plan of this version")
        secure_numbers(64)  # Each draw looks at fewer: it does not see a longer cycle.
        self.plan, self.single, self.sample = plan, "plan" in plan, plan.get("sample")
        asked = plan.get("questions", [dict(plan, name=None)])
        self.questions = {q["name"]: Question(q["plan"]) for q in asked}

    def report(self, answer, words=None, memory=None, decline=False):
        """A report, drawn anew. With `decline` None is an answer, reported as it is."""
        source, answers = Words(words), {None: answer} if self.single else answer
        asked = [name for name in self.questions if not self.sample or name in answers]
        if self.sample and len(asked) not in (1, len(self.questions)):
            raise ValueError("candor: answer one question, or all")
        # All answers are looked up before the first draw.
        truths = {
            name: self.questions[name].position(answers[name])
            for name in asked if not decline or answers[name] is not None
        }
        kept = {
            name: memory if memory is None or self.single else memory.setdefault(name, {})
            for name in asked
        }
        # Permanent answers to all levels, before an answer is used: what is kept does not tell it,
        # nor when.
        if memory is not None and not source.own:
            for name in asked:
                question = self.questions[name]
                for truth in question.place.values() if question.is_memoised else ():
                    question.first.permanent(truth, source, kept[name])
        if self.sample:
            asked = [asked[source.below(len(asked))]]
        drawn = {
            name: self.questions[name].report(truths.get(name), source, kept[name])
            for name in asked
        }
        if self.sample:
            return {"question": asked[0], "report": text(drawn[asked[0]])}
        return drawn[None] if self.single else drawn

    def once(self, key, answer, store, decline=False):
        """{"id", "report"}: the same for ever, whatever is answered then; `id` is a random number.

        Of permanent answers each report is a new one, and they alone are kept in `store`.
        """
        # Another language of one law has the same place.
        law = json.loads(json.dumps(self.plan), object_hook=without_labels)
        text = json.dumps(law, sort_keys=True)
        place = key + " " + hashlib.sha256(text.encode()).hexdigest()[:8]
        old = json.loads(store.get(place, "{}"))
        renewed = all(question.is_memoised for question in self.questions.values())
        if old and not renewed:
            return old
        memory = old.get("permanent", {})
        report = self.report(answer, memory=memory, decline=decline)
        made = {"id": secrets.token_hex(16), "report": report}
        store[place] = json.dumps({"permanent": memory} if renewed else made)
        return made


def report(plan, answer, words=None, memory=None):
    return Client(plan).report(answer, words, memory)
