# Coverage and width of intervals of a yes/no share whose channel an external study measured
#
#     Rscript measured.R <folder>
#
# Writes measured.csv, a row a cell: coverage and mean width of 95% intervals of 1,000 surveys, of the package and of three others: Lang and
# Reiczigel (2014), the profile likelihood, and the score interval that the package had before. Surveys whose study has no more yes among true
# yes than among true no are drawn again. Limits of the package are its kernel's, for all surveys of a cell at once.
library(candor)

measured_cells <- function() {
  set.seed(2711)
  n <- 80
  pick <- function(x) sample(x, n, TRUE)
  cells <- data.frame(share = pick(c(0, 0.001, 0.01, 0.03, 0.08, 0.15, 0.25, 0.4, 0.5, 0.75, 0.9, 0.99)), sensitivity = round(runif(n, 0.65, 0.99), 2),
                      specificity = round(1 - exp(runif(n, log(0.002), log(0.25))), 3), labelled_yes = pick(c(10, 15, 25, 50, 100, 300)),
                      labelled_no = pick(c(12, 20, 40, 100, 400, 1000)), n = pick(c(100, 500, 2000, 1e4, 1e5)))
  # Few labels of a common truth, and many reports.
  hard <- 65:80
  cells[hard, "share"] <- rep(c(0.25, 0.4, 0.55, 0.65, 0.75, 0.85, 0.3, 0.1), 2)
  cells[hard, "labelled_yes"] <- rep(c(12, 10, 14, 12, 18, 12, 60, 100), 2)
  cells[hard, "labelled_no"] <- rep(c(80, 100, 50, 300, 100, 100, 12, 15), 2)
  cells[hard, "n"] <- rep(c(1e4, 1e5), 8)
  cbind(cells, hard = seq_len(n) %in% hard, seed = 27110 + seq_len(n))
}

# Counts in three rows: reports of yes, and those among true yes and among true no.
draw_surveys <- function(cell, surveys) {
  counts <- matrix(0, 3, 0)
  while (ncol(counts) < surveys) {
    positive <- cell$share * cell$sensitivity + (1 - cell$share) * (1 - cell$specificity)
    new <- rbind(rbinom(surveys, cell$n, positive), rbinom(surveys, cell$labelled_yes, cell$sensitivity),
                 rbinom(surveys, cell$labelled_no, 1 - cell$specificity))
    counts <- cbind(counts, new[, new[2, ] / cell$labelled_yes > new[3, ] / cell$labelled_no])
  }
  counts[, seq_len(surveys)]
}

# Both ends by halving, where accept(t) is TRUE, from what is nearest to the estimate.
halve <- function(nearest, accept) {
  ends <- lapply(0:1, function(end) {
    outside <- rep(end, length(nearest))
    inside <- ifelse(accept(outside), end, nearest)
    for (step in 1:25) {
      middle <- (inside + outside) / 2
      accepted <- accept(middle)
      inside <- ifelse(accepted, middle, inside)
      outside <- ifelse(accepted, outside, middle)
    }
    inside
  })
  do.call(rbind, ends)
}

lang_reiczigel <- function(counts, sizes, z) {
  positive <- (counts[1, ] + z^2 / 2) / (sizes[1] + z^2)
  se <- (counts[2, ] + 1) / (sizes[2] + 2)
  false <- (counts[3, ] + 1) / (sizes[3] + 2)
  estimate <- (positive - false) / (se - false)
  yes <- se * (1 - se) / (sizes[2] + 2)
  no <- false * (1 - false) / (sizes[3] + 2)
  centre <- estimate + 2 * z^2 * (estimate * yes - (1 - estimate) * no)
  half <- z * sqrt(positive * (1 - positive) / (sizes[1] + z^2) + estimate^2 * yes + (1 - estimate)^2 * no) / abs(se - false)
  rbind(pmin(pmax(centre - half, 0), 1), pmin(pmax(centre + half, 0), 1))
}

