# Do intervals of associations cover, up to a correlation of 1, and do they agree with the test?
#
#     Rscript associations.R <folder> <surveys> <data>
#
# Two yes/no questions with shares of yes x and y are asked by one device each; the shares and the correlation make the table of the truths. `data`:
# "columns" are many pairs of bits, by rr_cooccurrence(); "table" a table of reports, estimated by inversion and by maximum likelihood; "groups" two groups
# of one tally, of which each is a survey; "clusters" a design of survey::svydesign() with four strata and clusters of five, the truths of a cluster's
# members being alike with probability 0.3. Each of the four has `surveys` surveys a cell, "columns" twice as many. Writes associations.csv, a row for each
# cell and measure: the data, the shares, the correlation of the truths, respondents, method, device, the measure, coverage of nominal .95, its Monte Carlo
# error, the share of surveys in which the interval leaves independence out if and only if the test rejects it, of surveys without an interval, and surveys.
# With <data>, such as "table|groups", other rows of the file stay as they are.
suppressPackageStartupMessages(library(candor))

arguments <- commandArgs(trailingOnly = TRUE)
folder <- if (length(arguments) < 1) tempdir() else arguments[1]
dir.create(folder, showWarnings = FALSE, recursive = TRUE)
surveys <- if (length(arguments) < 2) 500 else as.integer(arguments[2])
data <- if (length(arguments) < 3) "." else arguments[3]
file <- file.path(folder, "associations.csv")

designs <- list(forced = rr_forced(1 / 6), warner = rr_warner(0.8))
measures <- c("covariance", "correlation", "odds.ratio")
quietly <- function(fit) suppressWarnings(suppressMessages(fit))

# The cells of the truths: no and no, yes and no, no and yes, yes and yes.
true_table <- function(share, correlation) {
  both <- prod(share) + correlation * sqrt(prod(share, 1 - share))
  cells <- c(1 - sum(share) + both, share[1] - both, share[2] - both, both)
  ifelse(abs(cells) < 1e-12, 0, cells)
}

true_measures <- function(cells) {
  x <- cells[2] + cells[4]
  y <- cells[3] + cells[4]
  c(covariance = cells[4] - x * y, correlation = (cells[4] - x * y) / sqrt(x * (1 - x) * y * (1 - y)),
    odds.ratio = cells[1] * cells[4] / (cells[2] * cells[3]))
}

answered <- function(truth, design) {
  chance <- rr_matrix(designs[[design]])[, 2]
  as.integer(runif(length(truth)) < chance[truth + 1])
}

# Each returns a list of associations, of which each has one pair of every survey.
associations <- list(
  columns = function(cells, n, method, design) {
    lapply(rep(25, 2 * surveys / 25), function(pairs) {
      person <- matrix(sample(4, n * pairs, TRUE, cells), n)
      bits <- cbind(matrix(answered(person %% 2 == 0, design), n), matrix(answered(person > 2, design), n))
      colnames(bits) <- paste0(rep(c("x", "y"), each = pairs), seq_len(pairs))
      list(found = rr_association(rr_tmdh(rr_cooccurrence(bits), designs[[design]])), terms = paste0("x", seq_len(pairs), ":y", seq_len(pairs)))
    })
  },
  table = function(cells, n, method, design) {
    questions <- rr_product(a = designs[[design]], b = designs[[design]])
    chance <- t(rr_matrix(designs[[design]]))
    counts <- rmultinom(surveys, n, as.vector(kronecker(chance, chance) %*% cells))
    apply(counts, 2, function(one) list(found = rr_association(rr_estimate(rr_counts(one, questions), method = method))), simplify = FALSE)
  },
  groups = function(cells, n, method, design) {
    questions <- rr_product(a = designs[[design]], b = designs[[design]])
    unlist(lapply(seq_len(surveys / 2), function(i) {
      person <- sample(4, 2 * n, TRUE, cells)
      reports <- data.frame(a = c("no", "yes")[answered(person %% 2 == 0, design) + 1], b = c("no", "yes")[answered(person > 2, design) + 1])
      fit <- rr_estimate(rr_tally(reports, questions, by = rep(c("men", "women"), n)), method = method)
      lapply(c("men", "women"), function(group) list(found = rr_association(fit[group])))
    }), recursive = FALSE)
  },
  clusters = function(cells, n, method, design) {
    questions <- rr_product(a = designs[[design]], b = designs[[design]])
    lapply(seq_len(surveys), function(i) {
      town <- rep(seq_len(n / 5), each = 5)
      own <- runif(n) >= 0.3
      person <- ifelse(own, sample(4, n, TRUE, cells), sample(4, n / 5, TRUE, cells)[town])
      people <- data.frame(town = town, stratum = town %% 4, w = c(1, 2, 1, 3)[town %% 4 + 1])
      people$a <- c("no", "yes")[answered(person %% 2 == 0, design) + 1]
      people$b <- c("no", "yes")[answered(person > 2, design) + 1]
      list(found = rr_association(rr_estimate(survey::svydesign(~town, strata = ~stratum, weights = ~w, data = people), questions, method = method)))
    })
  }
)

