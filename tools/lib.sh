# shellcheck shell=sh
# What every script in this folder shares: where things are, what must be on the machine, and how it gets there.
# Sourced, never run; the caller has set `root` to the top of the clone.

set -eu

build=${CANDOR_BUILD:-$root/build}   # everything the scripts write; git ignores it
library=$build/library               # the package is installed here and nowhere else
cache=${CANDOR_CACHE:-${XDG_CACHE_HOME:-${HOME:-$build}/.cache}/candor}   # what is built from CRAN and npm, once for all clones
peers=$cache/peers                   # packages of CRAN alone that some tests compare with
logs=$build/logs
mkdir -p "$library" "$logs"

# One collation, one clock: results must not depend on who runs them.
LC_ALL=C.UTF-8 TZ=UTC
export LC_ALL TZ
unset R_HOME R_DEFAULT_PACKAGES R_TESTS

# Survey patterns that are not ours to ship: tests read them where a folder of shared data lies beside the clone.
if [ -z "${CANDOR_SHARED_DATA:-}" ] && [ -d "$(dirname "$root")/shared/data" ]; then
  CANDOR_SHARED_DATA=$(dirname "$root")/shared/data
  export CANDOR_SHARED_DATA
fi

# Debian's packages stay in sight even where the environment points R at another site library.
if [ -n "${R_LIBS_SITE+set}" ]; then
  R_LIBS_SITE=$R_LIBS_SITE:/usr/lib/R/site-library
  export R_LIBS_SITE
fi
R_LIBS=$library:$peers${R_LIBS:+:$R_LIBS}
export R_LIBS

say() { printf '%s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# ---- what must be there -----------------------------------------------------------------------------------------

# The R packages of one DESCRIPTION field, a line each: "name" or "name>=version"; R's own are left out.
description_field() {
  awk -v field="$1:" '
    /^[^ \t]/ { inside = ($1 == field); sub(/^[^:]*:/, "") }
    inside    { text = text $0 }
    END       { n = split(text, item, ",")
                for (i = 1; i <= n; i++) { gsub(/[ \t()]/, "", item[i]); if (item[i] != "") print item[i] } }
  ' "$root/DESCRIPTION" | grep -Ev '^(R>=.*|base|graphics|grDevices|methods|parallel|stats|tools|utils)$' || true
}

r_needs() { while read -r item; do
  name=${item%%>=*}
  printf 'r-cran-%s r:%s\n' "$(printf '%s' "$name" | tr '[:upper:]' '[:lower:]')" "$item"
done; }

# The one list. Each line: a Debian package, and how to tell that what it brings is there, whoever brought it.
# demo < test < check < develop: each role needs all of the ones before it; engines and client need what test does.
needs() {
  cat <<-END
	r-base-core command:R
	r-base-dev command:gcc
	r-base-dev command:make
	END
  description_field Imports | r_needs
  echo ggplot2 | r_needs
  [ "$1" != demo ] || return 0

  description_field Suggests | r_needs
  description_field Enhances | r_needs
  echo jsonlite | r_needs
  cat <<-END
	nodejs command:node
	python3 command:python3
	clang command:clang
	libclang-rt-$(clang_version)-dev fuzzer
	END
  [ "$1" != test ] || return 0

  if [ "$1" = engines ]; then engine_needs; return 0; fi
  if [ "$1" = client ]; then printf '%s\n' 'chromium command:chromium' 'npm command:npm' 'openssl command:openssl'; return 0; fi
  if [ "$1" = site ]; then
    echo pkgdown | r_needs
    cat <<-END
	chromium command:chromium
	libjs-katex file:/usr/share/javascript/katex/katex.min.js
	pandoc command:pandoc
	END
    return 0
  fi

  printf '%s\n' roxygen2 lintr spelling | r_needs
  cat <<-END
	clang-format command:clang-format
	cppcheck command:cppcheck
	pandoc command:pandoc
	qpdf command:qpdf
	shellcheck command:shellcheck
	texlive-latex-base tex:article.cls
	texlive-fonts-recommended tex:ptmr8t.tfm
	tidy command:tidy
	END
  [ "$1" != check ] || return 0

  echo bench | r_needs
  echo 'valgrind command:valgrind'
}

# Servers, and what their drivers are built with. ClickHouse is not in every release of Debian.
engine_needs() {
  printf '%s\n' bit64 blob cpp11 hms lubridate Rcpp | r_needs
  cat <<-END
	libpq-dev file:/usr/include/postgresql/libpq-fe.h
	postgresql file:/usr/lib/postgresql/*/bin/initdb
	END
  if [ -x /usr/sbin/clickhouse-server ] || apt-cache show clickhouse-server > /dev/null 2>&1; then
    cat <<-END
	clickhouse-server file:/usr/sbin/clickhouse-server
	clickhouse-client file:/usr/bin/clickhouse-client
	END
  fi
}

# The runtime of the sanitizers and of libFuzzer carries clang's version in its name.
clang_version() {
  version=$(clang -dumpversion 2>/dev/null | sed 's/\..*//') || true
  if [ -z "$version" ]; then
    version=$(apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9][0-9]*\)$/\1/p' | head -n 1) || true
  fi
  echo "${version:-14}"
}

