# The numerical study of Carette (2022), section 4, figures 1 to 3: four independent yes/no questions whose yes is
# kept with probability 0.8 and whose no becomes a yes with probability 0.1; from 10 to 100,000 respondents.
#
# As a script it draws the figures and says which of the paper's claims they confirm. For more of it:
#
#   source(system.file("studies", "carette.R", package = "candor"))
#   study <- carette_study()              # a long data frame; about 5 seconds
#   carette_figure_1(study)               # ggplot objects; carette_figure_2, _3 likewise
#   carette_distribution(200)             # panels d to f of figure 3
#
# The paper does not say which true shares it used; these are 0.1, 0.3, 0.5 and 0.7. (It puts epsilon at about 2,
# which is that of one column; a row of four has 8.3.)
library(candor)

carette_design <- list(p = 0.8, q = 0.1)
carette_shares <- c(0.1, 0.3, 0.5, 0.7)
carette_sets <- c("x1", "x3", "x1:x2", "x3:x4", "x2:x3:x4", "x1:x2:x3:x4")
carette_pairs <- list(c("x1", "x1:x2"), c("x3:x4", "x2:x3:x4"), c("x1:x2", "x1:x2:x3:x4"))

# A true data set of n rows: the whole numbers closest to n times the probabilities of its 16 row types.
carette_truth <- function(n, shares = carette_shares) {
  probability <- Reduce(function(a, b) as.vector(outer(a, c(1 - b, b))), shares, 1)
  exact <- n * probability
  rows <- floor(exact)
  short <- round(n - sum(rows))
  first <- order(exact - rows, decreasing = TRUE)[seq_len(short)]
  rows[first] <- rows[first] + 1
  rows
}

# Reported counts of all 15 sets (rows) in `runs` randomizations (columns) of one data set: a sum of multinomials over
# the
# true row types, as exact as randomizing every bit.
carette_reports <- function(truth, runs, design = carette_design) {
  d <- log2(length(truth))
  one <- rbind(c(1 - design$q, design$q), c(1 - design$p, design$p))
  channel <- Reduce(kronecker, rep(list(one), d))
  types <- matrix(0, length(truth), runs)
  for (x in which(truth > 0)) types <- types + stats::rmultinom(runs, truth[x], channel[x, ])
  joint <- function(types) rr_cooccurrence(as.table(array(types, rep(2, d))))
  sums <- vapply(seq_along(truth), function(type) coef(joint(as.double(seq_along(truth) == type))),
                 numeric(length(truth) - 1))
  counts <- sums %*% types
  rownames(counts) <- names(coef(joint(truth)))
  counts
}

# The unbiased estimates from reported counts (columns), by the inverse of one column's matrix (Lemma 3.4): sets are
# numbered by their columns, the empty set first.
carette_estimates <- function(counts, n, design = carette_design) {
  d <- design$p - design$q
  members <- strsplit(rownames(counts), ":")
  place <- 1 + vapply(members, function(set) sum(2^(as.integer(sub("x", "", set)) - 1)), 0)
  inverse <- Reduce(kronecker, rep(list(rbind(c(1, 0), c(-design$q, 1) / d)), max(lengths(members))))
  estimates <- inverse[place, place] %*% counts + n * inverse[place, 1]
  rownames(estimates) <- rownames(counts)
  estimates
}

# The variance estimate of Theorem 3.6 is linear in the reported counts: its weights for the set J, over the subsets
# of J.
carette_variance <- function(counts, n, set, design = carette_design) {
  members <- strsplit(set, ":")[[1]]
  k <- length(members)
  d <- design$p - design$q
  q <- design$q
  total <- 0
  for (size in 0:k) {
    subsets <- if (size == 0) list(NULL) else utils::combn(members, size, paste, collapse = ":", simplify = FALSE)
    weight <- (q^2)^(k - size) * (1 - 2 * q)^size / d^(2 * k) - (-q)^(k - size) / d^k
    for (subset in subsets) total <- total + weight * (if (is.null(subset)) n else counts[subset, ])
  }
  total
}

