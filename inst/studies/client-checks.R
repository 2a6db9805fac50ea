# Does rr_check_client() find clients that disclose answers although each part of their reports is right, or nearly so, and does
# it leave right clients alone?
#
#   Rscript inst/studies/client-checks.R
#
# writes client-checks.csv into the working directory, or the folder that is given as an argument to Rscript: for each client
# that discloses the share found with 1,000 and 10,000 reports a truth, for each right one the share accused with 1,000.
# The helpers are those of clients.R. It takes about 20 minutes on one core.
# The file beside it has 1,000 reports a truth for nine of the clients that disclose answers alone.
library(candor)

options(candor.study.functions.only = TRUE)
helpers <- new.env()
# Run from the top of the repository, or from the folder of this script.
sys.source(Filter(file.exists, c("inst/studies/clients.R", "clients.R"))[1], helpers)
attach(helpers, warn.conflicts = FALSE)

# ---- clients: list(mechanism, reports of truths, and what differs from the usual) ----
#   interleaved   the truths take turns; they come one after the other by default
#   levels        the truths, by default the first four
#   times         the reports of each respondent, who is named by `id`
#   discloses     FALSE for clients that are only inexact

warner <- rr_warner(0.8)
long <- rr_unary(as.character(1:256), 1.5)
sign_hadamard <- rr_hadamard(letters_of(6), 1, one_bit = TRUE)
kept_grr <- rr_longitudinal(letters_of(3), 2, 1, "grr-grr")
warners <- rr_product(a = rr_warner(0.8), b = rr_grr(letters_of(3), 1))

# The report of each truth that follows from a number between 0 and 1.
from_uniform <- function(mechanism, truth, u, p = rr_matrix(mechanism)[1, 1]) {
  k <- length(mechanism$levels)
  x <- position(mechanism, truth)
  lie <- pmin(floor((u - p) / (1 - p) * (k - 1)), k - 2)
  mechanism$levels[ifelse(u < p, x, (x + lie) %% k + 1)]
}
number_within <- function(x) ave(seq_along(x), x, FUN = seq_along)
respondents <- function(truth, times) length(truth) / times
# Bits of a linear congruential generator of 31 bits, as numbers between 0 and 1.
congruential <- function(n, multiplier, increment, modulus) {
  state <- numeric(n)
  state[1] <- sample(modulus, 1) - 1
  for (i in seq_len(n - 1)) state[i + 1] <- (multiplier * state[i] + increment) %% modulus
  state
}
hashed_to <- function(truth, value) {
  drawn <- random_functions(length(truth))
  for (i in 1:200) {
    h <- candor:::hash_values(hash, position(hash, truth), data.frame(slope = drawn[[1]], shift = drawn[[2]]))
    bad <- which(h != value)
    drawn[[1]][bad] <- sample(hash$prime - 1, length(bad), TRUE)
    drawn[[2]][bad] <- sample(hash$prime, length(bad), TRUE) - 1
  }
  hash_reports(truth, drawn[[1]], drawn[[2]])
}

