"""mutate-core.py <root> <folder> <n> <seed> [pattern]: n random mutants of src/core (of files whose path matches the pattern).

A mutant is one function of the core with one change: a sign, a number, a condition, an argument or a statement. Constants
outside functions and numbers with an exponent, which are tolerances, stay as they are. A mutant is judged by the unit tests
that link its objects, the fastest first, then by the fuzz corpora and these tests under the sanitizers, but for tests that
then take more than LIMIT seconds. It is noticed if one of them fails, crashes, or takes much longer than without the
change. If all pass, and the object code at -O2 is another, it has survived: its source stays in <folder>/<seed>-<number>/,
laid out as in src/core. Prints a line for each mutant with its file, line and column, and the survivors again at the end.
MUTANT_CPUS (default 2) mutants are judged at once.
"""
import os
import random
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT, FOLDER = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
N, SEED = int(sys.argv[3]), int(sys.argv[4])
PATTERN = sys.argv[5] if len(sys.argv) > 5 else ""
LIMIT = 30
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
    """The status of a command; 0 if it held."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds)
        return done.returncode
    except subprocess.TimeoutExpired:
        return "time"


# ---- mutants -------------------------------------------------------------------------------------

SWAPS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
    "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "++": "--", "--": "++", "<<": ">>", ">>": "<<",
    "&": "|", "|": "&", "^": "|", "%": "/", "+": "-", "-": "+", "*": "/", "/": "*",
    "fmin": "fmax", "fmax": "fmin",
}
TOKEN = re.compile(
    r"[A-Za-z_]\w*|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\w*"
    r"|->|<<=|>>=|[-+*/%&|^=!<>]=|\+\+|--|<<|>>|&&|\|\||\S")
ARGUMENT = r"([\w.>\[\]*+-]+(?: [-+*/] [\w.>\[\]]+)*)"
CALL = re.compile(
    r"\b(?!if\b|for\b|while\b|switch\b|return\b|sizeof\b)\w+\(" + ARGUMENT + ", " + ARGUMENT + r"(?=[,)])")
CONDITION = re.compile(r"\b(?:if|while) \(")
KEYWORD = r"(?!return\b|for\b|const\b|else\b|break\b|goto\b)"
STATEMENT = re.compile(r"(?<=[;{})]) *\n *(" + KEYWORD + r"[\w*][^;{}\n]*[^;{}\n=]);")
ACTION = re.compile(r"[^=!<>]=[^=]|\+\+|--|^\w+\(")
DECLARATION = re.compile(r"[a-z_0-9]+ \*?\w+( =|\[|,|$)")


def blank(text):
    """The text with comments, strings and preprocessor lines as blanks."""
    hidden = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|^[ \t]*#(?:\\\n|[^\n])*'
    return re.sub(hidden, lambda match: re.sub(r"[^\n]", " ", match.group()), text, flags=re.S | re.M)


def other_number(text):
    """One more, or half; 1 for 0. None for a number that stays."""
    if re.fullmatch(r"\d+[uUlL]*", text):
        digits = re.match(r"\d+", text).group()
        return str(int(digits) + 1) + text[len(digits):]
    if re.fullmatch(r"\d+\.\d+", text):
        return repr(float(text) / 2) if float(text) else "1.0"
    return None


def closing(text, start):
    """The index at which the parenthesis that opens at `start` closes."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return i


def token_changes(text, first, last):
    before = ""
    for token in TOKEN.finditer(text, first, last):
        word = token.group()
        is_binary = re.match(r"[\w)\]]", before) and before not in ("return", "else", "case")
        is_spaced = text[token.start() - 1] == " " == text[token.end()]
        if word in SWAPS and (len(word) > 1 or (is_binary and is_spaced)):
            yield *token.span(), SWAPS[word], "sign"
        elif word == "-" and not is_binary:
            yield *token.span(), "", "sign"
        elif word == "!":
            yield *token.span(), "", "condition"
        elif other_number(word):
            yield *token.span(), other_number(word), "number"
        before = word


