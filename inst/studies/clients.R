# Does rr_check_client() find clients that are broken, and leave right ones alone?
#
#   Rscript inst/studies/clients.R
#
# writes clients.csv into the working directory, or the folder that is given as an argument to Rscript: for each broken
# client the share found with 1,000 and 10,000 reports a truth, for each right one the share accused with 1,000. It takes
# about two hours on one core. A client is found, or accused, if any row of the check names a problem.
library(candor)

letters_of <- function(k) letters[seq_len(k)]
report <- function(mechanism, truth) {
  if (!isTRUE(mechanism$memoised)) return(rr_perturb(truth, mechanism, rng = "R"))
  rr_perturb(truth, mechanism, rng = "R", memory = list())$reports
}
position <- function(mechanism, truth) match(truth, mechanism$levels)
bits_from <- function(mechanism, truth, u) {
  own <- outer(position(mechanism, truth), seq_along(mechanism$levels), `==`)
  1 * (u < ifelse(own, mechanism$p, mechanism$q))
}
bits_of <- function(mechanism, truth) as.matrix(report(mechanism, truth))
uniform <- function(truth, k) matrix(runif(length(truth) * k), length(truth))

# ---- clients that are broken: list(mechanism, what is wrong with them) ----

unary <- rr_unary(letters_of(8), 1.5)
grr <- rr_grr(letters_of(5), 1)
flip <- rr_bitflip(letters_of(8), 1.5, d = 2)
subset8 <- rr_subset(letters_of(8), 1, size = 2)
hash <- rr_local_hash(letters_of(5), 1)
bloom <- rr_bloom(letters_of(4), 2, bits = 16, cohorts = 4)
hadamard <- rr_hadamard(letters_of(6), 1, blocks = 1)
product <- rr_product(a = rr_warner(0.8), b = rr_grr(letters_of(3), 1))
kept <- rr_longitudinal(letters_of(5), 2, 1)

hash_reports <- function(truth, slope, shift) {
  own <- candor:::hash_values(hash, position(hash, truth), data.frame(slope = slope, shift = shift))
  told <- runif(length(truth)) < candor:::rr_law(hash)$p
  other <- (own - 1 + sample(hash$g - 1, length(truth), TRUE)) %% hash$g + 1
  data.frame(slope = slope, shift = shift, value = ifelse(told, own, other))
}
random_functions <- function(n) list(sample(hash$prime - 1, n, TRUE), sample(hash$prime, n, TRUE) - 1)