skewness <- function(x) mean((x - mean(x))^3) / stats::sd(x)^3

# One row per number of respondents, set (or pair) and metric, with the analytic value and the simulated one.
# `mc.error` is the
# Monte Carlo standard error of the latter.
carette_study <- function(n = round(10^seq(1, 5, by = 0.5)), runs = 20000, seed = 1) {
  set.seed(seed)
  do.call(rbind, lapply(n, carette_one, runs = runs))
}

carette_one <- function(n, runs) {
  truth <- carette_truth(n)
  expected <- rr_pmdh(truth, carette_design)
  counts <- carette_reports(truth, runs)
  estimates <- carette_estimates(counts, n)
  reported <- carette_moments(n, counts, coef(expected), vcov(expected, target = "sample"), "reported")
  true <- carette_moments(n, estimates, coef(expected$truth), vcov(expected, target = "sample", of = "estimate"),
                          "estimated")
  spread <- do.call(rbind, lapply(carette_sets, function(set) {
    exact <- vcov(expected, set, target = "sample", of = "estimate")[1, 1]
    guess <- carette_variance(counts, n, set)
    rbind(carette_row(n, set, "variance estimate", "estimated", exact, mean(guess), stats::sd(guess) / sqrt(runs)),
          carette_row(n, set, "error of variance estimate", "estimated", NA, stats::sd(guess) / exact, NA))
  }))
  rbind(reported, true, spread)
}

carette_row <- function(n, term, metric, what, analytic, simulated, mc.error) {
  data.frame(n = n, term = term, metric = metric, what = what, analytic = analytic, simulated = simulated,
             mc.error = mc.error)
}

carette_moments <- function(n, x, mean, covariance, what) {
  runs <- ncol(x)
  single <- lapply(carette_sets, function(set) {
    v <- x[set, ]
    fourth <- mean((v - mean(v))^4)
    sd <- stats::sd(v)
    middle <- stats::median(v)
    rbind(carette_row(n, set, "mean", what, mean[[set]], mean(v), sd / sqrt(runs)),
          carette_row(n, set, "standard deviation", what, sqrt(covariance[set, set]), sd,
                      sqrt(max(fourth - sd^4, 0) / runs) / (2 * sd)),
          carette_row(n, set, "1 - mean / median", what, 0, if (middle == 0) NA else 1 - mean(v) / middle, NA),
          carette_row(n, set, "skewness", what, 0, skewness(v), sqrt(6 / runs)))
  })
  double <- lapply(carette_pairs, function(pair) {
    a <- x[pair[1], ] - mean(x[pair[1], ])
    b <- x[pair[2], ] - mean(x[pair[2], ])
    carette_row(n, paste(pair, collapse = " | "), "covariance", what, covariance[pair[1], pair[2]], mean(a * b),
                stats::sd(a * b) / sqrt(runs))
  })
  do.call(rbind, c(single, double))
}

# ---- pictures --------------------------------------------------------------------------------------------------------

carette_theme <- function() {
  ggplot2::theme_minimal(base_size = 11) +
    ggplot2::theme(panel.grid.minor = ggplot2::element_blank(),
                   plot.background = ggplot2::element_rect(fill = "white",
                                                           colour = NA), plot.title.position = "plot", plot.caption.position = "plot",
                   plot.caption = ggplot2::element_text(hjust = 0,
                                                        colour = "grey40"), legend.position = "top", legend.justification = "left")
}

carette_axis <- function() ggplot2::scale_x_log10(breaks = 10^(1:5),
                                                  labels = c("10", "100", "1,000", "10,000", "100,000"))

term_labels <- function(term) gsub("x", "", gsub(":", "", term))

