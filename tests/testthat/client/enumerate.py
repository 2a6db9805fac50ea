"""python3 enumerate.py <folder of the client> <file of an array of plans>: for each plan and each answer the exact chances
of all reports. Decisions of the client are taken in every way they can be, each with its chance."""
import json
import sys
from fractions import Fraction

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import candor


class Way:
    """Takes the decisions that are listed, then the first that is possible; remembers what else was possible."""

    own = True

    def __init__(self, given):
        self.given, self.taken, self.weight, self.options = given, [], Fraction(1), []

    def decide(self, chances):
        at = len(self.taken)
        possible = [i for i, chance in enumerate(chances) if chance]
        choice = self.given[at] if at < len(self.given) else possible[0]
        self.taken.append(choice)
        self.options.append(possible)
        self.weight *= chances[choice]
        return choice

    def chance(self, p):
        return self.decide([1 - Fraction(p, 2**64), Fraction(p, 2**64)]) == 1

    def below(self, m):
        return self.decide([Fraction(1, m)] * m)

    def rows(self, cuts):
        ends = [0] + cuts + [2**64]
        return self.decide([Fraction(b - a, 2**64) for a, b in zip(ends, ends[1:])])

    def flips(self, chances):
        return [int(self.chance(p)) for p in chances]

    sample, lie = candor.Words.sample, candor.Words.lie


candor.Question.draw_rows = lambda self, truth, words: words.rows(self.cuts[truth])

out = []
for plan in json.load(open(sys.argv[2], encoding="utf-8")):
    client = candor.Client(plan)
    out.append([])
    for answer in plan["plan"]["levels"]:
        chances, given = {}, []
        while given is not None:
            way = Way(given)
            candor.Words = lambda words: way
            report = json.dumps(client.report(answer, memory={}))
            chances[report] = chances.get(report, 0) + way.weight
            # The next way: the last decision that can be another one.
            given = None
            for at in reversed(range(len(way.taken))):
                later = [i for i in way.options[at] if i > way.taken[at]]
                if later:
                    given = way.taken[:at] + later[:1]
                    break
        assert sum(chances.values()) == 1
        out[-1].append({report: float(chance) for report, chance in chances.items()})
print(json.dumps(out))