broken <- list(
  `one random number for all bits` = list(unary, function(truth) bits_from(unary, truth, runif(length(truth)))),
  `a random number for each two bits` = list(unary, function(truth) bits_from(unary, truth, uniform(truth, 4)[, rep(1:4, each = 2)])),
  `dBitFlip always asks the own bucket` = list(flip, function(truth) {
    x <- position(flip, truth)
    other <- (x - 1 + sample(7, length(x), TRUE)) %% 8 + 1
    sign <- function(p) ifelse(runif(length(x)) < p, 1, -1)
    rows <- cbind(x * sign(flip$p), other * sign(flip$q))
    ifelse(cbind(x < other, x >= other), rows[, 1], rows[, 2])
  }),
  `subset names the truth first` = list(subset8, function(truth) {
    x <- position(subset8, truth)
    lapply(Map(c, x, as.list(report(subset8, truth))), function(row) {
      set <- row[-1]
      if (row[1] %in% set) c(row[1], setdiff(set, row[1])) else set
    })
  }),
  `product with one random number` = list(product, function(truth) {
    u <- runif(nrow(truth))
    drawn <- function(x, mechanism) {
      p <- rr_matrix(mechanism)[1, 1]
      k <- length(mechanism$levels)
      i <- position(mechanism, x)
      mechanism$levels[ifelse(u < p, i, (i - 1 + 1 + floor((u - p) / (1 - p) * (k - 1))) %% k + 1)]
    }
    data.frame(a = drawn(truth$a, product$questions$a), b = drawn(truth$b, product$questions$b))
  }),
  `permanent answer drawn anew` = list(kept, function(truth) rbind(bits_of(kept, truth), bits_of(kept, truth)), TRUE),
  `permanent answer sent itself` = list(kept, function(truth) {
    first <- bits_of(kept$first, truth)
    rbind(first, first)
  }, TRUE),
  `parity of the slope tells the truth` = list(hash, function(truth) {
    drawn <- random_functions(length(truth))
    hash_reports(truth, pmax(1, pmin(hash$prime - 3, 2 * (drawn[[1]] %/% 2)) + position(hash, truth) %% 2), drawn[[2]])
  }),
  `one hash function for all` = list(hash, function(truth) hash_reports(truth, rep(7, length(truth)), rep(11, length(truth)))),
  `p is 10 % too large` = list(grr, function(truth) rr_perturb(truth, rr_grr(grr$levels, p = 1.1 * grr$p), rng = "R")),
  `p is 10 % too small` = list(grr, function(truth) rr_perturb(truth, rr_grr(grr$levels, p = 0.9 * grr$p), rng = "R")),
  `two categories swapped` = list(unary, function(truth) bits_of(unary, truth)[, c(2, 1, 3:8)]),
  `not randomized, categories` = list(grr, identity),
  `not randomized, bits` = list(unary, function(truth) 1 * outer(position(unary, truth), 1:8, `==`)),
  `a bit is always set` = list(unary, function(truth) replace(bits_of(unary, truth), cbind(seq_along(truth), 3), 1)),
  `a bit is never set` = list(unary, function(truth) replace(bits_of(unary, truth), cbind(seq_along(truth), 3), 0)),
  `epsilon twice, categories` = list(grr, function(truth) rr_perturb(truth, rr_grr(grr$levels, 2), rng = "R")),
  `epsilon twice, bits` = list(unary, function(truth) bits_of(rr_unary(unary$levels, 3), truth)),
  `bits of each byte turned` = list(unary, function(truth) bits_of(unary, truth)[, 8:1]),
  `generator prefers small numbers` = list(unary, function(truth) bits_from(unary, truth, uniform(truth, 8)^1.2)),
  `modulo bias: three bits modulo 5` = list(grr, function(truth) {
    told <- runif(length(truth)) < (exp(1) - 1) / (exp(1) + 4)
    ifelse(told, truth, grr$levels[(sample(8, length(truth), TRUE) - 1) %% 5 + 1])
  }),
  `generator of 4,096 states` = list(hash, function(truth) {
    pools <- report(hash, rep(hash$levels, each = 4096))
    pools[4096 * (position(hash, truth) - 1) + sample(4096, length(truth), TRUE), ]
  }),
  `each random number used for two respondents` = list(grr, function(truth) {
    u <- rep(runif(ceiling(length(truth) / 2)), each = 2)[seq_along(truth)]
    p <- grr$p
    x <- position(grr, truth)
    grr$levels[ifelse(u < p, x, (x + floor((u - p) / (1 - p) * 4)) %% 5 + 1)]
  }),
  `Hadamard rows counted from 0` = list(hadamard, function(truth) {
    x <- position(hadamard, truth)
    ifelse(x > 1, as.integer(as.character(report(hadamard, hadamard$levels[pmax(1, x - 1)]))), sample(0:7, length(x), TRUE))
  }),
  `always the first cohort` = list(bloom, function(truth) {
    one <- rr_unary(16, p = bloom$one, q = bloom$zero)
    own <- t(vapply(position(bloom, truth), function(x) 1:16 %in% bloom$places[, x, 1], logical(16)))
    u <- uniform(truth, 16)
    bits <- 1 * (u < ifelse(own, bloom$one, bloom$zero))
    data.frame(cohort = 1, stats::setNames(as.data.frame(bits), paste0("bit_", 1:16)))
  }),
  `reports of the neighbour` = list(subset8, function(truth) report(subset8, sample(truth)))
)