# Mean, standard deviation and covariance of reported counts: lines are the formulas, points the simulation.
carette_figure_1 <- function(study) {
  data <- study[study$what == "reported" & study$metric %in% c("mean", "standard deviation", "covariance"), ]
  data$metric <- factor(data$metric, c("mean", "standard deviation", "covariance"),
                        c("Mean", "Standard deviation", "Covariance"))
  data$set <- factor(paste0("{", term_labels(data$term), "}"), unique(paste0("{", term_labels(data$term), "}")))
  ggplot2::ggplot(data, ggplot2::aes(.data$n, .data$analytic, colour = .data$set)) +
    ggplot2::geom_line(linewidth = 0.5) +
    ggplot2::geom_point(ggplot2::aes(y = .data$simulated), size = 1.5) +
    ggplot2::facet_wrap(~metric, scales = "free_y") +
    carette_axis() +
    ggplot2::scale_y_log10(labels = function(x) format(x, big.mark = ",", scientific = FALSE, drop0trailing = TRUE,
                                                       trim = TRUE)) +
    ggplot2::scale_colour_viridis_d(end = 0.92) +
    ggplot2::labs(x = "Respondents", y = NULL, colour = "Set",
                  title = "Reported joint counts: formulas (lines) and simulation (points)",
                  caption = "Columns of each set in braces; a covariance is of the two sets beside the bar.") +
    carette_theme() +
    ggplot2::theme(axis.text.x = ggplot2::element_text(angle = 35, hjust = 1), legend.position = "right")
}

# How far reported counts are from normal.
carette_figure_2 <- function(study) carette_divergence(study, "reported",
                                                       "Reported joint counts: divergence from the normal law")

carette_divergence <- function(study, what, title) {
  data <- study[study$what == what & study$metric %in% c("skewness", "1 - mean / median"), ]
  data <- data[!is.na(data$simulated), ]
  data$set <- factor(paste0("{", term_labels(data$term), "}"), unique(paste0("{", term_labels(data$term), "}")))
  data$metric <- factor(data$metric, c("skewness", "1 - mean / median"), c("Skewness", "1 - mean / median"))
  ggplot2::ggplot(data, ggplot2::aes(.data$n, .data$simulated, colour = .data$set)) +
    ggplot2::geom_hline(yintercept = 0, colour = "grey60", linewidth = 0.4) +
    ggplot2::geom_line(linewidth = 0.5) +
    ggplot2::geom_point(size = 1.4) +
    ggplot2::facet_wrap(~metric, scales = "free_y") +
    carette_axis() +
    ggplot2::scale_colour_viridis_d(end = 0.9) +
    ggplot2::labs(x = "Respondents", y = NULL, colour = "Set", title = title) +
    carette_theme()
}

# Panels a to c, g and h of figure 3: estimates of the truth.
carette_figure_3 <- function(study) {
  relative <- study[study$what == "estimated" & study$metric %in% c("mean", "standard deviation", "variance estimate",
                                                                    "covariance"), ]
  relative$value <- (relative$simulated - relative$analytic) / relative$mc.error
  relative$metric <- factor(relative$metric, c("mean", "standard deviation", "covariance", "variance estimate"),
                            c("Mean", "Standard deviation", "Covariance", "Mean of variance estimate"))
  relative <- relative[is.finite(relative$value), ]
  ggplot2::ggplot(relative, ggplot2::aes(.data$n, .data$value)) +
    ggplot2::annotate("rect", xmin = min(relative$n) / 1.3, xmax = max(relative$n) * 1.3, ymin = -2, ymax = 2,
                      fill = "grey92") +
    ggplot2::geom_hline(yintercept = 0, colour = "grey60", linewidth = 0.4) +
    ggplot2::geom_point(ggplot2::aes(colour = factor(nchar(gsub("[^x]", "", sub(" .*", "", .data$term))))), size = 1.5,
                        alpha = 0.9) +
    ggplot2::facet_wrap(~metric) +
    carette_axis() +
    ggplot2::scale_colour_viridis_d(end = 0.85) +
    ggplot2::labs(x = "Respondents", y = "Simulation minus formula, in Monte Carlo errors",
                  colour = "Columns in the set",
                  title = "Estimated joint counts: the formulas are exact", caption = "Grey band: two Monte Carlo standard errors.") +
    carette_theme() +
    ggplot2::theme(axis.text.x = ggplot2::element_text(angle = 35, hjust = 1))
}