def changes(text, first, last):
    """(start, end, new, kind) of each possible mutant of text[first:last], the body of a function."""
    yield from token_changes(text, first, last)
    for match in CONDITION.finditer(text, first, last):
        start = match.end() - 1
        end = closing(text, start) + 1
        yield start, end, "(!" + text[start:end] + ")", "condition"
    for match in CALL.finditer(text, first, last):
        if match.group(1) != match.group(2):
            yield match.start(1), match.end(2), match.group(2) + ", " + match.group(1), "argument"
    for match in STATEMENT.finditer(text, first, last):
        if ACTION.search(match.group(1)) and not DECLARATION.match(match.group(1)):
            yield *match.span(1), "", "statement"


def mutants():
    for source in sorted(Path("src/core").glob("*/*.[ch]")):
        if re.search(PATTERN, str(source)):
            text = blank(source.read_text())
            for body in re.finditer(r"^\{$.*?^\}$", text, re.S | re.M):
                for change in changes(text, body.start(), body.end()):
                    yield (source, *change)


# ---- programs ------------------------------------------------------------------------------------

def object_of(build, source):
    return FOLDER / build / (source.stem + ".o")


def compile_to(flags, source, target, mutant=None):
    includes = ([f"-I{mutant}"] if mutant else []) + INCLUDES
    return call([*flags, *includes, "-c", str(source), "-o", str(target)])


def link(flags, objects, build, program):
    archive = FOLDER / build / "core.a"
    return call([*flags, *map(str, objects), str(archive), "-lm", "-o", str(program)])


def test_objects(build, test):
    return [object_of(build, test)] + ([object_of(build, REPLAY)] if test in TARGETS else [])


def arguments(test):
    corpus = Path("tests/fuzz/corpus") / test.stem.replace("fuzz_", "", 1)
    return [str(path) for path in sorted(corpus.glob("*"))] if test in TARGETS else []


def is_older(target, sources):
    if not target.exists():
        return True
    return any(Path(source).stat().st_mtime > target.stat().st_mtime for source in sources)


def included_by(source):
    rule = subprocess.run(["gcc", "-MM", *INCLUDES, str(source)], capture_output=True, text=True, check=True)
    return set(rule.stdout.split()[1:]) - {"\\"}


def build_all(pool):
    """Objects and programs without a change; for each test the objects that it links, its seconds, and the files that each
    source includes. What is newer than its sources stays from an earlier run."""
    uses, seconds = {}, {"plain": {}, "sanitized": {}}
    includes = {source: included_by(source) for source in CORE + UNITS + TARGETS + [REPLAY]}
    for build, flags in (("plain", PLAIN), ("sanitized", SANITIZED)):
        (FOLDER / build).mkdir(parents=True, exist_ok=True)
        archive, objects = FOLDER / build / "core.a", [object_of(build, source) for source in CORE]

        def compile_new(source):
            target = object_of(build, source)
            return is_older(target, includes[source]) and compile_to(flags, source, target)
        assert not any(pool.map(compile_new, includes)), "the core does not compile"
        if is_older(archive, objects):
            archive.unlink(missing_ok=True)
            assert call(["ar", "rcs", str(archive), *map(str, objects)]) == 0

        def time_of(test):
            program, table, clock = [FOLDER / build / (test.stem + end) for end in ("", ".map", ".seconds")]
            if is_older(clock, [archive, *test_objects(build, test)]):
                linked = link(flags + [f"-Wl,-Map={table}"], test_objects(build, test), build, program)
                assert linked == 0, f"{test} does not link"
                started = time.time()
                assert call([str(program), *arguments(test)]) == 0, f"{test} fails without a change"
                clock.write_text(str(time.time() - started))
            uses[test] = set(re.findall(r"core\.a\((\w+)\.o\)", table.read_text()))
            seconds[build][test] = float(clock.read_text())
        list(pool.map(time_of, UNITS if build == "plain" else UNITS + TARGETS))
    del includes[REPLAY]
    return uses, seconds, includes