review <- list(
  `p drifts from .9 to .7` = list(warner, function(truth) {
    from_uniform(warner, truth, runif(length(truth)), ifelse(seq_along(truth) <= length(truth) / 2, 0.9, 0.7))
  }, interleaved = TRUE),
  `half of the devices tell the truth, no id` = list(warner, function(truth) {
    from_uniform(warner, truth, runif(length(truth)), sample(c(1, 0.6), length(truth), TRUE))
  }),
  `half of the devices tell the truth, two reports with id` = list(warner, function(truth) {
    people <- respondents(truth, 2)
    from_uniform(warner, truth, runif(length(truth)), rep(sample(c(1, 0.6), people, TRUE), 2))
  }, times = 2),
  `every second device tells the truth` = list(warner, function(truth) {
    from_uniform(warner, truth, runif(length(truth)), rep_len(c(1, 0.6), length(truth)))
  }),
  `generator restarts for each truth, hash` = list(hash, function(truth) {
    n <- max(number_within(truth))
    functions <- lapply(random_functions(n), rep_len, length(truth))
    h <- candor:::hash_values(hash, position(hash, truth), data.frame(slope = functions[[1]], shift = functions[[2]]))
    u <- rep_len(runif(n), length(truth))
    p <- candor:::rr_law(hash)$p
    lie <- floor((u - p) / (1 - p) * (hash$g - 1))
    data.frame(slope = functions[[1]], shift = functions[[2]], value = ifelse(u < p, h, (h + lie) %% hash$g + 1))
  }),
  `generator restarts for each truth, categories` = list(grr, function(truth) {
    from_uniform(grr, truth, runif(length(truth))[number_within(truth)])
  }),
  `noise of the respondent two before` = list(grr, function(truth) {
    n <- length(truth)
    from_uniform(grr, truth, runif(n)[(seq_len(n) - 1) %/% 4 * 4 + (seq_len(n) - 1) %% 2 + 1])
  }),
  `the truth hashes to 1` = list(hash, function(truth) hashed_to(truth, 1)),
  `slope modulo 5 is the truth` = list(hash, function(truth) {
    drawn <- random_functions(length(truth))
    slope <- drawn[[1]] - drawn[[1]] %% 5 + position(hash, truth) %% 5
    hash_reports(truth, ifelse(slope < 1 | slope > hash$prime - 1, 5 + position(hash, truth) %% 5, slope), drawn[[2]])
  }),
  `parity of slope and shift tells the truth` = list(hash, function(truth) {
    drawn <- random_functions(length(truth))
    wrong <- (drawn[[1]] + drawn[[2]] + position(hash, truth)) %% 2 == 1
    drawn[[2]][wrong] <- (drawn[[2]][wrong] + ifelse(drawn[[2]][wrong] == hash$prime - 1, -1, 1))
    hash_reports(truth, drawn[[1]], drawn[[2]])
  }),
  `which lie tells the answer to another question` = list(warners, function(truth) {
    b <- warners$questions$b
    lie <- ifelse(truth$a == "yes", 1, 2)
    x <- position(b, truth$b)
    is_lie <- runif(nrow(truth)) >= b$p
    data.frame(a = rr_perturb(truth$a, warners$questions$a, rng = "R"), b = b$levels[ifelse(is_lie, (x - 1 + lie) %% 3 + 1, x)])
  }),
  `bits v and v + 128 share a number` = list(long, function(truth) {
    bits_from(long, truth, uniform(truth, 128)[, rep(1:128, 2)])
  }, levels = c("5", "77", "110")),
  `permanent answer anew every 10th time` = list(kept_grr, function(truth) {
    people <- respondents(truth, 20)
    x <- truth[seq_len(people)]
    unlist(lapply(1:20, function(time) {
      if (time %% 10 == 1) first <<- rr_perturb(x, kept_grr$first, rng = "R")
      rr_perturb(first, kept_grr$second, rng = "R")
    }))
  }, times = 20),
  `RANDU for bits` = list(unary, function(truth) {
    u <- congruential(8 * length(truth), 65539, 0, 2^31) / 2^31
    bits_from(unary, truth, matrix(u, length(truth), byrow = TRUE))
  }, discloses = FALSE),
  `5 bits modulo 5` = list(grr, function(truth) {
    told <- runif(length(truth)) < (exp(1) - 1) / (exp(1) + 4)
    ifelse(told, truth, grr$levels[(sample(32, length(truth), TRUE) - 1) %% 5 + 1])
  }, discloses = FALSE),
  `p is 1 % off` = list(grr, function(truth) rr_perturb(truth, rr_grr(grr$levels, p = 1.01 * grr$p), rng = "R"), discloses = FALSE),
  `low bits of a congruential generator` = list(unary, function(truth) {
    u <- congruential(8 * length(truth), 1103515245 %% 2^20, 12345, 2^31) %% 16 / 16 + runif(1) / 16
    bits_from(unary, truth, matrix(u, length(truth), byrow = TRUE))
  }),
  `p and q exchanged for one category` = list(unary, function(truth) {
    bits <- bits_of(unary, truth)
    own <- truth == "a"
    bits[own, 1] <- 1 * (runif(sum(own)) < unary$q)
    bits[!own, 1] <- 1 * (runif(sum(!own)) < unary$p)
    bits
  }),
  `positions off by one` = list(unary, function(truth) bits_of(unary, truth)[, c(8, 1:7)]),
  `subset of neighbours` = list(subset8, function(truth) {
    x <- position(subset8, truth) - 1
    own <- runif(length(x)) < candor:::rr_law(subset8)$p
    start <- ifelse(own, (x - sample(0:1, length(x), TRUE)) %% 8, (x + 1 + sample(0:5, length(x), TRUE)) %% 8)
    lapply(start, function(one) sort((one + 0:1) %% 8 + 1))
  }),
  `index of the sign by the truth` = list(sign_hadamard, function(truth) {
    reports <- report(sign_hadamard, rep(sign_hadamard$levels, each = 4 * length(truth)))
    x <- rep(seq_along(sign_hadamard$levels), each = 4 * length(truth))
    index <- integer(length(truth))
    for (one in unique(position(sign_hadamard, truth))) {
      rows <- which(x == one & reports$index %% 4 == one %% 4)
      own <- position(sign_hadamard, truth) == one
      index[own] <- sample(rows, sum(own), TRUE)
    }
    reports[index, ]
  }),
  `cohort by the truth` = list(bloom, function(truth) {
    cohort <- position(bloom, truth)
    own <- t(mapply(function(x, cohort) 1:16 %in% bloom$places[, x, cohort], position(bloom, truth), cohort))
    bits <- 1 * (uniform(truth, 16) < ifelse(own, bloom$one, bloom$zero))
    data.frame(cohort = cohort, stats::setNames(as.data.frame(bits), paste0("bit_", 1:16)))
  }),
  `second bucket by the truth` = list(flip, function(truth) {
    x <- position(flip, truth)
    n <- length(x)
    first <- ifelse(runif(n) < 1 / 4, x, (x + floor(runif(n) * 7)) %% 8 + 1)
    second <- ifelse(first == x %% 8 + 1, x, x %% 8 + 1)
    sign <- function(bucket) ifelse(runif(n) < ifelse(bucket == x, flip$p, flip$q), 1, -1)
    rows <- cbind(first * sign(first), second * sign(second))
    ifelse(cbind(first < second, first >= second), rows[, 1], rows[, 2])
  }),
  `a marker in 1 of 200 reports` = list(unary, function(truth) {
    bits <- bits_of(unary, truth)
    marked <- runif(length(truth)) < 1 / 200
    bits[marked, ] <- 1 * outer(position(unary, truth)[marked], 1:8, `!=`)
    bits
  })
)