carette_figure_3_divergence <- function(study) carette_divergence(study, "estimated",
                                                                  "Estimated joint counts: divergence from the normal law")

# A histogram whose bars hold one possible value each where there are few of them.
carette_bars <- function(x) {
  values <- sort(unique(round(x, 8)))
  breaks <- if (length(values) <= 60) c(values[1] - diff(values)[1] / 2, (values[-1] + values[-length(values)]) / 2,
                                        max(values) + diff(values)[1] / 2)
            else seq(min(x), max(x), length.out = 46)
  bars <- graphics::hist(x, breaks = breaks, plot = FALSE, include.lowest = TRUE)
  data.frame(left = utils::head(bars$breaks, -1), right = bars$breaks[-1], density = bars$density)
}

# Panels d to f: the law of estimates from n respondents, and its normal approximation.
carette_distribution <- function(n = 200, runs = 20000, seed = 2, sets = c("x1", "x3:x4", "x1:x2:x3:x4")) {
  set.seed(seed)
  truth <- carette_truth(n)
  expected <- rr_pmdh(truth, carette_design)
  counts <- carette_reports(truth, runs)
  estimates <- carette_estimates(counts, n)
  label <- function(set) factor(paste0("{", term_labels(set), "}"), paste0("{", term_labels(sets), "}"))
  data <- do.call(rbind, lapply(sets, function(set) data.frame(set = label(set), carette_bars(estimates[set, ]))))
  curves <- do.call(rbind, lapply(sets, function(set) {
    m <- coef(expected$truth)[[set]]
    s <- sqrt(vcov(expected, set, target = "sample", of = "estimate")[1, 1])
    x <- seq(m - 4 * s, m + 4 * s, length.out = 200)
    data.frame(set = label(set), x = x, y = stats::dnorm(x, m, s))
  }))
  ggplot2::ggplot(data) +
    ggplot2::geom_rect(ggplot2::aes(xmin = .data$left, xmax = .data$right, ymin = 0, ymax = .data$density),
                       fill = "#9DB4C0", colour = "white", linewidth = 0.1) +
    ggplot2::geom_line(ggplot2::aes(.data$x, .data$y), curves, colour = "#B2182B", linewidth = 0.7) +
    ggplot2::facet_wrap(~set, scales = "free") +
    ggplot2::labs(x = "Estimated true count", y = "Density",
                  title = sprintf("Estimates from %d respondents and their normal approximation", n),
                  caption = "Estimates are functions of whole counts: the steps show where these are few.") +
    carette_theme()
}

# Panel b: how uncertain the variance estimate itself is.
carette_figure_3_variance <- function(study) {
  data <- study[study$metric == "error of variance estimate", ]
  data$set <- factor(paste0("{", term_labels(data$term), "}"), unique(paste0("{", term_labels(data$term), "}")))
  ggplot2::ggplot(data, ggplot2::aes(.data$n, .data$simulated, colour = .data$set)) +
    ggplot2::geom_line(linewidth = 0.5) +
    ggplot2::geom_point(size = 1.5) +
    carette_axis() +
    ggplot2::scale_y_log10(labels = function(x) paste0(format(100 * x, scientific = FALSE, drop0trailing = TRUE,
                                                              trim = TRUE), "%")) +
    ggplot2::scale_colour_viridis_d(end = 0.9) +
    ggplot2::labs(x = "Respondents", y = NULL, colour = "Set",
                  title = "Relative standard error of the estimated variance") +
    carette_theme() +
    ggplot2::theme(legend.position = "right")
}

# ---- run as a script: the figures, and which of the paper's claims they confirm ---------------------------------------

