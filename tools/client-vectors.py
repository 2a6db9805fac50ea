"""For tools/client-vectors.R: adds the reports of candor.py, and leaves out the words that they did not take."""
import json
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "inst/client")
import candor

cases = []
for given in json.load(open(sys.argv[1], encoding="utf-8")):
    given["client"].pop("mechanism")  # says again what the plan says
    words, used = iter(given["words"]), []

    def word():
        used.append(next(words))
        return used[-1]

    memory = dict(given["memory"]) if "memory" in given else None
    report = candor.report(given["client"], given["answer"], word, memory)
    given["words"] = given["words"][: len(used)]
    expected = {"report": report, "words_used": len(used)}
    if memory is not None:
        expected["memory"] = memory
    cases.append({"input": given, "expected": expected})
what = "reports that a client makes of given words of 32 bits; see ?clients in the R package candor"
with open(sys.argv[2], "w", encoding="utf-8") as out:
    out.write('{"what": "%s",\n "cases": [\n' % what)
    out.write(",\n".join(json.dumps(case, ensure_ascii=False) for case in cases) + "\n]}\n")