# Others like them. Two of them (the marker, the restart of bits) were known when the tests were written.
others <- list(
  `noise of the respondent 137 before` = list(grr, function(truth) {
    n <- length(truth)
    from_uniform(grr, truth, runif(n)[(seq_len(n) - 1) %/% 274 * 274 + (seq_len(n) - 1) %% 137 + 1])
  }),
  `every 7th device tells the truth` = list(grr, function(truth) {
    p <- ifelse(seq_along(truth) %% 7 == 0, 1, (7 * grr$p - 1) / 6)
    from_uniform(grr, truth, runif(length(truth)), p)
  }),
  `the last sixteenth tells the truth` = list(grr, function(truth) {
    p <- ifelse(seq_along(truth) > length(truth) * 15 / 16, 1, (16 * grr$p - 1) / 15)
    from_uniform(grr, truth, runif(length(truth)), p)
  }, interleaved = TRUE),
  `the truth hashes to 1 or 2` = list(hash, function(truth) hashed_to(truth, sample(2, length(truth), TRUE))),
  `slope and shift modulo 7 name the truth together` = list(hash, function(truth) {
    drawn <- random_functions(length(truth))
    shift <- (drawn[[2]] - (3 * drawn[[1]] + drawn[[2]] - position(hash, truth)) %% 7)
    hash_reports(truth, drawn[[1]], ifelse(shift < 0, shift + 7, shift))
  }),
  `index of the sign so that the truth's sign is 1` = list(sign_hadamard, function(truth) {
    reports <- report(sign_hadamard, rep(truth, each = 8))
    x <- rep(truth, each = 8)
    fits <- candor:::reports_support(sign_hadamard, rr_reports(reports, sign_hadamard), position(sign_hadamard, x)) == (reports$sign == 1)
    group <- rep(seq_along(truth), each = 8)
    reports[order(!fits, seq_along(fits)), ][match(seq_along(truth), group[order(!fits, seq_along(fits))]), ]
  }),
  `generator restarts for each truth, bits` = list(unary, function(truth) {
    bits_from(unary, truth, uniform(truth, 8)[number_within(truth), ])
  }),
  `parity of the bits tells the truth` = list(unary, function(truth) {
    bits <- bits_of(unary, truth)
    own <- cbind(seq_along(truth), position(unary, truth))
    bits[own] <- (rowSums(bits) - bits[own] + own[, 2]) %% 2
    bits
  }),
  `the lie of one question is that of another` = list(warners, function(truth) {
    told <- runif(nrow(truth)) < 0.8
    b <- warners$questions$b
    u <- ifelse(told, runif(nrow(truth), 0, 0.8), runif(nrow(truth), 0.8, 1))
    data.frame(a = ifelse(told, truth$a, ifelse(truth$a == "yes", "no", "yes")), b = from_uniform(b, truth$b, u))
  })
)