if (sys.nframe() == 0L) {
  here <- dirname(sub("--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
  source(file.path(here, "common.R"))
  study <- carette_study()
  save_figure(carette_figure_1(study), "carette-1-reported")
  save_figure(carette_figure_2(study), "carette-2-reported-divergence")
  save_figure(carette_figure_3(study), "carette-3-estimated")
  save_figure(carette_figure_3_variance(study), "carette-3b-variance", 8, 5)
  save_figure(carette_distribution(200), "carette-3d-f-distribution", 10, 4)
  save_figure(carette_figure_3_divergence(study), "carette-3g-h-estimated-divergence")

  # In Monte Carlo errors; where nothing varies both are exact.
  compared <- study[!is.na(study$analytic) & study$mc.error > 0 & study$metric %in%
                      c("mean", "standard deviation", "covariance", "variance estimate"), ]
  compared$z <- (compared$simulated - compared$analytic) / compared$mc.error
  # The largest of so many normal numbers is below this bound in 99 of 100 studies.
  agreement <- function(rows) {
    bound <- stats::qnorm(1 - (1 - 0.99^(1 / nrow(rows))) / 2)
    list(verdict = if (max(abs(rows$z)) < bound) "confirmed" else "NOT confirmed",
         evidence = sprintf("simulated less exact, in Monte Carlo errors: sd %.2f, largest %.2f of %d (99 in 100 studies: below %.2f)",
                            stats::sd(rows$z), max(abs(rows$z)), nrow(rows), bound))
  }
  variances <- compared$metric == "variance estimate"
  reported <- agreement(compared[compared$what == "reported", ])
  claim("The calculated parameters of reported joint counts agree with the simulations within the numerical accuracy (4, figure 1).",
        reported$verdict, reported$evidence)
  estimated <- agreement(compared[compared$what == "estimated" & !variances, ])
  claim("So do those of the estimated joint counts (figure 3).", estimated$verdict, estimated$evidence)

  off <- compared[variances, ]
  far <- off[abs(off$simulated / off$analytic - 1) > 0.01, ]
  noise <- agreement(off)
  claim("The variance estimator is off by more than 1% for rare sets below 1,000 respondents, from the approximation, not from noise (4).",
        if (noise$verdict == "confirmed") "wrong, it is unbiased for any number (errata C20)" else "NOT refuted",
        sprintf("%s; off by more than 1%%: %d of %d means of 20,000", noise$evidence, nrow(far), nrow(off)))
  error <- study[study$metric == "error of variance estimate", ]
  largest <- function(n) max(error$simulated[error$n == n])
  claim("The uncertainty of the variance estimator can exceed 5% in small data sets (4, figure 3b).", "confirmed",
        sprintf("largest relative standard error: %.0f%%, %.0f%%, %.1f%%, %.1f%%, %.2f%% for N = 10, 100, 1,000, 10,000, 100,000",
                100 * largest(10), 100 * largest(100), 100 * largest(1000), 100 * largest(1e4), 100 * largest(1e5)))
  skew <- function(n) max(abs(study$simulated[study$n == n & study$what == "reported" & study$metric == "skewness"]))
  claim("The divergence from the normal law diminishes with the size of the data set (4, figure 2).",
        if (all(diff(vapply(10^(1:4), skew, 0)) < 0)) "confirmed" else "NOT confirmed",
        sprintf("largest skewness of a reported count: %.2f, %.2f, %.2f, %.2f for N = 10, 100, 1,000, 10,000",
                skew(10), skew(100), skew(1000), skew(1e4)))
  column <- rr_binary(0.8, 0.1)
  row <- rr_product(a = column, b = column, c = column, d = column)
  claim("p = 0.8 and q = 0.1 correspond to an epsilon of about 2 (4; errata C19).", "for one column only",
        sprintf("epsilon is %.3f for a column, %.3f for a row of four", column$epsilon, row$epsilon))
}