fuzzer_links() {
  mkdir -p "$build/probe"
  printf '#include <stddef.h>\nint LLVMFuzzerTestOneInput(const unsigned char *d, size_t n);\n%s\n' \
    'int LLVMFuzzerTestOneInput(const unsigned char *d, size_t n) { (void) d; return n > 0 ? 0 : 0; }' \
    > "$build/probe/fuzzer.c"
  clang -fsanitize=fuzzer,address,undefined "$build/probe/fuzzer.c" -o "$build/probe/fuzzer" > /dev/null 2>&1
}

# Those of the R packages named ("name" or "name>=version") that R cannot load.
r_lacks() {
  if ! command -v R > /dev/null 2>&1; then printf '%s\n' "$@"; return 0; fi
  Rscript -e '
    for (item in commandArgs(TRUE)) {
      want <- strsplit(item, ">=", fixed = TRUE)[[1L]]
      here <- suppressWarnings(suppressMessages(requireNamespace(want[1L], quietly = TRUE)))
      if (here && length(want) > 1L) here <- utils::packageVersion(want[1L]) >= want[2L]
      if (!here) cat("\nlacks:", item, "\n", sep = "")
    }
    cat("\nasked\n")' "$@" < /dev/null > "$logs/r-lacks.log" 2>&1 || true
  if grep -q '^asked$' "$logs/r-lacks.log"; then
    sed -n 's/^lacks://p' "$logs/r-lacks.log"
  else
    printf '%s\n' "$@"   # R itself does not start
  fi
}

r_starts() { command -v R > /dev/null 2>&1 && R --no-echo --vanilla -e 'invisible()' < /dev/null > /dev/null 2>&1; }

# Is there a file whose name is the pattern $1?
file_there() {
  # shellcheck disable=SC2086  # the pattern is to be expanded
  set -- $1
  [ -e "$1" ]
}

# The Debian packages whose contents role $1 lacks, a line each.
missing() {
  needs "$1" > "$build/needs"
  # shellcheck disable=SC2046  # one word per R package is what is wanted
  r_lacks $(sed -n 's/^.* r://p' "$build/needs") > "$build/lacks"
  while read -r package probe; do
    case $probe in
      command:R) r_starts ;;
      command:*) command -v "${probe#command:}" > /dev/null 2>&1 ;;
      file:*)    file_there "${probe#file:}" ;;
      tex:*)     kpsewhich "${probe#tex:}" > /dev/null 2>&1 ;;
      fuzzer)    fuzzer_links ;;
      r:*)       ! grep -qxF "${probe#r:}" "$build/lacks" ;;
    esac || echo "$package"
  done < "$build/needs" | sort -u
}

# ---- how it gets there ------------------------------------------------------------------------------------------

apt() {
  DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" \
    < /dev/null >> "$logs/apt.log" 2>&1
}

# R packages that dpkg believes installed and whose files are gone: their folder was emptied behind its back.
damaged() {
  dpkg-query -W -f '${db:Status-Status} ${Package}\n' 'r-base-core' 'r-cran-*' 2> /dev/null |
    sed -n 's/^installed //p' |
    while read -r package; do
      if dpkg --verify "$package" 2> /dev/null | grep -q '^missing.*/lib/R/'; then echo "$package"; fi
    done
}

