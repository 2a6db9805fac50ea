# Mechanisms of every kind that a tally can have, by the names of what is special about them.
travelling_mechanisms <- function() {
  C <- rbind(c(0.7, 0.2, 0.1), c(0.1, 0.8, 0.1), c(0.05, 0.15, 0.8))
  ordered <- function(labels) factor(labels, labels, ordered = TRUE)
  list(
    grr = rr_grr(c("a", "b", "\u00fc\"\\\n, c"), epsilon = 1.1), by_p = rr_grr(5, p = 0.4), many = rr_grr(1000, epsilon = 3),
    numbers = rr_grr(c(0.1, 1 / 3, 2), epsilon = 1), ordered = rr_grr(ordered(c("low", "mid", "high")), epsilon = 1),
    integers = rr_grr(c(100000L, 200000L, 5L), epsilon = 1), logical = rr_grr(c(TRUE, FALSE), epsilon = 1),
    pair = rr_grr(2, epsilon = 1), text_numbers = rr_grr(c("1", "2", "3"), epsilon = 1),
    binary = rr_binary(0.83, 0.21), reversed = suppressMessages(rr_warner(0.8, levels = c("1", "0"))), direct = rr_binary(1, 0),
    warner = rr_warner(0.7), warner_epsilon = rr_warner(epsilon = 40), crosswise = rr_crosswise(0.25),
    triangular = rr_triangular(0.3), mangat = rr_warner(0.7, t = 0.3), kuk = rr_kuk(0.8, 0.2), kuk_draws = rr_kuk(0.7, 0.4, draws = 3),
    mistakes = rr_misclassification(0.93, 0.84),
    dealt = rr_dealt(3, cards = 15, block = "team"), dealt_3 = rr_dealt(c(never = 1, once = 0, often = 2), cards = 10),
    forced = rr_forced(1 / 6), forced_3 = rr_forced(c(never = 0.1, once = 0.1, often = 0.2)),
    unrelated = rr_unrelated(0.7, 0.25), unrelated_3 = rr_unrelated(0.7, c(a = 0.2, b = 0.3, c = 0.5)),
    channel = rr_channel(C), not_square = rr_channel(C %*% cbind(c(0.5, 0.2, 0.1), c(0.5, 0.8, 0.9)), c("x", "y", "z"), c("A", "B")),
    geometric = rr_geometric(7, 1),
    ordered_channel = rr_channel(C, levels = ordered(letters[1:3])),
    validation = rr_misclassification(table = matrix(c(90, 10, 20, 80), 2, dimnames = list(c("n", "y"), c("n", "y")))),
    compose = rr_compose(rr_grr(3, epsilon = 2), rr_grr(3, epsilon = 1)),
    compose_binary = rr_compose(rr_warner(0.8), rr_forced(0.1)), compose_channel = rr_compose(rr_channel(C), rr_grr(3, epsilon = 1)),
    noncompliance = rr_noncompliance(rr_warner(0.8), 0.07), always_no = rr_noncompliance(rr_warner(0.8), 0.07, "no"),
    truthful = rr_noncompliance(rr_warner(0.8), 0.07, "truth"), none = rr_noncompliance(rr_forced(1 / 6), 0),
    answers = rr_noncompliance(rr_channel(C), 0.1, c(0.2, 0.3, 0.5)),
    lie_detector = rr_lie_detector(0.7), cheating = rr_cheater_detection(1 / 6, 1 / 12), unknown = rr_unrelated(0.7, NULL),
    product = rr_product(drugs = rr_warner(0.8), theft = rr_grr(c("a", "b", "c"), epsilon = 1)),
    product_3 = rr_product(a = rr_compose(rr_warner(0.8), rr_warner(0.9)), b = rr_channel(C), c = rr_forced(0.1)),
    sampled = rr_product(drugs = rr_warner(0.8), theft = rr_grr(c("a", "b", "c"), epsilon = 1), app = rr_unary(4, epsilon = 1), asked = 1),
    unary = rr_unary(6, epsilon = 1), unary_pq = rr_unary(letters[1:5], p = 0.7, q = 0.2),
    unary_symmetric = rr_unary(6, epsilon = 1, optimized = FALSE), subset = rr_subset(9, 1),
    local_hash = rr_local_hash(20, 1), cohorts = rr_local_hash(20, 1, cohorts = 7), hadamard = rr_hadamard(20, 1),
    projective = rr_projective(20, 1), projective_order = rr_projective(7, 0.3, order = 9),
    hadamard_bit = rr_hadamard(20, 1, one_bit = TRUE), bitflip = rr_bitflip(8, 1), flip_buckets = rr_bitflip(8, 1, d = 3, buckets = 4),
    flip_text = rr_bitflip(letters[1:6], 1, d = 2), flip_compatible = rr_bitflip(8, 1, compatible = TRUE),
    flip_ordered = rr_bitflip(ordered(1:6), 1, buckets = 3),
    mean = rr_mean(c(0, 1 / 3), 0.7), mean_duchi = rr_mean(c(-1, 1), 1, "duchi"),
    scramble = rr_scramble(c(0, 1 / 3), c(0.5, 1.5), data.frame(value = c(1, 1 / 3), prob = c(0.1, 0.9)), 0.3, TRUE),
    sampled_mean = rr_product(hours = rr_mean(c(0, 24), 1), drugs = rr_warner(0.8), asked = 1),
    wave = rr_square_wave(7, 1.1), wave_labels = rr_square_wave(c("lo", "mid", "hi"), 1.1, half_width = 1),
    wave_text_numbers = rr_square_wave(c("0", "1", "2"), 1),
    wave_breaks = rr_square_wave(c(0, 0.1, 1 / 3, 2), 0.3), wave_grid = rr_square_wave(seq(0, 1, 0.1), 2, reports = 30),
    hierarchy = rr_hierarchy(20, 1), hierarchy_mixed = rr_hierarchy(letters, 1.3, 3, function(levels, epsilon) {
      if (levels < 5) rr_grr(levels, epsilon = epsilon) else rr_unary(levels, epsilon)
    }),
    bloom = rr_bloom(5, 1, bits = 16, cohorts = 3), bloom_two_stages = rr_bloom(letters[1:5], 1, bits = 16, permanent = 3, key = 7),
    bloom_letters = rr_bloom(5, f = 0.4, p = 0.2, q = 0.7, bits = 8, cohorts = 2),
    longitudinal_1 = rr_longitudinal(6, 2, 1), longitudinal_2 = rr_longitudinal(6, 2, 1, "sue-sue"),
    longitudinal_3 = rr_longitudinal(letters[1:4], 2, 1, "grr-grr"),
    longitudinal_4 = rr_longitudinal(6, 4, 1, "oue-oue"), longitudinal_5 = rr_longitudinal(6, 4, 1, "sue-oue"),
    longitudinal_6 = rr_longitudinal(20, 2, 1, "local-hash"),
    memoised = rr_longitudinal(permanent = rr_grr(4, epsilon = 2), instantaneous = rr_grr(4, epsilon = 1)),
    unary_twice = rr_compose(rr_unary(4, 2), rr_unary(4, 1)),
    count_mean_sketch = rr_count_mean_sketch(1, 16, 3),
    sketch_bit = rr_count_mean_sketch(1, 16, 3, one_bit = TRUE, key = 9), prefixes = rr_prefixes(1, c(2, 4), 16, 3)
  )
}