clients <- c(review, others)

client_truth <- function(client, n) {
  times <- if (is.null(client$times)) 1 else client$times
  truth <- if (is.null(client$levels)) truths(client[[1]], n / times) else rep(client$levels, each = n / times)
  if (isTRUE(client$interleaved)) truth <- truth[order(number_within(truth))]
  if (times == 1) truth else rep(truth, times)
}
client_problems <- function(client, n) {
  truth <- client_truth(client, n)
  id <- if (!is.null(client$times)) rep(seq_len(length(truth) / client$times), client$times)
  rr_check_client(client[[2]](truth), client[[1]], truth, id)$problem
}

# The share of runs in which a problem is named, and the commonest sentence.
study_disclosing <- function(runs = 20, n = c(1000, 10000), names = base::names(clients), seed = 1) {
  rows <- lapply(names, function(name) {
    set.seed(seed + match(name, base::names(clients)))
    rows <- lapply(n, function(size) {
      problems <- replicate(runs, client_problems(clients[[name]], size), simplify = FALSE)
      named <- unlist(lapply(problems, function(problem) stats::na.omit(problem)[1]))
      words <- base::names(sort(table(gsub("[0-9.]+ ", "... ", named)), decreasing = TRUE))[1]
      kind <- if (isFALSE(clients[[name]]$discloses)) "inexact" else "discloses"
      data.frame(client = name, kind = kind, n = size, runs = runs, found = mean(!is.na(named)), problem = c(words, NA)[1])
    })
    do.call(rbind, rows)
  })
  do.call(rbind, rows)
}

# Right clients: ten mechanisms, of all kinds of reports; those with a permanent answer are asked three times.
accused <- list(
  `rr_grr(5, 1)` = grr, `rr_warner(0.8)` = warner, `rr_triangular(0.25)` = rr_triangular(0.25), `rr_unary(8, 1.5)` = unary,
  `rr_subset(8, 1)` = subset8, `rr_local_hash(5, 1)` = hash, `rr_hadamard(6, 1, one_bit = TRUE)` = sign_hadamard, `rr_bloom(4, 2)` = bloom,
  `rr_longitudinal(3, 2, 1, "grr-grr")` = kept_grr, `rr_product(warner, grr)` = warners
)
study_accused <- function(runs = 1000, n = 1000, clients = names(accused), seed = 100) {
  rows <- lapply(clients, function(name) {
    set.seed(seed + match(name, names(accused)))
    mechanism <- accused[[name]]
    is_kept <- isTRUE(mechanism$memoised)
    truth <- truths(mechanism, n)
    found <- replicate(runs, {
      if (!is_kept) return(is_found(mechanism, report(mechanism, truth), truth))
      first <- rr_perturb(truth, mechanism$first, rng = "R")
      reports <- unlist(lapply(1:3, function(time) rr_perturb(first, mechanism$second, rng = "R")))
      is_found(mechanism, reports, rep(truth, 3), rep(seq_along(truth), 3))
    })
    data.frame(client = name, kind = "right", n = n, runs = runs, found = mean(found), problem = NA)
  })
  do.call(rbind, rows)
}

if (!isTRUE(getOption("candor.study.checks.only"))) {
  checks <- rbind(study_disclosing(), study_accused())
  folder <- c(commandArgs(trailingOnly = TRUE), ".")[1]
  utils::write.csv(checks, file.path(folder, "client-checks.csv"), row.names = FALSE)
  print(checks)
}