# set_up <role>: afterwards all that `needs` lists for the role is there, or the script has said what is not and ended.
set_up() {
  lacking=$(missing "$1" | tr '\n' ' ')
  [ -n "$lacking" ] || { r_is_recent; return 0; }

  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get > /dev/null 2>&1; then
    say "This machine lacks what these Debian packages bring:"
    # shellcheck disable=SC2086
    printf '  %s\n' $lacking >&2
    say "Install them as root, then run this again:"
    say "  apt-get update && apt-get install --no-install-recommends $lacking"
    r_names=$(sed 's/>=.*//' "$build/lacks" | sort -u | awk '{ printf "%s\"%s\"", (NR > 1 ? ", " : ""), $0 }')
    [ -z "$r_names" ] || say "The R packages alone can come from R instead: install.packages(c($r_names))"
    exit 1
  fi

  : > "$logs/apt.log"
  say "set-up: refreshing the package index"
  apt update || say "set-up: the package index could not be refreshed; going on with the one that is here"
  lacking=$(missing "$1" | tr '\n' ' ')   # clang's version may be known only now
  say "set-up: installing $lacking"
  # shellcheck disable=SC2086
  apt install --no-install-recommends $lacking || { tail -n 30 "$logs/apt.log" >&2; die "set-up: apt-get failed, see above"; }

  lacking=$(missing "$1" | tr '\n' ' ')
  if [ -n "$lacking" ]; then
    again="$lacking $(damaged | tr '\n' ' ')"
    say "set-up: dpkg has these as installed, yet R cannot use them; installing again: $again"
    # shellcheck disable=SC2086
    apt install --no-install-recommends --reinstall $again || { tail -n 30 "$logs/apt.log" >&2; die "set-up: apt-get failed, see above"; }
    lacking=$(missing "$1" | tr '\n' ' ')
  fi
  if [ -n "$lacking" ] && [ -x /usr/bin/R ] && [ "$(command -v R)" != /usr/bin/R ]; then
    say "set-up: the R found first ($(command -v R)) does not see Debian's packages; using /usr/bin/R"
    PATH=/usr/bin:$PATH
    export PATH
    lacking=$(missing "$1" | tr '\n' ' ')
  fi
  [ -z "$lacking" ] || die "set-up: still not usable: $lacking (see $logs/apt.log)"
  r_is_recent
}

r_is_recent() {
  Rscript -e 'quit(status = getRversion() < "4.1.0")' < /dev/null > /dev/null 2>&1 ||
    die "set-up: candor needs R 4.1 or later; this is $(R --version | head -n 1)"
}

# Packages that Debian does not have, with the data and functions that some tests compare with. Where one cannot be
# installed (some want a newer R), its tests are skipped, and the suite names them.
install_peers() {
  mkdir -p "$peers"
  lacking=$(r_lacks rr RRreg GLMMRR modelsummary marginaleffects | tr '\n' ' ')
  [ -n "$lacking" ] || return 0
  say "set-up: installing from CRAN: $lacking"
  # shellcheck disable=SC2086
  apt install --no-install-recommends r-cran-arm r-cran-data.table r-cran-doparallel r-cran-performance ||
    say "set-up: Debian's packages for these could not be installed; building them all"
  # shellcheck disable=SC2086
  Rscript -e '
    arguments <- commandArgs(TRUE)
    if (identical(getOption("repos")[["CRAN"]], "@CRAN@")) utils::chooseCRANmirror(ind = 1)
    utils::install.packages(arguments[-1L], lib = arguments[1L], quiet = TRUE)' "$peers" $lacking \
    < /dev/null > "$logs/peers.log" 2>&1 || true
  # shellcheck disable=SC2086
  lacking=$(r_lacks $lacking | tr '\n' ' ')
  [ -z "$lacking" ] || say "set-up: not usable here, their tests will be skipped: $lacking (see $logs/peers.log)"
}