# ---- clients that are right ----

right <- list(
  `rr_grr(5, 1)` = grr, `rr_grr(20, 4)` = rr_grr(letters_of(20), 4), `rr_grr(2, 5)` = rr_grr(letters_of(2), 5), `rr_warner(0.8)` = rr_warner(0.8),
  `rr_crosswise(0.25)` = rr_crosswise(0.25), `rr_triangular(0.25)` = rr_triangular(0.25), `rr_forced(1 / 6)` = rr_forced(1 / 6),
  `rr_kuk(0.8, 0.3)` = rr_kuk(0.8, 0.3), `rr_unrelated(0.7, 0.25)` = rr_unrelated(0.7, 0.25), `rr_geometric(5, 0.8)` = rr_geometric(letters_of(5), 0.8),
  `rr_square_wave(8, 1)` = rr_square_wave(8, 1), `rr_unary(8, 1.5)` = unary, `rr_unary(20, 10)` = rr_unary(letters_of(20), 10),
  `rr_unary(100, 8)` = rr_unary(100, 8), `rr_unary(8, 1, optimized = FALSE)` = rr_unary(8, 1, optimized = FALSE), `rr_subset(8, 1)` = subset8,
  `rr_subset(50, 8)` = rr_subset(50, 8), `rr_local_hash(5, 1)` = hash, `rr_local_hash(5, 1, cohorts = 8)` = rr_local_hash(letters_of(5), 1, cohorts = 8),
  `rr_hadamard(6, 1)` = rr_hadamard(letters_of(6), 1), `rr_hadamard(6, 1, blocks = 2)` = rr_hadamard(letters_of(6), 1, blocks = 2),
  `rr_hadamard(6, 1, one_bit = TRUE)` = rr_hadamard(letters_of(6), 1, one_bit = TRUE), `rr_projective(6, 1)` = rr_projective(letters_of(6), 1),
  `rr_bloom(4, 2)` = bloom, `rr_bloom(4, 1, permanent = 2)` = rr_bloom(letters_of(4), 1, bits = 16, cohorts = 4, permanent = 2),
  `rr_bitflip(8, 1.5, d = 2)` = flip, `rr_bitflip(6, 1)` = rr_bitflip(letters_of(6), 1), `rr_longitudinal(5, 2, 1)` = kept,
  `rr_longitudinal(5, 2, 1, "grr-grr")` = rr_longitudinal(letters_of(5), 2, 1, "grr-grr"),
  `rr_longitudinal(5, 2, 1, "local-hash")` = rr_longitudinal(letters_of(5), 2, 1, "local-hash"), `rr_product(warner, grr)` = product
)

truths <- function(mechanism, n) {
  if (is.null(mechanism$questions)) return(rep(utils::head(mechanism$levels, 4), each = n))
  cells <- expand.grid(lapply(mechanism$questions, `[[`, "levels"), stringsAsFactors = FALSE)
  cells[rep(seq_len(nrow(cells)), each = ceiling(n / 2)), ]
}

is_found <- function(mechanism, reports, truth, id = NULL) {
  any(!is.na(rr_check_client(reports, mechanism, truth, id)$problem))
}

study_broken <- function(runs = 40, n = c(1000, 10000), clients = names(broken), seed = 1) {
  rows <- lapply(clients, function(name) {
    set.seed(seed + match(name, names(broken)))
    client <- broken[[name]]
    twice <- length(client) > 2
    found <- vapply(n, function(size) {
      truth <- truths(client[[1]], size)
      id <- if (twice) rep(seq_along(truth), 2)
      mean(replicate(runs, is_found(client[[1]], client[[2]](truth), if (twice) rep(truth, 2) else truth, id)))
    }, 0)
    data.frame(client = name, kind = "broken", n = n, runs = runs, found = found)
  })
  do.call(rbind, rows)
}

