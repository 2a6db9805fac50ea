"""mutate-core.py <root> <folder> <n> <seed> [pattern]: n random mutants of src/core (of files whose path matches the pattern).

A mutant is one function of the core with one change: a sign, a number, a condition, an argument or a statement. Constants
outside functions and numbers with an exponent, which are tolerances, stay as they are. A mutant is judged by the unit tests
that link its objects, the fastest first, then by the fuzz corpora and these tests under the sanitizers, but for tests that
then take more than LIMIT seconds (what a mutant computes they have seen before). It is noticed if
one of them fails, crashes, or takes much longer than without the change. If all pass, and the object code at -O2 is another,
it has survived: its source stays in <folder>/<seed>-<number>/, laid out as in src/core. Prints a line for each mutant with
its file and line, and the survivors again at the end. MUTANT_CPUS (default 2) mutants are judged at once.
"""
import os
import random
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT, FOLDER, N, SEED = Path(sys.argv[1]), Path(sys.argv[2]).resolve(), int(sys.argv[3]), int(sys.argv[4])
LIMIT = 30
PATTERN = sys.argv[5] if len(sys.argv) > 5 else ""
PLAIN = ["gcc", "-std=c99", "-O1", "-Werror=int-conversion", "-Werror=incompatible-pointer-types"]
SANITIZED = PLAIN + ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
OPTIMIZED = ["gcc", "-std=c99", "-O2"]
INCLUDES = ["-Isrc/core", "-Itests/core", "-Itests/fuzz"]
os.chdir(ROOT)
CORE = sorted(Path("src/core").glob("*/*.c"))
UNITS = sorted(Path("tests/core").glob("test_*.c"))
TARGETS = sorted(Path("tests/fuzz").glob("fuzz_*.c"))
REPLAY = Path("tests/fuzz/standalone.c")


def call(command, seconds=600):
    """Its status; 0 means that it held."""
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds).returncode
    except subprocess.TimeoutExpired:
        return "time"


# ---- mutants ---------------------------------------------------------------------------------------------------------

SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+=": "-=", "-=": "+=",
         "*=": "/=", "/=": "*=", "++": "--", "--": "++", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "^": "|", "%": "/",
         "+": "-", "-": "+", "*": "/", "/": "*", "fmin": "fmax", "fmax": "fmin"}
TOKEN = re.compile(r"[A-Za-z_]\w*|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\w*|->|<<=|>>=|[-+*/%&|^=!<>]=|\+\+|--|<<|>>|&&|\|\||\S")
ARGUMENT = r"([\w.>\[\]*+-]+(?: [-+*/] [\w.>\[\]]+)*)"
CALL = re.compile(r"\b(?!if\b|for\b|while\b|switch\b|return\b|sizeof\b)\w+\(" + ARGUMENT + ", " + ARGUMENT + r"(?=[,)])")
CONDITION = re.compile(r"\b(?:if|while) \(")
STATEMENT = re.compile(r"(?<=[;{})]) *\n *((?!return\b|for\b|const\b|else\b|break\b|goto\b)[\w*][^;{}\n]*[^;{}\n=]);")


def blank(text):
    """The text with comments, strings and preprocessor lines as blanks."""
    spaces = lambda match: re.sub(r"[^\n]", " ", match.group())
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|^[ \t]*#(?:\\\n|[^\n])*', spaces, text, flags=re.S | re.M)


def other_number(text):
    """One more, or half; 1 for 0. None for a number that stays."""
    if re.fullmatch(r"\d+[uUlL]*", text):
        digits = re.match(r"\d+", text).group()
        return str(int(digits) + 1) + text[len(digits):]
    if re.fullmatch(r"\d+\.\d+", text):
        return repr(float(text) / 2) if float(text) else "1.0"
    return None