def judge(place, mutant, uses, seconds, includes):
    """(result, by): "noticed" with the test that failed, "unchanged", "uncalled", "uncompiled" or "survived"."""
    source, start, end, new, _ = mutant
    copy = place / source.relative_to("src/core")
    copy.parent.mkdir(parents=True, exist_ok=True)
    text = source.read_text()
    copy.write_text(text[:start] + new + text[end:])
    changed = [unit for unit in includes if str(source) in includes[unit]]
    core = [unit for unit in changed if unit in CORE]

    def compiled(flags, unit, name):
        target = place / f"{name}-{unit.stem}.o"
        if target.exists() or compile_to(flags, copy if unit == source else unit, target, place) == 0:
            return target
        return None

    def is_noticed(build, flags, test):
        is_test_changed = test in changed
        objects = [compiled(flags, unit, build) for unit in core + [test] * is_test_changed]
        if None in objects:
            return True
        objects += test_objects(build, test)[is_test_changed:]
        program, limit = place / "program", 5 + 5 * seconds[build][test]
        if link(flags, objects, build, program) != 0:
            return True
        return call([str(program), *arguments(test)], limit) != 0

    def is_unchanged(unit):
        before, after = place / "before.o", place / "after.o"
        compile_to(OPTIMIZED, unit, before)
        compile_to(OPTIMIZED, copy if unit == source else unit, after, place)
        return before.read_bytes() == after.read_bytes()

    if any(compiled(PLAIN, unit, "plain") is None for unit in core):
        return "uncompiled", ""
    stems = {unit.stem for unit in core}
    tests = {test for test in UNITS + TARGETS if test in changed or stems & uses[test]}
    quick = {test for test in UNITS if seconds["sanitized"][test] <= LIMIT}
    rounds = ("plain", PLAIN, tests & set(UNITS)), ("sanitized", SANITIZED, tests & (quick | set(TARGETS)))
    for build, flags, subset in rounds:
        for test in sorted(subset, key=seconds[build].get):
            if is_noticed(build, flags, test):
                return "noticed", f"{test.stem}, {build}"
    if all(is_unchanged(unit) for unit in changed):
        return "unchanged", ""
    return "survived" if tests else "uncalled", ""


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    possible = list(mutants())
    random.seed(SEED)
    chosen = random.sample(possible, min(N, len(possible)))
    print(len(possible), "possible mutants", flush=True)
    with ThreadPoolExecutor(int(os.environ.get("MUTANT_CPUS", "2"))) as pool:
        built = build_all(pool)

        def line_of(number):
            started, place = time.time(), FOLDER / f"{SEED}-{number}"
            shutil.rmtree(place, ignore_errors=True)
            result, by = judge(place, chosen[number], *built)
            source, start, end, new, kind = chosen[number]
            text = source.read_text()
            row, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
            change = f"{' '.join(text[start:end].split())} -> {' '.join(new.split())}"
            line = (f"{result:10} {time.time() - started:4.0f} s  {source}:{row}:{column} [{kind}] {change}"
                    f"  in: {text.splitlines()[row - 1].strip()}  ({by or number})")
            print(line, flush=True)
            if result not in ("survived", "uncalled"):
                shutil.rmtree(place)
            for path in [*place.glob("*.o"), place / "program"]:
                path.unlink(missing_ok=True)
            return result, line
        results = list(pool.map(line_of, range(len(chosen))))
    print("", *[line for result, line in results if result in ("survived", "uncalled")], sep="\n")
    counts = [result for result, _ in results]
    print(", ".join(f"{counts.count(name)} {name}" for name in sorted(set(counts))))


main()