# Clients with a permanent answer are asked twice.
study_right <- function(runs = 500, n = 1000, clients = names(right), seed = 100) {
  rows <- lapply(clients, function(name) {
    set.seed(seed + match(name, names(right)))
    mechanism <- right[[name]]
    truth <- truths(mechanism, n)
    found <- replicate(runs, {
      if (!isTRUE(mechanism$memoised)) return(is_found(mechanism, report(mechanism, truth), truth))
      first <- rr_perturb(truth, mechanism, rng = "R", memory = list())
      second <- rr_perturb(truth, mechanism, rng = "R", memory = first$memory)
      reports <- if (is.data.frame(first$reports)) rbind(first$reports, second$reports) else c(first$reports, second$reports)
      is_found(mechanism, reports, rep(truth, 2), rep(seq_along(truth), 2))
    })
    data.frame(client = name, kind = "right", n = n, runs = runs, found = mean(found))
  })
  do.call(rbind, rows)
}

# The other tests of the check are exact. How often is the p-value of the chi-squared test below 0.0005, the share of its
# false alarms, and below a hundredth of it, as with 100 truths? Counts of one truth are drawn without reports.
study_single <- function(runs = 20000, n = 1000, seed = 200) {
  cells <- lapply(list(`rr_grr(5, 1)` = rr_grr(5, 1), `rr_grr(20, 4)` = rr_grr(20, 4), `rr_grr(100, 3)` = rr_grr(100, 3),
                       `rr_square_wave(20, 1)` = rr_square_wave(20, 1), `rr_local_hash(5, 1, cohorts = 30)` = rr_local_hash(5, 1, cohorts = 30),
                       `rr_hadamard(20, 2)` = rr_hadamard(20, 2), `rr_projective(20, 3)` = rr_projective(20, 3),
                       `rr_geometric(8, 0.8)` = rr_geometric(8, 0.8)),
                  function(mechanism) candor:::cell_probs(mechanism, 1)[[1]])
  bits <- list(`rr_unary(8, 1.5)` = rr_unary(8, 1.5), `rr_unary(20, 10)` = rr_unary(20, 10), `rr_unary(100, 8)` = rr_unary(100, 8),
               `rr_unary(20, 5)` = rr_unary(20, 5), `rr_unary(100, 5.2)` = rr_unary(100, 5.2))
  draws <- c(lapply(cells, function(chance) {
    list(counts = rmultinom(runs, n, chance), facts = function(counts) list(counts = counts, prob = chance))
  }), lapply(bits, function(mechanism) {
    chance <- c(mechanism$p, rep(mechanism$q, length(mechanism$levels) - 1))
    both <- outer(chance, chance)
    diag(both) <- chance
    list(counts = matrix(rbinom(runs * length(chance), n, chance), length(chance)),
         facts = function(counts) list(bits = rbind(counts), both = both, truth_bits = 1))
  }))
  rows <- lapply(names(draws), function(name) {
    set.seed(seed)
    one <- draws[[name]]
    p <- apply(one$counts, 2, function(counts) candor:::single_test(one$facts(counts), n)$p)
    data.frame(client = paste(name, c("below 5e-4", "below 5e-6")), kind = "chi-squared", n = n, runs = runs,
               found = c(mean(p < 5e-4), mean(p < 5e-6)))
  })
  do.call(rbind, rows)
}

# Sourced by a test, only the functions are wanted.
if (!isTRUE(getOption("candor.study.functions.only"))) {
  clients <- rbind(study_broken(), study_right(), study_single())
  folder <- c(commandArgs(trailingOnly = TRUE), ".")[1]
  utils::write.csv(clients, file.path(folder, "clients.csv"), row.names = FALSE)
  print(clients)
}