score <- function(counts, sizes, z) {
  s <- counts[2, ] / sizes[2]
  f <- counts[3, ] / sizes[3]
  inverse <- (counts[1, ] / sizes[1] - f) / (s - f)
  study <- function(x, m) (x + 1) * (m + 1 - x) / (m + 2)^2 / m
  variance <- function(t) {
    p <- t * s + (1 - t) * f
    (p * (1 - p) / sizes[1] + t^2 * study(counts[2, ], sizes[2]) + (1 - t)^2 * study(counts[3, ], sizes[3])) / (s - f)^2
  }
  distance <- function(t) (inverse - t)^2 / pmax(variance(t), 1e-12)
  nearest <- pmin(pmax(inverse, 0), 1)
  least <- distance(nearest)
  halve(nearest, function(t) distance(t) - least <= z^2)
}

# The maximum under p = t s + (1 - t) f: the three shares follow from a multiplier, which is halved.
profile <- function(counts, sizes, z) {
  share <- function(i, c) {
    root <- sqrt(pmax(0, (sizes[i] + c)^2 - 4 * c * counts[i, ]))
    p <- ifelse(sizes[i] + c >= 0, 2 * counts[i, ] / (sizes[i] + c + root), (sizes[i] + c - root) / (2 * c))
    ifelse(abs(c) < 1e-12, counts[i, ] / sizes[i], pmin(pmax(p, 0), 1))
  }
  shares <- function(t, l) list(share(1, l), share(2, -l * t), share(3, -l * (1 - t)))
  deviance <- function(t) {
    bound <- 4.1 * max(sizes)
    low <- rep(-bound, length(t))
    high <- -low
    for (step in 1:45) {
      l <- (low + high) / 2
      p <- shares(t, l)
      positive <- p[[1]] > t * p[[2]] + (1 - t) * p[[3]]
      low <- ifelse(positive, l, low)
      high <- ifelse(positive, high, l)
    }
    -2 * rowSums(mapply(function(i, p) {
      dbinom(counts[i, ], sizes[i], p, log = TRUE) - dbinom(counts[i, ], sizes[i], counts[i, ] / sizes[i], log = TRUE)
    }, 1:3, p))
  }
  s <- counts[2, ] / sizes[2]
  f <- counts[3, ] / sizes[3]
  nearest <- pmin(pmax((counts[1, ] / sizes[1] - f) / (s - f), 0), 1)
  least <- deviance(nearest)
  halve(nearest, function(t) deviance(t) - least <= z^2)
}

package <- function(counts, sizes, z) {
  .Call(candor:::C_rr_measured_interval, counts, matrix(sizes, 3, ncol(counts)), rep(z, ncol(counts)))
}

run_measured <- function(cell, surveys = 1000) {
  set.seed(cell$seed)
  counts <- draw_surveys(cell, surveys)
  sizes <- c(cell$n, cell$labelled_yes, cell$labelled_no)
  kinds <- list(package = package, lang.reiczigel = lang_reiczigel, profile = profile, score = score)
  figures <- lapply(kinds, function(kind) {
    limits <- kind(counts, sizes, qnorm(0.975))
    # Halving leaves 3e-8.
    c(coverage = mean(limits[1, ] <= cell$share + 1e-7 & cell$share - 1e-7 <= limits[2, ]), width = mean(limits[2, ] - limits[1, ]))
  })
  cbind(cell, round(as.data.frame(as.list(unlist(figures))), 5))
}

# Sourced by its test, it defines the functions alone.
if (sys.nframe() == 0L) {
  arguments <- commandArgs(trailingOnly = TRUE)
  folder <- if (length(arguments) < 1) tempdir() else arguments[1]
  cells <- measured_cells()
  rows <- do.call(rbind, lapply(seq_len(nrow(cells)), function(i) run_measured(cells[i, ])))
  utils::write.csv(rows, file.path(folder, "measured.csv"), row.names = FALSE)
  narrowest <- pmin(rows$lang.reiczigel.width, rows$profile.width, rows$score.width)
  for (kind in c("package", "lang.reiczigel", "profile", "score")) {
    coverage <- rows[[paste0(kind, ".coverage")]]
    cat(sprintf("%s: lowest coverage %.3f, below .93 in %d, mean width over the narrowest %.3f\n", kind, min(coverage), sum(coverage < 0.93),
                mean(rows[[paste0(kind, ".width")]] / narrowest)))
  }
}
