# shellcheck shell=sh
# shellcheck disable=SC2154  # lib.sh sets build, logs, passed, failed
# Building the C core and what tests it, without R. Sourced after lib.sh.

careful="-Wall -Wextra -Wconversion -Werror"   # tests and fuzz targets
strict="$careful -Wshadow -Wstrict-prototypes -Wmissing-prototypes"   # the core
sanitize="-g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"
core_includes="-Isrc/core -Itests/core -Itests/fuzz"   # and nothing of R's
unset CPATH C_INCLUDE_PATH CFLAGS CPPFLAGS LDFLAGS

ASAN_OPTIONS=detect_stack_use_after_return=1
UBSAN_OPTIONS=print_stacktrace=1
export ASAN_OPTIONS UBSAN_OPTIONS

# build_core <name> <compiler and flags>: compiles src/core into build/core/<name>/core.a. Paths are taken from the top
# of the clone, so that messages show them short. Says nothing unless a file does not compile.
build_core() {
  objects=$build/core/$1; compile=$2
  rm -rf "$objects"; mkdir -p "$objects"
  [ -d src/core ] || return 0
  # shellcheck disable=SC2016 # the inner shell's variables
  printf '%s\n' src/core/*/*.c | OBJECTS=$objects COMPILE="$compile $strict $core_includes" xargs -P "$(jobs)" -n 8 sh -c '
    for source; do $COMPILE -c "$source" -o "$OBJECTS/$(basename "$source" .c).o" || exit 1; done' compile || return 1
  ar rcs "$objects/core.a" "$objects"/*.o
}

# link_core <name> <compiler and flags> <program> <source>...: a program of build/core/<name> on top of that archive.
link_core() {
  objects=$build/core/$1; compile=$2; program=$build/core/$1/$3
  shift 3
  archive=; [ ! -f "$objects/core.a" ] || archive=$objects/core.a
  # shellcheck disable=SC2086
  $compile $careful $core_includes "$@" ${archive:+"$archive"} -lm -o "$program"
}

topic_of() { basename "$1" .c | sed 's/^[a-z]*_//'; }

# run_program <name> <compiler and flags> <program> <log> <sources> [<argument>...]: links a program and runs it. What it
# says goes to the log, how it ended to <log>.status: its status, or "link" if it does not compile.
run_program() {
  runs=$build/core/$1/$3 says=$4 ended=0
  # shellcheck disable=SC2086  # one or two sources
  if link_core "$1" "$2" "$3" $5 > "$says" 2>&1; then
    shift 5
    "$runs" "$@" > "$says" 2>&1 < /dev/null || ended=$?
  else
    ended="link"
  fi
  echo "$ended" > "$says.status"
}

# at_once <function>: calls it for each of the lines of standard input, which as many strands share as there are
# processors.
at_once() {
  lines=$(cat) strand=0
  while [ "$strand" -lt "$(jobs)" ]; do
    printf '%s\n' "$lines" | awk -v strands="$(jobs)" -v own="$strand" 'NR % strands == own' |
      while read -r line; do "$1" "$line"; done &
    strand=$((strand + 1))
  done
  wait
}

# The unit tests, built as $2 says; their checks are counted where $3 is "count", else each program is one check: the
# same assertions under a second compiler are not twice as many.
unit_tests() {
  name=$1; compile=$2; how=$3
  build_core "$name" "$compile" || { fail "C core does not compile ($name)"; return 0; }
  # shellcheck disable=SC2317  # at_once calls it
  unit_test() { run_program "$name" "$compile" "test_$(topic_of "$1")" "$logs/core-$name-$(topic_of "$1").log" "$1"; }
  printf '%s\n' tests/core/test_*.c | at_once unit_test
  for test in tests/core/test_*.c; do
    log=$logs/core-$name-$(topic_of "$test").log
    read -r status < "$log.status"
    if [ "$status" = link ]; then
      cat "$log"
      fail "$test does not compile ($name)"
    elif [ "$how" = count ]; then
      before=$failed
      if ! add_counts "$log" || { [ "$status" -ne 0 ] && [ "$failed" -eq "$before" ]; }; then
        fail "$test ended with status $status and no count of its own ($name)"
      fi
      [ "$failed" -eq "$before" ] || cat "$log"
      printf '%-40s %s\n' "$test ($name)" "$(tail -n 1 "$log")"
    elif [ "$status" -eq 0 ]; then
      pass "$test ($name)"
    else
      cat "$log"
      fail "$test ($name)"
    fi
  done
}

# Every fuzz target over its committed corpus (tests/fuzz/corpus/<topic>/), without libFuzzer, as gcc builds it.
replay_corpora() {
  compile="gcc -std=c99 $sanitize"
  build_core replay "$compile" || { fail "C core does not compile (replay)"; return 0; }
  # shellcheck disable=SC2317  # at_once calls it
  replay() {
    topic=$(topic_of "$1")
    sources="$1 tests/fuzz/standalone.c"
    set --
    for input in tests/fuzz/corpus/"$topic"/*; do
      [ ! -f "$input" ] || set -- "$@" "$input"
    done
    run_program replay "$compile" "fuzz_$topic" "$logs/replay-$topic.log" "$sources" "$@"
  }
  printf '%s\n' tests/fuzz/fuzz_*.c | at_once replay
  for target in tests/fuzz/fuzz_*.c; do
    log=$logs/replay-$(topic_of "$target").log
    read -r status < "$log.status"
    if [ "$status" = 0 ]; then pass "$target: $(tail -n 1 "$log")"; else tail -n 40 "$log"; fail "$target: replay ended with $status"; fi
  done
}

# Every fuzz target under libFuzzer. By default for one $1-th of the inputs that tests/fuzz/inputs.txt lists (0: not at
# all), with one seed: the same inputs on every machine, so that a change is judged by what it changed and not by its luck. To look for
# something new, CANDOR_FUZZ_SECONDS (each target) and CANDOR_FUZZ_SEED. What a target learns stays in
# build/fuzz/<topic>; an input that breaks a kernel is kept there too, to be mended and then added to
# tests/fuzz/corpus/<topic>/.
run_fuzzers() {
  part=$1
  [ "$part${CANDOR_FUZZ_SECONDS:-}" != 0 ] || return 0
  compile="clang -std=c99 $sanitize"
  build_core fuzz "$compile -fsanitize=fuzzer-no-link" || { fail "C core does not compile (fuzz)"; return 0; }
  for target in tests/fuzz/fuzz_*.c; do
    [ -e "$target" ] || return 0
    topic=$(topic_of "$target")
    log=$logs/fuzz-$topic.log
    if ! link_core fuzz "$compile -fsanitize=fuzzer" "fuzz_$topic" "$target"; then
      fail "$target does not compile (fuzz)"
      continue
    fi
    inputs=$(awk -v topic="$topic" -v part="$part" '$1 == topic { print (part > 0 ? int($2 / part) : 0) }' tests/fuzz/inputs.txt)
    [ -n "$inputs" ] || { fail "tests/fuzz/inputs.txt does not list $topic"; continue; }
    learnt=$build/fuzz/$topic
    if [ -n "${CANDOR_FUZZ_SECONDS:-}" ]; then
      set -- -max_total_time="$CANDOR_FUZZ_SECONDS"
    else
      rm -rf "$learnt"
      set -- -runs="$inputs"
    fi
    mkdir -p "$learnt"
    set -- "$@" "$learnt"
    [ ! -d "tests/fuzz/corpus/$topic" ] || set -- "$@" "tests/fuzz/corpus/$topic"
    started=$(date +%s)
    if "$build/core/fuzz/fuzz_$topic" -seed="${CANDOR_FUZZ_SEED:-1}" -timeout=20 -rss_limit_mb=3000 \
      -print_final_stats=1 -artifact_prefix="$learnt-" "$@" > "$log" 2>&1 < /dev/null; then
      executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
      pass "$target: $executed inputs in $(($(date +%s) - started)) s"
    else
      grep -v '^#' "$log" | tail -n 40
      fail "$target: see $log"
    fi
  done
}