# What the clients are tried in, and axe-core: packages of npm, of these versions. Where they cannot be installed, the tests
# that need them are skipped by name.
install_libraries() {
  wanted='axe-core@4.14.1 jspsych@8.3.0 survey-core@2.5.38 survey-js-ui@2.5.38'
  CANDOR_NPM=$cache/npm/node_modules
  export CANDOR_NPM
  if [ "$(cat "$cache/npm/stamp" 2> /dev/null)" = "$wanted" ]; then return 0; fi
  mkdir -p "$cache/npm"
  say "set-up: installing from npm: $wanted"
  # shellcheck disable=SC2086
  if (cd "$cache/npm" && npm install --no-audit --no-fund --ignore-scripts $wanted) < /dev/null > "$logs/npm.log" 2>&1; then
    echo "$wanted" > "$cache/npm/stamp"
  else
    say "set-up: not to be had here, their tests will be skipped (see $logs/npm.log)"
  fi
}

jobs() { getconf _NPROCESSORS_ONLN 2> /dev/null || echo 1; }

# build_tarball <folder> [options of R CMD build]: leaves exactly one tarball there and names it in `tarball`;
# where R fails, says why and returns 1.
build_tarball() {
  folder=$1; shift
  mkdir -p "$folder"
  rm -f "$folder"/candor_*.tar.gz
  (cd "$folder" && R CMD build "$@" "$root") < /dev/null > "$logs/build.log" 2>&1 ||
    { cat "$logs/build.log"; return 1; }
  for tarball in "$folder"/candor_*.tar.gz; do :; done
}

# install_candor [tarball]: installs the package into `library`, unless what is there is younger than every source file.
# It goes by a tarball, the one named or a new one, so objects that lie about in src/ are never used.
# shellcheck disable=SC2120
install_candor() {
  stamp=$library/candor-stamp
  key=$(R --version | head -n 1)
  sources=
  for item in DESCRIPTION NAMESPACE R src data inst man; do
    if [ -e "$root/$item" ]; then sources="$sources $item"; fi
  done
  if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$key" ] && [ -d "$library/candor" ]; then
    # shellcheck disable=SC2086
    newer=$(cd "$root" && find $sources -newer "$stamp" ! -name '*.o' ! -name '*.so' | head -n 1)
    [ -n "$newer" ] || return 0
  fi
  say "set-up: installing candor into $library"
  touch "$library/candor-started"
  if [ -n "${1:-}" ]; then tarball=$1
  else build_tarball "$build/source" --no-build-vignettes --no-manual >&2 || die "set-up: R CMD build failed, see above"; fi
  MAKEFLAGS=-j$(jobs) R CMD INSTALL --library="$library" "$tarball" < /dev/null > "$logs/install.log" 2>&1 ||
    { tail -n 40 "$logs/install.log" >&2; die "set-up: R CMD INSTALL failed, see above"; }
  printf '%s\n' "$key" > "$stamp"
  touch -r "$library/candor-started" "$stamp"
}

# ---- counting ---------------------------------------------------------------------------------------------------

passed=0 failed=0 skipped=0

pass() { passed=$((passed + 1)); printf 'ok       %s\n' "$*"; }
fail() { failed=$((failed + 1)); printf 'FAILED   %s\n' "$*"; }
skip() { skipped=$((skipped + 1)); printf 'skipped  %s\n' "$*"; }

# Adds the counts of a line "N passed, N failed[, N skipped]", the last such line of file $1; fails if there is none.
add_counts() {
  line=$(sed -n 's/^\([0-9][0-9]* passed, [0-9][0-9]* failed.*\)$/\1/p' "$1" | tail -n 1)
  [ -n "$line" ] || return 1
  # shellcheck disable=SC2046
  set -- $(printf '%s\n' "$line" | tr -cd '0-9 ')
  passed=$((passed + $1)); failed=$((failed + $2)); skipped=$((skipped + ${3:-0}))
}

# The closing line, and the exit status that goes with it.
closing() {
  [ $((passed + failed)) -gt 0 ] || say "nothing was tested"
  if [ "$skipped" -gt 0 ]; then
    printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
  else
    printf '%d passed, %d failed\n' "$passed" "$failed"
  fi
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
