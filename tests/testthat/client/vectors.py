"""python3 vectors.py <folder of the client> <file of vectors>: prints how many cases passed, and those that did not."""
import json
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import candor

result = {"passed": 0, "failed": []}
for i, case in enumerate(json.load(open(sys.argv[2], encoding="utf-8"))["cases"]):
    words, used = iter(case["input"]["words"]), []
    memory = dict(case["input"]["memory"]) if "memory" in case["input"] else None

    def word():
        used.append(next(words))
        return used[-1]

    report = candor.report(case["input"]["client"], case["input"]["answer"], word, memory)
    expected = case["expected"]
    if report == expected["report"] and len(used) == expected["words_used"] and memory == expected.get("memory"):
        result["passed"] += 1
    else:
        result["failed"].append({"case": i, "report": report, "used": len(used)})
print(json.dumps(result))