def closing(text, start):
    """Where the parenthesis that opens at `start` closes."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return i


def changes_in(text, first, last):
    """(start, end, new, kind) of each possible mutant of text[first:last], the body of a function."""
    before = ""
    for token in TOKEN.finditer(text, first, last):
        word = token.group()
        is_binary = bool(re.match(r"[\w)\]]", before)) and before not in ("return", "else", "case")
        spaced = text[token.start() - 1] == " " == text[token.end()]
        if word in SWAPS and word[0].isalpha():
            yield *token.span(), SWAPS[word], "sign"
        elif word in SWAPS and (len(word) > 1 or (is_binary and spaced)):
            yield *token.span(), SWAPS[word], "sign"
        elif word == "-" and not is_binary:
            yield *token.span(), "", "sign"
        elif word == "!":
            yield *token.span(), "", "condition"
        elif other_number(word) and before != "goto":
            yield *token.span(), other_number(word), "number"
        before = word
    for match in CONDITION.finditer(text, first, last):
        start, end = match.end() - 1, closing(text, match.end() - 1)
        yield start, end + 1, "(!" + text[start:end + 1] + ")", "condition"
    for match in CALL.finditer(text, first, last):
        if match.group(1) != match.group(2):
            yield match.start(1), match.end(2), match.group(2) + ", " + match.group(1), "argument"
    for match in STATEMENT.finditer(text, first, last):
        if re.search(r"[^=!<>]=[^=]|\+\+|--|^\w+\(", match.group(1)) and not re.match(r"[a-z_0-9]+ \*?\w+( =|\[|,|$)", match.group(1)):
            yield match.start(1), match.end(1), "", "statement"


def mutants():
    for source in sorted(Path("src/core").glob("*/*.[ch]")):
        if re.search(PATTERN, str(source)):
            text = blank(source.read_text())
            for body in re.finditer(r"^\{$.*?^\}$", text, re.S | re.M):
                for change in changes_in(text, body.start(), body.end()):
                    yield (source, *change)


# ---- programs --------------------------------------------------------------------------------------------------------

def object_of(build, source):
    return FOLDER / build / (source.stem + ".o")


def compile_to(flags, source, target, mutant=None):
    includes = ([f"-I{mutant}"] if mutant else []) + INCLUDES
    return call([*flags, *includes, "-c", str(source), "-o", str(target)])


def link(flags, objects, build, program):
    return call([*flags, *map(str, objects), str(FOLDER / build / "core.a"), "-lm", "-o", str(program)])


def own_objects(build, source):
    return [object_of(build, source)] + ([object_of(build, REPLAY)] if source in TARGETS else [])


def arguments(source):
    corpus = Path("tests/fuzz/corpus") / source.stem.replace("fuzz_", "", 1)
    return [str(path) for path in sorted(corpus.glob("*"))] if source in TARGETS else []


def is_older(target, sources):
    return not target.exists() or any(Path(source).stat().st_mtime > target.stat().st_mtime for source in sources)


def build_all(pool):
    """Objects and programs without a change; for each test what it links, includes, and how long it takes. What is newer than
    its sources stays from an earlier run."""
    uses, seconds, includes = {}, {"plain": {}, "sanitized": {}}, {}
    for source in CORE + UNITS + TARGETS + [REPLAY]:
        depends = subprocess.run(["gcc", "-MM", *INCLUDES, str(source)], capture_output=True, text=True, check=True)
        includes[source] = set(depends.stdout.split()[1:]) - {"\\"}
    for build, flags in (("plain", PLAIN), ("sanitized", SANITIZED)):
        (FOLDER / build).mkdir(parents=True, exist_ok=True)
        archive = FOLDER / build / "core.a"

        def compile_new(source):
            target = object_of(build, source)
            return is_older(target, includes[source]) and compile_to(flags, source, target)
        assert not any(pool.map(compile_new, includes)), "the core does not compile"
        if is_older(archive, [object_of(build, source) for source in CORE]):
            archive.unlink(missing_ok=True)
            assert call(["ar", "rcs", str(archive), *[str(object_of(build, source)) for source in CORE]]) == 0

        def time_of(test):
            program, table, clock = [FOLDER / build / (test.stem + end) for end in ("", ".map", ".seconds")]
            if is_older(clock, [archive, *own_objects(build, test)]):
                assert link(flags + [f"-Wl,-Map={table}"], own_objects(build, test), build, program) == 0, test
                started = time.time()
                assert call([str(program), *arguments(test)]) == 0, f"{test} fails without a change"
                clock.write_text(str(time.time() - started))
            uses[test] = set(re.findall(r"core\.a\((\w+)\.o\)", table.read_text()))
            seconds[build][test] = float(clock.read_text())
        list(pool.map(time_of, UNITS if build == "plain" else UNITS + TARGETS))
    del includes[REPLAY]
    return uses, seconds, includes


def judge(number, mutant, uses, seconds, includes):
    """(result, by): "noticed" with the test that failed, "unchanged", "uncalled" or "survived"."""
    source, start, end, new, kind = mutant
    place = FOLDER / f"{SEED}-{number}"
    copy = place / source.relative_to("src/core")
    copy.parent.mkdir(parents=True, exist_ok=True)
    text = source.read_text()
    copy.write_text(text[:start] + new + text[end:])
    changed = [unit for unit in includes if str(source) in includes[unit]]
    path_of = lambda unit: copy if unit == source else unit
    core = [unit for unit in changed if unit in CORE]

    def compiled(flags, unit, name):
        target = place / f"{name}-{unit.stem}.o"
        return target if target.exists() or compile_to(flags, path_of(unit), target, place) == 0 else None

    def is_noticed(build, flags, test):
        objects = [compiled(flags, unit, build) for unit in core + ([test] if test in changed else [])]
        if None in objects:
            return True
        objects += own_objects(build, test)[1 if test in changed else 0:]
        program = place / "program"
        limit = 5 + 5 * seconds[build][test]
        return link(flags, objects, build, program) != 0 or call([str(program), *arguments(test)], limit) != 0

    names = {unit.stem for unit in core}
    tests = [test for test in UNITS + TARGETS if test in changed or names & uses[test]]
    if any(compiled(PLAIN, unit, "plain") is None for unit in core):
        return "uncompiled", ""
    quick = [test for test in UNITS if seconds["sanitized"][test] <= LIMIT]
    for build, flags, subset in (("plain", PLAIN, UNITS), ("sanitized", SANITIZED, TARGETS + quick)):
        for test in sorted(set(tests) & set(subset), key=seconds[build].get):
            if is_noticed(build, flags, test):
                return "noticed", f"{test.stem}{' (sanitized)' if build != 'plain' and test in UNITS else ''}"

    def code(unit, mutant):
        target = place / f"code-{unit.stem}.o"
        return target.read_bytes() if compile_to(OPTIMIZED, path_of(unit) if mutant else unit, target, mutant) == 0 else None
    if all(code(unit, place) == code(unit, None) for unit in changed):
        return "unchanged", ""
    return ("survived" if tests else "uncalled"), ""


def main():
    cpus = int(os.environ.get("MUTANT_CPUS", "2"))
    FOLDER.mkdir(parents=True, exist_ok=True)
    possible = list(mutants())
    random.seed(SEED)
    chosen = random.sample(possible, min(N, len(possible)))
    print(len(possible), "possible mutants", flush=True)
    with ThreadPoolExecutor(cpus) as pool:
        built = build_all(pool)

        def line(number):
            started = time.time()
            result, by = judge(number, chosen[number], *built)
            source, start, end, new, kind = chosen[number]
            text = source.read_text()
            row, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
            old = " ".join(text[start:end].split())
            context = text.splitlines()[row - 1].strip()
            said = f"{result:10} {time.time() - started:4.0f} s  {source}:{row}:{column} [{kind}] {old} -> {' '.join(new.split())}  in: {context}  ({by or number})"
            print(said, flush=True)
            place = FOLDER / f"{SEED}-{number}"
            for path in [*place.glob("*.o"), place / "program"] + ([] if result in ("survived", "uncalled") else list(place.rglob("*.[ch]"))):
                path.unlink(missing_ok=True)
            return result, said
        results = list(pool.map(line, range(len(chosen))))
    print("\n" + "\n".join(said for result, said in results if result in ("survived", "uncalled")))
    counts = [result for result, _ in results]
    print(", ".join(f"{counts.count(name)} {name}" for name in sorted(set(counts))))


main()