# Of each survey and measure: does the interval cover, does it agree with the test, is there one?
judged <- function(one, truth) {
  rows <- tidy(one$found, conf.int = TRUE, terms = one$terms)
  pairs <- as.data.frame(one$found)
  rejected <- pairs$p.value[match(paste(rows$x, rows$y), paste(pairs$x, pairs$y))] < 0.05
  none <- ifelse(rows$measure == "odds.ratio", 1, 0)
  value <- unname(truth[rows$measure])
  data.frame(measure = rows$measure, cover = rows$conf.low <= value + 1e-9 & value - 1e-9 <= rows$conf.high,
             agree = (rows$conf.low > none | rows$conf.high < none) == rejected)
}

cell <- function(data, x, y, correlation, n, method, design) {
  cells <- true_table(c(x, y), correlation)
  found <- quietly(associations[[data]](cells, n, method, design))
  found <- do.call(rbind, lapply(found, judged, true_measures(cells)))
  do.call(rbind, lapply(measures, function(measure) {
    part <- found[found$measure == measure, ]
    cover <- mean(part$cover, na.rm = TRUE)
    data.frame(data = data, x = x, y = y, correlation = round(correlation, 4), n = n, method = method, design = design, measure = measure,
               coverage = round(cover, 4), mc.error = round(sqrt(cover * (1 - cover) / nrow(part)), 4),
               agreement = round(mean(part$agree, na.rm = TRUE), 4), none = round(mean(is.na(part$cover)), 4), surveys = nrow(part))
  }))
}

# Unequal shares allow no correlation of 1, shares below a half none of -1: `part` of what they allow.
grid <- merge(data.frame(x = c(0.3, 0.2, 0.1, 0.5), y = c(0.3, 0.35, 0.1, 0.5)), expand.grid(part = c(0, 0.3, 0.6, 0.9, 0.97, 1, -1), n = c(300, 1000)))
most <- with(grid, sqrt(x * (1 - y) / (y * (1 - x))))
least <- with(grid, sqrt(x * y / ((1 - x) * (1 - y))))
grid$correlation <- with(grid, part * ifelse(part > 0, most, least))
few <- grid[grid$n == 300 & (grid$x == 0.3 & grid$part == 1 | grid$x == 0.2 & grid$part == 0.97), ]
large <- grid$n == 1000 & grid$x %in% c(0.1, 0.2) & grid$part %in% c(0.3, 0.97, 1)
rows <- function(data, grid, method, design) {
  set.seed(20261127)
  do.call(rbind, Map(cell, data, grid$x, grid$y, grid$correlation, grid$n, method, design))
}
studied <- list(columns = function() rbind(rows("columns", grid[grid$n == 300 | large, ], "inv", "forced"),
                                           rows("columns", grid[grid$n == 300 & grid$x == 0.2, ], "inv", "warner")),
                table = function() rows("table", few, "mle", "forced"), groups = function() rows("groups", few, "mle", "forced"),
                clusters = function() rows("clusters", few, "inv", "forced"))
asked <- grep(data, names(studied), value = TRUE)
old <- if (file.exists(file)) subset(utils::read.csv(file), !data %in% asked)
table <- rbind(old, do.call(rbind, lapply(studied[asked], function(one) one())))
table <- table[order(match(table$data, names(studied))), ]
utils::write.csv(table, file, row.names = FALSE)
cat(sprintf("%d cells, lowest coverage %.3f, lowest agreement %.3f\n", nrow(table), min(table$coverage), min(table$agreement)))
print(table[table$coverage < 0.93, ], row.names = FALSE)