# Any counts will do, where they can be those of so many respondents.
any_tally <- function(mechanism) {
  if (!is.null(mechanism$codec$block)) return(rr_tally(rr_perturb(sample(mechanism$levels, 50, TRUE), mechanism, rng = "R"), mechanism))
  counts <- as.double(sample(1e6, length(mechanism$reports), TRUE))
  given <- law_gives(rr_law(mechanism), "channel")
  rr_counts(counts, mechanism, n = if (!given) 1e6)
}

there_and_back <- function(tally) {
  file <- withr::local_tempfile()
  rr_write(tally, file)
  rr_read(file)
}

# A validator of the part of JSON schema, draft 7, that the package's schema uses. NULL, or the path to what is wrong.
schema_problem <- function(x, schema, root, path = "") {
  if (!is.null(schema[["$ref"]])) return(schema_problem(x, root[["$defs"]][[sub("#/$defs/", "", schema[["$ref"]], fixed = TRUE)]], root, path))
  is_type <- function(type) switch(type, object = is.list(x) && (!is.null(names(x)) || !length(x)),
    array = is.list(x) && is.null(names(x)), string = is.character(x), boolean = is.logical(x), number = is.numeric(x),
    integer = is.numeric(x) && x == floor(x))
  if (!is.null(schema$type) && !any(vapply(unlist(schema$type), is_type, NA))) return(paste(path, "is no", schema$type))
  if (!is.null(schema$const) && !isTRUE(all.equal(x, schema$const))) return(paste(path, "is not", schema$const))
  if (!is.null(schema$enum) && !x %in% unlist(schema$enum)) return(paste(path, "is none of", toString(schema$enum)))
  if (is.numeric(x) && (x < (schema$minimum %||% -Inf) || x > (schema$maximum %||% Inf) ||
                          x >= (schema$exclusiveMaximum %||% Inf))) return(paste(path, "is out of range"))
  if (!is.null(schema$pattern) && !grepl(schema$pattern, x)) return(paste(path, "does not match"))
  fits <- function(part) is.null(schema_problem(x, part, root, path))
  if (!is.null(schema$oneOf) && sum(vapply(schema$oneOf, fits, NA)) != 1) return(paste(path, "fits not one of several"))
  if (!is.null(schema$anyOf) && !any(vapply(schema$anyOf, fits, NA))) return(paste(path, "fits none of several"))
  absent <- setdiff(unlist(schema$required), names(x))
  if (length(absent)) return(paste(path, "lacks", absent[1]))
  if (identical(schema$additionalProperties, FALSE)) {
    stray <- setdiff(names(x), names(schema$properties))
    if (length(stray)) return(paste(path, "must not have", stray[1]))
  }
  if (length(x) < (schema$minItems %||% 0) || (is.list(x) && length(x) > (schema$maxItems %||% Inf))) return(paste(path, "has a wrong length"))
  if (isTRUE(schema$uniqueItems) && anyDuplicated(x)) return(paste(path, "has something twice"))
  parts <- c(if (!is.null(schema$items)) lapply(seq_along(x), function(i) schema_problem(x[[i]], schema$items, root, paste0(path, "[", i, "]"))),
             lapply(intersect(names(x), names(schema$properties)), function(name) {
               schema_problem(x[[name]], schema$properties[[name]], root, paste0(path, "/", name))
             }))
  unlist(parts)[1]
}

# A function that writes a data frame into a database of the test file, which ends with it, and answers the table.
database_of_tests <- function(name) {
  skip_without("dbplyr", "RSQLite")
  connection <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  withr::defer(DBI::dbDisconnect(connection), teardown_env())
  default <- name
  function(data, name = default) {
    DBI::dbWriteTable(connection, name, data, overwrite = TRUE)
    dplyr::tbl(connection, name)
  }
}

# Scripts and results of studies are in the repository, not in the package.
study_folder <- function() {
  folder <- testthat::test_path("..", "..", "inst", "studies")
  skip_if_not(file.exists(file.path(folder, "README.md")), "inst/studies beside the tests")
  normalizePath(folder)
}

study_file <- function(name) file.path(study_folder(), name)

read_study <- function(name) utils::read.csv(study_file(name))
